/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a DHCP server needs so that the machines of target files netboot through us.
 *
 * A machine's firmware asks for an address and a boot file.  It gets iPXE by TFTP, chosen by the
 * client architecture (option 93, RFC 4578: 0 BIOS, 7 and 9 UEFI); iPXE asks again, is known by its
 * own option (175), and gets the machine's own address on our HTTP server.  Machines that are not
 * ours get nothing from us.  Pure: text in, text out, no I/O.
 */
#ifndef HARNESS_NETBOOT_CONFIG_H
#define HARNESS_NETBOOT_CONFIG_H

#include <stddef.h>

#include "harness/base/buf.h"
#include "harness/base/err.h"
#include "targets/target.h"

/* First stages, as Debian's package ipxe names them.  The UEFI one uses the driver of the firmware
 * and only the interface that it was loaded through, as undionly does under BIOS. */
#define NETBOOT_FILE_BIOS "undionly.kpxe"
#define NETBOOT_FILE_UEFI "snponly.efi"
#define NETBOOT_TFTP_ROOT "/usr/lib/ipxe"

enum netboot_format {
	NETBOOT_DNSMASQ,       /* the only DHCP server of a segment, and TFTP */
	NETBOOT_DNSMASQ_PROXY, /* proxyDHCP beside a server that gives the addresses, and TFTP */
	NETBOOT_DHCPD,	       /* for an existing ISC DHCP server */
	NETBOOT_KEA,	       /* for an existing Kea */
};

struct netboot_config {
	enum netboot_format format;
	const char *interface; /* dnsmasq: of this segment; required, or NULL for the others */
	/* dnsmasq: "FIRST,LAST[,LEASE]"; dnsmasq-proxy: this host's address in the segment; NULL:
	 * not given. */
	const char *range;
	const char *address;	 /* IPv4 of that interface on this host; NULL: not known */
	const char *tftp_root;	 /* dnsmasq: absolute path */
	const char *tftp_server; /* the others: IPv4; NULL: the host of each machine's address */
};

/* By the name that --format takes: dnsmasq, dnsmasq-proxy, dhcpd, kea.  Class usage for another. */
int netboot_format_find(enum netboot_format *f, const char *name, struct err *e) must_check;

/* The whole configuration into out.  Notes: what is doubtful, a line each, without a program name.
 * Class usage for settings that make no configuration; out and notes then hold nothing of use. */
int netboot_config_make(const struct netboot_config *c, const struct target *targets, size_t n,
	struct buf *out, struct buf *notes, struct err *e) must_check;

#endif
