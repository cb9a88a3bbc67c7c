/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/ipmi_session.h"

#include <assert.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/buf.h"
#include "harness/base/child.h"
#include "harness/base/clock.h"
#include "harness/base/log.h"
#include "harness/base/mem.h"
#include "harness/ipmi_ping.h"

enum {
	SESSION_TEXT_MAX = 64 * 1024,
	SESSION_IDLE_MS = 10000,
	SESSION_PING_MS = 5000,
	SESSION_GOODBYE_MS = 500
};

static const char session_prompt[] = "ipmitool> ";

/* One ipmitool.  It outlives its session's interest in it: s is NULL from then on. */
struct session_tool {
	struct ipmi_session *s;
	struct child *child;
	uv_timer_t goodbye;
	bool exited;
};

struct ipmi_session {
	uv_loop_t *loop;
	const struct ipmi_bmc *bmc;
	struct session_tool *tool; /* NULL: no session */
	struct ipmi_ping *ping;
	uv_timer_t timer; /* deadline while a command runs, else idle */
	struct buf text;
	bool prompted; /* the shell has shown its first prompt */
	bool used;     /* a command has succeeded in this session */
	bool busy;     /* the shell works on a command */
	int handles;
	/* The command that runs; NULL: none. */
	char *command;
	int64_t end_ns;
	int deadline_ms;
	ipmi_session_ok_fn *ok;
	ipmi_session_done_fn *done;
	void *arg;
};

static void session_open(struct ipmi_session *s);

static void tool_on_closed(uv_handle_t *h)
{
	free(h->data);
}

static void tool_on_goodbye(uv_timer_t *t)
{
	struct session_tool *tool = t->data;

	if (!tool->exited)
		child_stop(tool->child);
}

/* Let go of the tool: politely when it waits for a command, so that the BMC's session ends too. */
static void session_drop(struct ipmi_session *s)
{
	struct session_tool *tool = s->tool;

	s->tool = NULL;
	if (!tool)
		return;
	tool->s = NULL;
	if (tool->exited)
		return;
	if (!s->prompted || s->busy) {
		child_stop(tool->child);
		return;
	}
	child_write(tool->child, "exit\n");
	child_end_input(tool->child);
	uv_timer_start(&tool->goodbye, tool_on_goodbye, SESSION_GOODBYE_MS, 0);
}

static void session_on_idle(uv_timer_t *t)
{
	session_drop(t->data);
}

static void session_finish(struct ipmi_session *s, const struct err *e)
{
	ipmi_session_done_fn *done = s->done;
	struct buf text = s->text;

	free(s->command);
	s->command = NULL;
	s->done = NULL;
	buf_init(&s->text, SESSION_TEXT_MAX);
	uv_timer_stop(&s->timer);
	if (s->tool)
		uv_timer_start(&s->timer, session_on_idle, SESSION_IDLE_MS, 0);
	done(s->arg, text.data, e); /* may free s or run the next command */
	buf_release(&text);
}

static void session_fail(struct ipmi_session *s, const struct err *e)
{
	ipmi_ping_cancel(s->ping);
	s->ping = NULL;
	session_drop(s);
	session_finish(s, e);
}

static void session_on_deadline(uv_timer_t *t)
{
	struct ipmi_session *s = t->data;
	struct err e = ERR_INIT;
	char took[16];

	clock_human((int64_t)s->deadline_ms * 1000000, took, sizeof(took));
	err_set(&e, ERR_LAB, "E_TIMEOUT", "BMC %s did not finish \"%s\" within %s", s->bmc->where,
		s->command, took);
	session_fail(s, &e);
}

static void session_command(struct ipmi_session *s)
{
	char *line = mem_printf("%s\n", s->command);

	buf_clear(&s->text);
	s->busy = true;
	child_write(s->tool->child, line);
	free(line);
}

/* The first line is readline's echo of the command. */
static void session_strip(struct ipmi_session *s)
{
	size_t n = strlen(s->command);

	s->text.len -= sizeof(session_prompt) - 1;
	s->text.data[s->text.len] = '\0';
	if (!strncmp(s->text.data, s->command, n) && s->text.data[n] == '\n')
		buf_consume(&s->text, n + 1);
}

static void session_answer(struct ipmi_session *s)
{
	struct err e = ERR_INIT;

	s->busy = false;
	session_strip(s);
	log_line(LOG_DEBUG, s->bmc->target->name, "%s: %.200s", s->command, s->text.data);
	if (s->ok(s->text.data)) {
		s->used = true;
		session_finish(s, &e);
		return;
	}
	if (s->used) {
		log_line(LOG_DEBUG, s->bmc->target->name, "%s: again in a new session", s->command);
		session_drop(s);
		session_open(s);
		return;
	}
	ipmi_tool_explain(s->bmc, s->command, s->text.data, &e);
	session_fail(s, &e);
}

