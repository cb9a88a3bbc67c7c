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

struct hold {
	uv_loop_t *loop;
	struct hold_opts opts;
	struct lock lock;
	char holder[256];
	struct hold_exec exec;
	uv_timer_t timer; /* the wait between two tries; then between two renewals */
	bool acquired;	  /* the scheduler has to be told of the end */
	bool over, interrupted, ticked;
	const char *why;
	struct err err; /* of acquire; later: why the lock was lost */
	void (*lost)(void *arg, const struct err *e);
	void *arg;
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

static void hold_on_signal(void *arg, const char *why)
{
	struct hold *h = arg;

	h->interrupted = true;
	h->why = why;
	hold_exec_stop(&h->exec);
}

static void hold_on_tick(uv_timer_t *t)
{
	struct hold *h = t->data;

	h->ticked = true;
	/* Or the loop would go on to wait for something else, and there may be nothing. */
	uv_stop(h->loop);
}

/* Class busy once the time is over, else class none. */
static int hold_pause(struct hold *h, int64_t began, const struct err *busy, struct err *e)
{
	int64_t past = (clock_mono_ns() - began) / 1000000;
	int64_t left = h->opts.wait_ms == HOLD_FOREVER ? POLL_MS : h->opts.wait_ms - past;
	char waited[16];

	if (left <= 0) {
		clock_human(past * 1000000, waited, sizeof(waited));
		return err_set(e, ERR_BUSY, busy->code, "%s; waited %s", busy->msg, waited);
	}
	h->ticked = false;
	uv_timer_start(&h->timer, hold_on_tick, (uint64_t)(left < POLL_MS ? left : POLL_MS), 0);
	while (!h->ticked && !h->interrupted)
		uv_run(h->loop, UV_RUN_ONCE);
	uv_timer_stop(&h->timer);
	return 0;
}

static int hold_end_of_wait(const struct hold *h, struct err *e)
{
	return err_set(
		e, ERR_INTERRUPTED, NULL, "%s: interrupted by %s", h->opts.target->name, h->why);
}

/* The lock of this host. */
static int hold_local(struct hold *h, int64_t began, struct err *e)
{
	const struct target *t = h->opts.target;
	char told[sizeof(e->msg)] = "";
	struct err busy;
	int rc;

	for (;;) {
		if (h->interrupted)
			return hold_end_of_wait(h, e);
		busy = (struct err)ERR_INIT;
		rc = lock_acquire(&h->lock, h->opts.state, t->name, t->lab.present ? NULL : t->mac,
			h->holder, &busy);
		if (rc != -ERR_BUSY || h->opts.wait_ms == HOLD_NO_WAIT)
			break;
		if (strcmp(told, busy.msg) != 0)
			log_line(LOG_WARN, NULL, "%s; waiting for it", busy.msg);
		snprintf(told, sizeof(told), "%s", busy.msg);
		rc = hold_pause(h, began, &busy, e);
		if (rc)
			return rc;
	}
	if (rc)
		*e = busy;
	if (rc == -ERR_BUSY)
		err_set(e, ERR_BUSY, busy.code, "%s; --wait waits for it", busy.msg);
	return rc;
}

static void hold_on_acquired(void *arg, const struct err *e)
{
	struct hold *h = arg;

	h->err = *e;
	h->over = true;
}

static int hold_acquire_ms(const struct hold *h, int64_t began)
{
	int64_t left = h->opts.wait_ms - (clock_mono_ns() - began) / 1000000;

	if (h->opts.wait_ms == HOLD_FOREVER)
		return -1;
	if (h->opts.wait_ms == HOLD_NO_WAIT)
		return ACQUIRE_MS;
	return (int)(left < 0 ? 0 : left) + GRACE_MS;
}

static void hold_on_renew(uv_timer_t *t);

static void hold_on_renewed(void *arg, const struct err *e)
{
	struct hold *h = arg;

	if (h->over)
		return;
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

/* The lock of the scheduler; we have that of this host. */
static int hold_outside(struct hold *h, int64_t began, struct err *e)
{
	int deadline = hold_acquire_ms(h, began);

	h->exec = (struct hold_exec){.command = h->opts.exec,
		.machine = h->opts.target->name,
		.holder = h->holder,
		.run = h->opts.run,
		.wait_ms = deadline > 0 && h->opts.wait_ms ? deadline - GRACE_MS : h->opts.wait_ms};
	log_line(LOG_INFO, h->opts.target->name, "%s acquire", h->opts.exec);
	hold_exec_start(&h->exec, h->loop, "acquire", deadline, hold_on_acquired, h);
	while (!h->over)
		uv_run(h->loop, UV_RUN_ONCE);
	h->over = false;
	if (!h->err.cls && !h->interrupted) {
		h->acquired = true;
		uv_timer_start(&h->timer, hold_on_renew, (uint64_t)h->opts.renew_ms, 0);
		return 0;
	}
	/* It may have the lock all the same. */
	if (!h->err.cls || h->interrupted || strstr(h->err.msg, "did not end in time"))
		hold_exec_release(&h->exec, RELEASE_MS);
	if (h->interrupted)
		return hold_end_of_wait(h, e);
	*e = h->err;
	return -(int)e->cls;
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

int hold_take(struct hold **out, uv_loop_t *loop, struct signals *signals,
	const struct hold_opts *opts, struct err *e)
{
	struct hold *h = mem_alloc(sizeof(*h));
	int64_t began = clock_mono_ns();
	int rc;

	h->loop = loop;
	h->opts = *opts;
	h->lock = (struct lock)LOCK_INIT;
	h->err = (struct err)ERR_INIT;
	hold_name(h);
	uv_timer_init(loop, &h->timer);
	h->timer.data = h;
	signals_tell(signals, hold_on_signal, h);
	rc = hold_local(h, began, e);
	if (!rc && opts->exec)
		rc = hold_outside(h, began, e);
	signals_tell(signals, NULL, NULL);
	if (rc) {
		hold_free(h);
		return rc;
	}
	*out = h;
	return 0;
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

void hold_give(struct hold *h)
{
	if (!h)
		return;
	h->over = true;
	uv_timer_stop(&h->timer);
	hold_exec_stop(&h->exec);
	while (h->exec.child)
		uv_run(h->loop, UV_RUN_ONCE);
	if (h->acquired)
		hold_exec_release(&h->exec, RELEASE_MS);
	hold_free(h);
}

void hold_abandon(struct hold *h)
{
	if (h && h->acquired)
		hold_exec_release(&h->exec, ABANDON_MS);
}
