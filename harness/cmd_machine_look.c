/* SPDX-License-Identifier: GPL-3.0-or-later */
/* harness machine list, show and check. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "db/store.h"
#include "harness/base/clock.h"
#include "harness/base/mem.h"
#include "harness/base/path.h"
#include "harness/check.h"
#include "harness/cmd_machine.h"
#include "harness/lock.h"
#include "harness/quarantine.h"
#include "reports/json.h"
#include "targets/target_show.h"

/* What the state folder knows of a machine. */
struct machine_state {
	bool in_use, ran, under_way; /* under_way: the last run */
	char holder[256];
	struct quarantine quarantine;
	struct store_run_line last;
};

static int look_on_run(void *arg, const struct store_run_line *l)
{
	struct machine_state *s = arg;

	s->ran = true;
	s->last = *l;
	return 0;
}

/* state NULL: there is none yet.  db NULL: no run yet. */
static int look_state(struct machine_state *s, const char *state, struct store *db,
	const char *name, struct err *e)
{
	struct err bad = ERR_INIT;
	int rc;

	*s = (struct machine_state){.in_use = false};
	if (!state)
		return 0;
	s->in_use = lock_look(state, name, s->holder, sizeof(s->holder));
	if (quarantine_get(state, name, &s->quarantine, &bad))
		snprintf(s->quarantine.why, sizeof(s->quarantine.why), "%.500s", bad.msg);
	if (!db)
		return 0;
	rc = store_runs(db, name, 1, look_on_run, s, e);
	s->under_way = !rc && s->ran && !s->last.ended && cmd_hold_is_by(state, name, s->last.uuid);
	return rc;
}

static void look_text(
	const char *name, const struct target *t, const struct machine_state *s, struct buf *out)
{
	char when[32];

	buf_addf(out, "%-16s %-8s %-12s %s\n", name, t->lab.present ? "virtual" : "real",
		s->quarantine.on ? "quarantined"
		: s->in_use	 ? "in use"
				 : "free",
		t->description[0] ? t->description : t->file);
	if (t->tags[0])
		buf_addf(out, "%-25s tags: %s\n", "", t->tags);
	if (s->quarantine.on)
		buf_addf(out, "%-25s since %s (%s): %s\n", "", s->quarantine.since,
			s->quarantine.by, s->quarantine.why);
	if (s->in_use)
		buf_addf(out, "%-25s in use by %s\n", "", s->holder);
	if (!s->ran)
		return;
	clock_iso(s->last.started_wall_ns, when, sizeof(when));
	buf_addf(out, "%-25s last run %s, %s: %d of %d boots good%s%s\n", "", s->last.id, when,
		s->last.boots_ok, s->last.boots_planned,
		s->under_way	      ? ", under way"
		: !s->last.ended      ? ", not ended"
		: s->last.end_err.cls ? "; "
				      : "",
		s->last.ended && s->last.end_err.cls ? s->last.end_err.msg : "");
}

static json_t *look_tags(const char *tags)
{
	json_t *a = json_array();

	while (*tags) {
		size_t n = strcspn(tags, " ");

		json_array_append_new(a, json_stringn(tags, n));
		tags += n;
		tags += strspn(tags, " ");
	}
	return a;
}

static json_t *look_json(const char *name, const struct target *t, const struct machine_state *s)
{
	json_t *o = json_pack("{s:s, s:o, s:o, s:o, s:b, s:b, s:o, s:o, s:o}", "name", name, "file",
		report_json_text(t->file), "description", report_json_text(t->description), "tags",
		look_tags(t->tags), "virtual", (int)t->lab.present, "in_use", (int)s->in_use,
		"holder", s->in_use ? report_json_text(s->holder) : json_null(), "quarantine",
		s->quarantine.on ? json_pack("{s:o, s:o, s:o}", "since",
					   report_json_text(s->quarantine.since), "by",
					   report_json_text(s->quarantine.by), "why",
					   report_json_text(s->quarantine.why))
				 : json_null(),
		"last_run", json_null());

	if (o && s->ran)
		json_object_set_new(o, "last_run",
			json_pack("{s:o, s:o, s:I, s:i, s:i, s:b, s:o}", "uuid",
				report_json_text(s->last.uuid), "id", report_json_text(s->last.id),
				"started_wall_ns", (json_int_t)s->last.started_wall_ns, "boots_ok",
				s->last.boots_ok, "boots_planned", s->last.boots_planned, "ended",
				(int)s->last.ended, "error", report_json_err(&s->last.end_err)));
	return o;
}

