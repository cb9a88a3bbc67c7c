/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/cmd_run_end.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/log.h"

static void end_say(const struct err *e)
{
	log_fatal("%s%s%s%s", e->msg, *e->code ? " (" : "", e->code, *e->code ? ")" : "");
}

static void end_say_failure(const struct cmd_run_one *m)
{
	const struct job_how *how = &m->job.how;

	end_say(&how->err);
	if (how->failed_boot)
		fprintf(stderr, "         console: harness show %s --console %d\n", m->id,
			how->failed_boot);
	else
		fprintf(stderr, "         what was measured is kept: harness show %s\n", m->id);
	if (how->quarantined)
		fprintf(stderr,
			"         the machine is in quarantine now; when it is mended: harness "
			"machine recover %s\n",
			m->target.name);
}

/* A person who pressed Ctrl-C wants no pages of report; a program reads how it ended. */
static bool end_wants(const struct job_how *how, const struct cmd_render *r)
{
	return !cmd_run_args_person(r) || (how->status != ERR_INTERRUPTED && how->boots_seen);
}

static int end_file(const char *name, const char *machine, enum render_format f,
	const struct comparison *c, struct err *e)
{
	char *file = cmd_run_args_file(name, machine);
	int rc = file ? cmd_render_file(file, f, c, e) : 0;

	free(file);
	return rc;
}

/* The report; the first of its forms that fails ends it. */
static int end_report(const struct cmd_run_one *m, const struct cmd_run_args *a,
	const struct comparison *c, struct buf *out, struct err *e)
{
	struct cmd_render r = a->render;
	char *file = cmd_run_args_file(r.file, m->target.name);
	int rc = 0;

	r.file = file;
	if (end_wants(&m->job.how, &r))
		rc = out && !file ? cmd_render_add(&r, c, out, e) : cmd_render_out(&r, c, e);
	if (!rc)
		rc = end_file(a->junit, m->target.name, RENDER_JUNIT, c, e);
	if (!rc)
		rc = end_file(a->html, m->target.name, RENDER_HTML, c, e);
	if (!out)
		fflush(stdout);
	free(file);
	return rc;
}

static int end_run(struct cmd_run_one *m, const struct cmd_run_args *a, struct store *db,
	struct buf *out, struct err *e)
{
	struct comparison c = {.n_sets = 0};
	struct model model;
	int rc = store_load(db, m->cfg.info.uuid, &model, e);

	if (rc)
		return rc;
	snprintf(m->id, sizeof(m->id), "%s", model.id);
	rc = comparison_of_run(&c, &model, &a->render.verdict, e);
	if (!rc)
		rc = end_report(m, a, &c, out, e);
	if (m->status)
		end_say_failure(m);
	else if (!rc && model.n_builds && comparison_regressed(&c))
		m->status = ERR_REGRESSION;
	comparison_release(&c);
	model_release(&model);
	return rc;
}

void cmd_run_end_one(
	struct cmd_run_one *m, const struct cmd_run_args *a, struct store *db, struct buf *out)
{
	struct err e = ERR_INIT;

	m->status = m->job.how.status;
	m->err = m->job.how.err;
	if (m->job.how.ran && end_run(m, a, db, out, &e)) {
		m->status = (int)e.cls;
		m->err = e;
		end_say(&e);
	} else if (!m->job.how.ran) {
		end_say(&m->err);
	}
}

void cmd_run_end_summary(const struct cmd_run_set *s)
{
	size_t width = 0, ok = 0;

	for (size_t i = 0; i < s->n; i++) {
		size_t len = strlen(s->machines[i].target.name);

		width = len > width ? len : width;
		ok += s->machines[i].status <= ERR_REGRESSION;
	}
	fprintf(stderr, "%zu of %zu machines ended well\n", ok, s->n);
	for (size_t i = 0; i < s->n; i++) {
		const struct cmd_run_one *m = &s->machines[i];
		const struct job_how *how = &m->job.how;

		fprintf(stderr, "  %-*s  ", (int)width, m->target.name);
		if (m->status <= ERR_REGRESSION) {
			fprintf(stderr, "%-11s  harness show %s\n", m->status ? "regression" : "ok",
				m->id);
			continue;
		}
		fprintf(stderr, "%-11s  %s%s%s%s", err_class_name((enum err_class)m->status),
			m->err.msg, *m->err.code ? " (" : "", m->err.code, *m->err.code ? ")" : "");
		if (how->failed_boot)
			fprintf(stderr, "; harness show %s --console %d", m->id, how->failed_boot);
		else if (*m->id)
			fprintf(stderr, "; harness show %s", m->id);
		fputc('\n', stderr);
	}
}

int cmd_run_end_status(const struct cmd_run_set *s)
{
	static const enum err_class order[] = {ERR_BUG, ERR_INTERRUPTED, ERR_USAGE, ERR_LAB,
		ERR_IMAGE, ERR_MEASURE, ERR_BUSY, ERR_REGRESSION};

	for (size_t k = 0; k < sizeof(order) / sizeof(order[0]); k++)
		for (size_t i = 0; i < s->n; i++)
			if (s->machines[i].status == (int)order[k])
				return (int)order[k];
	return 0;
}
