/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/hold_exec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/child.h"
#include "harness/base/log.h"
#include "harness/base/mem.h"
#include "harness/closing.h"
#include "harness/hold.h"
#include "harness/ipmi_parse.h"

enum { OUTPUT_MAX = 4096, TEXT_MAX = 400 };

/* What a call is made of; argv and env point into it. */
struct exec_call {
	const char *argv[4], *env[4];
	char holder[TEXT_MAX], run[80], wait[64];
	struct child_opts opts;
};

static void exec_call_init(
	struct exec_call *c, const struct hold_exec *x, const char *verb, int deadline_ms)
{
	*c = (struct exec_call){.argv = {x->command, verb, x->machine, NULL}};
	snprintf(c->holder, sizeof(c->holder), "HARNESS_LOCK_HOLDER=%s", x->holder);
	snprintf(c->run, sizeof(c->run), "HARNESS_LOCK_RUN=%s", x->run);
	if (x->wait_ms == HOLD_FOREVER)
		snprintf(c->wait, sizeof(c->wait), "HARNESS_LOCK_WAIT=forever");
	else
		snprintf(c->wait, sizeof(c->wait), "HARNESS_LOCK_WAIT=%lld",
			(long long)(x->wait_ms + 999) / 1000);
	c->env[0] = c->holder;
	c->env[1] = c->run;
	c->env[2] = c->wait;
	c->opts = (struct child_opts){.argv = c->argv,
		.env_set = c->env,
		.deadline_ms = deadline_ms,
		.kill_ms = deadline_ms < CLOSING_MS ? CLOSING_KILL_MS : 0,
		.merge = true,
		.out_max = OUTPUT_MAX};
}

static int exec_judge(
	const struct hold_exec *x, const char *verb, const struct child_result *r, struct err *e)
{
	char last[200], how[64];

	if (!r->status && !r->timed_out)
		return 0;
	ipmi_parse_last_line(r->out.data, last, sizeof(last));
	if (r->status == ERR_BUSY && !strcmp(verb, "acquire"))
		return err_set(e, ERR_BUSY, "E_BUSY", "%s is in use%s%s (says %s)", x->machine,
			*last ? ": " : "", last, x->command);
	if (r->timed_out)
		snprintf(how, sizeof(how), "did not end in time");
	else if (r->sig)
		snprintf(how, sizeof(how), "ended by signal %d", r->sig);
	else
		snprintf(how, sizeof(how), "status %d", r->status);
	return err_set(e, ERR_LAB, "E_LOCK", "%s %s %s: %s%s%s", x->command, verb, x->machine, how,
		*last ? ": " : "", last);
}

static void exec_on_done(void *arg, struct child_result *r)
{
	struct hold_exec *x = arg;
	struct err e = ERR_INIT;

	x->child = NULL;
	exec_judge(x, x->verb, r, &e);
	x->done(x->arg, &e);
}

void hold_exec_start(struct hold_exec *x, uv_loop_t *loop, const char *verb, int deadline_ms,
	void (*done)(void *arg, const struct err *e), void *arg)
{
	struct err e = ERR_INIT;
	struct exec_call c;

	exec_call_init(&c, x, verb, deadline_ms);
	x->verb = verb;
	x->done = done;
	x->arg = arg;
	x->child = child_start(loop, &c.opts, exec_on_done, x, &e);
	if (!x->child)
		done(arg, &e);
}

void hold_exec_stop(struct hold_exec *x)
{
	if (x->child)
		child_stop(x->child);
}

void hold_exec_unreturned(const struct hold_exec *x, const struct err *e)
{
	if (e->cls)
		log_line(LOG_WARN, x->machine, "the lock may not have been given back: %s", e->msg);
}

static void exec_on_released(void *arg, const struct err *e)
{
	hold_exec_unreturned(arg, e);
}

void hold_exec_release(struct hold_exec *const *x, size_t n, int deadline_ms)
{
	struct hold_exec *calls;
	uv_loop_t loop;

	if (!n || uv_loop_init(&loop))
		return;
	/* Copies: a call of another loop may be under way. */
	calls = mem_array(n, sizeof(*calls));
	for (size_t i = 0; i < n; i++) {
		calls[i] = *x[i];
		hold_exec_start(
			&calls[i], &loop, "release", deadline_ms, exec_on_released, &calls[i]);
	}
	uv_run(&loop, UV_RUN_DEFAULT);
	uv_loop_close(&loop);
	free(calls);
}
