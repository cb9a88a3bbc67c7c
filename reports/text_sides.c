/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A comparison of several runs: what they have in common, and a line for each. */
#include "reports/text_private.h"

#include <string.h>

#include "harness/base/clock.h"

enum {
	SIDES_RUNS = 12, /* runs that are all listed */
	SIDES_ENDS = 5,	 /* else this many from either end */
	SIDES_HASH = 12, /* digits of an image's hash that are shown */
};

static bool sides_compared(const struct comparison *c, const char *mode)
{
	for (size_t i = 0; i < c->n_sets; i++)
		if (!strcmp(c->sets[i].mode, mode))
			return true;
	return false;
}

/* Boots of this run and mode that count in some set. */
static size_t sides_boots(const struct comparison *c, const struct model *m, const char *mode)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n_sets; i++)
		for (size_t j = 0; j < c->sets[i].n_boots; j++)
			n += c->sets[i].boots[j].run == m && !strcmp(c->sets[i].mode, mode);
	return n;
}

/* The build of all compared modes, or NULL when they are of several. */
static const struct model_mode *sides_build(const struct comparison *c, const struct model *m)
{
	const struct model_mode *first = NULL;

	for (size_t i = 0; i < m->n_modes; i++) {
		const struct model_mode *d = &m->modes[i];

		if (d->skipped || !sides_compared(c, d->mode))
			continue;
		if (first && !text_same_build(first, d))
			return NULL;
		first = d;
	}
	return first;
}

static void sides_run(
	const struct text *t, const char *label, const struct comparison *c, const struct model *m)
{
	const struct model_mode *build = sides_build(c, m);
	char when[32];
	struct buf b;

	clock_iso(m->started_wall_ns, when, sizeof(when));
	buf_init(&b, TEXT_LINE_MAX);
	buf_addf(&b, "%s, %s, ", m->id, when);
	if (build) {
		text_build(&b, build);
		buf_adds(&b, ", ");
	}
	buf_addf(&b, "%d samples a boot after %d, seed %llu", m->samples, m->warmup,
		(unsigned long long)m->seed);
	if (!m->ended || m->end_err.cls)
		buf_adds(&b, m->ended ? ", ended early" : ", not ended, or killed");
	for (size_t i = 0; i < m->n_modes; i++) {
		const struct model_mode *d = &m->modes[i];

		if (d->skipped || !sides_compared(c, d->mode))
			continue;
		buf_addf(&b, "; %s: %zu of %d boots, image %.*s", d->mode,
			sides_boots(c, m, d->mode), m->boots, SIDES_HASH,
			*d->image_sha256 ? d->image_sha256 : "unknown");
		if (!build) {
			buf_adds(&b, ", ");
			text_build(&b, d);
		}
	}
	text_para(t, label, b.data);
	buf_release(&b);
}

static void sides_list(const struct text *t, const struct comparison *c)
{
	const char *label = "runs";
	struct buf b;

	buf_init(&b, TEXT_LINE_MAX);
	for (size_t i = 0; i < c->n_runs; i++) {
		if (c->n_runs > SIDES_RUNS && i == SIDES_ENDS) {
			buf_addf(&b, "... and %zu runs between these", c->n_runs - 2 * SIDES_ENDS);
			text_para(t, "", b.data);
			i = c->n_runs - SIDES_ENDS;
		}
		sides_run(t, label, c, c->runs[i]);
		label = "";
	}
	buf_release(&b);
}

/* What it comes to, in a line. */
static void sides_result(const struct text *t, const struct comparison *c)
{
	size_t slower = 0, known = 0, judged = 0;
	struct buf list, line;

	buf_init(&list, TEXT_LINE_MAX);
	buf_init(&line, TEXT_LINE_MAX);
	for (size_t i = 0; i < c->n_sets; i++)
		if (comparison_judged(c, i)) {
			judged++;
			known += c->sets[i].verdict.kind != VERDICT_TOO_FEW;
			if (c->sets[i].verdict.kind != VERDICT_HIGHER)
				continue;
			slower++;
			text_item(&list, "%s", c->sets[i].name);
		}
	if (slower)
		buf_addf(&line, "a regression is proven: slower in %zu of %zu comparison%s (%s)",
			slower, known, known == 1 ? "" : "s", list.data);
	else if (known)
		buf_addf(&line, "no regression is proven in %zu comparison%s", known,
			known == 1 ? "" : "s");
	else
		buf_adds(&line, "nothing can be said: too few boots");
	if (judged)
		text_para(t, "result", line.data);
	buf_release(&list);
	buf_release(&line);
}

/* The reference's machine stands for all. */
static void sides_machine(const struct text *t, const struct comparison *c)
{
	const struct model *m = c->n_sets && c->sets[0].n_boots ? c->sets[0].boots[0].run
								: c->runs[0];
	struct buf b;

	text_machine(t, m);
	if (!c->differs || !*c->differs)
		return;
	buf_init(&b, TEXT_LINE_MAX);
	buf_addf(&b, "(so in run %s; what differs in others stands below)", m->id);
	text_para(t, "", b.data);
	buf_release(&b);
}

void text_sides(const struct text *t, const struct comparison *c)
{
	sides_result(t, c);
	sides_machine(t, c);
	sides_list(t, c);
	if (c->differs && *c->differs) {
		text_para(t, "differs", "and is compared all the same:");
		text_lines(t, "", c->differs);
	}
	if (c->n_runs > 1)
		text_para(t, "note",
			"The runs were taken at different times: whatever changed on the machine "
			"between them counts as a difference, too. Only the modes of one run are "
			"in random order.");
	if (c->again && *c->again)
		text_command(t, "again", c->again);
}
