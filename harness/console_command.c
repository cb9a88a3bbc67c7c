/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The console by a program of the target file: one `/bin/sh -c COMMAND` on a pseudo terminal, live
 * once it has run for a moment without ending. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/log.h"
#include "harness/base/mem.h"
#include "harness/console.h"
#include "harness/pty.h"

enum { COMMAND_START_MS = 500, COMMAND_START_MAX = 16384, COMMAND_ENV = 5 };

enum command_state { COMMAND_CLOSED, COMMAND_STARTING, COMMAND_LIVE, COMMAND_LEAVING };

struct console_command {
	struct console base;
	const char *host;
	int port;
	enum command_state state;
	struct pty *pty;
	uv_timer_t timer;
	struct buf start; /* what it printed before it was live */
	struct err err;	  /* why it could not be started */
	void (*closed)(void *arg);
	void *closed_arg;
};

static void command_on_started(uv_timer_t *t)
{
	struct console_command *c = t->data;
	struct err none = ERR_INIT;
	struct buf start = c->start;

	uv_timer_stop(t);
	c->state = COMMAND_LIVE;
	buf_init(&c->start, COMMAND_START_MAX);
	c->base.events.ready(c->base.arg, &none);
	if (start.len && c->state == COMMAND_LIVE)
		c->base.events.data(c->base.arg, start.data, start.len);
	buf_release(&start);
}

static void command_on_data(void *arg, char *p, size_t n)
{
	struct console_command *c = arg;

	if (c->state == COMMAND_STARTING) {
		if (!buf_add(&c->start, p, n))
			return;
		/* Who says that much has a console. */
		command_on_started(&c->timer);
	}
	if (c->state == COMMAND_LIVE)
		c->base.events.data(c->base.arg, p, n);
}

static void command_closed(struct console_command *c)
{
	void (*closed)(void *) = c->closed;

	uv_timer_stop(&c->timer);
	c->state = COMMAND_CLOSED;
	c->closed = NULL;
	if (closed)
		closed(c->closed_arg);
}

static void command_on_ended(void *arg, const struct child_result *r)
{
	struct console_command *c = arg;
	bool live = c->state == COMMAND_LIVE;
	struct err e = ERR_INIT;
	char words[200];

	c->pty = NULL;
	if (c->state == COMMAND_LEAVING) {
		command_closed(c);
		return;
	}
	uv_timer_stop(&c->timer);
	c->state = COMMAND_CLOSED;
	console_last_words(c->start.data, ", with ", words, sizeof(words));
	err_set(&e, ERR_LAB, "E_CONSOLE", "the console's command ended (%s %d)%s%s",
		r->sig ? "signal" : "status", r->sig ? r->sig : r->status, words,
		live ? "" : ": try [console] command by hand");
	if (live)
		c->base.events.lost(c->base.arg, &e);
	else
		c->base.events.ready(c->base.arg, &e);
}

static void command_on_not_started(uv_timer_t *t)
{
	struct console_command *c = t->data;

	c->base.events.ready(c->base.arg, &c->err);
}

static void command_open(struct console *base, int deadline_ms)
{
	static const struct pty_events events = {
		.data = command_on_data, .ended = command_on_ended};
	struct console_command *c = (struct console_command *)base;
	const struct target *t = base->target;
	const char *const argv[] = {"/bin/sh", "-c", t->console.command, NULL};
	char *env[COMMAND_ENV + 1] = {mem_printf("HARNESS_MACHINE=%s", t->name),
		mem_printf("HARNESS_HOST=%s", c->host), mem_printf("HARNESS_PORT=%d", c->port),
		mem_printf("HARNESS_USER=%s", t->bmc.user),
		secret_env("HARNESS_PASSWORD", base->secret), NULL};
	struct child_opts o = {
		.argv = argv, .env_set = (const char *const *)env, .deadline_ms = CHILD_SERVICE};

	buf_clear(&c->start);
	c->pty = pty_start(base->loop, &o, &events, c, &c->err);
	for (int i = 0; i < COMMAND_ENV - 1; i++)
		free(env[i]);
	secret_env_free(env[COMMAND_ENV - 1]);
	if (!c->pty) {
		uv_timer_start(&c->timer, command_on_not_started, 0, 0);
		return;
	}
	c->state = COMMAND_STARTING;
	uv_timer_start(&c->timer, command_on_started,
		(uint64_t)(deadline_ms < COMMAND_START_MS ? deadline_ms : COMMAND_START_MS), 0);
}

static void command_send(struct console *base, const char *p, size_t n)
{
	struct console_command *c = (struct console_command *)base;

	if (c->state == COMMAND_LIVE && pty_type(c->pty, p, n))
		log_line(LOG_WARN, base->target->name, "console takes no input");
}

static void command_on_close_late(uv_timer_t *t)
{
	struct console_command *c = t->data;

	pty_drop(c->pty);
	c->pty = NULL;
	command_closed(c);
}

static void command_close(
	struct console *base, int deadline_ms, void (*closed)(void *arg), void *arg)
{
	struct console_command *c = (struct console_command *)base;

	c->closed = closed;
	c->closed_arg = arg;
	c->state = COMMAND_LEAVING;
	pty_end(c->pty);
	uv_timer_start(&c->timer, command_on_close_late, c->pty ? (uint64_t)deadline_ms : 0, 0);
}

static void command_on_handle_closed(uv_handle_t *h)
{
	free(h->data);
}

static void command_free(struct console *base)
{
	struct console_command *c = (struct console_command *)base;

	pty_drop(c->pty);
	buf_release(&c->start);
	uv_close((uv_handle_t *)&c->timer, command_on_handle_closed);
}

static const struct console_ops command_ops = {
	.name = "command",
	.open = command_open,
	.send = command_send,
	.close = command_close,
	.free = command_free,
};

struct console *console_command_new(uv_loop_t *loop, const struct target *t,
	const struct secret *secret, const char *host, int port,
	const struct console_events *events, void *arg, struct err *e)
{
	struct console_command *c = mem_alloc(sizeof(*c));

	(void)e;
	c->base = (struct console){.ops = &command_ops,
		.loop = loop,
		.target = t,
		.secret = secret,
		.events = *events,
		.arg = arg};
	c->host = host ? host : t->bmc.host;
	c->port = host ? port : t->bmc.port;
	buf_init(&c->start, COMMAND_START_MAX);
	uv_timer_init(loop, &c->timer);
	c->timer.data = c;
	return &c->base;
}