/* One line of the list; a broken file is a line of it, not its end. */
static int look_one(const struct machine_args *a, const char *name, const char *state,
	struct store *db, json_t *all, struct buf *out, struct err *e)
{
	struct err bad = ERR_INIT;
	struct machine_state s;
	struct target t;
	int rc;

	if (target_find(&t, a->common.targets, name, &bad)) {
		if (a->json)
			json_array_append_new(all, json_pack("{s:s, s:o}", "name", name, "error",
							   report_json_text(bad.msg)));
		else
			buf_addf(out, "%-16s BROKEN   %s\n", name, bad.msg);
		return 0;
	}
	rc = look_state(&s, state, db, name, e);
	if (!rc && a->json)
		json_array_append_new(all, look_json(name, &t, &s));
	else if (!rc)
		look_text(name, &t, &s, out);
	target_release(&t);
	return rc;
}

int machine_list(const struct machine_args *a, struct buf *out, struct err *e)
{
	char **names = NULL, *text = NULL, *state = NULL, *file = NULL;
	struct err none = ERR_INIT;
	struct store *db = NULL;
	json_t *all = json_array();
	size_t n = 0;
	int rc = a->tag ? target_tagged(a->common.targets, a->tag, &names, &n, e)
			: target_names(a->common.targets, &names, &n, e);

	/* Without a state folder there is a list all the same. */
	if (!rc && !path_state(a->common.state, &state, &none)) {
		file = mem_printf("%s/harness.db", state);
		if (path_exists(file))
			rc = store_open(&db, state, e);
	}
	for (size_t i = 0; i < n && !rc; i++)
		rc = look_one(a, names[i], state, db, all, out, e);
	if (a->json && !rc)
		text = json_dumps(all, JSON_INDENT(2) | JSON_PRESERVE_ORDER);
	if (text)
		buf_addf(out, "%s\n", text);
	free(text);
	free(file);
	free(state);
	store_close(db);
	target_names_free(names, n);
	json_decref(all);
	return rc;
}

int machine_show(const struct machine_args *a, struct buf *out, struct err *e)
{
	struct target t;
	int rc = target_find(&t, a->common.targets, a->name, e);

	if (rc)
		return rc;
	if (a->json)
		target_show_json(&t, out);
	else
		target_show_ini(&t, out);
	target_release(&t);
	return 0;
}

static void look_quarantine(struct check *c, const char *state, const char *name)
{
	struct err e = ERR_INIT;
	struct quarantine q;
	char *hint;

	if (quarantine_get(state, name, &q, &e)) {
		check_add(c, "quarantine", CHECK_FAIL, NULL, "%s", e.msg);
	} else if (q.on) {
		hint = mem_printf("lift it: harness machine recover %s", name);
		check_add(c, "quarantine", CHECK_FAIL, hint, "since %s (%s): %s", q.since, q.by,
			q.why);
		free(hint);
	} else {
		check_add(c, "quarantine", CHECK_OK, NULL, "none");
	}
}

/* The BMC is asked by whoever holds the machine. */
static int look_online(
	struct check *c, const struct machine_args *a, const struct machine_of *m, struct err *e)
{
	struct err busy = ERR_INIT, end = ERR_INIT;
	struct visit v;
	int rc = machine_visit(&v, a, m, true, &busy);

	if (rc == -ERR_BUSY)
		check_add(c, "BMC answers", CHECK_SKIPPED, "--wait waits for the machine", "%s",
			busy.msg);
	else if (!rc)
		rc = check_online(c, &v, a->boot, e);
	else
		*e = busy;
	if (visit_close(&v, &end) && !rc)
		check_add(c, "end", CHECK_FAIL, NULL, "%s", end.msg);
	return rc == -ERR_BUSY ? 0 : rc;
}

int machine_check(const struct machine_args *a, struct buf *out, struct err *e)
{
	struct machine_of m;
	struct check c;
	int rc;

	if (a->offline && a->boot)
		return err_set(e, ERR_USAGE, NULL,
			"machine check: --offline and --boot exclude each other");
	if (a->offline) {
		m.state = NULL;
		rc = target_find(&m.target, a->common.targets, a->name, e);
	} else {
		rc = machine_of_open(&m, a, e);
	}
	if (rc)
		return rc;
	check_init(&c, &m.target);
	check_offline(&c);
	if (!a->offline) {
		look_quarantine(&c, m.state, m.target.name);
		rc = look_online(&c, a, &m, e);
	}
	if (!rc && a->json)
		check_json(&c, out);
	else if (!rc)
		check_table(&c, a->offline ? "the machine itself was not asked" : "", out);
	if (!rc)
		rc = check_count(&c, CHECK_FAIL) ? ERR_LAB : 0;
	machine_of_close(&m);
	return rc;
}
