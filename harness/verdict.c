/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/verdict.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/mem.h"
#include "harness/stats/effect.h"
#include "harness/stats/fieller.h"
#include "harness/stats/multiple.h"
#include "harness/stats/ranks.h"

/* A reference that is smaller than this part of what is compared with it gives no percents. */
#define VERDICT_RELATIVE_MIN 1e-200

const char *verdict_name(enum verdict_kind k)
{
	static const char *const names[] = {
		[VERDICT_TOO_FEW] = "too-few",
		[VERDICT_NONE] = "none",
		[VERDICT_LOWER] = "lower",
		[VERDICT_HIGHER] = "higher",
	};

	return names[k];
}

int verdict_opts_check(const struct verdict_opts *o, struct err *e)
{
	if (!(o->conf >= 50 && o->conf <= 99.999))
		return err_set(
			e, ERR_USAGE, NULL, "confidence is from 50 to 99.999 %%, not %g", o->conf);
	if (!(o->power >= 50 && o->power <= 99.999))
		return err_set(
			e, ERR_USAGE, NULL, "power is from 50 to 99.999 %%, not %g", o->power);
	if (!(o->effect > 0 && o->effect <= 1000))
		return err_set(e, ERR_USAGE, NULL,
			"the effect that matters is above 0 and at most 1000 %%, not %g",
			o->effect);
	return 0;
}

/* The mean of a side, the spread of its values, and what that says about the mean. */
struct verdict_mean {
	double avg, sd, se, dof;
	bool pilot;
};

static int verdict_mean(struct verdict_mean *m, const struct verdict_side *s, struct err *e)
{
	struct moments all, spread, pilot;
	int rc = moments_init_copy(&all, s->means, s->n, e);

	if (rc)
		return rc;
	spread = all;
	*m = (struct verdict_mean){.avg = all.avg};
	if (s->pilot >= VERDICT_BOOTS_MIN && s->pilot < s->n) {
		rc = moments_init_copy(&pilot, s->means, s->pilot, e);
		if (rc)
			return rc;
		/* No spread but what rounding makes, as in verdict_diff(). */
		m->pilot = pilot.sd > DBL_EPSILON * fabs(all.avg) * sqrt((double)s->n);
		if (m->pilot)
			spread = pilot;
	}
	m->sd = spread.sd;
	m->se = spread.sd / sqrt((double)s->n);
	m->dof = (double)spread.n - 1;
	return 0;
}

/* Boots a side that would find `goal`, if the sides keep their spreads. */
static size_t verdict_boots(const struct verdict *v, double goal, double power)
{
	double most = fmax(v->ref_sd, v->set_sd);
	double a = pow(v->set_sd / most, 2), b = pow(v->ref_sd / most, 2);

	/* Welch's degrees of freedom of n boots a side are (n - 1) times this. */
	return effect_boots_unequal(goal / (most * sqrt((a + b) / 2)),
		(a + b) * (a + b) / (a * a + b * b), v->level, power);
}

/* What could have been seen, and how many boots would see what matters. */
static void verdict_reach(struct verdict *v, const struct verdict_opts *o)
{
	double ref = fabs(v->ref_mean);

	v->seen_known = !v->exact;
	v->seen = v->seen_pct = 0;
	v->observed_boots = v->effect_boots = 0;
	if (v->exact)
		return;
	v->seen = v->se * effect_smallest(v->dof, v->level, o->power);
	if (v->kind == VERDICT_NONE && v->diff != 0)
		v->observed_boots = verdict_boots(v, fabs(v->diff), o->power);
	if (!v->relative)
		return;
	v->seen_pct = 100 * v->seen / ref;
	if (v->seen_pct > o->effect)
		v->effect_boots = verdict_boots(v, o->effect / 100 * ref, o->power);
}

static double verdict_alpha(const struct verdict_opts *o)
{
	return (100 - o->conf) / 100;
}

static void verdict_decide(struct verdict *v, const struct verdict_opts *o)
{
	bool proven = v->diff != 0 && v->holm <= verdict_alpha(o);

	v->kind = !proven ? VERDICT_NONE : v->diff < 0 ? VERDICT_LOWER : VERDICT_HIGHER;
}

/* Two sets of so few boots that even the most extreme order of them is no rarity have no say. */
static void verdict_cross_check(struct verdict *v)
{
	double level = (100 - v->level) / 100, least = 2;
	bool rejects = v->rank_p <= level;

	for (size_t i = 1; i <= v->ref_boots; i++)
		least *= (double)i / (double)(v->set_boots + i);
	v->rank_known = least <= level;
	v->rank_contradicts = v->rank_known && rejects != (v->p <= level) &&
			      (rejects ? v->rank_p * VERDICT_RANK_FACTOR < v->p
				       : v->rank_p > v->p * VERDICT_RANK_FACTOR);
}

