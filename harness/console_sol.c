/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The console over IPMI serial-over-LAN: one `ipmitool exec sol.commands` on a pseudo terminal.
 *
 * Its three commands end a stale session, are the console, and end ours; one BMC session serves all
 * of them.  ipmitool wants a terminal, and the terminal is raw so that every byte passes unchanged.
 * A polite console is one command: what is there is not ended, and the session that it would then
 * end is not ours.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/buf.h"
#include "harness/base/clock.h"
#include "harness/base/log.h"
#include "harness/base/mem.h"
#include "harness/console.h"
#include "harness/ipmi_ping.h"
#include "harness/ipmi_session.h"
#include "harness/ipmi_sol_who.h"
#include "harness/ipmi_tty.h"
#include "harness/ipmi_watch.h"

enum { SOL_TRIES = 3, SOL_AGAIN_MS = 300, SOL_START_MAX = 64 << 10 };

enum sol_state {
	SOL_CLOSED,
	SOL_PINGING,
	SOL_STARTING, /* ipmitool runs, no "operational" yet */
	SOL_WAITING,  /* before another try */
	SOL_ASKING,   /* no session: asking a shell why, or who has it */
	SOL_LIVE,
	SOL_LOOKING,   /* live, but the BMC is asked before we say so */
	SOL_LEAVING,   /* ~. was typed */
	SOL_FORGETTING /* ipmitool is gone, a last `sol deactivate` runs */
};

struct console_sol {
	struct console base;
	struct ipmi_bmc bmc;
	enum sol_state state;
	struct ipmi_ping *ping;
	struct ipmi_session *why;
	struct ipmi_sol_who who;
	struct ipmi_watch *watch; /* while it is live */
	struct pty *tty;
	uv_timer_t timer; /* deadline of open and close */
	uv_timer_t again;
	int handles, tries, deadline_ms;
	int64_t end_ns;
	struct buf start; /* what ipmitool printed before it was live */
	size_t skip;	  /* that much of it is no console */
	bool typed_line;  /* the last byte typed was no end of line: ~ means nothing to it */
	void (*closed)(void *arg);
	void *closed_arg;
};

static void sol_try(struct console_sol *s);

static void sol_live(void *arg);

static void sol_drop(struct console_sol *s)
{
	pty_drop(s->tty);
	s->tty = NULL;
}

static void sol_stop_opening(struct console_sol *s)
{
	ipmi_ping_cancel(s->ping);
	s->ping = NULL;
	ipmi_session_free(s->why);
	s->why = NULL;
	ipmi_watch_stop(s->watch);
	uv_timer_stop(&s->timer);
	uv_timer_stop(&s->again);
}

static void sol_fail(struct console_sol *s, const struct err *e)
{
	sol_stop_opening(s);
	sol_drop(s);
	s->state = SOL_CLOSED;
	s->base.events.ready(s->base.arg, e);
}

static void sol_on_open_deadline(uv_timer_t *t)
{
	struct console_sol *s = t->data;
	struct err e = ERR_INIT;
	char took[16], last[160];

	if (s->state == SOL_LOOKING) {
		sol_live(s);
		return;
	}
	clock_human((int64_t)s->deadline_ms * 1000000, took, sizeof(took));
	ipmi_parse_last_line(s->start.data, last, sizeof(last));
	err_set(&e, ERR_LAB, "E_TIMEOUT", "no SOL console from BMC %s within %s%s%s", s->bmc.where,
		took, *last ? ": " : "", last);
	sol_fail(s, &e);
}

static void sol_lose(void *arg, const char *how)
{
	struct console_sol *s = arg;
	struct err e = ERR_INIT;

	err_set(&e, ERR_LAB, "E_CONSOLE", "the SOL session to BMC %s broke off (%s)", s->bmc.where,
		how);
	if (s->state == SOL_LOOKING) {
		sol_fail(s, &e);
		return;
	}
	sol_stop_opening(s);
	sol_drop(s);
	s->state = SOL_CLOSED;
	s->base.events.lost(s->base.arg, &e);
}

