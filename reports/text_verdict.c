/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The verdicts of a block in words: what is proven, what is not, and what would settle it. */
#include "reports/text_private.h"

#include <math.h>
#include <string.h>

enum { VERDICT_NAME = 16 }; /* columns of a name that stands in the line of its verdict */

#define VERDICT_RUNS_P 0.01 /* runs of one set differ */

static bool verdict_of_block(const struct comparison *c, size_t i, size_t block)
{
	return c->sets[i].block == block && c->sets[i].ref != i;
}

/* Where the pilot's variances are used: its boots a mode; 0 when modes have lost different numbers
 * of them. */
static size_t verdict_pilot(const struct comparison *c, size_t block, bool *any)
{
	size_t boots = 0;
	bool same = true;

	*any = false;
	for (size_t i = 0; i < c->n_sets; i++) {
		const struct comparison_set *s = &c->sets[i];

		if (!verdict_of_block(c, i, block) || !s->verdict.pilot)
			continue;
		*any = true;
		boots = boots ? boots : s->pilot;
		same = same && s->pilot == boots && c->sets[s->ref].pilot == boots;
	}
	return same ? boots : 0;
}

static void verdict_head(const struct text *t, const struct comparison *c, size_t block)
{
	size_t pilot;
	bool any;
	struct buf b;

	buf_init(&b, TEXT_LINE_MAX);
	pilot = verdict_pilot(c, block, &any);
	buf_adds(&b, "verdict");
	if (c->n_compared) {
		buf_adds(&b, " (Welch on boot means, ");
		if (c->n_compared > 1)
			buf_addf(&b, "Holm over %zu comparisons, ", c->n_compared);
		buf_addf(&b, "%.6g" TEXT_GLUE "%%", c->opts.conf);
		if (any)
			buf_adds(&b, "; variances and degrees of freedom of the pilot's ");
		if (any && pilot)
			buf_addf(&b, "%zu ", pilot);
		buf_adds(&b, any ? "boots)" : ")");
	}
	text_flow(t, 2, 0, b.data);
	buf_release(&b);
}

/* Boots of one run share what samples of one boot share, a level higher. */
static void verdict_runs(const struct text *t, const struct comparison_set *s)
{
	char spread[32];
	size_t runs = s->runs.boots;
	struct buf b;

	if (!s->usable || !s->has_runs || !(s->runs.between > 0) || s->runs.p >= VERDICT_RUNS_P)
		return;
	text_spread(spread, sizeof(spread), s->runs.between, s->runs.mean);
	buf_init(&b, TEXT_LINE_MAX);
	buf_addf(&b, "the %zu runs of %s differ among themselves by %s", runs, s->name, spread);
	if (!isnan(s->runs.p)) {
		buf_adds(&b, " (");
		text_p(&b, s->runs.p);
		buf_addc(&b, ')');
	}
	buf_adds(&b, ": their boots are not independent, and the interval is too narrow");
	text_flow(t, 2, 0, b.data);
	buf_release(&b);
}

void text_verdict(const struct text *t, const struct comparison *c, size_t block)
{
	size_t width = 0, n = 0;

	for (size_t i = 0; i < c->n_sets; i++) {
		size_t len = strlen(c->sets[i].name);

		if (!verdict_of_block(c, i, block))
			continue;
		n++;
		if (len > width)
			width = len < VERDICT_NAME ? len : VERDICT_NAME;
	}
	if (!n)
		return;
	buf_addc(t->out, '\n');
	verdict_head(t, c, block);
	for (size_t i = 0; i < c->n_sets; i++) {
		const struct comparison_set *s = &c->sets[i];

		if (!verdict_of_block(c, i, block))
			continue;
		buf_adds(t->out, "  ");
		text_name(t, s->name, width);
		buf_adds(t->out, "  ");
		text_told(t, c, s, width + 4);
	}
	for (size_t i = 0; i < c->n_sets; i++)
		if (c->sets[i].block == block)
			verdict_runs(t, &c->sets[i]);
}
