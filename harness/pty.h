/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A child process on a pseudo terminal of its own.
 *
 * The terminal is raw: every byte passes unchanged.  The object frees itself after the child's
 * exit.
 */
#ifndef HARNESS_PTY_H
#define HARNESS_PTY_H

#include <stddef.h>
#include <uv.h>

#include "harness/base/child.h"
#include "harness/base/err.h"

struct pty;

struct pty_events {
	void (*data)(void *arg, char *p, size_t n); /* p may be changed in place */
	/* The last event; the object is gone after it.  How it ended is borrowed. */
	void (*ended)(void *arg, const struct child_result *r);
};

/* opts as for child_start(); its standard streams are the terminal. */
struct pty *pty_start(uv_loop_t *loop, const struct child_opts *opts,
	const struct pty_events *events, void *arg, struct err *e) must_check;

/* Type bytes.  Returns 0, or -1 when the terminal did not take them all. */
int pty_type(struct pty *t, const char *p, size_t n);

/* End the process; ended() follows.  NULL is fine. */
void pty_end(struct pty *t);

/* The same, and no more events.  NULL is fine. */
void pty_drop(struct pty *t);

#endif
