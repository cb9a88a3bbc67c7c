/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The outside scheduler of hold.h: one call of its program. */
#ifndef HARNESS_HOLD_EXEC_H
#define HARNESS_HOLD_EXEC_H

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include "harness/base/err.h"

struct child;

struct hold_exec {
	const char *command, *machine, *holder, *run; /* borrowed */
	int64_t wait_ms;			      /* as in hold.h */
	struct child *child;			      /* the call under way, or NULL */
	void (*done)(void *arg, const struct err *e);
	void *arg;
	const char *verb;
};

/* One call; done() once, with class none on success; at once when it cannot be started. deadline_ms
 * -1: none. */
void hold_exec_start(struct hold_exec *x, uv_loop_t *loop, const char *verb, int deadline_ms,
	void (*done)(void *arg, const struct err *e), void *arg);

/* End the call under way; done() still follows. */
void hold_exec_stop(struct hold_exec *x);

/* Say on the log that `release` failed, unless e has class none. */
void hold_exec_unreturned(const struct hold_exec *x, const struct err *e);

/* `release` of n at once, on a loop of its own; what fails is said on the log. */
void hold_exec_release(struct hold_exec *const *x, size_t n, int deadline_ms);

#endif
