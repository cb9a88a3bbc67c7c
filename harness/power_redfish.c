/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Power and boot device of a machine with a Redfish service.
 *
 * An operation is carried on by redfish_go(): it looks at what is known (service, session, system)
 * and sends the one request that is missing.  What an answer shows to be stale is forgotten, and
 * redfish_go() finds its way again; how often is bounded for the operation.
 *
 * The session is opened by the first request and deleted by power_free(), also while it is being
 * opened: its deletion runs on the loop after the object's owner has let go.
 */
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/clock.h"
#include "harness/base/log.h"
#include "harness/base/mem.h"
#include "harness/power_redfish_int.h"

enum { REQUEST_MS = 20000, LOGIN_MS = 10000, BOOT_TRIES = 2 };

int redfish_left_ms(const struct power_redfish *p)
{
	int64_t left = (p->end_ns - clock_mono_ns()) / 1000000;

	return left > 1 ? (int)left : 1;
}

void redfish_finish(struct power_redfish *p, enum power_state state, const struct err *e)
{
	power_done_fn *done = p->done;

	p->done = NULL;
	p->cancelled = false;
	done(p->arg, state, e);
}

void redfish_fail(struct power_redfish *p, const char *code, const char *fmt, ...)
{
	struct err e = ERR_INIT;
	char text[600];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	err_set(&e, ERR_LAB, code, "BMC %s: %s", p->url, text);
	redfish_finish(p, POWER_UNKNOWN, &e);
}

static void redfish_on_late(uv_timer_t *t)
{
	struct power_redfish *p = t->data;
	struct err e = ERR_INIT;

	err_set(&e, ERR_INTERRUPTED, NULL, "interrupted");
	redfish_finish(p, POWER_UNKNOWN, &e);
}

static void redfish_goodbye(struct power_redfish *p);

static void redfish_on_answer(void *arg, const struct redfish_answer *a, const struct err *e)
{
	struct power_redfish *p = arg;
	bool ok = !e->cls && a->status >= 200 && a->status < 300;
	struct err stop = ERR_INIT;

	turn_end(p->turn);
	if (p->freed || p->cancelled)
		uv_timer_stop(&p->timer);
	if (p->logging_in && ok && (p->freed || p->cancelled)) {
		snprintf(p->token, sizeof(p->token), "%s", a->token);
		redfish_parse_session(a->location, a->body, a->len, p->session);
	}
	p->logging_in = false;
	if (p->freed) {
		redfish_goodbye(p);
	} else if (p->cancelled) {
		err_set(&stop, ERR_INTERRUPTED, NULL, "interrupted");
		redfish_finish(p, POWER_UNKNOWN, &stop);
	} else if (e->cls) {
		redfish_finish(p, POWER_UNKNOWN, e);
	} else {
		redfish_take_answer(p, a);
	}
}

static bool redfish_is_basic(const struct power_redfish *p)
{
	return !strcmp(p->base.target->bmc.auth, "basic") || !p->root.sessions[0];
}

/* The request that redfish_go() chose. */
static void redfish_on_turn(void *arg, const struct err *e)
{
	struct power_redfish *p = arg;
	struct redfish_request r = {.method = "GET", .path = p->system};
	bool change = p->step == STEP_DO && p->op >= OP_BOOT;
	int ms = p->step == STEP_LOGIN ? LOGIN_MS : REQUEST_MS, left = redfish_left_ms(p);

	if (e->cls) {
		redfish_finish(p, POWER_UNKNOWN, e);
		return;
	}
	if (p->step == STEP_ROOT) {
		r.path = "/redfish/v1/";
	} else if (p->step == STEP_LOGIN) {
		r.method = "POST";
		r.path = p->root.sessions;
		p->logging_in = true;
	} else if (p->step == STEP_LIST) {
		r.path = p->root.systems;
	} else if (p->step == STEP_SETTINGS || (change && p->now.settings[0])) {
		r.path = p->now.settings;
	}
	if (p->step == STEP_DO)
		r.method = change ? "PATCH" : "POST";
	if (p->step == STEP_DO && !change)
		r.path = p->now.reset;
	if (p->step == STEP_DO || p->step == STEP_LOGIN)
		r.body = p->body.data;
	if (change && (p->any_etag || p->etag[0]))
		r.if_match = p->any_etag ? "*" : p->etag;
	if (p->step > STEP_LOGIN && redfish_is_basic(p)) {
		r.user = p->base.target->bmc.user;
		r.password = p->base.secret->value;
	} else if (p->step > STEP_LOGIN) {
		r.token = p->token;
	}
	redfish_http_run(p->http, &r, left < ms ? left : ms, redfish_on_answer, p);
	if (r.body) {
		explicit_bzero(p->body.data, p->body.len);
		buf_clear(&p->body);
	}
}

