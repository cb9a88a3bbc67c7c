/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Power and boot device by a program of the lab: `command` with a verb as its last argument.
 * targets/README.md holds the contract. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/child.h"
#include "harness/base/clock.h"
#include "harness/base/mem.h"
#include "harness/power.h"
#include "harness/power_turn.h"

enum { COMMAND_OUT_MAX = 4096, COMMAND_WORDS = 64, COMMAND_ENV = 6 };

/* The documented exit statuses. */
enum { COMMAND_CANNOT = 3, COMMAND_DENIED = 4 };

struct power_command {
	struct power base;
	char *words; /* the command, cut at its blanks */
	const char *argv[COMMAND_WORDS + 2];
	size_t verb; /* index of the verb in argv */
	char *env[COMMAND_ENV];
	struct child *child;
	struct turn *turn;
	uv_timer_t late; /* tells an interrupted caller, from the loop */
	bool cancelled, freed;
	int handles; /* the timer, and the child while there is one */
	/* The operation that runs; done NULL: none. */
	power_done_fn *done;
	void *arg;
	const char *code; /* what a failure of the running verb is called */
	void (*next)(struct power_command *, const struct child_result *);
	enum power_action action;
	int64_t end_ns;
	int deadline_ms;
};

static void command_let_go(struct power_command *p)
{
	if (--p->handles)
		return;
	for (size_t i = 0; i < COMMAND_ENV; i++)
		free(p->env[i]);
	free(p->words);
	free(p);
}

static void command_on_closed(uv_handle_t *h)
{
	command_let_go(h->data);
}

static void command_finish(struct power_command *p, enum power_state state, const struct err *e)
{
	power_done_fn *done = p->done;

	p->done = NULL;
	p->cancelled = false;
	done(p->arg, state, e);
}

static void command_on_late(uv_timer_t *t)
{
	struct power_command *p = t->data;
	struct err e = ERR_INIT;

	err_set(&e, ERR_INTERRUPTED, NULL, "interrupted");
	command_finish(p, POWER_UNKNOWN, &e);
}

/* The last line that says something; a program that traces itself may have told the password. */
static const char *command_reason(const struct power_command *p, struct buf *err)
{
	const char *secret = p->base.secret ? p->base.secret->value : NULL;
	char *line;

	while (err->len && strchr("\r\n\t ", err->data[err->len - 1]))
		err->data[--err->len] = '\0';
	line = err->len ? strrchr(err->data, '\n') : NULL;
	line = line ? line + 1 : err->data;
	line += strspn(line, " \t\r");
	if (secret && strstr(line, secret))
		return "what it printed holds the password and is not shown";
	return *line ? line : "it printed no reason on its standard error";
}

static void command_explain(const struct power_command *p, struct child_result *r, struct err *e)
{
	const char *program = p->argv[0], *verb = p->argv[p->verb];
	char took[16];

	clock_human((int64_t)p->deadline_ms * 1000000, took, sizeof(took));
	if (r->timed_out)
		err_set(e, ERR_LAB, "E_TIMEOUT", "\"%s %s\" did not end within %s: it was ended",
			program, verb, took);
	else if (r->status < 0)
		err_set(e, ERR_LAB, p->code, "\"%s %s\" was ended by signal %d", program, verb,
			r->sig);
	else if (r->status == COMMAND_CANNOT)
		err_set(e, ERR_LAB, p->code,
			"\"%s\" cannot do \"%s\" on this machine (status %d): see command in "
			"targets/README.md",
			program, verb, r->status);
	else
		err_set(e, ERR_LAB, r->status == COMMAND_DENIED ? "E_AUTH" : p->code,
			"\"%s %s\" ended with status %d: %.400s", program, verb, r->status,
			command_reason(p, &r->err));
}

static void command_on_end(void *arg, struct child_result *r)
{
	struct power_command *p = arg;
	struct err e = ERR_INIT;

	p->child = NULL;
	if (p->freed) {
		command_let_go(p);
		return;
	}
	p->handles--;
	turn_end(p->turn);
	if (p->cancelled) {
		err_set(&e, ERR_INTERRUPTED, NULL, "interrupted");
		command_finish(p, POWER_UNKNOWN, &e);
	} else if (r->status || r->timed_out) {
		command_explain(p, r, &e);
		command_finish(p, POWER_UNKNOWN, &e);
	} else {
		p->next(p, r);
	}
}

static int command_left_ms(const struct power_command *p)
{
	int64_t left = (p->end_ns - clock_mono_ns()) / 1000000;

	return left > 1 ? (int)left : 1;
}

static void command_on_turn(void *arg, const struct err *e)
{
	struct power_command *p = arg;
	struct child_opts o = {.argv = p->argv,
		.env_set = (const char *const *)p->env,
		.deadline_ms = command_left_ms(p),
		.out_max = COMMAND_OUT_MAX};
	char **password = &p->env[COMMAND_ENV - 2]; /* there for this moment only */
	struct err mine = *e;

	*password = secret_env("HARNESS_PASSWORD", p->base.secret);
	if (!mine.cls)
		p->child = child_start(p->base.loop, &o, command_on_end, p, &mine);
	secret_env_free(*password);
	*password = NULL;
	if (p->child) {
		p->handles++;
		return;
	}
	turn_end(p->turn);
	command_finish(p, POWER_UNKNOWN, &mine);
}

static void command_run(struct power_command *p, const char *verb, const char *code,
	void (*next)(struct power_command *, const struct child_result *))
{
	p->argv[p->verb] = verb;
	p->code = code;
	p->next = next;
	turn_take(p->turn, command_left_ms(p), command_on_turn, p);
}

