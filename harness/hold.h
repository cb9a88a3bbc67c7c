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
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

#include "harness/base/err.h"
#include "harness/signals.h"
#include "targets/target.h"

enum { HOLD_NO_WAIT = 0, HOLD_FOREVER = -1 };

struct hold;

struct hold_opts {
	const char *state;	     /* state folder */
	const struct target *target; /* borrowed until the end */
	const char *who;	     /* "run 7f3a1b2c" */
	const char *run;	     /* UUID, or "" */
	const char *exec;	     /* the scheduler's program; NULL: none */
	int64_t wait_ms;	     /* how long to wait for the machine, or as above */
	int renew_ms;
	const struct signals *signals; /* borrowed until the end: a signal leaves release less time;
					  NULL: none does */
	bool brief; /* leaves what a killed holder wrote for the next one that is not */
};

/* How the taking ended: class none, or why it did not work; then nothing is held, and h is gone
 * when this returns. */
typedef void hold_done_fn(void *arg, const struct err *e);

/* Take the machine; says on the log who holds it when that is waited for.  opts is copied, the
 * texts in it borrowed until the end.  done() once, from the loop. */
struct hold *hold_start(
	uv_loop_t *loop, const struct hold_opts *opts, hold_done_fn *done, void *arg);

/* A signal, why says which (a literal).  Before done(): ends the wait, done() follows with class
 * interrupted.  While it is given back: cuts that short in time (harness/closing.h). */
void hold_stop(struct hold *h, const char *why);

/* What the former holder wrote when it died with the lock, else NULL; borrowed. */
const char *hold_dead(const struct hold *h);

/* Who is told, once and from the loop, that the lock was lost; at once when it was already. */
void hold_tell(struct hold *h, void (*lost)(void *arg, const struct err *e), void *arg);

/* Give it back: once a renewal that is under way has ended and the scheduler has had its call (30 s
 * at most; after a signal what harness/closing.h leaves it), given() is called, perhaps before this
 * returns; h is gone then. */
void hold_end(struct hold *h, void (*given)(void *arg), void *arg);

/* For a process that is about to end, from within a callback: the schedulers of all n, held,
 * waiting or giving back (NULL is fine), are called at once, and get 5 s. */
void hold_abandon(struct hold *const *h, size_t n);

/* hold_start() and hold_end() for whoever has one machine: both run the loop until it is done.  A
 * signal ends the wait.  NULL is fine for hold_give(). */
int hold_take(struct hold **out, uv_loop_t *loop, struct signals *signals,
	const struct hold_opts *opts, struct err *e) must_check;
void hold_give(struct hold *h, uv_loop_t *loop);

#endif
