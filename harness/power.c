/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/power.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/clock.h"
#include "harness/base/mem.h"
#include "harness/base/str.h"

typedef struct power *power_new_fn(uv_loop_t *, const struct target *, const struct secret *,
	const char *host, int port, struct err *);

static const struct {
	const char *name;
	power_new_fn *make;
} power_drivers[] = {
	{"ipmi", power_ipmi_new},
};

enum {
	POWER_DRIVERS = sizeof(power_drivers) / sizeof(power_drivers[0]),
	POWER_GET_MS = 15000,
	POWER_AGAIN_MS = 500
};

struct power *power_new(uv_loop_t *loop, const struct target *t, const struct secret *s,
	const char *host, int port, struct err *e)
{
	const char *names[POWER_DRIVERS], *near;

	for (size_t i = 0; i < POWER_DRIVERS; i++) {
		if (!strcmp(power_drivers[i].name, t->bmc.driver))
			return power_drivers[i].make(loop, t, s, host, port, e);
		names[i] = power_drivers[i].name;
	}
	near = str_nearest(t->bmc.driver, names, POWER_DRIVERS);
	err_set(e, ERR_USAGE, NULL,
		"%s: unknown power driver \"%s\" in [bmc] (did you mean \"%s\"?)", t->name,
		t->bmc.driver, near ? near : names[0]);
	return NULL;
}

struct power_wait {
	struct power *power;
	uv_timer_t gap;
	enum power_state want, last;
	int readings, agree, gap_ms;
	int64_t end_ns;
	int deadline_ms;
	bool reading, cancelled;
	struct err failed; /* of the last reading, if it failed */
	power_done_fn *done;
	void *arg;
};

static void wait_on_closed(uv_handle_t *h)
{
	free(h->data);
}

static void wait_finish(struct power_wait *w, const struct err *e)
{
	w->power->wait = NULL;
	uv_close((uv_handle_t *)&w->gap, wait_on_closed);
	w->done(w->arg, w->last, e);
}

static const char *power_state_name(enum power_state s)
{
	return s == POWER_ON ? "on" : s == POWER_OFF ? "off" : "unknown";
}

static int64_t wait_left_ms(const struct power_wait *w)
{
	return (w->end_ns - clock_mono_ns()) / 1000000;
}

static void wait_give_up(struct power_wait *w)
{
	struct err e = w->failed;
	char took[16];

	clock_human((int64_t)w->deadline_ms * 1000000, took, sizeof(took));
	if (!e.cls)
		err_set(&e, ERR_LAB, "E_POWER",
			"power still reads %s %s after it was to be %s; look at the machine, or "
			"raise the "
			"deadline of the stage",
			power_state_name(w->last), took, power_state_name(w->want));
	wait_finish(w, &e);
}

static void wait_on_gap(uv_timer_t *t);

static void wait_on_reading(void *arg, enum power_state state, const struct err *e)
{
	struct power_wait *w = arg;
	int64_t left = wait_left_ms(w);

	w->reading = false;
	/* "Too late" says less than what went wrong before it. */
	if (!w->failed.cls || strcmp(e->code, "E_TIMEOUT"))
		w->failed = *e;
	if (e->cls == ERR_INTERRUPTED || !strcmp(e->code, "E_AUTH")) {
		wait_finish(w, e);
		return;
	}
	w->last = e->cls ? POWER_UNKNOWN : state;
	w->agree = w->last == w->want ? w->agree + 1 : 0;
	if (w->agree >= w->readings)
		wait_finish(w, e);
	else if (left <= w->gap_ms || (e->cls && left < POWER_AGAIN_MS))
		wait_give_up(w);
	else
		uv_timer_start(&w->gap, wait_on_gap, (uint64_t)w->gap_ms, 0);
}

static void wait_read(struct power_wait *w)
{
	int64_t left = wait_left_ms(w);

	w->reading = true;
	w->power->ops->get(w->power,
		left < 1	      ? 1
		: left < POWER_GET_MS ? (int)left
				      : POWER_GET_MS,
		wait_on_reading, w);
}

static void wait_on_gap(uv_timer_t *t)
{
	struct power_wait *w = t->data;
	struct err e = ERR_INIT;

	if (!w->cancelled) {
		wait_read(w);
		return;
	}
	err_set(&e, ERR_INTERRUPTED, NULL, "interrupted");
	wait_finish(w, &e);
}

void power_wait(struct power *p, enum power_state want, int readings, int gap_ms, int deadline_ms,
	power_done_fn *done, void *arg)
{
	struct power_wait *w = mem_alloc(sizeof(*w));

	assert(!p->wait);
	w->power = p;
	w->want = want;
	w->last = POWER_UNKNOWN;
	w->readings = readings;
	w->gap_ms = gap_ms;
	w->deadline_ms = deadline_ms;
	w->end_ns = clock_mono_ns() + (int64_t)deadline_ms * 1000000;
	w->done = done;
	w->arg = arg;
	uv_timer_init(p->loop, &w->gap);
	w->gap.data = w;
	p->wait = w;
	wait_read(w);
}

void power_cancel(struct power *p)
{
	if (p && p->wait && !p->wait->reading) {
		p->wait->cancelled = true;
		uv_timer_start(&p->wait->gap, wait_on_gap, 0, 0);
	} else if (p) {
		p->ops->cancel(p);
	}
}

void power_free(struct power *p)
{
	if (!p)
		return;
	if (p->wait)
		uv_close((uv_handle_t *)&p->wait->gap, wait_on_closed);
	p->wait = NULL;
	p->ops->free(p);
}
