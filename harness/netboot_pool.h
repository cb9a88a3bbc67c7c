/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The HTTP servers of one process: machines whose [netboot] listen is the same share one.
 *
 * With port 0 the first one that asks has the kernel choose, and the others share its port.  Two
 * machines with one MAC address (virtual ones, on networks of their own) cannot ask the same
 * server, which knows its clients by that: with port 0 the second gets another server, with a fixed
 * port it is refused.
 */
#ifndef HARNESS_NETBOOT_POOL_H
#define HARNESS_NETBOOT_POOL_H

#include "harness/netboot.h"

struct netboot_pool;

struct netboot_pool *netboot_pool_new(uv_loop_t *loop);

/* A server for the machine with this MAC address, until netboot_pool_put().  Borrows nothing.
 * Errors as netboot_new(); class busy, E_BUSY, for a MAC address that is served on the fixed port
 * already. */
struct netboot *netboot_pool_get(
	struct netboot_pool *p, const char *listen_on, const char *mac, struct err *e) must_check;

/* That machine needs it no more (n NULL is fine); all its boots have ended.  The last one closes
 * the server, as netboot_free(). */
void netboot_pool_put(struct netboot_pool *p, struct netboot *n, const char *mac);

/* NULL is fine.  Everything has been put back. */
void netboot_pool_free(struct netboot_pool *p);

#endif
