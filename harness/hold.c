/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/hold.h"

#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/clock.h"
#include "harness/base/log.h"
#include "harness/base/mem.h"
#include "harness/closing.h"
#include "harness/hold_exec.h"
#include "harness/lock.h"

enum {
	POLL_MS = 500,
	ACQUIRE_MS = 30000, /* without --wait */
	GRACE_MS = 2000,    /* for a scheduler that waits as long as we said, too */
	RENEW_MS = 30000,
	RELEASE_MS = 30000,
	ABANDON_MS = 5000
};

enum hold_phase { HOLD_LOCAL, HOLD_OUTSIDE, HOLD_UNDOING, HOLD_HELD, HOLD_GIVING };

struct hold {
	uv_loop_t *loop;
	struct hold_opts opts;
	struct lock lock;
	char holder[256];
	enum hold_phase phase;
	int64_t began;				   /* monotonic */
	char told[sizeof(((struct err *)0)->msg)]; /* who holds it, as was said last */
	struct hold_exec exec;
	uv_timer_t timer; /* the wait between two tries; then between two renewals */
	bool acquired;	  /* the scheduler has to be told of the end */
	const char *why;  /* what ended the wait, or NULL */
	struct err err;	  /* of acquire; later: why the lock was lost */
	hold_done_fn *done;
	void *done_arg;
	void (*lost)(void *arg, const struct err *e);
	void *arg;
	void (*given)(void *arg);
	void *given_arg;
};

static void hold_name(struct hold *h)
{
	struct passwd *pw = getpwuid(getuid());
	char host[65] = "?", since[32];

	gethostname(host, sizeof(host) - 1);
	clock_iso(clock_wall_ns(), since, sizeof(since));
	snprintf(h->holder, sizeof(h->holder), "%.64s (%.32s on %s, pid %d, since %s)", h->opts.who,
		pw ? pw->pw_name : "?", host, (int)getpid(), since);
}

static void hold_on_closed(uv_handle_t *t)
{
	free(t->data);
}

static void hold_free(struct hold *h)
{
	if (h->opts.brief)
		lock_give_back(&h->lock);
	else
		lock_release(&h->lock);
	uv_close((uv_handle_t *)&h->timer, hold_on_closed);
}

/* The taking is over. */
static void hold_report(struct hold *h)
{
	hold_done_fn *done = h->done;
	void *arg = h->done_arg;
	struct err e = h->err;

	if (h->why)
		err_set(&e, ERR_INTERRUPTED, NULL, "%s: interrupted by %s", h->opts.target->name,
			h->why);
	if (!e.cls)
		h->phase = HOLD_HELD;
	else
		hold_free(h);
	done(arg, &e);
}

static void hold_on_tick(uv_timer_t *t);

/* Somebody has it: wait on, or that is the end.  busy says who. */
static void hold_wait(struct hold *h, const struct err *busy)
{
	int64_t past = (clock_mono_ns() - h->began) / 1000000;
	int64_t left = h->opts.wait_ms == HOLD_FOREVER ? POLL_MS : h->opts.wait_ms - past;
	char waited[16];

	if (strcmp(h->told, busy->msg) != 0)
		log_line(LOG_WARN, NULL, "%s; waiting for it", busy->msg);
	snprintf(h->told, sizeof(h->told), "%s", busy->msg);
	if (left > 0) {
		uv_timer_start(
			&h->timer, hold_on_tick, (uint64_t)(left < POLL_MS ? left : POLL_MS), 0);
		return;
	}
	clock_human(past * 1000000, waited, sizeof(waited));
	err_set(&h->err, ERR_BUSY, busy->code, "%s; waited %s", busy->msg, waited);
	hold_report(h);
}

static int hold_acquire_ms(const struct hold *h)
{
	int64_t left = h->opts.wait_ms - (clock_mono_ns() - h->began) / 1000000;

	if (h->opts.wait_ms == HOLD_FOREVER)
		return -1;
	if (h->opts.wait_ms == HOLD_NO_WAIT)
		return ACQUIRE_MS;
	return (int)(left < 0 ? 0 : left) + GRACE_MS;
}

static int hold_release_ms(const struct hold *h)
{
	return signals_left_ms(h->opts.signals, RELEASE_MS, CLOSING_RELEASE_LEAST_MS);
}

static void hold_on_returned(void *arg, const struct err *e)
{
	struct hold *h = arg;
	void (*given)(void *) = h->given;
	void *given_arg = h->given_arg;

	if (e)
		hold_exec_unreturned(&h->exec, e);
	hold_free(h);
	given(given_arg);
}

/* The end, once no call of the scheduler is under way. */
static void hold_return(struct hold *h)
{
	if (h->acquired)
		hold_exec_start(
			&h->exec, h->loop, "release", hold_release_ms(h), hold_on_returned, h);
	else
		hold_on_returned(h, NULL);
}

static void hold_on_renew(uv_timer_t *t);

static void hold_on_renewed(void *arg, const struct err *e)
{
	struct hold *h = arg;

	if (h->phase == HOLD_GIVING) {
		hold_return(h);
		return;
	}
	if (!e->cls) {
		uv_timer_start(&h->timer, hold_on_renew, (uint64_t)h->opts.renew_ms, 0);
		return;
	}
	h->err = *e;
	err_prefix(&h->err, "%s: the lock was lost", h->opts.target->name);
	if (h->lost)
		h->lost(h->arg, &h->err);
}

