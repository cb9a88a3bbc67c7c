/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Row "netboot": the machine is booted once, until it has fetched one small file from us. */
#include <stdio.h>
#include <string.h>

#include "harness/base/clock.h"
#include "harness/base/log.h"
#include "harness/check_int.h"
#include "harness/console.h"
#include "harness/script.h"

enum { TAIL_MAX = 2048, STRANGERS_MAX = 200, SCRIPTS_MAX = 3, WAIT_S = 30 };

/* How far it came. */
enum try_state { TRY_ON, TRY_ASKED, TRY_FETCHING, TRY_DONE, TRY_FAILED };

struct
try {
	struct visit *v;
	enum try_state state;
	bool waiting; /* for the state to change */
	bool was_off;
	int64_t on_ns, asked_ns, done_ns; /* monotonic */
	int scripts;
	char peer[64], why[128];
	struct buf strangers; /* who asked and is not this machine */
	char tail[TAIL_MAX];  /* the end of what the console said */
	size_t n;
};

static void try_go(struct try *t, enum try_state s)
{
	static const struct err none = ERR_INIT;

	t->state = s;
	if (t->waiting)
		visit_over(t->v, &none);
}

static void try_on_fetch(void *arg, const struct netboot_event *ev)
{
	struct try *t = arg;

	if (t->state >= TRY_DONE || !t->on_ns)
		return;
	snprintf(t->peer, sizeof(t->peer), "%s", ev->peer);
	switch (ev->type) {
	case NETBOOT_SCRIPT:
		if (!t->scripts++)
			t->asked_ns = ev->mono_ns;
		snprintf(t->why, sizeof(t->why), "it asked for its script %d times", t->scripts);
		if (t->state == TRY_ON)
			try_go(t, TRY_ASKED);
		else if (t->scripts > SCRIPTS_MAX)
			try_go(t, TRY_FAILED);
		break;
	case NETBOOT_FILE_START:
		try_go(t, TRY_FETCHING);
		break;
	case NETBOOT_FILE_DONE:
		t->done_ns = ev->mono_ns;
		try_go(t, TRY_DONE);
		break;
	case NETBOOT_FILE_CUT:
		break;
	case NETBOOT_FAILED:
		snprintf(t->why, sizeof(t->why), "iPXE says %.100s",
			*ev->detail ? ev->detail : "no reason");
		try_go(t, TRY_FAILED);
		break;
	}
}

static void try_on_stranger(void *arg, const char *mac, const char *peer)
{
	struct try *t = arg;
	char one[96];

	snprintf(one, sizeof(one), "%s from %.45s", *mac ? mac : "one without a MAC address", peer);
	if (t->on_ns && !strstr(t->strangers.data, one) &&
		t->strangers.len + strlen(one) + 2 < STRANGERS_MAX)
		buf_addf(&t->strangers, "%s%s", t->strangers.len ? ", " : "", one);
}

static void try_on_data(void *arg, const char *p, size_t n)
{
	struct try *t = arg;

	if (!t->on_ns)
		return;
	for (; n; p++, n--) {
		if (t->n == TAIL_MAX - 1) {
			memmove(t->tail, t->tail + TAIL_MAX / 2, TAIL_MAX / 2);
			t->n -= TAIL_MAX / 2;
		}
		t->tail[t->n++] = *p ? *p : ' ';
	}
}

static int try_serve(
	struct try *t, struct netboot *n, const char *url, struct netboot_boot **out, struct err *e)
{
	const struct target *m = t->v->target;
	const struct netboot_file file = {.name = "hello", .text = "hello\n"};
	struct netboot_boot *b = netboot_prepare(n, m->mac, try_on_fetch, t, e);
	struct buf script;
	int rc;

	*out = b;
	if (!b)
		return -(int)e->cls;
	netboot_strangers(n, try_on_stranger, t);
	buf_init(&script, SCRIPT_TEXT_MAX);
	rc = script_try(&script, netboot_base(b, url), m->idle == IDLE_OFF ? WAIT_S : 0, e);
	if (!rc)
		rc = netboot_publish(b, script.data, &file, 1, e);
	if (!rc)
		rc = session_set_netboot(t->v->session, netboot_port(n), e);
	buf_release(&script);
	return rc;
}

/* From any state to power-on. */
static int try_power(struct try *t, struct err *e)
{
	struct visit *v = t->v;
	int rc = visit_power_get(v, e);

	t->was_off = v->power == POWER_OFF;
	v->touched = !rc;
	if (!rc && !t->was_off)
		rc = visit_power_set(v, POWER_DO_OFF, e);
	if (!rc)
		rc = visit_pause(v, v->target->bmc.settle_ms, e);
	if (!rc)
		rc = visit_boot_net(v, session_power(v->session), e);
	if (rc)
		return rc;
	t->on_ns = clock_mono_ns();
	return visit_power_set(v, POWER_DO_ON, e);
}

