/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/stats/changes.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/mem.h"
#include "harness/stats/moments.h"
#include "harness/stats/split.h"

/* Sums that are equal on paper may differ by this part, depending on the order of the terms. */
#define CHANGES_SAME 1e-9

struct search {
	const struct changes_options *o;
	struct split split;
	struct segment *segs; /* by from */
	size_t n_segs;
	gsl_rng *rng;
};

/* p of a split this good, or 1 as soon as it is past the limit. */
static double search_test(struct search *s, double q)
{
	double all = s->o->permutations + 1., limit = s->o->p_limit * all * (1 + CHANGES_SAME);
	int z = 0;

	for (int i = 0; i < s->o->permutations; i++) {
		double best = 0;

		for (size_t k = 0; k < s->n_segs; k++)
			best = fmax(best, split_shuffled(&s->split, &s->segs[k], s->rng));
		z += best >= q * (1 - CHANGES_SAME);
		if (z + 1 > limit)
			return 1;
	}
	return (z + 1) / all;
}

/* Find one more change, or false. */
static bool search_next(struct search *s, struct changes *c)
{
	struct segment *g = &s->segs[0], old;
	double p;

	for (size_t k = 1; k < s->n_segs; k++)
		if (s->segs[k].q > g->q)
			g = &s->segs[k];
	if (g->q <= 0)
		return false;
	p = search_test(s, g->q);
	if (p > s->o->p_limit * (1 + CHANGES_SAME))
		return false;
	old = *g;
	memmove(g + 1, g, (size_t)(s->segs + s->n_segs - g) * sizeof(*g));
	memmove(c->list + (g - s->segs) + 1, c->list + (g - s->segs),
		(c->n - (size_t)(g - s->segs)) * sizeof(*c->list));
	c->list[g - s->segs] = (struct change){.at = old.from + old.at, .p = p};
	c->n++;
	s->n_segs++;
	split_segment(&s->split, g, old.from, old.at);
	split_segment(&s->split, g + 1, old.from + old.at, old.n - old.at);
	return true;
}

struct part {
	double sum, min, max, n;
};

static struct part part_of(const double *v, size_t from, size_t to)
{
	struct part p = {0, v[from], v[from], (double)(to - from)};

	for (size_t i = from; i < to; i++) {
		p.sum += v[i];
		p.min = fmin(p.min, v[i]);
		p.max = fmax(p.max, v[i]);
	}
	return p;
}

/* The mean without its largest or smallest value, whichever brings it nearer to another. */
static double part_towards(const struct part *p, bool down)
{
	return (p->sum - (down ? p->max : p->min)) / (p->n - 1);
}

/* Fill in means and effect.  Returns by how much the minimum is passed, for the worst value left
 * out: below 0, the change does not count. */
static double change_measure(
	struct change *ch, const double *v, size_t from, size_t to, const struct changes_options *o)
{
	struct part a = part_of(v, from, ch->at), b = part_of(v, ch->at, to);
	double before = a.sum / a.n, after = b.sum / b.n, by = after - before;
	bool up = by > 0;
	double sign = up ? 1 : -1, near_a = part_towards(&a, !up), near_b = part_towards(&b, up);
	double left;

	ch->mean_before = before;
	ch->mean_after = after;
	ch->effect = by == 0 ? 0 : by / fabs(before);
	left = fmin(sign * by - o->min_effect * fabs(before),
		fmin(sign * (after - near_a) - o->min_effect * fabs(near_a),
			sign * (near_b - before) - o->min_effect * fabs(before)));
	return by == 0 ? -INFINITY : left;
}

/* Drop what is too small, the least first: its parts become one, and its neighbours are looked at
 * again. */
static void changes_prune(
	struct changes *c, const double *v, size_t n, const struct changes_options *o)
{
	while (c->n) {
		double worst = INFINITY;
		size_t at = 0;

		for (size_t i = 0; i < c->n; i++) {
			double by = change_measure(&c->list[i], v, i ? c->list[i - 1].at : 0,
				i + 1 < c->n ? c->list[i + 1].at : n, o);

			if (by < worst) {
				worst = by;
				at = i;
			}
		}
		if (worst >= 0)
			return;
		memmove(c->list + at, c->list + at + 1, (c->n - at - 1) * sizeof(*c->list));
		c->n--;
	}
}

static int changes_check(const double *v, size_t n, const struct changes_options *o, struct err *e)
{
	if (o->permutations < CHANGES_PERMUTATIONS || o->permutations > 1000000)
		return err_set(e, ERR_USAGE, NULL,
			"%d permutations: from %d to 1000000 are allowed", o->permutations,
			CHANGES_PERMUTATIONS);
	if (o->min_segment < 2)
		return err_set(e, ERR_USAGE, NULL, "a segment needs 2 values at least");
	if (!(o->p_limit * (o->permutations + 1) * (1 + CHANGES_SAME) >= 1 && o->p_limit <= 1))
		return err_set(e, ERR_USAGE, NULL,
			"a limit of %g for p: from 1 in %d to 1 is allowed", o->p_limit,
			o->permutations + 1);
	if (!(o->min_effect >= 0 && o->min_effect <= MOMENTS_LIMIT))
		return err_set(e, ERR_USAGE, NULL, "a smallest effect of %g: 0 or more is allowed",
			o->min_effect);
	for (size_t i = 0; i < n; i++)
		if (!(fabs(v[i]) <= MOMENTS_LIMIT))
			return err_set(e, ERR_MEASURE, NULL,
				"value %zu is %g: a change is sought among finite numbers up to %g",
				i + 1, v[i], MOMENTS_LIMIT);
	return 0;
}

int changes_find(struct changes *c, const double *v, size_t n, const struct changes_options *o,
	struct err *e)
{
	struct search s = {.o = o};
	double *centred, mean = 0;
	int rc;

	*c = (struct changes){NULL, 0};
	rc = changes_check(v, n, o, e);
	if (rc || n / 2 < o->min_segment)
		return rc;
	centred = mem_array(n, sizeof(*centred));
	for (size_t i = 0; i < n; i++)
		mean += v[i] / (double)n;
	for (size_t i = 0; i < n; i++)
		centred[i] = v[i] - mean;
	s.segs = mem_array(n / o->min_segment + 1, sizeof(*s.segs));
	c->list = mem_array(n / o->min_segment, sizeof(*c->list));
	s.rng = gsl_rng_alloc(gsl_rng_mt19937);
	gsl_rng_set(s.rng, o->seed);
	split_init(&s.split, centred, n, o->min_segment);
	split_segment(&s.split, &s.segs[s.n_segs++], 0, n);
	while (search_next(&s, c))
		;
	changes_prune(c, v, n, o);
	for (size_t i = 0; i < c->n; i++) {
		size_t from = i ? c->list[i - 1].at : 0;
		size_t to = i + 1 < c->n ? c->list[i + 1].at : n;

		c->list[i].q = split_q(v + from, to - from, c->list[i].at - from);
	}
	if (!c->n)
		changes_release(c);
	split_release(&s.split);
	gsl_rng_free(s.rng);
	free(s.segs);
	free(centred);
	return 0;
}

void changes_release(struct changes *c)
{
	free(c->list);
	*c = (struct changes){NULL, 0};
}
