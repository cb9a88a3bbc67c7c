/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A machine that is held for one command: its lock on this host (lock.h), then that of an outside
 * scheduler if one is named.
 *
 * The scheduler is a program: `CMD acquire NAME` waits or fails, `CMD renew NAME` is called every
 * renew_ms, `CMD release NAME` at the end whatever happens, also after an acquire that was cut
 * short.  Status 0 is success, 6 of acquire means that somebody else has the machine; its last line
 * of output says more.  HARNESS_LOCK_HOLDER, HARNESS_LOCK_RUN and HARNESS_LOCK_WAIT (seconds, or
 * "forever") are in its environment.  A renewal that fails or does not end in time is a lost lock.
 *
 * Errors: E_BUSY (class busy) names the holder, E_LOCK (class lab) the scheduler's failure.
 */
#ifndef HARNESS_HOLD_H
#define HARNESS_HOLD_H

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include "harness/base/err.h"
#include "harness/signals.h"
#include "targets/target.h"

enum { HOLD_NO_WAIT = 0, HOLD_FOREVER = -1 };

struct hold;

struct hold_opts {
	const char *state;	     /* state folder */
	const struct target *target; /* borrowed until hold_give() */
	const char *who;	     /* "run 7f3a1b2c" */
	const char *run;	     /* UUID, or "" */
	const char *exec;	     /* the scheduler's program; NULL: none */
	int64_t wait_ms;	     /* how long to wait for the machine, or as above */
	int renew_ms;
	bool brief; /* leaves what a killed holder wrote for the next one that is not */
};

/* Take the machine; waits on the loop, and says on the log who holds it.  A signal ends the wait
 * with class interrupted.  On failure nothing is held. */
int hold_take(struct hold **out, uv_loop_t *loop, struct signals *signals,
	const struct hold_opts *opts, struct err *e) must_check;

/* What the former holder wrote when it died with the lock, else NULL; borrowed. */
const char *hold_dead(const struct hold *h);

/* Who is told, once and from the loop, that the lock was lost; at once when it was already. */
void hold_tell(struct hold *h, void (*lost)(void *arg, const struct err *e), void *arg);

/* Give it back: runs the loop for a renewal that is under way, and waits (30 s) for the scheduler.
 * The loop must run on.  NULL is fine. */
void hold_give(struct hold *h);

/* The same for a process that is about to end, from within a callback: 5 s at most. */
void hold_abandon(struct hold *h);

#endif
