/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/stats/ttest.h"

#include <gsl/gsl_cdf.h>
#include <math.h>

#define TTEST_TABLE_DOF 100

static int ttest_check(
	const struct moments *ref, const struct moments *set, double conf, struct err *e)
{
	if (!(conf > 0 && conf < 100))
		return err_set(e, ERR_USAGE, NULL,
			"confidence %g %% is outside 0 .. 100 (ministat's levels: 80 90 95 98 99 "
			"99.5)",
			conf);
	if (ref->n < 2 || set->n < 2)
		return err_set(e, ERR_MEASURE, NULL,
			"a t test needs 2 values a side, not %zu and %zu", ref->n, set->n);
	return 0;
}

double ttest_quantile(double conf, double dof)
{
	/* The upper tail keeps its digits where 1 - tail would round. */
	return gsl_cdf_tdist_Qinv((1 - conf / 100) / 2, dof);
}

static void ttest_finish(struct ttest *t, double conf)
{
	if (t->se > 0) {
		t->t = t->diff / t->se;
		t->p = isinf(t->t) ? 0 : 2 * gsl_cdf_tdist_Q(fabs(t->t), t->dof);
	} else {
		t->t = t->diff == 0 ? 0 : copysign(INFINITY, t->diff);
		t->p = t->diff == 0 ? 1 : 0;
	}
	t->half = ttest_quantile(conf, t->dof) * t->se;
	t->lo = t->diff - t->half;
	t->hi = t->diff + t->half;
}

static double ttest_pooled(const struct moments *ref, const struct moments *set)
{
	double n1 = (double)set->n, n0 = (double)ref->n, s1, s0;
	int unit;

	/* A power of 2 takes no digits, and keeps the squares in range. */
	frexp(fmax(set->sd, ref->sd), &unit);
	s1 = ldexp(set->sd, -unit);
	s0 = ldexp(ref->sd, -unit);
	return ldexp(sqrt(((n1 - 1) * s1 * s1 + (n0 - 1) * s0 * s0) / (n1 + n0 - 2)), unit);
}

int ttest_student(struct ttest *t, const struct moments *ref, const struct moments *set,
	double conf, struct err *e)
{
	double n1 = (double)set->n, n0 = (double)ref->n;
	int rc = ttest_check(ref, set, conf, e);

	if (rc)
		return rc;
	*t = (struct ttest){.diff = set->avg - ref->avg, .dof = n1 + n0 - 2};
	t->pooled = ttest_pooled(ref, set);
	t->se = t->pooled * sqrt(1 / n1 + 1 / n0);
	ttest_finish(t, conf);
	return 0;
}

double ttest_dof(double ref_se, double ref_dof, double set_se, double set_dof)
{
	/* Errors relative to the larger one, so that their fourth powers stay in range. */
	double most = fmax(ref_se, set_se), a, b;

	if (!(most > 0))
		return ref_dof + set_dof;
	a = pow(set_se / most, 2);
	b = pow(ref_se / most, 2);
	return (a + b) * (a + b) / (a * a / set_dof + b * b / ref_dof);
}

void ttest_errors(struct ttest *t, double diff, double ref_se, double ref_dof, double set_se,
	double set_dof, double conf)
{
	*t = (struct ttest){
		.diff = diff,
		.se = hypot(ref_se, set_se),
		.dof = ttest_dof(ref_se, ref_dof, set_se, set_dof),
		.pooled = NAN,
	};
	ttest_finish(t, conf);
}

int ttest_welch(struct ttest *t, const struct moments *ref, const struct moments *set, double conf,
	struct err *e)
{
	double n1 = (double)set->n, n0 = (double)ref->n;
	int rc = ttest_check(ref, set, conf, e);

	if (rc)
		return rc;
	ttest_errors(t, set->avg - ref->avg, ref->sd / sqrt(n0), n0 - 1, set->sd / sqrt(n1), n1 - 1,
		conf);
	return 0;
}

/* What one side of the interval leaves out at a level that ministat knows; else 0. */
static double ttest_ministat_tail(double conf)
{
	static const struct {
		double conf, tail;
	} level[] = {
		{80, .1},
		{90, .05},
		{95, .025},
		{98, .01},
		{99, .005},
		/* An accident in the original table: .0025 was meant. */
		{99.5, .001},
	};

	for (size_t i = 0; i < sizeof(level) / sizeof(level[0]); i++)
		if (conf == level[i].conf)
			return level[i].tail;
	return 0;
}

bool ttest_ministat_knows(double conf)
{
	return ttest_ministat_tail(conf) > 0;
}

double ttest_ministat_quantile(double conf, size_t dof)
{
	/* Where the table is not the rounded quantile: all in the column of tail .001. */
	static const struct {
		size_t dof;
		double value;
	} odd[] = {
		{1, 318.313},
		{7, 4.782},
		{8, 4.499},
		{9, 4.296},
		{10, 4.143},
		{11, 4.024},
		{12, 3.929},
	};
	double tail = ttest_ministat_tail(conf);
	double q;

	if (tail <= 0)
		return ttest_quantile(conf, (double)dof);
	for (size_t i = 0; conf == 99.5 && i < sizeof(odd) / sizeof(odd[0]); i++)
		if (dof == odd[i].dof)
			return odd[i].value;
	q = dof > TTEST_TABLE_DOF ? gsl_cdf_ugaussian_Qinv(tail)
				  : gsl_cdf_tdist_Qinv(tail, (double)dof);
	return round(q * 1000) / 1000;
}

/* sqrt{[(n1-1)s1^2 + (n0-1)s0^2 (m1/m0)^2] (n1+n0)/(n1 n0 dof)}, scaled as ttest_pooled() is. */
static double ttest_ratio_error(const struct moments *ref, const struct moments *set)
{
	double n1 = (double)set->n, n0 = (double)ref->n, ratio = set->avg / ref->avg, s1, s0, sum;
	int unit;

	frexp(fmax(set->sd, ref->sd), &unit);
	s1 = ldexp(set->sd, -unit);
	s0 = ldexp(ref->sd, -unit);
	sum = (n1 - 1) * s1 * s1 + (n0 - 1) * (s0 * s0) * (ratio * ratio);
	sum *= (n1 + n0) / (n1 * n0 * (n1 + n0 - 2));
	if (isfinite(sum) || ref->avg == 0)
		return ldexp(sqrt(sum), unit);
	sum = hypot(sqrt(n1 - 1) * s1, sqrt(n0 - 1) * s0 * ratio);
	return ldexp(sum * sqrt((n1 + n0) / (n1 * n0 * (n1 + n0 - 2))), unit);
}

int ttest_ministat(struct ttest_ministat *t, const struct moments *ref, const struct moments *set,
	double conf, enum ttest_relative how, struct err *e)
{
	double n1 = (double)set->n, n0 = (double)ref->n, q;
	int rc = ttest_check(ref, set, conf, e);

	if (rc)
		return rc;
	q = ttest_ministat_quantile(conf, set->n + ref->n - 2);
	*t = (struct ttest_ministat){
		.diff = set->avg - ref->avg,
		.pooled = ttest_pooled(ref, set),
	};
	t->err = q * (t->pooled * sqrt(1 / n1 + 1 / n0));
	t->proven = fabs(t->diff) > t->err;
	t->pct = t->diff * 100 / ref->avg;
	if (how == TTEST_RELATIVE_OLD) {
		t->pct_err = t->err * 100 / ref->avg;
		return 0;
	}
	t->pct_err = q * ttest_ratio_error(ref, set) * 100 / ref->avg;
	return 0;
}