/* With what came while the BMC was asked. */
static void sol_live(void *arg)
{
	struct console_sol *s = arg;
	struct err e = ERR_INIT;
	struct buf rest = s->start;

	if (s->state != SOL_LOOKING)
		return;
	uv_timer_stop(&s->timer);
	s->state = SOL_LIVE;
	s->typed_line = false;
	buf_init(&s->start, SOL_START_MAX);
	s->base.events.ready(s->base.arg, &e);
	if (rest.len > s->skip && s->state == SOL_LIVE)
		s->base.events.data(s->base.arg, rest.data + s->skip, rest.len - s->skip);
	buf_release(&rest);
}

static void sol_data(void *arg, char *p, size_t n)
{
	struct console_sol *s = arg;
	struct err e = ERR_INIT;
	bool closed = false;

	if (s->state == SOL_LOOKING && s->start.len + n > SOL_START_MAX)
		sol_live(s);
	if (s->state == SOL_LOOKING) {
		buf_add(&s->start, p, n);
	} else if (s->state == SOL_STARTING) {
		if (buf_add(&s->start, p, n)) {
			err_set(&e, ERR_LAB, "E_CONSOLE",
				"BMC %s: ipmitool printed %d bytes and no SOL session",
				s->bmc.where, SOL_START_MAX);
			sol_fail(s, &e);
			return;
		}
		s->skip = ipmi_parse_sol_start(s->start.data, s->start.len);
		if (s->skip) {
			s->state = SOL_LOOKING;
			ipmi_watch_start(s->watch);
		}
	} else if (s->state == SOL_LIVE) {
		ipmi_watch_heard(s->watch);
		n = ipmi_parse_sol_end(p, n, &closed);
		if (n)
			s->base.events.data(s->base.arg, p, n);
	}
}

static bool sol_why_ok(const char *text)
{
	return ipmi_parse_power(text) >= 0;
}

static void sol_on_again(uv_timer_t *t)
{
	sol_try(t->data);
}

static void sol_again(struct console_sol *s)
{
	s->state = SOL_WAITING;
	uv_timer_start(&s->again, sol_on_again, SOL_AGAIN_MS, 0);
}

/* Whether BMC and credentials are fine otherwise. */
static void sol_on_why(void *arg, const char *text, const struct err *e)
{
	struct console_sol *s = arg;
	struct err mine = *e;
	char last[160];

	(void)text;
	if (!mine.cls && s->tries < SOL_TRIES) {
		ipmi_session_free(s->why);
		s->why = NULL;
		sol_again(s);
		return;
	}
	if (!mine.cls) {
		ipmi_parse_last_line(s->start.data, last, sizeof(last));
		err_set(&mine, ERR_LAB, "E_CONSOLE",
			"BMC %s opens no SOL session in %d tries: %s; see: ipmitool sol info",
			s->bmc.where, s->tries, *last ? last : "ipmitool gives no reason");
	}
	sol_fail(s, &mine);
}

static void sol_on_who(void *arg, const char *who)
{
	struct console_sol *s = arg;
	struct err e = ERR_INIT;

	s->base.held = true;
	err_set(&e, ERR_LAB, "E_CONSOLE", "SOL is held by another session%s%s%s", *who ? " (" : "",
		who, *who ? ")" : "");
	sol_fail(s, &e);
}

static void sol_ask_who(struct console_sol *s)
{
	s->state = SOL_ASKING;
	s->why = ipmi_session_new(s->base.loop, &s->bmc);
	s->who = (struct ipmi_sol_who){s->why, s->deadline_ms, sol_on_who, s};
	ipmi_sol_who_ask(&s->who);
}

