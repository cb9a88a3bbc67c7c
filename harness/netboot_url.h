/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How a machine reaches our HTTP server, and what it asks there.  No I/O. */
#ifndef HARNESS_NETBOOT_URL_H
#define HARNESS_NETBOOT_URL_H

#include "harness/base/err.h"
#include "targets/target.h"

enum { NETBOOT_URL_MAX = 300 }; /* with the NUL */

/* "http://host:port" in out.  port: where the server listens; 0: where the target file says.  Fails
 * with class usage when nothing tells a machine where to ask. */
int netboot_url(
	const struct target *t, int port, char out[NETBOOT_URL_MAX], struct err *e) must_check;

/* "http://host:port/ipxe?mac=…" in out, from the target file alone: what DHCP tells this machine's
 * iPXE.  127 bytes at most, as DHCP has no more room, or class usage. */
int netboot_url_script(const struct target *t, char out[NETBOOT_URL_MAX], struct err *e) must_check;

#endif
