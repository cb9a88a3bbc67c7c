/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A TCP connection to a console server, whose death is noticed.
 *
 * Every address of the name is tried.  A peer that vanishes without a word, or takes nothing any
 * more, is found by keepalive and user timeout within TCP_LINE_DEAD_MS.  After connected() with an
 * error, or ended(), the object frees itself: forget it.
 */
#ifndef HARNESS_TCP_LINE_H
#define HARNESS_TCP_LINE_H

#include <stddef.h>
#include <uv.h>

#include "harness/base/err.h"

enum { TCP_LINE_DEAD_MS = 13000, TCP_LINE_QUEUE_MAX = 65536 /* bytes */ };

struct tcp_line;

/* From the loop.  Errors are class lab, E_CONSOLE, and name host and port. */
struct tcp_line_events {
	void (*connected)(void *arg, const struct err *e); /* e->cls ERR_NONE: it is */
	void (*data)(void *arg, char *p, size_t n);	   /* p may be changed in place */
	void (*ended)(void *arg, const struct err *e);
};

/* Begin.  host is borrowed until connected(). */
struct tcp_line *tcp_line_start(uv_loop_t *loop, const char *host, int port, int deadline_ms,
	const struct tcp_line_events *events, void *arg);

/* Copies.  -1: the peer is more than TCP_LINE_QUEUE_MAX behind, nothing was queued. */
int tcp_line_write(struct tcp_line *l, const char *p, size_t n) must_check;

/* No more events; what was written is still sent where the kernel takes it at once.  NULL is fine.
 */
void tcp_line_drop(struct tcp_line *l);

#endif