static void hold_on_renew(uv_timer_t *t)
{
	struct hold *h = t->data;

	hold_exec_start(&h->exec, h->loop, "renew",
		h->opts.renew_ms < RENEW_MS ? h->opts.renew_ms : RENEW_MS, hold_on_renewed, h);
}

static void hold_on_undone(void *arg, const struct err *e)
{
	struct hold *h = arg;

	hold_exec_unreturned(&h->exec, e);
	hold_report(h);
}

static void hold_on_acquired(void *arg, const struct err *e)
{
	struct hold *h = arg;

	if (!e->cls && !h->why) {
		h->acquired = true;
		uv_timer_start(&h->timer, hold_on_renew, (uint64_t)h->opts.renew_ms, 0);
		hold_report(h);
		return;
	}
	h->err = *e;
	/* It may have the lock all the same. */
	if (h->why || strstr(e->msg, "did not end in time")) {
		h->phase = HOLD_UNDOING;
		hold_exec_start(
			&h->exec, h->loop, "release", hold_release_ms(h), hold_on_undone, h);
	} else {
		hold_report(h);
	}
}

/* The lock of the scheduler; we have that of this host. */
static void hold_outside(struct hold *h)
{
	int deadline = hold_acquire_ms(h);

	h->phase = HOLD_OUTSIDE;
	h->exec = (struct hold_exec){.command = h->opts.exec,
		.machine = h->opts.target->name,
		.holder = h->holder,
		.run = h->opts.run,
		.wait_ms = deadline > 0 && h->opts.wait_ms ? deadline - GRACE_MS : h->opts.wait_ms};
	log_line(LOG_INFO, h->opts.target->name, "%s acquire", h->opts.exec);
	hold_exec_start(&h->exec, h->loop, "acquire", deadline, hold_on_acquired, h);
}

/* The lock of this host. */
static void hold_on_tick(uv_timer_t *timer)
{
	struct hold *h = timer->data;
	const struct target *t = h->opts.target;
	struct err busy = ERR_INIT;
	int rc;

	if (h->why) {
		hold_report(h);
		return;
	}
	rc = lock_acquire(
		&h->lock, h->opts.state, t->name, t->lab.present ? NULL : t->mac, h->holder, &busy);
	if (rc == -ERR_BUSY && h->opts.wait_ms != HOLD_NO_WAIT) {
		hold_wait(h, &busy);
	} else if (rc) {
		h->err = busy;
		if (rc == -ERR_BUSY)
			err_set(&h->err, ERR_BUSY, busy.code, "%s; --wait waits for it", busy.msg);
		hold_report(h);
	} else if (h->opts.exec) {
		hold_outside(h);
	} else {
		hold_report(h);
	}
}

struct hold *hold_start(
	uv_loop_t *loop, const struct hold_opts *opts, hold_done_fn *done, void *arg)
{
	struct hold *h = mem_alloc(sizeof(*h));

	h->loop = loop;
	h->opts = *opts;
	h->lock = (struct lock)LOCK_INIT;
	h->err = (struct err)ERR_INIT;
	h->began = clock_mono_ns();
	h->done = done;
	h->done_arg = arg;
	hold_name(h);
	uv_timer_init(loop, &h->timer);
	h->timer.data = h;
	uv_timer_start(&h->timer, hold_on_tick, 0, 0);
	return h;
}

static void hold_on_hurry(uv_timer_t *t)
{
	struct hold *h = t->data;

	hold_exec_stop(&h->exec);
}

void hold_stop(struct hold *h, const char *why)
{
	if (h->phase == HOLD_UNDOING || h->phase == HOLD_GIVING)
		uv_timer_start(&h->timer, hold_on_hurry, (uint64_t)hold_release_ms(h), 0);
	if (h->why || h->phase > HOLD_OUTSIDE)
		return;
	h->why = why;
	if (h->phase == HOLD_OUTSIDE)
		hold_exec_stop(&h->exec);
	else
		uv_timer_start(&h->timer, hold_on_tick, 0, 0);
}

const char *hold_dead(const struct hold *h)
{
	return h->lock.took_over ? h->lock.former : NULL;
}

void hold_tell(struct hold *h, void (*lost)(void *arg, const struct err *e), void *arg)
{
	h->lost = lost;
	h->arg = arg;
	if (lost && h->err.cls)
		lost(arg, &h->err);
}

void hold_end(struct hold *h, void (*given)(void *arg), void *arg)
{
	h->phase = HOLD_GIVING;
	h->given = given;
	h->given_arg = arg;
	uv_timer_stop(&h->timer);
	if (h->exec.child)
		hold_exec_stop(&h->exec);
	else
		hold_return(h);
}

void hold_abandon(struct hold *const *h, size_t n)
{
	struct hold_exec **all = mem_array(n ? n : 1, sizeof(struct hold_exec *));
	size_t used = 0;

	for (size_t i = 0; i < n; i++)
		if (h[i] && (h[i]->acquired || h[i]->phase == HOLD_OUTSIDE ||
				    h[i]->phase == HOLD_UNDOING))
			all[used++] = &h[i]->exec;
	hold_exec_release(all, used, ABANDON_MS);
	free(all);
}
