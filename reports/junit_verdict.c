/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The suite of the verdicts: a case for each set that is compared, or should have been. */
#include "reports/junit_suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/mem.h"
#include "reports/text_private.h"
#include "reports/words.h"

enum { VERDICT_TEXT_MAX = 1 << 20 }; /* bytes of one text */

static void verdict_difference(struct buf *out, const struct verdict *v)
{
	const struct text_range pct = {v->pct, v->pct_lo, v->pct_hi, v->pct_bounded && !v->exact};
	const struct text_range ns = {v->diff, v->lo, v->hi, !v->exact};

	if (v->relative)
		text_percent(out, &pct, true);
	else
		text_time_range(out, &ns, true);
}

static void verdict_reach(struct buf *out, const struct comparison *c, const struct verdict *v)
{
	const struct text_range seen = {.v = v->seen};
	struct buf settle;

	if (!v->seen_known)
		return;
	buf_adds(out, "; a difference of ");
	if (v->relative) {
		text_about_number(out, v->seen_pct);
		buf_adds(out, " %");
	} else {
		text_time_range(out, &seen, false);
	}
	buf_addf(out, " would have been seen (%.6g %% power)", c->opts.power);
	buf_init(&settle, VERDICT_TEXT_MAX);
	words_settle(&settle, c, v, " ");
	if (settle.len)
		buf_addf(out, "; to settle it: %s", settle.data);
	buf_release(&settle);
}

/* One line, without its end. */
static void verdict_words(
	struct buf *out, const struct comparison *c, const struct comparison_set *s)
{
	const struct verdict *v = &s->verdict;
	const char *ref = c->sets[s->ref].name;

	if (v->kind == VERDICT_TOO_FEW) {
		buf_addf(out, "%s: not enough boots: %zu, and %zu of %s; %zu more needed", s->name,
			v->set_boots, v->ref_boots, ref, v->needed);
		return;
	}
	if (v->kind == VERDICT_NONE)
		buf_addf(out, "%s: no difference from %s proven: ", s->name, ref);
	else
		buf_addf(out, "%s: %s than %s: ", s->name,
			v->kind == VERDICT_LOWER ? "faster" : "slower", ref);
	verdict_difference(out, v);
	buf_adds(out, ", ");
	if (v->exact)
		buf_adds(out, "boots of a side do not differ at all, so p says nothing");
	else
		text_p(out, v->holm);
	buf_addf(out, ", %zu and %zu boots", v->set_boots, v->ref_boots);
	if (v->kind == VERDICT_NONE)
		verdict_reach(out, c, v);
	/* Numbers come as the text report writes them, glued to their units. */
	for (char *p = out->data; (p = strchr(p, *TEXT_GLUE));)
		*p = ' ';
}

static void verdict_compared(struct junit_suite *s, const struct comparison *c,
	const struct comparison_set *set, struct junit_case *k)
{
	struct buf words;

	buf_init(&words, VERDICT_TEXT_MAX);
	verdict_words(&words, c, set);
	k->said = words.data;
	if (set->verdict.kind == VERDICT_TOO_FEW) {
		k->result = JUNIT_SKIPPED;
		k->message = words.data;
	} else if (set->verdict.kind == VERDICT_HIGHER &&
		   comparison_judged(c, (size_t)(set - c->sets))) {
		k->result = JUNIT_FAILURE;
		k->type = "regression";
		k->message = k->text = words.data;
	}
	junit_suite_case(s, k);
	buf_release(&words);
}

/* The reference that a set of this block has or would have, or NULL. */
static const struct comparison_set *verdict_reference(const struct comparison *c, size_t block)
{
	for (size_t i = 0; i < c->n_sets; i++)
		if (c->sets[i].block == block && c->sets[i].usable)
			return &c->sets[i];
	return NULL;
}

static void verdict_set(
	struct junit_suite *s, const struct comparison *c, size_t i, const char *class)
{
	const struct comparison_set *set = &c->sets[i];
	const struct comparison_set *ref = verdict_reference(c, set->block);
	struct junit_case k = {.classname = class};
	char *name, *why;

	if (ref == set)
		return;
	name = ref ? mem_printf("%s against %s", set->name, ref->name) : mem_strdup(set->name);
	k.name = name;
	if (set->ref != i) {
		verdict_compared(s, c, set, &k);
	} else {
		why = mem_printf(
			"%s: no comparison: %zu samples of %zu boots that count, %d needed",
			set->name, set->n_values, set->n_boots, COMPARISON_SAMPLES_MIN);
		k.result = JUNIT_SKIPPED;
		k.message = k.said = why;
		junit_suite_case(s, &k);
		free(why);
	}
	free(name);
}

static void verdict_properties(struct junit_suite *s, const struct comparison *c)
{
	char text[128];

	junit_suite_property(s, "title", c->title);
	snprintf(text, sizeof(text), "Welch on boot means, Holm over %zu", c->n_compared);
	junit_suite_property(s, "test", text);
	snprintf(text, sizeof(text), "%.10g", c->opts.conf);
	junit_suite_property(s, "confidence_pct", text);
	snprintf(text, sizeof(text), "%.10g", c->opts.power);
	junit_suite_property(s, "power_pct", text);
	junit_suite_property(s, "again", c->again);
}

void junit_verdicts(struct buf *out, struct junit_suite *s, const struct comparison *c)
{
	const struct model *m = c->n_runs ? c->runs[0] : NULL;
	char *class = mem_printf("%s.%s.verdict", m ? m->machine : "-", m ? m->workload : "-");
	struct buf said;

	verdict_properties(s, c);
	for (size_t i = 0; i < c->n_sets; i++)
		verdict_set(s, c, i, class);
	buf_init(&said, out->max);
	if (c->differs && *c->differs)
		buf_addf(&said, "differs, and was allowed:\n%s\n", c->differs);
	if (c->left && *c->left)
		buf_addf(&said, "left out:\n%s\n", c->left);
	junit_suite_write(out, s, "verdicts", "", said.data);
	buf_release(&said);
	free(class);
}
