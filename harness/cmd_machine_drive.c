/* SPDX-License-Identifier: GPL-3.0-or-later */
/* harness machine power and console: a person drives a machine by hand. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/log.h"
#include "harness/cmd_machine.h"
#include "harness/quarantine.h"
#include "harness/terminal.h"

static const char *const actions[] = {
	[POWER_DO_OFF] = "off",
	[POWER_DO_ON] = "on",
	[POWER_DO_CYCLE] = "cycle",
	[POWER_DO_RESET] = "reset",
};

enum { ACTIONS = sizeof(actions) / sizeof(actions[0]), STATUS = -1 };

static int power_action(const char *word, int *out, struct err *e)
{
	*out = STATUS;
	if (!word || !strcmp(word, "status"))
		return 0;
	for (int i = 0; i < ACTIONS; i++)
		if (!strcmp(word, actions[i]))
			*out = i;
	if (*out != STATUS)
		return 0;
	return err_set(e, ERR_USAGE, NULL,
		"machine power: no \"%.40s\"; there are status, on, off, cycle and reset", word);
}

/* Who looks after a machine in quarantine may use it; they ought to know. */
static void drive_warn(const struct machine_of *m)
{
	struct err e = ERR_INIT;

	if (quarantine_check(m->state, m->target.name, &e))
		log_line(LOG_WARN, NULL, "%s", e.msg);
}

static void power_print(const struct machine_args *a, const struct visit *v, struct buf *out)
{
	const char *word = v->power == POWER_ON ? "on" : v->power == POWER_OFF ? "off" : "unknown";
	json_t *o;
	char *text;

	if (!a->json) {
		buf_addf(out, "%s  power %s\n", a->name, word);
		return;
	}
	o = json_pack("{s:s, s:s, s:s}", "machine", a->name, "action",
		a->action ? a->action : "status", "power", word);
	text = json_dumps(o, JSON_INDENT(2) | JSON_PRESERVE_ORDER);
	if (text)
		buf_addf(out, "%s\n", text);
	free(text);
	json_decref(o);
}

/* The first error is the one that matters. */
static int drive_close(struct visit *v, int rc, struct err *e)
{
	struct err end = ERR_INIT;

	if (!visit_close(v, &end) || rc)
		return rc;
	*e = end;
	return -(int)e->cls;
}

int machine_power(const struct machine_args *a, struct buf *out, struct err *e)
{
	struct machine_of m;
	struct visit v;
	int action, rc;

	rc = power_action(a->action, &action, e);
	if (!rc)
		rc = machine_of_open(&m, a, e);
	if (rc)
		return rc;
	drive_warn(&m);
	rc = machine_visit(&v, a, &m, true, e);
	if (!rc)
		rc = visit_lines(&v, false, e);
	if (!rc && action == STATUS)
		rc = visit_power_get(&v, e);
	else if (!rc)
		rc = visit_power_set(&v, (enum power_action)action, e);
	if (!rc)
		power_print(a, &v, out);
	rc = drive_close(&v, rc, e);
	machine_of_close(&m);
	return rc;
}

struct console_user {
	struct visit *visit;
	struct terminal *terminal;
};

static void console_on_data(void *arg, const char *p, size_t n)
{
	struct console_user *u = arg;

	terminal_show(u->terminal, p, n);
}

static void console_on_lost(void *arg, const struct err *e)
{
	struct console_user *u = arg;

	visit_over(u->visit, e);
}

static void console_on_typed(void *arg, const char *p, size_t n)
{
	struct console_user *u = arg;

	session_type(u->visit->session, p, n);
}

static void console_on_ended(void *arg, const struct err *e)
{
	struct console_user *u = arg;

	visit_over(u->visit, e);
}

static int console_talk(struct console_user *u, const struct machine_args *a, struct err *e)
{
	const struct session_listener listener = {
		.data = console_on_data, .lost = console_on_lost, .arg = u};
	const struct terminal_events events = {
		.typed = console_on_typed, .ended = console_on_ended, .arg = u};
	int rc = terminal_open(&u->terminal, &u->visit->loop, a->log, &events, e);

	if (rc)
		return rc;
	if (terminal_is_tty(u->terminal) && !a->common.quiet)
		fprintf(stderr, "%s: console is open; ~. at the start of a line ends it\r\n",
			a->name);
	u->visit->over = false;
	session_listen(u->visit->session, &listener);
	rc = visit_wait(u->visit, e);
	session_listen(u->visit->session, NULL);
	terminal_free(u->terminal);
	return rc;
}

int machine_console(const struct machine_args *a, struct buf *out, struct err *e)
{
	struct console_user u = {.terminal = NULL};
	struct machine_of m;
	struct visit v;
	int rc = machine_of_open(&m, a, e);

	(void)out;
	if (rc)
		return rc;
	u.visit = &v;
	drive_warn(&m);
	rc = machine_visit(&v, a, &m, true, e);
	if (!rc)
		rc = visit_lines(&v, false, e);
	if (!rc)
		rc = visit_console(&v, e);
	if (!rc)
		rc = console_talk(&u, a, e);
	rc = drive_close(&v, rc, e);
	machine_of_close(&m);
	return rc;
}