static void tool_on_data(void *arg, int fd, const char *p, size_t n)
{
	struct session_tool *tool = arg;
	struct ipmi_session *s = tool->s;
	const size_t plen = sizeof(session_prompt) - 1;
	struct err e = ERR_INIT;

	(void)fd;
	if (!s || (!s->command && s->prompted))
		return;
	if (buf_add(&s->text, p, n)) {
		err_set(&e, ERR_LAB, "E_BMC", "BMC %s: \"%s\" printed more than %d bytes",
			s->bmc->where, s->command, SESSION_TEXT_MAX);
		session_fail(s, &e);
		return;
	}
	if (s->text.len < plen || strcmp(s->text.data + s->text.len - plen, session_prompt))
		return;
	if (s->prompted) {
		session_answer(s);
	} else {
		s->prompted = true;
		session_command(s);
	}
}

static void tool_on_exit(void *arg, struct child_result *r)
{
	struct session_tool *tool = arg;
	struct ipmi_session *s = tool->s;
	struct err e = ERR_INIT;

	(void)r;
	tool->exited = true;
	uv_close((uv_handle_t *)&tool->goodbye, tool_on_closed);
	if (!s)
		return;
	s->tool = NULL;
	if (!s->command)
		return;
	if (s->used) {
		session_open(s);
		return;
	}
	ipmi_tool_explain(s->bmc, s->command, s->text.data, &e);
	session_fail(s, &e);
}

static void session_start(struct ipmi_session *s)
{
	struct session_tool *tool = mem_alloc(sizeof(*tool));
	struct child_opts o = {
		.stdin_open = true, .merge = true, .deadline_ms = INT_MAX, .on_data = tool_on_data};
	struct err e = ERR_INIT;
	struct ipmi_tool t;

	tool->s = s;
	uv_timer_init(s->loop, &tool->goodbye);
	tool->goodbye.data = tool;
	ipmi_tool_init(&t, s->bmc, true, "shell", NULL, false);
	o.argv = t.argv;
	o.env_set = t.env;
	tool->child = child_start(s->loop, &o, tool_on_exit, tool, &e);
	ipmi_tool_release(&t);
	if (!tool->child) {
		uv_close((uv_handle_t *)&tool->goodbye, tool_on_closed);
		session_fail(s, &e);
		return;
	}
	s->tool = tool;
}

static void session_on_ping(void *arg, const uint8_t *data, size_t len, const struct err *e)
{
	struct ipmi_session *s = arg;

	(void)data;
	(void)len;
	s->ping = NULL;
	if (e->cls)
		session_fail(s, e);
	else
		session_start(s);
}

static void session_open(struct ipmi_session *s)
{
	int64_t left = (s->end_ns - clock_mono_ns()) / 1000000;

	s->prompted = s->used = s->busy = false;
	buf_clear(&s->text);
	/* A little before the command's own deadline: silence has a better message than that. */
	left = left * 9 / 10;
	s->ping = ipmi_ping_start(s->loop, IPMI_ASK_AUTH, s->bmc->host, s->bmc->port,
		(int)(left < SESSION_PING_MS ? left : SESSION_PING_MS), session_on_ping, s);
}

struct ipmi_session *ipmi_session_new(uv_loop_t *loop, const struct ipmi_bmc *bmc)
{
	struct ipmi_session *s = mem_alloc(sizeof(*s));

	s->loop = loop;
	s->bmc = bmc;
	buf_init(&s->text, SESSION_TEXT_MAX);
	uv_timer_init(loop, &s->timer);
	s->timer.data = s;
	return s;
}

void ipmi_session_run(struct ipmi_session *s, const char *command, int deadline_ms,
	ipmi_session_ok_fn *ok, ipmi_session_done_fn *done, void *arg)
{
	assert(!s->command);
	assert(!strpbrk(command, "\r\n"));
	s->command = mem_strdup(command);
	s->ok = ok;
	s->done = done;
	s->arg = arg;
	s->deadline_ms = deadline_ms;
	s->end_ns = clock_mono_ns() + (int64_t)deadline_ms * 1000000;
	uv_timer_start(&s->timer, session_on_deadline, (uint64_t)deadline_ms, 0);
	if (s->tool && s->prompted)
		session_command(s);
	else
		session_open(s);
}

void ipmi_session_cancel(struct ipmi_session *s)
{
	if (!s->command)
		return;
	ipmi_ping_cancel(s->ping);
	s->ping = NULL;
	session_drop(s);
	free(s->command);
	s->command = NULL;
	s->done = NULL;
	buf_clear(&s->text);
	uv_timer_stop(&s->timer);
}

static void session_on_closed(uv_handle_t *h)
{
	free(h->data);
}

void ipmi_session_free(struct ipmi_session *s)
{
	if (!s)
		return;
	ipmi_session_cancel(s);
	session_drop(s);
	buf_release(&s->text);
	uv_close((uv_handle_t *)&s->timer, session_on_closed);
}
