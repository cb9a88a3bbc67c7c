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

/* Boots of this mode of the run that count in some set; no boot is in two. */
static size_t sides_boots(
	const struct comparison *c, const struct model *m, const struct model_mode *d)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n_sets; i++)
		for (size_t j = 0; j < c->sets[i].n_boots; j++)
			n += c->sets[i].boots[j].run == m &&
			     model_mode_takes(d, &c->sets[i].boots[j].boot->r);
	return n;
}

/* An image's boots may be of any build: then those with boots are told. */
static bool sides_compared(
	const struct comparison *c, const struct model *m, const struct model_mode *d)
{
	for (size_t i = 0; i < c->n_sets; i++) {
		const struct comparison_set *s = &c->sets[i];

		if (!strcmp(s->mode, d->mode) && !strcmp(s->build, d->build))
			return true;
		if (!strcmp(s->mode, d->mode) && s->any_build && sides_boots(c, m, d))
			return true;
	}
	return false;
}

/* The build of all compared modes, or NULL when they are of several. */
static const struct model_mode *sides_build(const struct comparison *c, const struct model *m)
{
	const struct model_mode *first = NULL;

	for (size_t i = 0; i < m->n_modes; i++) {
		const struct model_mode *d = &m->modes[i];

		if (d->skipped || !sides_compared(c, m, d))
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
	char when[32], name[LABEL_MAX];
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

		if (d->skipped || !sides_compared(c, m, d))
			continue;
		result_label(d->build, d->mode, name);
		buf_addf(&b, "; %s: %zu of %d boots, image %.*s", name, sides_boots(c, m, d),
			m->boots, SIDES_HASH, *d->image_sha256 ? d->image_sha256 : "unknown");
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

/* A build of which nothing is known is no build that is as fast as before. */
static size_t sides_silent(const struct comparison *c, struct buf *line)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n_sets; i++)
		if (*c->sets[i].build && !c->sets[i].n_boots && !comparison_again(c, i))
			buf_addf(line, "%s%s: no boot counts", n++ || line->len ? "; " : "",
				c->sets[i].name);
	return n;
}

void text_result(const struct text *t, const struct comparison *c)
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
	else if (judged)
		buf_adds(&line, "nothing can be said: too few boots");
	judged += sides_silent(c, &line);
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
	text_result(t, c);
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