static void redfish_send(struct power_redfish *p, enum redfish_step step)
{
	p->step = step;
	turn_take(p->turn, redfish_left_ms(p), redfish_on_turn, p);
}

static void redfish_go_set(struct power_redfish *p)
{
	enum power_action a = p->action;
	bool blind = a == POWER_DO_OFF_BLIND;
	struct err none = ERR_INIT;

	if (blind)
		a = POWER_DO_OFF;
	if (p->now.power == POWER_OFF && a != POWER_DO_OFF)
		a = POWER_DO_ON;
	if (p->now.power == POWER_OFF && a == POWER_DO_OFF && !blind) {
		redfish_finish(p, POWER_OFF, &none);
	} else if (p->now.power == POWER_ON && a == POWER_DO_ON) {
		redfish_finish(p, POWER_ON, &none); /* some refuse it */
	} else if (!p->now.reset[0] || !p->now.reset_type[a]) {
		redfish_fail(p, "E_POWER", "offers no way to \"%s\" system %s",
			power_action_name(a), p->system);
	} else {
		redfish_reset_body(p->now.reset_type[a], &p->body);
		redfish_send(p, STEP_DO);
	}
}

static void redfish_go_boot(struct power_redfish *p)
{
	enum target_firmware f = p->base.target->firmware;
	struct err none = ERR_INIT;

	if (p->checking && redfish_boot_is_set(&p->now, f)) {
		redfish_finish(p, POWER_UNKNOWN, &none);
	} else if (p->now.pxe_refused) {
		redfish_fail(p, "E_BOOTDEV", "system %s offers no network boot (Pxe)", p->system);
	} else if (p->tries++ < BOOT_TRIES) {
		if (p->checking)
			power_note(&p->base, "boot-device",
				"BMC lost the boot override (reads \"%s %s %s\"): set again",
				p->now.boot_enabled, p->now.boot_target, p->now.boot_mode);
		p->checking = false;
		redfish_boot_body(f, p->now.has_mode, &p->body);
		redfish_send(p, STEP_DO);
	} else {
		redfish_fail(p, "E_BOOTDEV",
			"forgot the boot override twice (reads \"%s %s %s\"): look at its own "
			"pages, or add a fallback",
			p->now.boot_enabled, p->now.boot_target, p->now.boot_mode);
	}
}

static void redfish_go_boot_get(struct power_redfish *p)
{
	struct err none = ERR_INIT;

	redfish_boot_words(&p->now, &p->base.boot);
	redfish_finish(p, POWER_UNKNOWN, &none);
}

static void redfish_go_boot_put(struct power_redfish *p)
{
	struct power_boot now;
	struct err none = ERR_INIT;

	redfish_boot_words(&p->now, &now);
	if (!p->checking) {
		redfish_boot_body_back(p->put.saved, &p->body);
		redfish_send(p, STEP_DO);
	} else if (strcmp(now.text, p->put.text) != 0) {
		redfish_fail(p, "E_BOOTDEV",
			"did not take back what it was to boot from: it reads %s, was %s", now.text,
			p->put.text);
	} else {
		redfish_finish(p, POWER_UNKNOWN, &none);
	}
}