/* ipmitool ended before it was live. */
static void sol_not_started(struct console_sol *s)
{
	struct err e = ERR_INIT;

	switch (ipmi_parse_fault(s->start.data)) {
	case IPMI_FAULT_SOL_BUSY:
		if (s->base.polite) {
			sol_ask_who(s);
			return;
		}
		if (s->tries < SOL_TRIES) {
			sol_again(s);
			return;
		}
		err_set(&e, ERR_LAB, "E_CONSOLE",
			"SOL of BMC %s is held by another session that comes back each time it is "
			"ended; "
			"find who holds it, or reset the BMC",
			s->bmc.where);
		break;
	case IPMI_FAULT_SOL_DISABLED:
		err_set(&e, ERR_LAB, "E_CONSOLE",
			"SOL is switched off on BMC %s: enable it there (ipmitool sol set enabled "
			"true)",
			s->bmc.where);
		break;
	default:
		/* A shell with -v knows the reason. */
		s->state = SOL_ASKING;
		s->why = ipmi_session_new(s->base.loop, &s->bmc);
		ipmi_session_run(
			s->why, "chassis power status", s->deadline_ms, sol_why_ok, sol_on_why, s);
		return;
	}
	sol_fail(s, &e);
}

static void sol_closed(struct console_sol *s)
{
	void (*closed)(void *) = s->closed;

	uv_timer_stop(&s->timer);
	s->state = SOL_CLOSED;
	s->closed = NULL;
	if (closed)
		closed(s->closed_arg);
}

static bool sol_forget_ok(const char *text)
{
	/* Success prints nothing, and "already de-activated" is one too. */
	return !strstr(text, "Error");
}

static void sol_on_forgotten(void *arg, const char *text, const struct err *e)
{
	struct console_sol *s = arg;

	(void)text;
	if (e->cls)
		log_line(LOG_WARN, s->base.target->name, "SOL session may be left on the BMC: %s",
			e->msg);
	ipmi_session_free(s->why);
	s->why = NULL;
	sol_closed(s);
}

/* ipmitool ended without ending its session on the BMC. */
static void sol_forget(struct console_sol *s)
{
	int64_t left = (s->end_ns - clock_mono_ns()) / 1000000;

	s->state = SOL_FORGETTING;
	s->why = ipmi_session_new(s->base.loop, &s->bmc);
	ipmi_session_run(s->why, "sol deactivate", left > 1 ? (int)left : 1, sol_forget_ok,
		sol_on_forgotten, s);
}

static void sol_ended(void *arg, const struct child_result *r)
{
	struct console_sol *s = arg;

	(void)r;
	s->tty = NULL;
	switch (s->state) {
	case SOL_STARTING:
	case SOL_LOOKING:
		ipmi_watch_stop(s->watch);
		sol_not_started(s);
		break;
	case SOL_LIVE:
		sol_lose(s, "the BMC restarted, or somebody else took the console");
		break;
	case SOL_LEAVING:
		sol_closed(s);
		break;
	default:
		break;
	}
}

static const struct pty_events tty_events = {.data = sol_data, .ended = sol_ended};

/* ipmitool asks every 16 s whether its session still lives, and gives up after four questions: with
 * few repetitions within 30 s, else within 70 s.  A BMC that is too slow for that gets the others
 * from the second try on. */
static void sol_try(struct console_sol *s)
{
	struct err e = ERR_INIT;

	s->tries++;
	s->state = SOL_STARTING;
	buf_clear(&s->start);
	s->tty = ipmi_tty_start(s->base.loop, &s->bmc,
		s->base.polite ? "sol-polite.commands" : "sol.commands", s->tries == 1, &tty_events,
		s, &e);
	if (!s->tty)
		sol_fail(s, &e);
}

static void sol_on_ping(void *arg, const uint8_t *data, size_t len, const struct err *e)
{
	struct console_sol *s = arg;

	(void)data;
	(void)len;
	s->ping = NULL;
	if (e->cls)
		sol_fail(s, e);
	else
		sol_try(s);
}

static void sol_open(struct console *base, int deadline_ms)
{
	struct console_sol *s = (struct console_sol *)base;

	s->state = SOL_PINGING;
	s->base.held = false;
	s->tries = 0;
	s->deadline_ms = deadline_ms;
	buf_clear(&s->start);
	uv_timer_start(&s->timer, sol_on_open_deadline, (uint64_t)deadline_ms, 0);
	/* Silence has a better message than the deadline. */
	s->ping = ipmi_ping_start(base->loop, IPMI_ASK_AUTH, s->bmc.host, s->bmc.port,
		deadline_ms * 9 / 10 < 5000 ? deadline_ms * 9 / 10 : 5000, sol_on_ping, s);
}

