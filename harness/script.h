/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The iPXE script of one boot, as text.  Pure: no I/O.  Templates: firmware-images/ipxe/.
 *
 * Limits are iPXE's and are checked here, so that a boot that cannot work is refused before
 * power-on.  For multiboot (BIOS) iPXE keeps 512 bytes for the URIs and command lines of all files
 * together and cuts what does not fit without a word; there are at most 8 modules.
 */
#ifndef HARNESS_SCRIPT_H
#define HARNESS_SCRIPT_H

#include "harness/base/buf.h"
#include "harness/base/err.h"
#include "targets/target.h"

enum {
	SCRIPT_MULTIBOOT_MAX = 512, /* bytes for all files: "<URI> <arguments>" and a NUL each */
	SCRIPT_EFI_MAX = 960,	    /* Xen's own limit is 1024, with its name and configuration */
	SCRIPT_MODULES_MAX = 8,
	SCRIPT_TRIES = 3,	   /* of one fetch of all files */
	SCRIPT_TEXT_MAX = 16384,   /* limit for the buffers passed in here */
	SCRIPT_TOKEN_PATH = 3 + 32 /* "/b/<token>" of harness/netboot.h */
};

/* What the probe is asked for on the command line. */
struct script_probe {
	const char *nonce; /* NONCE_HEX digits */
	const char *workload;
	int samples, iterations, warmup, repeat;
};

/* The hypervisor's command line: serial settings and arguments of the machine, x2apic-mode where
 * the caller gives one, extra arguments of the run, the probe's keys last.  Blanks are single.
 * Refused, class usage, E_CMDLINE: control characters and what is not ASCII, quotes, backslashes,
 * "${", words that iPXE or Xen take for the end of the line ("||", "&&", ";", "--", "#…"), and more
 * bytes than iPXE passes on; a URL that is not known yet (netboot.url empty) counts as the longest
 * that IPv4 needs.  extra and x2apic_mode may be NULL. */
int script_cmdline(struct buf *out, const struct target *t, const char *x2apic_mode,
	const char *extra, const struct script_probe *p, struct err *e) must_check;

/* Would the command line of such a boot pass?  Refuses what script_cmdline() refuses; p->nonce is
 * not looked at, any has the same length.  length (may be NULL) receives the line's bytes. */
int script_check(const struct target *t, const char *extra, const struct script_probe *p,
	size_t *length, struct err *e) must_check;

/* The script that loads base_url/xen with this command line (BIOS: and one module,
 * base_url/dummy), and boots; a failed fetch is tried again and then reported to
 * base_url/failed?errno=… before the machine restarts.  base_url ("http://…", at most 256 bytes)
 * ends without '/'.  Refuses the same command lines as script_cmdline(), by this URL's length. */
int script_boot(struct buf *out, const struct target *t, const char *base_url, const char *cmdline,
	struct err *e) must_check;

/* The script for a machine that has no boot waiting: on to the next boot device.  why is shown on
 * its screen; characters with a meaning to iPXE become '?'. */
int script_idle(struct buf *out, const char *why, struct err *e) must_check;

/* The script that fetches base_url/hello and nothing else: reports a failure as script_boot() does,
 * waits wait_s, and goes on to the next boot device. */
int script_try(struct buf *out, const char *base_url, int wait_s, struct err *e) must_check;

/* The script for a machine whose next boot is not ready yet: it asks base_url/ipxe?mac=… again.
 * base_url is as for script_boot(), mac an address with colons. */
int script_wait(struct buf *out, const char *base_url, const char *mac, struct err *e) must_check;

#endif
