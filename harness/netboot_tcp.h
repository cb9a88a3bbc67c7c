/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the kernel knows of a TCP connection.  A file of its own: the kernel's header that has the
 * counter cannot be included together with libuv's. */
#ifndef HARNESS_NETBOOT_TCP_H
#define HARNESS_NETBOOT_TCP_H

#include <stdint.h>

/* Bytes that the peer has acknowledged since the connection began; 0 when it cannot be known. */
uint64_t netboot_tcp_acked(int sock);

/* A duplicate of the socket to ask netboot_tcp_reached() about, or -1; the caller closes it.
 * *target: what netboot_tcp_acked() gives when all that was written so far has been acknowledged.
 */
int netboot_tcp_watch(int sock, uint64_t *target);

enum netboot_tcp {
	NET_WAITS,
	NET_REACHED,
	NET_GONE, /* the connection is over, and never will */
};

enum netboot_tcp netboot_tcp_reached(int sock, uint64_t target);

#endif