void redfish_go(struct power_redfish *p)
{
	const struct target *t = p->base.target;
	struct err none = ERR_INIT;

	if (!p->rooted) {
		redfish_send(p, STEP_ROOT);
	} else if (!p->token[0] && !redfish_is_basic(p)) {
		redfish_login_body(t->bmc.user, p->base.secret->value, &p->body);
		redfish_send(p, STEP_LOGIN);
	} else if (!p->system[0]) {
		redfish_send(p, STEP_LIST);
	} else if (!p->fresh && p->op >= OP_BOOT && p->step == STEP_SYSTEM && p->now.settings[0]) {
		redfish_send(p, STEP_SETTINGS);
	} else if (!p->fresh) {
		redfish_send(p, STEP_SYSTEM);
	} else if (p->op == OP_SET) {
		redfish_go_set(p);
	} else if (p->op == OP_BOOT) {
		redfish_go_boot(p);
	} else if (p->op == OP_BOOT_GET) {
		redfish_go_boot_get(p);
	} else if (p->op == OP_BOOT_PUT) {
		redfish_go_boot_put(p);
	} else if (!p->now.power_text[0]) {
		redfish_fail(p, "E_BMC", "system %s tells no PowerState", p->system);
	} else {
		redfish_finish(p, p->now.power, &none);
	}
}

static void redfish_begin(struct power_redfish *p, enum redfish_op op, int deadline_ms,
	power_done_fn *done, void *arg)
{
	assert(!p->done);
	p->done = done;
	p->arg = arg;
	p->op = op;
	p->step = STEP_ROOT;
	p->end_ns = clock_mono_ns() + (int64_t)deadline_ms * 1000000;
	p->fresh = p->any_etag = false;
	p->checking = op == OP_KEEP;
	if (op == OP_KEEP)
		p->op = OP_BOOT;
	p->tries = p->again = 0;
	redfish_go(p);
}

static void redfish_get(struct power *base, int deadline_ms, power_done_fn *done, void *arg)
{
	redfish_begin((struct power_redfish *)base, OP_GET, deadline_ms, done, arg);
}

static void redfish_set(struct power *base, enum power_action action, int deadline_ms,
	power_done_fn *done, void *arg)
{
	struct power_redfish *p = (struct power_redfish *)base;

	p->action = action;
	redfish_begin(p, OP_SET, deadline_ms, done, arg);
}

static void redfish_boot_net(struct power *base, int deadline_ms, power_done_fn *done, void *arg)
{
	redfish_begin((struct power_redfish *)base, OP_BOOT, deadline_ms, done, arg);
}

static void redfish_boot_get(struct power *base, int deadline_ms, power_done_fn *done, void *arg)
{
	redfish_begin((struct power_redfish *)base, OP_BOOT_GET, deadline_ms, done, arg);
}

static void redfish_boot_put(struct power *base, const struct power_boot *b, int deadline_ms,
	power_done_fn *done, void *arg)
{
	struct power_redfish *p = (struct power_redfish *)base;

	p->put = *b;
	redfish_begin(p, OP_BOOT_PUT, deadline_ms, done, arg);
}

static void redfish_boot_keep(struct power *base, int deadline_ms, power_done_fn *done, void *arg)
{
	redfish_begin((struct power_redfish *)base, OP_KEEP, deadline_ms, done, arg);
}

static void redfish_end(struct power_redfish *p);

static void redfish_on_login_late(uv_timer_t *t)
{
	struct power_redfish *p = t->data;

	log_line(LOG_WARN, NULL, "a session may be left on BMC %s: it did not finish to open it",
		p->url);
	redfish_http_cancel(p->http);
	turn_end(p->turn);
	p->logging_in = false;
	if (p->freed)
		redfish_end(p);
	else
		redfish_on_late(t);
}

