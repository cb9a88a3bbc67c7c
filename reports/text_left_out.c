/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is not in the numbers, why, and what that means for them; and where the time went. */
#include "reports/text_private.h"

#include <string.h>

#include "reports/cost.h"

static void left_skipped(const struct text *t, const struct model *m)
{
	char label[LABEL_MAX];
	struct buf b;

	buf_init(&b, TEXT_LINE_MAX);
	for (size_t i = 0; i < m->n_modes; i++) {
		if (!m->modes[i].skipped)
			continue;
		buf_clear(&b);
		result_label(m->modes[i].build, m->modes[i].mode, label);
		buf_addf(&b, "%s: %s", label, m->modes[i].reason);
		text_para(t, "SKIPPED", b.data);
	}
	buf_release(&b);
}

/* The boot that repeats this one, or NULL. */
static const struct model_boot *left_repetition(const struct model *m, const struct model_boot *b)
{
	for (const struct model_boot *o = b + 1; o < m->list + m->n_list; o++)
		if (o->r.index == b->r.index)
			return o;
	return NULL;
}

static bool left_boots(const struct text *t, const struct model *m)
{
	char label[LABEL_MAX];
	bool any = false;
	struct buf b;

	buf_init(&b, TEXT_LINE_MAX);
	for (size_t i = 0; i < m->n_list; i++) {
		const struct boot_result *r = &m->list[i].r;
		const struct model_boot *again = left_repetition(m, &m->list[i]);

		if (r->outcome == OUTCOME_OK)
			continue;
		buf_clear(&b);
		result_label(r->build, r->mode, label);
		buf_addf(&b, "boot %d, %s%s: %s in stage %s: %s%s%s%s", m->list[i].number, label,
			r->attempt ? " (repetition)" : "", outcome_name(r->outcome),
			stage_name(r->stage), *r->err.msg ? r->err.msg : "no reason given",
			*r->err.code ? " (" : "", r->err.code, *r->err.code ? ")" : "");
		if (again)
			buf_addf(&b, "; repeated as boot %d", again->number);
		else
			buf_adds(&b, m->list[i].will_retry ? "; to be repeated, but was not"
							   : "; not repeated");
		text_para(t, any ? "" : "left out", b.data);
		any = true;
	}
	buf_release(&b);
	return any;
}

/* Places of the plan where no boot was even tried. */
static int left_not_run(const struct model *m)
{
	int ran = 0;

	for (size_t i = 0; i < m->n_list; i++)
		ran += m->list[i].last_attempt;
	return m->total - ran;
}

static void left_meaning(const struct text *t, const struct model *m, bool any)
{
	int not_run = left_not_run(m), full = 0, modes = 0;
	const char *label = any ? "" : "left out";
	char name[LABEL_MAX];
	struct buf b;

	buf_init(&b, TEXT_LINE_MAX);
	if (not_run > 0) {
		buf_addf(&b, "%d boot%s of the plan %s not run", not_run, not_run == 1 ? "" : "s",
			not_run == 1 ? "was" : "were");
		text_para(t, label, b.data);
		buf_clear(&b);
	}
	for (size_t i = 0; i < m->n_modes; i++) {
		int ok = 0;

		if (m->modes[i].skipped)
			continue;
		result_label(m->modes[i].build, m->modes[i].mode, name);
		for (size_t j = 0; j < m->n_list; j++)
			ok += m->list[j].r.outcome == OUTCOME_OK &&
			      model_mode_takes(&m->modes[i], &m->list[j].r);
		modes++;
		full += ok >= m->boots;
		if (ok < m->boots)
			text_item(&b, "%s rests on %d boot%s instead of %d", name, ok,
				ok == 1 ? "" : "s", m->boots);
	}
	if (b.len)
		text_para(t, "so", b.data);
	else if (any && modes && full == modes)
		text_para(t, "so",
			m->n_builds ? "repetitions made up for it: every mode of every build has "
				      "all its boots"
				    : "repetitions made up for it: every mode has all its boots");
	buf_release(&b);
}

static void left_remarks(const struct text *t, const struct model *m)
{
	const char *label = "remarks";
	char name[LABEL_MAX];
	struct buf b;

	buf_init(&b, TEXT_LINE_MAX);
	for (size_t i = 0; i < m->n_list; i++) {
		if (!m->list[i].r.flags || !*m->list[i].r.flags)
			continue;
		buf_clear(&b);
		result_label(m->list[i].r.build, m->list[i].r.mode, name);
		buf_addf(&b, "boot %d, %s: %s", m->list[i].number, name, m->list[i].r.flags);
		text_para(t, label, b.data);
		label = "";
	}
	buf_release(&b);
}

void text_left_out(const struct text *t, const struct model *m)
{
	bool any;

	left_skipped(t, m);
	any = left_boots(t, m);
	left_meaning(t, m, any);
	left_remarks(t, m);
}

void text_cost(const struct text *t, const struct model *m)
{
	struct buf b;

	buf_init(&b, TEXT_LINE_MAX);
	cost_lines(&b, m);
	text_lines(t, "cost", b.data);
	buf_release(&b);
}