static void command_begin(struct power_command *p, int deadline_ms, power_done_fn *done, void *arg)
{
	assert(!p->done);
	p->done = done;
	p->arg = arg;
	p->deadline_ms = deadline_ms;
	p->end_ns = clock_mono_ns() + (int64_t)deadline_ms * 1000000;
}

/* "on" or "off" and nothing else; a guess would be worse than an error. */
static enum power_state command_state(const struct child_result *r)
{
	size_t n = r->out.len;

	while (n && strchr("\r\n\t ", r->out.data[n - 1]))
		n--;
	if (n == 2 && !memcmp(r->out.data, "on", 2))
		return POWER_ON;
	return n == 3 && !memcmp(r->out.data, "off", 3) ? POWER_OFF : POWER_UNKNOWN;
}

static enum power_state command_read(
	struct power_command *p, const struct child_result *r, struct err *e)
{
	enum power_state state = command_state(r);
	const char *secret = p->base.secret ? p->base.secret->value : NULL;

	if (state == POWER_UNKNOWN)
		err_set(e, ERR_LAB, "E_BMC", "\"%s get\" must print on or off, not \"%.40s\"",
			p->argv[0],
			secret && strstr(r->out.data, secret) ? "(the password)" : r->out.data);
	return state;
}

static void command_on_get(struct power_command *p, const struct child_result *r)
{
	struct err e = ERR_INIT;
	enum power_state state = command_read(p, r, &e);

	command_finish(p, state, &e);
}

static void command_get(struct power *base, int deadline_ms, power_done_fn *done, void *arg)
{
	struct power_command *p = (struct power_command *)base;

	command_begin(p, deadline_ms, done, arg);
	command_run(p, "get", "E_BMC", command_on_get);
}

static void command_on_done(struct power_command *p, const struct child_result *r)
{
	struct err e = ERR_INIT;

	(void)r;
	command_finish(p, POWER_UNKNOWN, &e);
}

static void command_set_now(struct power_command *p, enum power_action action)
{
	command_run(p, power_action_name(action), "E_POWER", command_on_done);
}

static void command_on_state_before_set(struct power_command *p, const struct child_result *r)
{
	struct err e = ERR_INIT;
	enum power_state state = command_read(p, r, &e);

	if (e.cls || (p->action == POWER_DO_OFF && state == POWER_OFF))
		command_finish(p, state, &e);
	else
		command_set_now(p, state == POWER_OFF ? POWER_DO_ON : p->action);
}

static void command_set(struct power *base, enum power_action action, int deadline_ms,
	power_done_fn *done, void *arg)
{
	struct power_command *p = (struct power_command *)base;

	command_begin(p, deadline_ms, done, arg);
	p->action = action;
	if (action == POWER_DO_ON || action == POWER_DO_OFF_BLIND)
		command_set_now(p, action);
	else
		command_run(p, "get", "E_BMC", command_on_state_before_set);
}

static void command_boot_net(struct power *base, int deadline_ms, power_done_fn *done, void *arg)
{
	struct power_command *p = (struct power_command *)base;

	command_begin(p, deadline_ms, done, arg);
	command_run(p, "bootdev-pxe", "E_BOOTDEV", command_on_done);
}

/* The caller hears of it when the program is gone: a next one must not run beside it. */
static void command_cancel(struct power *base)
{
	struct power_command *p = (struct power_command *)base;

	if (!p->done)
		return;
	p->cancelled = true;
	if (p->child)
		child_stop(p->child);
	else
		turn_end(p->turn);
	if (!p->child)
		uv_timer_start(&p->late, command_on_late, 0, 0);
}

static void command_free(struct power *base)
{
	struct power_command *p = (struct power_command *)base;

	p->freed = true;
	if (p->child)
		child_stop(p->child);
	turn_free(p->turn);
	uv_close((uv_handle_t *)&p->late, command_on_closed);
}

static const struct power_ops command_ops = {
	.name = "command",
	.get = command_get,
	.set = command_set,
	.boot_net = command_boot_net,
	.boot_keep = command_boot_net,
	.cancel = command_cancel,
	.free = command_free,
};

static int command_split(struct power_command *p, const struct target *t, struct err *e)
{
	char *save = NULL;

	p->words = mem_strdup(t->bmc.command);
	for (char *w = strtok_r(p->words, " ", &save); w; w = strtok_r(NULL, " ", &save)) {
		if (p->verb == COMMAND_WORDS)
			return err_set(e, ERR_USAGE, NULL, "[bmc] command has more than %d words",
				COMMAND_WORDS);
		p->argv[p->verb++] = w;
	}
	if (!p->verb)
		return err_set(e, ERR_USAGE, NULL, "[bmc] lacks \"command\"");
	return 0;
}

struct power *power_command_new(uv_loop_t *loop, const struct target *t, const struct secret *s,
	const char *host, int port, struct err *e)
{
	struct power_command *p = mem_alloc(sizeof(*p));

	p->base = (struct power){.ops = &command_ops, .loop = loop, .target = t, .secret = s};
	p->handles = 1;
	if (command_split(p, t, e)) {
		command_let_go(p);
		return NULL;
	}
	/* All are always set: none is to come from an environment of somebody else's. */
	p->env[0] = mem_printf("HARNESS_MACHINE=%s", t->name);
	p->env[1] = mem_printf("HARNESS_HOST=%s", host ? host : t->bmc.host);
	p->env[2] = mem_printf("HARNESS_PORT=%d", host ? port : t->bmc.port);
	p->env[3] = mem_printf("HARNESS_USER=%s", t->bmc.user);
	p->turn = turn_new(loop, t, host, port);
	uv_timer_init(loop, &p->late);
	p->late.data = p;
	return &p->base;
}