static void sol_type(struct console_sol *s, const char *p, size_t n)
{
	if (pty_type(s->tty, p, n))
		log_line(LOG_WARN, s->base.target->name, "console takes no input");
}

static void sol_send(struct console *base, const char *p, size_t n)
{
	struct console_sol *s = (struct console_sol *)base;

	for (size_t i = 0; i < n && s->state == SOL_LIVE; i++) {
		/* ipmitool's escape at the start of a line; doubled it is the character. */
		if (p[i] == '~' && !s->typed_line)
			sol_type(s, "~", 1);
		sol_type(s, p + i, 1);
		s->typed_line = p[i] != '\r' && p[i] != '\n';
	}
}

/* It did not go by itself. */
static void sol_on_leave_deadline(uv_timer_t *t)
{
	struct console_sol *s = t->data;

	sol_drop(s);
	sol_forget(s);
}

static void sol_on_close_late(uv_timer_t *t)
{
	sol_closed(t->data);
}

static void sol_close(struct console *base, int deadline_ms, void (*closed)(void *arg), void *arg)
{
	struct console_sol *s = (struct console_sol *)base;
	bool half = s->state == SOL_STARTING && s->tty;
	bool live = s->state == SOL_LIVE || s->state == SOL_LOOKING;

	sol_stop_opening(s);
	s->closed = closed;
	s->closed_arg = arg;
	s->end_ns = clock_mono_ns() + (int64_t)deadline_ms * 1000000;
	if (live) {
		s->state = SOL_LEAVING;
		/* The escape counts at the start of a line only. */
		sol_type(s, s->typed_line ? "\r~." : "~.", s->typed_line ? 3 : 2);
		uv_timer_start(&s->timer, sol_on_leave_deadline, (uint64_t)deadline_ms / 2, 0);
	} else if (half && !s->base.polite) {
		sol_drop(s);
		sol_forget(s);
	} else {
		/* One that is half open may be somebody else's: it ends by itself. */
		sol_drop(s);
		s->state = SOL_CLOSED;
		uv_timer_start(&s->timer, sol_on_close_late, 0, 0);
	}
}

static void sol_on_handle_closed(uv_handle_t *h)
{
	struct console_sol *s = h->data;

	if (!--s->handles)
		free(s);
}

static void sol_free(struct console *base)
{
	struct console_sol *s = (struct console_sol *)base;

	s->state = SOL_CLOSED;
	sol_stop_opening(s);
	sol_drop(s);
	buf_release(&s->start);
	ipmi_watch_free(s->watch);
	ipmi_bmc_release(&s->bmc);
	uv_close((uv_handle_t *)&s->timer, sol_on_handle_closed);
	uv_close((uv_handle_t *)&s->again, sol_on_handle_closed);
}

static const struct console_ops sol_ops = {
	.name = "sol",
	.open = sol_open,
	.send = sol_send,
	.close = sol_close,
	.free = sol_free,
};

static const struct ipmi_watch_events watch_events = {.seen = sol_live, .lost = sol_lose};

struct console *console_sol_new(uv_loop_t *loop, const struct target *t,
	const struct secret *secret, const char *host, int port,
	const struct console_events *events, void *arg, struct err *e)
{
	struct console_sol *s = mem_alloc(sizeof(*s));

	s->base = (struct console){.ops = &sol_ops,
		.loop = loop,
		.target = t,
		.secret = secret,
		.events = *events,
		.arg = arg};
	if (ipmi_bmc_init(&s->bmc, t, secret, host, port, e)) {
		free(s);
		return NULL;
	}
	buf_init(&s->start, SOL_START_MAX);
	s->watch = ipmi_watch_new(loop, &s->bmc, host, port, &watch_events, s);
	uv_timer_init(loop, &s->timer);
	uv_timer_init(loop, &s->again);
	s->timer.data = s->again.data = s;
	s->handles = 2;
	return &s->base;
}
