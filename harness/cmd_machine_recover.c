/* SPDX-License-Identifier: GPL-3.0-or-later */
/* harness machine recover and quarantine. */
#include <pwd.h>
#include <stdio.h>
#include <unistd.h>

#include "db/store.h"
#include "harness/check.h"
#include "harness/cmd_machine.h"
#include "harness/quarantine.h"

static const char *recover_word(enum power_state s)
{
	return s == POWER_ON ? "on" : s == POWER_OFF ? "off" : "unknown";
}

/* Runs of a controller that was killed are marked by whoever has the machine. */
static int recover_runs(struct check *c, const struct visit *v, struct err *e)
{
	const char *dead = hold_dead(v->hold);
	struct store *db = NULL;
	int n = 0, rc = store_open(&db, v->state, e);

	if (!rc)
		rc = store_mark_dead(db, v->target->name, &n, e);
	store_close(db);
	if (!rc)
		check_add(c, "lock", dead ? CHECK_WARN : CHECK_OK, NULL, "%s%s",
			dead ? "the last controller died without ending: " : "ours",
			dead ? dead : "");
	if (!rc && n)
		check_add(c, "runs", CHECK_WARN, NULL, "%d that never ended marked as such", n);
	return rc;
}

static int recover_fail(struct check *c, const char *row, const struct err *e)
{
	check_add(c, row, CHECK_FAIL, NULL, "%s%s%s%s", e->msg, *e->code ? " (" : "", e->code,
		*e->code ? ")" : "");
	return -(int)e->cls;
}

static int recover_console(struct check *c, struct visit *v, struct err *e)
{
	if (visit_console(v, e))
		return recover_fail(c, "console", e);
	check_add(c, "console", CHECK_OK, NULL, "no other session is left; ours opens");
	return 0;
}

static int recover_power(struct check *c, struct visit *v, bool keep, struct err *e)
{
	enum target_idle idle = v->target->idle;
	int rc;

	if (keep || idle == IDLE_LEAVE) {
		rc = visit_power_get(v, e);
		if (!rc)
			rc = visit_power_verify(
				v, v->power, v->target->deadline_ms[STAGE_POWER_OFF], e);
	} else {
		rc = visit_power_set(v, idle == IDLE_ON ? POWER_DO_ON : POWER_DO_OFF, e);
	}
	if (rc)
		return recover_fail(c, "power", e);
	check_add(c, "power", CHECK_OK, NULL, "%s, %d readings agree", recover_word(v->power),
		v->target->bmc.readings);
	return 0;
}

static int recover_quarantine(struct check *c, const struct visit *v, struct err *e)
{
	struct quarantine q;
	int rc = quarantine_get(v->state, v->target->name, &q, e);

	/* One that cannot be read is lifted, too. */
	if (rc || q.on)
		rc = quarantine_lift(v->state, v->target->name, e);
	if (rc)
		return recover_fail(c, "quarantine", e);
	if (q.on)
		check_add(c, "quarantine", CHECK_OK, NULL, "lifted; since %s (%s): %s", q.since,
			q.by, q.why);
	else
		check_add(c, "quarantine", CHECK_OK, NULL, "none");
	return 0;
}

static int recover_steps(
	struct check *c, struct visit *v, const struct machine_args *a, struct err *e)
{
	struct err first = ERR_INIT;

	/* A console that does not open is no reason to leave the machine on. */
	if (recover_console(c, v, &first) && first.cls == ERR_INTERRUPTED) {
		*e = first;
		return -(int)e->cls;
	}
	if (!a->sol && recover_power(c, v, a->keep_power, e))
		return -(int)e->cls;
	if (first.cls)
		*e = first;
	if (!first.cls && !a->sol)
		return recover_quarantine(c, v, e);
	return -(int)first.cls;
}

int machine_recover(const struct machine_args *a, struct buf *out, struct err *e)
{
	struct err end = ERR_INIT;
	struct machine_of m;
	struct visit v;
	struct check c;
	int rc = machine_of_open(&m, a, e);

	if (rc)
		return rc;
	check_init(&c, &m.target);
	rc = machine_visit(&v, a, &m, false, e);
	if (!rc)
		rc = recover_runs(&c, &v, e);
	if (!rc)
		rc = visit_lines(&v, true, e);
	if (!rc)
		rc = recover_steps(&c, &v, a, e);
	if (visit_close(&v, &end) && !rc) {
		*e = end;
		rc = recover_fail(&c, "close", e);
	}
	if (c.n && a->json)
		check_json(&c, out);
	else if (c.n)
		check_rows(&c, out);
	machine_of_close(&m);
	return rc;
}

int machine_quarantine(const struct machine_args *a, struct buf *out, struct err *e)
{
	struct passwd *pw = getpwuid(getuid());
	char host[65] = "?", by[128];
	struct machine_of m;
	int rc;

	if (!a->why || !*a->why)
		return err_set(e, ERR_USAGE, NULL,
			"machine quarantine: --why TEXT is missing: whoever meets it wants to "
			"know");
	rc = machine_of_open(&m, a, e);
	if (rc)
		return rc;
	gethostname(host, sizeof(host) - 1);
	snprintf(by, sizeof(by), "%.40s on %s", pw ? pw->pw_name : "?", host);
	rc = quarantine_put(m.state, m.target.name, by, a->why, e);
	if (!rc && !a->common.quiet)
		buf_addf(out, "%s  in quarantine; harness machine recover %s lifts it\n", a->name,
			a->name);
	machine_of_close(&m);
	return rc;
}
