/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The report of one run: its modes against each other, or its builds, mode by mode. */
#include "reports/comparison.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/buf.h"
#include "harness/base/mem.h"
#include "reports/ministat.h"

enum { RUN_TITLE_MAX = 4096 };

/* Some of a run's modes that make a block. */
struct run_group {
	const struct model *m;
	size_t *at; /* indices of its modes, the reference first; owned */
	size_t n;
	bool across; /* modes of one build, named "mixed of patched" */
};

/* part: how often it was the reference of a block of the group before. */
static int run_add(struct comparison *c, const struct run_group *g, size_t at, size_t part,
	size_t block, struct err *e)
{
	const struct model_mode *d = &g->m->modes[at];
	char label[LABEL_MAX], name[2 * LABEL_MAX], times[24] = "";
	struct comparison_pick p = {.name = name,
		.build = d->build,
		.mode = d->mode,
		.image = "",
		.runs = &g->m,
		.n_runs = 1,
		.block = block};

	result_label(d->build, d->mode, label);
	if (part)
		snprintf(times, sizeof(times), " (%zu)", part + 1);
	if (g->across)
		snprintf(name, sizeof(name), "%s of %s%s", d->mode, d->build, times);
	else
		snprintf(name, sizeof(name), "%s%s", label, times);
	return comparison_add(c, &p, e);
}

static int run_blocks(struct comparison *c, const struct run_group *g, struct err *e)
{
	size_t block = c->n_blocks, in = 0, part = 0;
	int rc = 0;

	for (size_t i = 0; i < g->n && !rc; i++) {
		if (in == MINISTAT_MAX_SETS) {
			in = 1;
			rc = run_add(c, g, g->at[0], ++part, ++block, e);
		}
		if (!rc)
			rc = run_add(c, g, g->at[i], 0, block, e);
		in++;
	}
	return rc;
}

static bool run_mode_before(const struct model *m, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (!strcmp(m->modes[i].mode, m->modes[at].mode))
			return true;
	return false;
}

/* A block for each mode that the first build and another one have. */
static int run_within(struct comparison *c, struct run_group *g, struct err *e)
{
	const struct model *m = g->m;
	int rc = 0;

	g->across = false;
	for (size_t i = 0; i < m->n_modes && !rc; i++) {
		if (run_mode_before(m, i))
			continue;
		g->n = 0;
		for (size_t k = i; k < m->n_modes; k++)
			if (!m->modes[k].skipped && !strcmp(m->modes[k].mode, m->modes[i].mode))
				g->at[g->n++] = k;
		if (g->n > 1 && !strcmp(m->modes[g->at[0]].build, m->builds[0].name))
			rc = run_blocks(c, g, e);
	}
	return rc;
}

/* A block for each build with two modes. */
static int run_across(struct comparison *c, struct run_group *g, struct err *e)
{
	const struct model *m = g->m;
	int rc = 0;

	g->across = true;
	for (size_t i = 0; i < m->n_builds && !rc; i++) {
		g->n = 0;
		for (size_t k = 0; k < m->n_modes; k++)
			if (!m->modes[k].skipped && !strcmp(m->modes[k].build, m->builds[i].name))
				g->at[g->n++] = k;
		if (g->n > 1)
			rc = run_blocks(c, g, e);
	}
	return rc;
}

/* What has nothing to be held against was measured all the same. */
static int run_alone(struct comparison *c, struct run_group *g, struct err *e)
{
	const struct model *m = g->m;
	int rc = 0;

	g->across = false;
	for (size_t i = 0; i < m->n_modes && !rc; i++) {
		bool shown = m->modes[i].skipped;

		for (size_t k = 0; k < c->n_sets && !shown; k++)
			shown = !strcmp(c->sets[k].mode, m->modes[i].mode) &&
				!strcmp(c->sets[k].build, m->modes[i].build);
		g->n = 1;
		g->at[0] = i;
		if (!shown)
			rc = run_blocks(c, g, e);
	}
	return rc;
}

/* The reference comes last: "b, c against a". */
static char *run_title(const struct model *m)
{
	struct buf b;

	buf_init(&b, RUN_TITLE_MAX);
	for (size_t i = 1; i < m->n_builds; i++)
		buf_addf(&b, "%s%s", i > 1 ? ", " : "", m->builds[i].name);
	buf_addf(&b, "%s%s", b.len ? " against " : "", m->builds[0].name);
	return buf_detach(&b);
}

static int run_builds(struct comparison *c, const struct model *m, struct err *e)
{
	struct run_group g = {.m = m, .at = mem_array(m->n_modes + 1, sizeof(*g.at))};
	int rc = run_within(c, &g, e);

	if (!rc)
		rc = run_across(c, &g, e);
	if (!rc)
		rc = run_alone(c, &g, e);
	free(g.at);
	c->title = run_title(m);
	return rc;
}

/* In one block, however many there are. */
static int run_modes(struct comparison *c, const struct model *m, struct err *e)
{
	const struct run_group g = {.m = m};
	int rc = 0;

	for (size_t i = 0; i < m->n_modes && !rc; i++)
		if (!m->modes[i].skipped)
			rc = run_add(c, &g, i, 0, 0, e);
	return rc;
}

int comparison_of_run(
	struct comparison *c, const struct model *m, const struct verdict_opts *opts, struct err *e)
{
	int rc;

	comparison_init(c, m->n_builds ? COMPARISON_SIDES : COMPARISON_RUN, opts);
	c->of_run = true;
	comparison_note_run(c, m);
	rc = m->n_builds ? run_builds(c, m, e) : run_modes(c, m, e);
	return rc ? rc : comparison_judge(c, e);
}