/* Until it has come further than `from`, or the stage's deadline. */
static int try_wait(struct try *t, enum try_state from, enum stage stage, struct err *e)
{
	int64_t end = clock_mono_ns() + (int64_t)t->v->target->deadline_ms[stage] * 1000000;
	int rc = 0;

	while (!rc && t->state == from) {
		int64_t left = (end - clock_mono_ns()) / 1000000;

		if (left <= 0)
			break;
		t->waiting = true;
		rc = visit_pause(t->v, (int)left, e);
		t->waiting = false;
	}
	return rc;
}

static int try_watch(struct try *t, struct err *e)
{
	char most[16];
	int rc;

	clock_human(
		(int64_t)t->v->target->deadline_ms[STAGE_FIRMWARE] * 1000000, most, sizeof(most));
	log_line(LOG_WARN, t->v->target->name, "boots; waiting %s at most for its firmware", most);
	rc = try_wait(t, TRY_ON, STAGE_FIRMWARE, e);
	if (!rc)
		rc = try_wait(t, TRY_ASKED, STAGE_IPXE, e);
	if (!rc)
		rc = try_wait(t, TRY_FETCHING, STAGE_LOAD, e);
	return rc;
}

static void try_told(struct check *c, struct try *t, const char *url)
{
	const struct target *m = t->v->target;
	char hint[256], asked[16], fetched[16], last[200] = "";

	t->tail[t->n] = '\0';
	console_last_words(t->tail, "; last console line: ", last, sizeof(last));
	clock_human(t->asked_ns - t->on_ns, asked, sizeof(asked));
	if (t->state == TRY_DONE) {
		clock_human(t->done_ns - t->asked_ns, fetched, sizeof(fetched));
		check_add(c, "netboot", CHECK_OK, NULL,
			"asked for its script %s after power-on (from %s), had its file %s later",
			asked, t->peer, fetched);
	} else if (t->state == TRY_ON && t->strangers.len) {
		check_add(c, "netboot", CHECK_FAIL,
			"if that is this machine, set [machine] mac to the interface that boots",
			"%s never asked for its script; %s did%s", m->mac, t->strangers.data, last);
	} else if (t->state == TRY_ON) {
		snprintf(hint, sizeof(hint),
			"check DHCP (harness netboot config --machine %s prints what it needs) and "
			"the "
			"machine's boot order",
			m->name);
		clock_human(
			(int64_t)m->deadline_ms[STAGE_FIRMWARE] * 1000000, asked, sizeof(asked));
		check_add(c, "netboot", CHECK_FAIL, hint,
			"nobody asked for a script within %s of power-on: firmware, DHCP or iPXE "
			"did not come so far%s",
			asked, last);
	} else {
		snprintf(hint, sizeof(hint),
			"can the machine reach %.150s? set [netboot] url if not", url);
		check_add(c, "netboot", CHECK_FAIL, hint,
			"took its script %s after power-on (from %s) and %s: %s%s", asked, t->peer,
			t->state == TRY_FETCHING ? "did not finish its file" : "fetched no file",
			*t->why ? t->why : "no reason given", last);
	}
}

/* As it was, whatever has happened: the override, and where `idle` does not say, the power. */
static void try_restore(
	struct check *c, struct try *t, struct power *p, const struct power_boot *was)
{
	const struct err end = t->v->end;
	struct err left = ERR_INIT;

	t->v->end = (struct err)ERR_INIT;
	if (p && *was->saved && visit_boot_put(t->v, p, was, &left))
		log_line(LOG_WARN, t->v->target->name, "the boot override is left as it is: %s",
			left.msg);
	if (t->v->touched && t->was_off && t->v->target->idle == IDLE_LEAVE &&
		visit_power_set(t->v, POWER_DO_OFF, &left))
		check_add(
			c, "power", CHECK_FAIL, NULL, "it was off, and is not again: %s", left.msg);
	if (!t->v->end.cls)
		t->v->end = end;
}

int check_try(struct check *c, struct visit *v, struct netboot *n, const char *url, struct err *e)
{
	const struct session_listener listener = {.data = try_on_data, .arg = NULL};
	struct session_listener mine = listener;
	struct power_boot was = {.saved = ""};
	struct netboot_boot *b = NULL;
	struct try t = {.v = v};
	struct err bad = ERR_INIT;
	struct power *p;
	int rc;

	buf_init(&t.strangers, STRANGERS_MAX);
	mine.arg = &t;
	session_listen(v->session, &mine);
	p = session_power_one(v->session, v->target->bmc.driver, &bad);
	rc = p ? 0 : -(int)bad.cls;
	if (!rc && p->ops->boot_get)
		rc = visit_boot_get(v, p, &bad);
	if (!rc)
		was = p->boot;
	if (!rc)
		rc = try_serve(&t, n, url, &b, &bad);
	if (!rc)
		rc = try_power(&t, &bad);
	if (!rc)
		rc = try_watch(&t, &bad);
	if (!rc)
		try_told(c, &t, url);
	else if (!v->end.cls)
		check_add(c, "netboot", CHECK_FAIL, NULL, "%s", bad.msg);
	try_restore(c, &t, p, &was);
	netboot_strangers(n, NULL, NULL);
	netboot_end(b);
	session_listen(v->session, NULL);
	power_free(p);
	buf_release(&t.strangers);
	if (v->end.cls)
		*e = v->end;
	return -(int)v->end.cls;
}
