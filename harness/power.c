/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/power.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/clock.h"
#include "harness/base/log.h"
#include "harness/base/mem.h"
#include "harness/base/str.h"

typedef struct power *power_new_fn(uv_loop_t *, const struct target *, const struct secret *,
	const char *host, int port, struct err *);

static const struct {
	const char *name;
	power_new_fn *make;
} power_drivers[] = {
	{"ipmi", power_ipmi_new},
	{"redfish", power_redfish_new},
	{"command", power_command_new},
};

enum {
	POWER_DRIVERS = sizeof(power_drivers) / sizeof(power_drivers[0]),
	POWER_GET_MS = 15000,
	POWER_GET_LEAST_MS = 2000, /* less would blame a good BMC at the end of a wait */
	POWER_AGAIN_MS = 500
};

const char *power_state_name(enum power_state s)
{
	return s == POWER_ON ? "on" : s == POWER_OFF ? "off" : "unknown";
}

const char *power_action_name(enum power_action a)
{
	static const char *const names[] = {[POWER_DO_OFF] = "off",
		[POWER_DO_ON] = "on",
		[POWER_DO_CYCLE] = "cycle",
		[POWER_DO_RESET] = "reset",
		[POWER_DO_OFF_BLIND] = "off"};

	return names[a];
}

struct power *power_new_one(uv_loop_t *loop, const char *driver, const struct target *t,
	const struct secret *s, const char *host, int port, struct err *e)
{
	const char *names[POWER_DRIVERS], *near;

	for (size_t i = 0; i < POWER_DRIVERS; i++) {
		if (!strcmp(power_drivers[i].name, driver))
			return power_drivers[i].make(loop, t, s, host, port, e);
		names[i] = power_drivers[i].name;
	}
	near = str_nearest(driver, names, POWER_DRIVERS);
	err_set(e, ERR_USAGE, NULL,
		"%s: unknown power driver \"%s\" in [bmc] (did you mean \"%s\"?)", t->name, driver,
		near ? near : names[0]);
	return NULL;
}

bool power_fallback(const struct target *t, size_t i, char *name, size_t size)
{
	const char *w = t->bmc.fallback;

	for (w += strspn(w, " "); *w; w += strspn(w, " ")) {
		size_t n = strcspn(w, " ");

		if (!i--) {
			snprintf(name, size, "%.*s", (int)n, w);
			return true;
		}
		w += n;
	}
	return false;
}

struct power *power_new(uv_loop_t *loop, const struct target *t, const struct secret *s,
	const char *host, int port, struct err *e)
{
	struct power *drivers[POWER_DRIVERS_MAX];
	char name[sizeof(t->bmc.driver)];
	size_t n = 0;

	snprintf(name, sizeof(name), "%s", t->bmc.driver);
	do {
		drivers[n] = power_new_one(loop, name, t, s, host, port, e);
		if (!drivers[n])
			goto fail;
		n++;
	} while (n < POWER_DRIVERS_MAX && power_fallback(t, n - 1, name, sizeof(name)));
	return n == 1 ? drivers[0] : power_chain_new(loop, t, drivers, n);
fail:
	while (n--)
		power_free(drivers[n]);
	return NULL;
}

void power_listen(struct power *p, power_note_fn *note, void *arg)
{
	p->note = note;
	p->note_arg = arg;
}

void power_note(struct power *p, const char *what, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (p->note)
		p->note(p->note_arg, what, text);
	else
		log_line(LOG_WARN, p->target->name, "%s: %s", what, text);
}

struct power_wait {
	struct power *power;
	uv_timer_t gap;
	enum power_state want, last;
	int readings, agree, gap_ms;
	int64_t end_ns;	  /* of this try */
	int64_t final_ns; /* of all */
	int try_ms;	  /* how long this try has */
	size_t spares;	  /* ways that were not tried yet */
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

static int64_t wait_left_ms(const struct power_wait *w)
{
	return (w->end_ns - clock_mono_ns()) / 1000000;
}

/* The tries that are left share the time that is left. */
static void wait_begin(struct power_wait *w)
{
	int64_t now = clock_mono_ns(), part = (w->final_ns - now) / (int64_t)(w->spares + 1);

	w->end_ns = now + part;
	w->try_ms = (int)(part / 1000000);
	w->agree = 0;
}

static void wait_on_gap(uv_timer_t *t);

static void wait_go_on(struct power_wait *w)
{
	uv_timer_start(&w->gap, wait_on_gap, (uint64_t)w->gap_ms, 0);
}

static void wait_on_insisted(void *arg, enum power_state state, const struct err *e)
{
	struct power_wait *w = arg;

	(void)state;
	w->reading = false;
	if (e->cls) {
		wait_finish(w, e);
		return;
	}
	wait_begin(w);
	wait_go_on(w);
}

static void wait_give_up(struct power_wait *w)
{
	struct err e = w->failed;
	char took[16];

	clock_human((int64_t)w->try_ms * 1000000, took, sizeof(took));
	if (!e.cls)
		err_set(&e, ERR_LAB, "E_POWER",
			"power still reads %s %s after it was to be %s; look at the machine, or "
			"raise the deadline of the stage",
			power_state_name(w->last), took, power_state_name(w->want));
	if (!w->spares) {
		wait_finish(w, &e);
	} else if (w->failed.cls) {
		/* Nobody could read: that is no reason to switch. */
		w->spares = 0;
		wait_begin(w);
		wait_go_on(w);
	} else {
		int64_t left = (w->final_ns - clock_mono_ns()) / 1000000;

		w->spares--;
		w->reading = true;
		w->power->ops->insist(w->power, w->want == POWER_ON ? POWER_DO_ON : POWER_DO_OFF,
			&e, left > 1 ? (int)left : 1, wait_on_insisted, w);
	}
}

static void wait_on_reading(void *arg, enum power_state state, const struct err *e)
{
	struct power_wait *w = arg;
	int64_t left = wait_left_ms(w);

	w->reading = false;
	if (w->last != POWER_UNKNOWN && left < POWER_AGAIN_MS && !strcmp(e->code, "E_TIMEOUT")) {
		/* Our end cut this reading off; the ones before it count. */
		wait_give_up(w);
		return;
	}
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
	else if (left <= w->gap_ms || left < POWER_AGAIN_MS)
		wait_give_up(w);
	else
		wait_go_on(w);
}

static void wait_read(struct power_wait *w)
{
	int64_t left = wait_left_ms(w);

	w->reading = true;
	w->power->ops->get(w->power,
		left < POWER_GET_LEAST_MS ? POWER_GET_LEAST_MS
		: left < POWER_GET_MS	  ? (int)left
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
	w->final_ns = clock_mono_ns() + (int64_t)deadline_ms * 1000000;
	w->spares = p->ops->spares ? p->ops->spares(p) : 0;
	wait_begin(w);
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
