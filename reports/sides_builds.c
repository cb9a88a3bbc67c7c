/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs with builds as sides: which of a side's runs take part, and with which of their boots. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/mem.h"
#include "harness/base/str.h"
#include "reports/sides_private.h"

enum { SIDES_LEFT_SHOWN = 8 }; /* runs that have a line of their own */

static bool sides_has_build(const struct model *m, const char *build)
{
	for (size_t i = 0; i < m->n_builds; i++)
		if (!strcmp(m->builds[i].name, build))
			return true;
	return false;
}

static bool sides_has_mode(const struct model *m, const char *mode)
{
	for (size_t i = 0; i < m->n_modes; i++)
		if (!strcmp(m->modes[i].mode, mode))
			return true;
	return false;
}

void sides_name_builds(struct side *sides, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct side *s = &sides[i];
		size_t len = strlen(s->name);
		bool named = false;

		for (size_t k = 0; k < s->n_runs; k++)
			named = named || sides_has_build(s->runs[k], s->mode);
		if (!*s->build && named) {
			snprintf(s->build, sizeof(s->build), "%s", s->mode);
			s->mode[0] = '\0';
		}
		if (*s->build)
			snprintf(s->name + len, sizeof(s->name) - len, " %s", s->build);
	}
}

bool sides_of_build(const struct side *s, const char *build)
{
	return (*s->image && !*s->build) || !strcmp(s->build, build);
}

static void sides_build_names(struct buf *out, const struct model *m)
{
	for (size_t i = 0; i < m->n_builds; i++)
		buf_addf(out, "%s%s", i ? ", " : "", m->builds[i].name);
}

/* The run has no build of this name. */
static int sides_no_build(const struct model *m, const char *build, struct err *e)
{
	const char **names = mem_array(m->n_builds + 1, sizeof(*names)), *near;
	struct buf has;
	int rc;

	buf_init(&has, SIDES_TEXT_MAX);
	for (size_t i = 0; i < m->n_builds; i++)
		names[i] = m->builds[i].name;
	near = str_nearest(build, names, m->n_builds);
	sides_build_names(&has, m);
	if (!m->n_builds)
		rc = err_set(e, ERR_USAGE, NULL, "run %s compares no builds: it has no \"%s\"",
			m->id, build);
	else if (near)
		rc = err_set(e, ERR_USAGE, NULL,
			"run %s has no build \"%s\" (did you mean \"%s\"?)", m->id, build, near);
	else
		rc = err_set(e, ERR_USAGE, NULL, "run %s has no build \"%s\"; there is: %s", m->id,
			build, has.data);
	buf_release(&has);
	free(names);
	return rc;
}

/* A side that is one run; it takes part, or the words were wrong. */
static int sides_one_run(const struct side *s, const struct model *m, struct err *e)
{
	const char *like = m->n_builds ? m->builds[m->n_builds - 1].name : "";
	struct buf has;
	int rc;

	if (*s->build && !sides_has_build(m, s->build))
		return sides_no_build(m, s->build, e);
	if (*s->build || !m->n_builds)
		return 0;
	if (*s->mode && !sides_has_mode(m, s->mode))
		return sides_no_build(m, s->mode, e);
	buf_init(&has, SIDES_TEXT_MAX);
	sides_build_names(&has, m);
	rc = err_set(e, ERR_USAGE, NULL,
		"run %s has several builds (%s): name one, as in %s/%s%s%s", m->id, has.data, m->id,
		like, *s->mode ? "/" : "", s->mode);
	buf_release(&has);
	return rc;
}

/* Why a run of a day takes no part. */
static void sides_leave(struct sides *s, const struct side *side, const struct model *m)
{
	if (*side->build) {
		buf_addf(&s->left, "%s: run %s has no build %s\n", side->name, m->id, side->build);
		return;
	}
	buf_addf(&s->left, "%s: run %s compares builds (", side->name, m->id);
	sides_build_names(&s->left, m);
	buf_addf(&s->left, "), and none is named\n");
}

static int sides_none_left(const struct side *side, struct err *e)
{
	if (*side->build)
		return err_set(
			e, ERR_USAGE, NULL, "%s: no run has a build of that name", side->name);
	return err_set(e, ERR_USAGE, NULL,
		"%s: all its runs compare builds: name one behind the day, as in "
		"2026-11-30/patched",
		side->name);
}

static int sides_take_one(
	struct sides *s, struct side *side, const struct side *from, struct err *e)
{
	size_t left = 0;
	int rc = 0;

	*side = *from;
	side->n_runs = 0;
	side->runs = mem_array(from->n_runs + 1, sizeof(const struct model *));
	for (size_t i = 0; i < from->n_runs && !rc; i++) {
		const struct model *m = from->runs[i];
		bool in = *side->build ? sides_has_build(m, side->build)
				       : *side->image || !m->n_builds;

		if (!in && !side->days && !*side->image)
			rc = sides_one_run(side, m, e);
		else if (in)
			side->runs[side->n_runs++] = m;
		else if (++left <= SIDES_LEFT_SHOWN)
			sides_leave(s, side, m);
	}
	if (!rc && left > SIDES_LEFT_SHOWN)
		buf_addf(&s->left, "%s: and %zu more runs\n", side->name, left - SIDES_LEFT_SHOWN);
	return rc || side->n_runs || !from->n_runs ? rc : sides_none_left(side, e);
}

int sides_take(struct sides *s, const struct side *sides, struct err *e)
{
	int rc = 0;

	for (size_t i = 0; i < s->n && !rc; i++)
		rc = sides_take_one(s, &s->list[i], &sides[i], e);
	return rc;
}