/* Without a ratio there is no percentage: that is no failure of the comparison. */
static void verdict_relative(struct verdict *v, const struct verdict_mean *ref,
	const struct verdict_mean *set, double conf)
{
	const struct fieller_mean num = {set->avg, set->se, set->dof};
	const struct fieller_mean den = {ref->avg, ref->se, ref->dof};
	double size = fmax(fmax(fabs(set->avg), ref->sd), set->sd), lo, hi;
	struct err ignored = ERR_INIT;
	struct fieller f;

	if (fabs(ref->avg) < VERDICT_RELATIVE_MIN * size ||
		fieller_welch(&f, &num, &den, conf, &ignored))
		return;
	/* A negative reference turns the ends round: percents are of its size. */
	v->relative = true;
	v->pct = 100 * v->diff / fabs(ref->avg);
	lo = 100 * (ref->avg < 0 ? 1 - f.hi : f.lo - 1);
	hi = 100 * (ref->avg < 0 ? 1 - f.lo : f.hi - 1);
	v->pct_bounded = f.bounded && isfinite(lo) && isfinite(hi);
	if (!v->pct_bounded)
		return;
	v->pct_lo = fmin(lo, v->pct);
	v->pct_hi = fmax(hi, v->pct);
}

/* Sums of the same samples in another order differ in their last bits.  That is no difference,
 * and no spread. */
static double verdict_diff(struct verdict_mean *ref, struct verdict_mean *set)
{
	double ulp = DBL_EPSILON * fmax(fabs(ref->avg), fabs(set->avg));
	double diff = set->avg - ref->avg;

	if (hypot(ref->se, set->se) <= ulp)
		ref->se = set->se = 0;
	return fabs(diff) <= 8 * ulp ? 0 : diff;
}

static void verdict_test(struct verdict *v, struct verdict_mean *ref, struct verdict_mean *set,
	const struct verdict_opts *o)
{
	double diff = verdict_diff(ref, set);
	struct ttest t;

	ttest_errors(&t, diff, ref->se, ref->dof, set->se, set->dof, o->conf);
	v->pilot = ref->pilot || set->pilot;
	v->level = o->conf;
	v->ref_mean = ref->avg;
	v->set_mean = set->avg;
	v->ref_sd = ref->sd;
	v->set_sd = set->sd;
	v->diff = t.diff;
	v->lo = t.lo;
	v->hi = t.hi;
	v->se = t.se;
	v->dof = t.dof;
	v->exact = t.se == 0;
	v->t = v->exact ? 0 : t.t;
	v->p = t.p;
	verdict_relative(v, ref, set, o->conf);
}

/* All that depends on Holm's level. */
static void verdict_settle(struct verdict *v, const struct verdict_opts *o)
{
	verdict_decide(v, o);
	verdict_reach(v, o);
	verdict_cross_check(v);
}

int verdict_init(struct verdict *v, const struct verdict_side *ref, const struct verdict_side *set,
	const struct verdict_opts *o, struct err *e)
{
	size_t least = ref->n < set->n ? ref->n : set->n;
	struct verdict_mean m0, m1;
	struct ranks ranks;
	int rc;

	*v = (struct verdict){
		.kind = VERDICT_TOO_FEW, .ref_boots = ref->n, .set_boots = set->n, .factor = 1};
	if (least < VERDICT_BOOTS_MIN) {
		v->needed = VERDICT_BOOTS_MIN - least;
		return 0;
	}
	rc = verdict_mean(&m0, ref, e);
	if (!rc)
		rc = verdict_mean(&m1, set, e);
	if (rc)
		return rc;
	rc = ranks_mann_whitney(&ranks, set->means, set->n, ref->means, ref->n, e);
	if (rc)
		return rc;
	v->rank_p = ranks.p;
	verdict_test(v, &m0, &m1, o);
	v->holm = v->p;
	verdict_settle(v, o);
	return 0;
}

void verdict_together(struct verdict *list, size_t n, const struct verdict_opts *o)
{
	double *p = mem_array(n ? n : 1, sizeof(*p));
	size_t *factor = mem_array(n ? n : 1, sizeof(*factor));
	size_t *divisor = mem_array(n ? n : 1, sizeof(*divisor));
	size_t k = 0;

	for (size_t i = 0; i < n; i++)
		if (list[i].kind != VERDICT_TOO_FEW)
			p[k++] = list[i].p;
	multiple_holm_factors(p, factor, k);
	multiple_holm_divisors(p, verdict_alpha(o), divisor, k);
	multiple_holm(p, p, k);
	k = 0;
	for (size_t i = 0; i < n; i++) {
		if (list[i].kind == VERDICT_TOO_FEW)
			continue;
		list[i].holm = p[k];
		list[i].factor = factor[k];
		list[i].level = 100 - (100 - o->conf) / (double)divisor[k++];
		verdict_settle(&list[i], o);
	}
	free(divisor);
	free(factor);
	free(p);
}