/* A session that is being opened is waited for: without its name it could not be deleted. */
static void redfish_cancel(struct power *base)
{
	struct power_redfish *p = (struct power_redfish *)base;

	if (!p->done || p->cancelled)
		return;
	p->cancelled = true;
	if (p->logging_in) {
		uv_timer_start(&p->timer, redfish_on_login_late, (uint64_t)base->goodbye_ms, 0);
		return;
	}
	redfish_http_cancel(p->http);
	turn_end(p->turn);
	uv_timer_start(&p->timer, redfish_on_late, 0, 0);
}

static void redfish_on_closed(uv_handle_t *h)
{
	struct power_redfish *p = h->data;

	redfish_forget_session(p);
	explicit_bzero(p->body.data, p->body.len);
	buf_release(&p->body);
	free(p->url);
	free(p);
}

static void redfish_end(struct power_redfish *p)
{
	redfish_http_free(p->http);
	turn_free(p->turn);
	uv_close((uv_handle_t *)&p->timer, redfish_on_closed);
}

static void redfish_on_goodbye(void *arg, const struct redfish_answer *a, const struct err *e)
{
	struct power_redfish *p = arg;

	if (e->cls)
		log_line(LOG_WARN, NULL, "a session may be left on the BMC: %s", e->msg);
	else if (a->status >= 300 && a->status != 404 && a->status != 401)
		log_line(LOG_WARN, NULL,
			"BMC %s: its session was not deleted (status %d); it will time out", p->url,
			a->status);
	redfish_end(p);
}

static void redfish_goodbye(struct power_redfish *p)
{
	struct redfish_request r = {.method = "DELETE", .path = p->session, .token = p->token};

	if (p->token[0] && p->session[0])
		redfish_http_run(p->http, &r, p->base.goodbye_ms, redfish_on_goodbye, p);
	else
		redfish_end(p);
}

/* Target and secret are gone from here on. */
static void redfish_free(struct power *base)
{
	struct power_redfish *p = (struct power_redfish *)base;

	p->freed = true;
	p->done = NULL;
	uv_timer_stop(&p->timer);
	if (p->logging_in) {
		uv_timer_start(&p->timer, redfish_on_login_late, (uint64_t)base->goodbye_ms, 0);
		return;
	}
	redfish_http_cancel(p->http);
	turn_end(p->turn);
	redfish_goodbye(p);
}

static const struct power_ops redfish_ops = {
	.name = "redfish",
	.get = redfish_get,
	.set = redfish_set,
	.boot_net = redfish_boot_net,
	.boot_get = redfish_boot_get,
	.boot_put = redfish_boot_put,
	.boot_keep = redfish_boot_keep,
	.cancel = redfish_cancel,
	.free = redfish_free,
};

struct power *power_redfish_new(uv_loop_t *loop, const struct target *t, const struct secret *s,
	const char *host, int port, struct err *e)
{
	struct power_redfish *p;
	struct redfish_service service = {.ca_file = t->bmc.ca_file, .pin = t->bmc.pin};
	const char *name = host ? host : t->bmc.host;
	bool v6 = strchr(name, ':') != NULL;

	if (!s || !s->value) {
		err_set(e, ERR_USAGE, "E_SECRET",
			"no password for the BMC of %s: see password_file in targets/README.md",
			t->name);
		return NULL;
	}
	p = mem_alloc(sizeof(*p));
	p->base = (struct power){.ops = &redfish_ops,
		.loop = loop,
		.target = t,
		.secret = s,
		.goodbye_ms = POWER_GOODBYE_MS};
	p->url = t->bmc.url[0] ? mem_strdup(t->bmc.url)
			       : mem_printf("https://%s%s%s", v6 ? "[" : "", name, v6 ? "]" : "");
	service.url = p->url;
	p->http = redfish_http_new(loop, &service, e);
	if (!p->http) {
		free(p->url);
		free(p);
		return NULL;
	}
	buf_init(&p->body, 4096);
	p->turn = turn_new(loop, t, host, port);
	uv_timer_init(loop, &p->timer);
	p->timer.data = p;
	return &p->base;
}
