/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The HTTP server that machines netboot from.
 *
 * One server for all machines of this process, on the given event loop (libmicrohttpd driven by its
 * epoll descriptor; no thread).  GET and HEAD only:
 *   /ipxe?mac=aa:bb:cc:dd:ee:ff   the current boot's script, or the idle script; the address in
 *                                 either case, with ':' or '-' between its bytes
 *   /b/<token>/<file>             a file of the current boot; 404 once the boot is over
 *   /b/<token>/failed?errno=…     iPXE reports an error
 * A token is 32 hex digits from the kernel's generator, new for every boot, and is never logged.
 * Names are looked up in the boot's table, never on disk.  Files are streamed from disk, with
 * ranges.  Each fetch is an event.
 *
 * Limits: 512 connections, of them 64 and one for each boot without a request, 448 at most (the
 * oldest is cut), 30 s without progress of a connection (5 s before its first request), 16 KiB of
 * request head, 512 bytes of path.
 * SIGPIPE is set to be ignored in this process.
 */
#ifndef HARNESS_NETBOOT_H
#define HARNESS_NETBOOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

#include "harness/base/err.h"

struct netboot;
struct netboot_boot;

enum netboot_event_type {
	NETBOOT_SCRIPT,	    /* the script was sent */
	NETBOOT_FILE_START, /* first byte of a file asked for */
	NETBOOT_FILE_DONE,  /* the peer has acknowledged the file up to its end: all of it at once,
			       or the last of parts that leave nothing out */
	NETBOOT_FILE_CUT,   /* the peer went away in the middle, or (detail says so) has a part */
	NETBOOT_FAILED,	    /* iPXE reported a failure; detail holds its errno text */
};

struct netboot_event {
	enum netboot_event_type type;
	int64_t mono_ns;
	const char
		*file;	/* "xen", "dummy"; borrowed until the callback returns; "" for the script */
	uint64_t bytes; /* sent in this fetch: exact for SCRIPT, FILE_DONE and a part; else for
			   FILE_CUT what the peer acknowledged, response head included; 0 for
			   FILE_START */
	const char *detail; /* "" */
	const char *peer;   /* address of the client, without port; never "" */
};

/* May call every function below. */
typedef void netboot_event_fn(void *arg, const struct netboot_event *ev);

struct netboot_file {
	const char *name; /* str_is_name(), not "failed" */
	const char *path; /* streamed from here, or … */
	const char *text; /* … this text (path NULL) */
};

/* listen: "address:port", "[v6]:port"; port 0 is chosen by the kernel.  Fails with class lab,
 * E_PORT, naming address and port when it is in use; class usage when it is no such address. */
struct netboot *netboot_new(uv_loop_t *loop, const char *listen, struct err *e) must_check;
int netboot_port(const struct netboot *n);
/* NULL is fine; ends all boots and closes connections.  The loop must run on for the handles to be
 * closed. */
void netboot_free(struct netboot *n);

/* Who hears of a script that is asked for by a machine that no boot waits for: its MAC address
 * ("" when it tells none) and its address, borrowed until it returns.  fn NULL: nobody. */
typedef void netboot_stranger_fn(void *arg, const char *mac, const char *peer);
void netboot_strangers(struct netboot *n, netboot_stranger_fn *fn, void *arg);

/* Begin to serve a boot for the machine with this MAC address (any earlier boot of it must have
 * ended: class busy).  Copies everything. */
struct netboot_boot *netboot_prepare(struct netboot *n, const char *mac, netboot_event_fn *fn,
	void *arg, struct err *e) must_check;
/* "BASE/b/<token>" with base_url = how the machine reaches us; owned by the boot, good until the
 * next call. */
const char *netboot_base(struct netboot_boot *b, const char *base_url);
/* Hand out script and files from now on.  Files are opened at once, so that a missing one fails
 * here (class image, E_FILE).  Once a boot. */
int netboot_publish(struct netboot_boot *b, const char *script, const struct netboot_file *files,
	size_t n, struct err *e) must_check;
/* Before netboot_publish(), or after it: whoever asks for this machine's script gets this one
 * (copied) from now on.  Files that are published stay. */
void netboot_hold(struct netboot_boot *b, const char *script);
/* Stop serving: token and script are gone when this returns; transfers that run are cut.  No event
 * comes after it.  Ends b's life. */
void netboot_end(struct netboot_boot *b); /* NULL is fine */

#endif
