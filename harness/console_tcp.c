/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The console through a console server: a raw TCP port, telnet, or telnet with RFC 2217.
 *
 * Live once the connection has stood for a moment (a server whose line is taken says so and hangs
 * up), for telnet once everything is agreed.  A telnet peer is asked for a sign of life when it is
 * silent; one that never gives any is left to TCP's own. */
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/clock.h"
#include "harness/base/log.h"
#include "harness/base/mem.h"
#include "harness/console.h"
#include "harness/tcp_line.h"
#include "harness/telnet.h"

enum {
	TCP_CONNECT_MS = 10000,
	TCP_STAND_MS = 200,  /* no hang-up for so long: it is ours */
	TCP_AGREE_MS = 3000, /* for telnet's and RFC 2217's answers */
	TCP_ALIVE_MS = 3000,
	TCP_UNANSWERED_MAX = 2,
	TCP_START_MAX = 256 << 10,
	TCP_OUT_MAX = 65536
};

enum tcp_state { TCP_CLOSED, TCP_CONNECTING, TCP_STANDING, TCP_LIVE };

struct console_tcp {
	struct console base;
	const char *host;
	int port;
	bool is_telnet, sets_line;
	enum tcp_state state;
	struct tcp_line *line;
	struct telnet telnet;
	struct buf start; /* data from before it was live */
	struct buf out;
	uv_timer_t timer; /* standing, agreeing; closing */
	uv_timer_t alive;
	int64_t end_ns; /* of open() */
	bool stood;	/* TCP_STAND_MS are over */
	bool heard;	/* anything since the last look */
	int handles;
	void (*closed)(void *arg);
	void *closed_arg;
};

static void tcp_stop(struct console_tcp *c)
{
	tcp_line_drop(c->line);
	c->line = NULL;
	c->state = TCP_CLOSED;
	uv_timer_stop(&c->timer);
	uv_timer_stop(&c->alive);
}

/* Not opened, or lost. */
static void tcp_fail(struct console_tcp *c, const struct err *e)
{
	bool live = c->state == TCP_LIVE;

	tcp_stop(c);
	if (live)
		c->base.events.lost(c->base.arg, e);
	else
		c->base.events.ready(c->base.arg, e);
}

static void __attribute__((format(printf, 2, 3)))
tcp_failf(struct console_tcp *c, const char *fmt, ...)
{
	struct err e = ERR_INIT;
	char text[400];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	err_set(&e, ERR_LAB, "E_CONSOLE", "the console server at %s port %d %s", c->host, c->port,
		text);
	tcp_fail(c, &e);
}

/* What telnet has to say.  False: it could not be sent. */
static bool tcp_flush(struct console_tcp *c)
{
	int rc = c->out.len ? tcp_line_write(c->line, c->out.data, c->out.len) : 0;

	if (!rc && !c->out.failed) {
		buf_clear(&c->out);
		return true;
	}
	tcp_failf(c, "takes no input: it is behind by %d bytes", TCP_LINE_QUEUE_MAX);
	return false;
}

static void tcp_on_alive(uv_timer_t *t)
{
	struct console_tcp *c = t->data;

	if (!c->heard && telnet_unanswered(&c->telnet) >= TCP_UNANSWERED_MAX) {
		tcp_failf(c, "does not answer any more");
		return;
	}
	if (!c->heard) {
		telnet_ping(&c->telnet, &c->out);
		if (!tcp_flush(c))
			return;
	}
	c->heard = false;
}

static void tcp_live(struct console_tcp *c)
{
	struct err none = ERR_INIT;
	struct buf start = c->start;

	uv_timer_stop(&c->timer);
	c->state = TCP_LIVE;
	c->heard = true;
	buf_init(&c->start, TCP_START_MAX);
	if (c->is_telnet)
		uv_timer_start(&c->alive, tcp_on_alive, TCP_ALIVE_MS, TCP_ALIVE_MS);
	c->base.events.ready(c->base.arg, &none);
	if (start.len && c->state == TCP_LIVE)
		c->base.events.data(c->base.arg, start.data, start.len);
	buf_release(&start);
	if (c->is_telnet && c->state == TCP_LIVE) {
		/* Two, to learn whether it answers at all. */
		telnet_ping(&c->telnet, &c->out);
		telnet_ping(&c->telnet, &c->out);
		tcp_flush(c);
	}
}

static void tcp_live_if_so(struct console_tcp *c)
{
	if (c->is_telnet && telnet_state(&c->telnet) == TELNET_FAILED)
		tcp_failf(c, "%s", telnet_why(&c->telnet));
	else if (c->state == TCP_STANDING && c->stood &&
		 (!c->is_telnet || telnet_state(&c->telnet) == TELNET_READY))
		tcp_live(c);
}

static void tcp_on_agree_late(uv_timer_t *t)
{
	struct console_tcp *c = t->data;

	tcp_failf(c, "%s", telnet_why(&c->telnet));
}

static void tcp_on_stood(uv_timer_t *t)
{
	struct console_tcp *c = t->data;
	int64_t left = (c->end_ns - clock_mono_ns()) / 1000000;

	c->stood = true;
	if (c->is_telnet)
		uv_timer_start(t, tcp_on_agree_late,
			left < 1	      ? 1
			: left < TCP_AGREE_MS ? (uint64_t)left
					      : TCP_AGREE_MS,
			0);
	tcp_live_if_so(c);
}

