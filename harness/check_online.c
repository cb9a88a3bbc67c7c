/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>
#include <uv.h>

#include "harness/base/clock.h"
#include "harness/base/secret.h"
#include "harness/check.h"
#include "harness/lab.h"
#include "harness/power.h"

enum { READING_MS = 20000, PASSWORD_MAX = 128 };

/* What one reading of the power state gave. */
struct reading {
	uv_loop_t *loop;
	bool over;
	enum power_state state;
	struct err e;
};

static void online_on_reading(void *arg, enum power_state state, const struct err *e)
{
	struct reading *r = arg;

	r->state = state;
	r->e = *e;
	r->over = true;
}

static void online_on_pause(uv_timer_t *t)
{
	*(bool *)t->data = true;
	/* Or the loop would go on to wait for something else. */
	uv_stop(t->loop);
}

static void online_read(struct power *p, struct reading *r)
{
	r->over = false;
	p->ops->get(p, READING_MS, online_on_reading, r);
	while (!r->over)
		uv_run(r->loop, UV_RUN_ONCE);
}

static void online_pause(uv_loop_t *loop, int ms)
{
	uv_timer_t timer;
	bool over = false;

	uv_timer_init(loop, &timer);
	timer.data = &over;
	uv_timer_start(&timer, online_on_pause, (uint64_t)ms, 0);
	while (!over)
		uv_run(loop, UV_RUN_ONCE);
	uv_close((uv_handle_t *)&timer, NULL);
	uv_run(loop, UV_RUN_NOWAIT);
}

/* The BMC took the first command: read on, until the target's number of readings is there. */
static void online_readings(struct check *c, struct power *p, struct reading *r)
{
	enum power_state first = r->state;
	bool agree = first != POWER_UNKNOWN;
	struct buf words;

	buf_init(&words, 200);
	buf_adds(&words, power_state_name(first));
	for (int i = 1; i < c->target->bmc.readings && !r->e.cls; i++) {
		online_pause(r->loop, c->target->bmc.reading_gap_ms);
		online_read(p, r);
		agree = agree && r->state == first;
		buf_addf(&words, ", %s", power_state_name(r->state));
	}
	if (r->e.cls)
		check_add(c, "power reading", CHECK_FAIL, NULL, "%s", r->e.msg);
	else
		check_add(c, "power reading", agree ? CHECK_OK : CHECK_WARN,
			agree ? NULL : "raise [bmc] readings and reading_gap", "%s", words.data);
	buf_release(&words);
}

static void online_ask(
	struct check *c, struct power *p, const char *host, int port, uv_loop_t *loop)
{
	struct reading r = {.loop = loop};
	int64_t began = clock_mono_ns();
	char took[16];

	online_read(p, &r);
	clock_human(clock_mono_ns() - began, took, sizeof(took));
	if (r.e.cls && strcmp(r.e.code, "E_AUTH") != 0) {
		check_add(c, "BMC answers", CHECK_FAIL, NULL, "%s", r.e.msg);
		check_add(c, "credentials", CHECK_SKIPPED, NULL, "needs the BMC");
		check_add(c, "power reading", CHECK_SKIPPED, NULL, "needs the BMC");
		return;
	}
	if (!strcmp(c->target->bmc.driver, "ipmi"))
		check_add(c, "BMC answers", CHECK_OK, NULL, "%s %s port %d, cipher %d, %s",
			c->target->bmc.driver, host, port, c->target->bmc.cipher, took);
	else
		check_add(c, "BMC answers", CHECK_OK, NULL, "%s, %s", c->target->bmc.driver, took);
	if (r.e.cls) {
		check_add(c, "credentials", CHECK_FAIL, NULL, "%s", r.e.msg);
		check_add(c, "power reading", CHECK_SKIPPED, NULL, "needs the credentials");
		return;
	}
	if (!strcmp(c->target->bmc.driver, "ipmi"))
		check_add(c, "credentials", CHECK_OK, NULL, "user %s, privilege %s",
			c->target->bmc.user, c->target->bmc.privilege);
	else
		check_add(c, "credentials", CHECK_OK, NULL, "%s%s",
			c->target->bmc.user[0] ? "user " : "none are configured",
			c->target->bmc.user);
	online_readings(c, p, &r);
}

/* What comes after the first driver is asked too: it is of use only if it works that day. */
static void online_fallbacks(
	struct check *c, const struct secret *s, const char *host, int port, uv_loop_t *loop)
{
	char name[sizeof(c->target->bmc.driver)];

	for (size_t i = 0; power_fallback(c->target, i, name, sizeof(name)); i++) {
		struct reading r = {.loop = loop, .e = ERR_INIT};
		struct power *p = power_new_one(loop, name, c->target, s, host, port, &r.e);

		if (p)
			online_read(p, &r);
		if (r.e.cls)
			check_add(c, "power fallback", CHECK_FAIL, NULL, "%s: %s", name, r.e.msg);
		else
			check_add(c, "power fallback", CHECK_OK, NULL, "%s reads %s", name,
				power_state_name(r.state));
		power_free(p);
	}
}

/* host NULL: the target's own. */
static void online_bmc(
	struct check *c, enum secret_kind kind, const char *from, const char *host, int port)
{
	struct secret secret = {0};
	struct err e = ERR_INIT;
	struct power *p;
	uv_loop_t loop;

	if (kind != SECRET_NONE && secret_load(&secret, kind, from, PASSWORD_MAX, &e)) {
		check_add(c, "BMC answers", CHECK_SKIPPED, NULL, "needs the password");
		check_add(c, "credentials", CHECK_FAIL, NULL, "%s", e.msg);
		return;
	}
	uv_loop_init(&loop);
	p = power_new_one(&loop, c->target->bmc.driver, c->target, &secret, host, port, &e);
	if (p)
		online_ask(c, p, host ? host : c->target->bmc.host, port, &loop);
	else
		check_add(c, "BMC answers", CHECK_FAIL, NULL, "%s", e.msg);
	power_free(p);
	online_fallbacks(c, &secret, host, port, &loop);
	uv_run(&loop, UV_RUN_DEFAULT);
	uv_loop_close(&loop);
	secret_release(&secret);
}

void check_online(struct check *c, const char *state)
{
	const struct target *t = c->target;
	struct err e = ERR_INIT;
	struct lab_info lab;
	char hint[128];

	if (!t->lab.present) {
		online_bmc(c, t->bmc.password_kind, t->bmc.password_from, NULL, t->bmc.port);
		return;
	}
	if (lab_status(state, t->name, &lab, &e)) {
		check_add(c, "BMC answers", CHECK_FAIL, NULL, "%s", e.msg);
	} else if (!lab.running) {
		snprintf(hint, sizeof(hint), "a run starts it; so does harness lab up %s", t->name);
		check_add(c, "BMC answers", CHECK_SKIPPED, hint, "the lab is not running");
	} else {
		online_bmc(c, SECRET_FILE, lab.password_file, "127.0.0.1", lab.bmc_port);
	}
}
