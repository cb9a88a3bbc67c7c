/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How much boots vary, and how much the samples of a boot: a line a set, and what follows. */
#include "reports/text_private.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "harness/base/clock.h"
#include "reports/ministat.h"

enum {
	VARIATION_NAME = 16, /* columns of a name that stands in the line of its figures */
	VARIATION_DOF = 4,   /* degrees of freedom between boots at which a best number is named */
};

#define VARIATION_P	 0.05 /* boots differ by more than their samples explain */
#define VARIATION_FACTOR 2.0  /* a best number of samples that is nearer is not named */

static size_t variation_name(const struct comparison *c, size_t block)
{
	size_t most = 0;

	for (size_t i = 0; i < c->n_sets; i++) {
		size_t n = strlen(c->sets[i].name);

		if (c->sets[i].block == block && c->sets[i].usable && n > most)
			most = n < VARIATION_NAME ? n : VARIATION_NAME;
	}
	return most;
}

static void variation_row(
	const struct text *t, const struct comparison_set *s, size_t place, size_t width)
{
	char means[32] = "-", between[32] = "-", within[32] = "-", symbol[2] = " ";

	if (place <= MINISTAT_MAX_SETS)
		*symbol = MINISTAT_SYMBOLS[place];
	if (s->has_variance) {
		text_spread(means, sizeof(means), s->between.sd, s->between.avg);
		text_spread(between, sizeof(between), s->variance.between, s->between.avg);
	}
	if (s->has_variance && s->variance.dof1 > 0)
		text_spread(within, sizeof(within), s->variance.within, s->between.avg);
	else if (s->n_boots == 1)
		text_spread(within, sizeof(within), s->boots[0].kept.sd, s->between.avg);
	buf_addf(t->out, "%s ", symbol);
	text_name(t, s->name, width);
	buf_addf(t->out, "  %5zu  %13.8g  %10s  %8s  %8s\n", s->n_boots, s->between.avg, means,
		between, within);
}

/* p is not known where samples of a boot do not differ at all: then boots that do, do. */
static bool variation_between(const struct comparison_set *s)
{
	const struct variance *v = &s->variance;

	return s->has_variance && v->between > 0 && (isnan(v->p) || v->p < VARIATION_P);
}

static void variation_meaning(const struct text *t, const struct comparison *c, size_t block)
{
	struct buf list, line;
	bool known = false;
	size_t sets = 0;

	buf_init(&list, TEXT_LINE_MAX);
	buf_init(&line, TEXT_LINE_MAX);
	for (size_t i = 0; i < c->n_sets; i++) {
		const struct comparison_set *s = &c->sets[i];

		if (s->block != block || !s->usable)
			continue;
		sets++;
		known = known || s->has_variance;
		if (variation_between(s))
			text_item(&list, "%s", s->name);
	}
	if (list.len)
		buf_addf(&line,
			"boots differ by more than their samples explain (%s): the samples of a "
			"boot are not independent%s",
			list.data,
			sets > 1 ? ", and the block above, which takes them so, gives errors that "
				   "are too small"
				 : "");
	else if (known)
		buf_adds(&line, "boots do not visibly differ by more than their samples explain");
	else
		buf_adds(&line, "the samples of a boot are not independent: one boot proves "
				"nothing, whatever the block above says");
	text_flow(t, 2, 0, line.data);
	buf_release(&line);
	buf_release(&list);
}

/* Both components relative to the mean, and added up over the sets. */
static double variation_pool(struct variance *sum, const struct comparison *c, size_t block)
{
	double between = 0, within = 0, dof = 0;

	for (size_t i = 0; i < c->n_sets; i++) {
		const struct comparison_set *s = &c->sets[i];
		double square = s->between.avg * s->between.avg;

		if (s->block != block || !s->usable || !s->has_variance || !(square > 0))
			continue;
		between += s->variance.dof2 * s->variance.between * s->variance.between / square;
		within += s->variance.dof2 * s->variance.within * s->variance.within / square;
		dof += s->variance.dof2;
	}
	*sum = (struct variance){.within = sqrt(within), .between = sqrt(between)};
	return dof;
}

/* What a boot costs besides its samples, and what a sample, in ns. */
static void variation_costs(
	const struct comparison *c, size_t block, double *boot, double *sample, double *kept)
{
	double stages = 0, samples = 0, n = 0, boots = 0, used = 0;

	for (size_t i = 0; i < c->n_sets; i++) {
		const struct comparison_set *s = &c->sets[i];

		if (s->block != block || !s->usable)
			continue;
		for (size_t j = 0; j < s->n_boots; j++) {
			const struct boot_result *r = &s->boots[j].boot->r;

			for (int k = 0; k < STAGE_COUNT; k++)
				stages += r->stages[k].reached ? (double)r->stages[k].ns : 0;
			for (size_t k = 0; k < r->n_samples; k++)
				samples += (double)r->samples[k].ns;
			n += (double)r->n_samples;
			used += (double)s->boots[j].kept.n;
		}
		boots += (double)s->n_boots;
	}
	*boot = boots > 0 ? (stages - samples) / boots : 0;
	*sample = n > 0 ? samples / n : 0;
	*kept = boots > 0 ? used / boots : 0;
}

static void variation_best(const struct text *t, const struct comparison *c, size_t block)
{
	char boot_text[32], sample_text[32];
	double boot, sample, kept, best;
	struct variance pool;
	struct buf b;

	if (variation_pool(&pool, c, block) < VARIATION_DOF || !(pool.between > 0))
		return;
	variation_costs(c, block, &boot, &sample, &kept);
	if (!(boot > 0) || !(sample > 0))
		return;
	best = variance_best_samples(&pool, boot, sample);
	if (!isfinite(best) || (best < kept * VARIATION_FACTOR && best * VARIATION_FACTOR > kept))
		return;
	clock_human((int64_t)boot, boot_text, sizeof(boot_text));
	clock_measured(sample, sample_text, sizeof(sample_text));
	buf_init(&b, TEXT_LINE_MAX);
	buf_addf(&b,
		"with %s for a boot and %s for a sample, about %.0f sample%s a boot would prove "
		"most in a given time",
		boot_text, sample_text, best, best < 1.5 ? "" : "s");
	text_flow(t, 2, 0, b.data);
	buf_release(&b);
}

void text_variation(const struct text *t, const struct comparison *c, size_t block)
{
	size_t width = variation_name(c, block), place = 0;

	text_flow(
		t, 2, 0, "spread, sd in % of the mean (between boots: less what samples explain)");
	buf_addf(t->out, "  %-*s  %5s  %13s  %10s  %8s  %8s\n", (int)width, "", "boots",
		"mean of means", "boot means", "between", "within");
	for (size_t i = 0; i < c->n_sets; i++)
		if (c->sets[i].block == block && c->sets[i].usable)
			variation_row(t, &c->sets[i], ++place, width);
	variation_meaning(t, c, block);
	variation_best(t, c, block);
}