static void tcp_on_connected(void *arg, const struct err *e)
{
	struct console_tcp *c = arg;

	if (e->cls) {
		c->line = NULL;
		tcp_fail(c, e);
		return;
	}
	c->state = TCP_STANDING;
	uv_timer_start(&c->timer, tcp_on_stood, TCP_STAND_MS, 0);
	if (c->is_telnet) {
		telnet_start(&c->telnet, &c->out);
		tcp_flush(c);
	}
}

static void tcp_on_data(void *arg, char *p, size_t n)
{
	struct console_tcp *c = arg;

	c->heard = true;
	if (c->is_telnet) {
		n = telnet_feed(&c->telnet, p, n, &c->out);
		if (!tcp_flush(c))
			return;
	}
	/* Who says more than that at first is not about to hang up. */
	if (c->state == TCP_STANDING && buf_add(&c->start, p, n)) {
		c->stood = true;
		tcp_live_if_so(c);
		if (c->state == TCP_LIVE)
			c->base.events.data(c->base.arg, p, n);
		return;
	}
	if (c->state == TCP_LIVE && n)
		c->base.events.data(c->base.arg, p, n);
	if (c->state != TCP_CLOSED)
		tcp_live_if_so(c);
}

static void tcp_on_ended(void *arg, const struct err *e)
{
	struct console_tcp *c = arg;
	struct err mine = *e;
	char words[200];

	c->line = NULL;
	if (c->state == TCP_STANDING) {
		console_last_words(c->start.data, ", after ", words, sizeof(words));
		err_set(&mine, ERR_LAB, "E_CONSOLE", "%s at once%s: is its line in use?", e->msg,
			words);
	}
	tcp_fail(c, &mine);
}

static const struct tcp_line_events line_events = {
	.connected = tcp_on_connected, .data = tcp_on_data, .ended = tcp_on_ended};

static void tcp_open(struct console *base, int deadline_ms)
{
	static const enum telnet_flow flows[] = {[FLOW_NONE] = TELNET_FLOW_NONE,
		[FLOW_RTSCTS] = TELNET_FLOW_HARDWARE,
		[FLOW_XONXOFF] = TELNET_FLOW_XONXOFF};
	struct console_tcp *c = (struct console_tcp *)base;

	c->state = TCP_CONNECTING;
	c->stood = false;
	c->end_ns = clock_mono_ns() + (int64_t)deadline_ms * 1000000;
	buf_clear(&c->start);
	buf_clear(&c->out);
	telnet_init(&c->telnet, c->sets_line, base->target->console.speed,
		flows[base->target->console.flow]);
	c->line = tcp_line_start(base->loop, c->host, c->port,
		deadline_ms < TCP_CONNECT_MS ? deadline_ms : TCP_CONNECT_MS, &line_events, c);
}

static void tcp_send(struct console *base, const char *p, size_t n)
{
	struct console_tcp *c = (struct console_tcp *)base;

	if (c->state != TCP_LIVE)
		return;
	if (c->is_telnet)
		telnet_escape(&c->telnet, p, n, &c->out);
	else
		buf_add(&c->out, p, n);
	if (c->out.failed || tcp_line_write(c->line, c->out.data, c->out.len))
		log_line(LOG_WARN, base->target->name, "console takes no input");
	buf_clear(&c->out);
}

static void tcp_on_closed(uv_timer_t *t)
{
	struct console_tcp *c = t->data;

	c->closed(c->closed_arg);
}

static void tcp_close(struct console *base, int deadline_ms, void (*closed)(void *arg), void *arg)
{
	struct console_tcp *c = (struct console_tcp *)base;

	(void)deadline_ms;
	tcp_stop(c);
	c->closed = closed;
	c->closed_arg = arg;
	uv_timer_start(&c->timer, tcp_on_closed, 0, 0);
}

static void tcp_on_handle_closed(uv_handle_t *h)
{
	struct console_tcp *c = h->data;

	if (!--c->handles)
		free(c);
}

static void tcp_free(struct console *base)
{
	struct console_tcp *c = (struct console_tcp *)base;

	tcp_stop(c);
	buf_release(&c->start);
	buf_release(&c->out);
	uv_close((uv_handle_t *)&c->timer, tcp_on_handle_closed);
	uv_close((uv_handle_t *)&c->alive, tcp_on_handle_closed);
}

static const struct console_ops tcp_ops = {
	.name = "tcp",
	.open = tcp_open,
	.send = tcp_send,
	.close = tcp_close,
	.free = tcp_free,
};

struct console *console_tcp_new(uv_loop_t *loop, const struct target *t,
	const struct secret *secret, const char *host, int port,
	const struct console_events *events, void *arg, struct err *e)
{
	struct console_tcp *c = mem_alloc(sizeof(*c));

	(void)e;
	c->base = (struct console){.ops = &tcp_ops,
		.loop = loop,
		.target = t,
		.secret = secret,
		.events = *events,
		.arg = arg};
	c->host = host ? host : t->console.host;
	c->port = host ? port : t->console.port;
	c->sets_line = !strcmp(t->console.driver, "rfc2217");
	c->is_telnet = c->sets_line || !strcmp(t->console.driver, "telnet");
	buf_init(&c->start, TCP_START_MAX);
	buf_init(&c->out, TCP_OUT_MAX);
	uv_timer_init(loop, &c->timer);
	uv_timer_init(loop, &c->alive);
	c->timer.data = c->alive.data = c;
	c->handles = 2;
	return &c->base;
}
