/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/stats/fieller.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stddef.h>

#include "harness/stats/ttest.h"

#define FIELLER_CLOSE 1e-13 /* of an end */

int fieller_ratio(struct fieller *f, double num, double num_se, double den, double den_se, double t,
	struct err *e)
{
	double r = num / den, a, b, rest, root, lo, hi;

	*f = (struct fieller){.bounded = false};
	if (!isfinite(num) || !isfinite(den) || !isfinite(t) || !isfinite(num_se) ||
		!isfinite(den_se) || !(num_se >= 0 && den_se >= 0 && t >= 0))
		return err_set(e, ERR_MEASURE, NULL, "a ratio needs finite means and errors");
	if (!isfinite(r))
		return err_set(e, ERR_MEASURE, NULL, "no ratio: the reference's mean is 0");
	f->ratio = r;
	/* Divided by den, so that no square of a large mean can overflow; A = den^2 rest. */
	a = t * (num_se / den);
	b = t * (den_se / den);
	rest = (1 - b) * (1 + b);
	if (!(rest > 0))
		return 0;
	root = hypot(sqrt(rest) * a, r * b) / rest;
	/* Rounding must not leave the ratio outside. */
	lo = fmin(r, r / rest - root);
	hi = fmax(r, r / rest + root);
	if (!isfinite(lo) || !isfinite(hi))
		return 0;
	f->lo = lo;
	f->hi = hi;
	f->bounded = true;
	return 0;
}

/* Of Welch's test of num - r den; only the ratio of the two errors counts. */
static double fieller_dof(const struct fieller_mean *num, const struct fieller_mean *den, double r)
{
	double by = fmax(1, fabs(r));

	return ttest_dof(fabs(r) / by * den->se, den->dof, num->se / by, num->dof);
}

/* Does Welch's test of num - r den reject?  A tail costs much less than the quantile of it. */
static bool fieller_rejects(const struct fieller_mean *num, const struct fieller_mean *den,
	double r, double conf, double most)
{
	double by = fmax(1, fabs(r));
	double se = hypot(num->se / by, r / by * den->se);
	double t = fabs(num->avg / by - r / by * den->avg) / se;

	return gsl_cdf_tdist_Q(t, fmin(most, fieller_dof(num, den, r))) < (1 - conf / 100) / 2;
}

/* One end of the interval: steps away from the ratio until the test rejects, then bisection. */
static double fieller_end(const struct fieller_mean *num, const struct fieller_mean *den,
	double conf, double most, double r, double step)
{
	double in = r, out = r + step;

	while (isfinite(out) && !fieller_rejects(num, den, out, conf, most)) {
		in = out;
		step *= 2;
		out += step;
	}
	while (isfinite(out) && fabs(out - in) > FIELLER_CLOSE * fmax(fabs(in), fabs(out))) {
		double mid = in + (out - in) / 2;

		if (mid == in || mid == out)
			break;
		if (fieller_rejects(num, den, mid, conf, most))
			out = mid;
		else
			in = mid;
	}
	return isfinite(out) ? in : out;
}

int fieller_welch(struct fieller *f, const struct fieller_mean *num, const struct fieller_mean *den,
	double conf, struct err *e)
{
	int rc = fieller_ratio(f, num->avg, num->se, den->avg, den->se, 0, e);
	double most, step;

	if (rc)
		return rc;
	most = fieller_dof(num, den, 1);
	/* As r grows the test becomes that of the denominator alone. */
	f->bounded = fabs(den->avg) > den->se * ttest_quantile(conf, fmin(most, den->dof));
	if (!f->bounded) {
		f->lo = f->hi = 0;
		return 0;
	}
	step = fmax(num->se / fabs(den->avg), fabs(f->ratio) * (den->se / fabs(den->avg)));
	if (step > 0) {
		f->lo = fieller_end(num, den, conf, most, f->ratio, -step);
		f->hi = fieller_end(num, den, conf, most, f->ratio, step);
	}
	f->bounded = isfinite(f->lo) && isfinite(f->hi);
	if (!f->bounded)
		f->lo = f->hi = 0;
	return 0;
}
