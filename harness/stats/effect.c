/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/stats/effect.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <math.h>

#include "harness/stats/ttest.h"

/* Points of a trapezoid rule.  Both integrands below are smooth and die off fast on both sides:
 * there the rule gains digits with every point, once the step is below the narrowest feature. */
#define EFFECT_POINTS 2000

/* The mean over a normal z of the probability that x = chi(dof) / sqrt(dof) reaches (z + d) / t.
 * For t > 0, and d beyond the reach of z. */
static double effect_over_normal(double t, double dof, double d)
{
	const double end = 9;
	double step = .5 / hypot(1, sqrt(25 + 2 * dof) / (d - end)), sum = 0;
	int points = (int)ceil(2 * end / step);

	step = 2 * end / points;
	for (int i = 0; i <= points; i++) {
		double z = -end + step * i, x = (z + d) / t;

		sum += gsl_ran_ugaussian_pdf(z) * gsl_cdf_chisq_Q(dof * x * x, dof);
	}
	return sum * step;
}

/* The mean of Phi(t x - d) over x = chi(dof) / sqrt(dof), whose density goes with
 * x^(dof - 1) exp(-dof x^2 / 2).  Substituted x = exp(u), so that no end of the range has a
 * derivative left. */
static double effect_over_chi(double t, double dof, double d, double lo, double hi, double points)
{
	double step = (hi - lo) / points, sum = 0, norm = 0;

	for (int i = 0; i <= (int)points; i++) {
		double u = lo + step * i, x = exp(u);
		double w = exp(dof * u - dof * (x * x - 1) / 2);

		norm += w;
		sum += w * gsl_cdf_ugaussian_P(t * x - d);
	}
	return sum / norm;
}

double effect_noncentral(double t, double dof, double d)
{
	double sd = 1 / sqrt(2 * dof), lo, hi, points;

	if (t < 0)
		return 1 - effect_noncentral(-t, dof, -d);
	if (t == 0 || d < -9)
		return gsl_cdf_ugaussian_P(-d);
	if (d / t > 1e9)
		return 0;
	lo = dof < 100 ? -32 / dof - .5 : -10 * sd; /* 1e-14 of the weight lies outside */
	hi = log1p(10 * sd);
	points = ceil((hi - lo) * 1.25 * hypot(sqrt(25 + 2 * dof), d));
	/* Against a large d, Phi is a step too steep for the first integral, but no longer narrow
	 * for the second. */
	if (points > EFFECT_POINTS)
		return effect_over_normal(t, dof, d);
	return effect_over_chi(t, dof, d, lo, hi, points);
}

/* Power, as a probability, of a test with this quantile. */
static double effect_found(double d, double dof, double t)
{
	d = fabs(d);
	return 1 - effect_noncentral(t, dof, d) + effect_noncentral(-t, dof, d);
}

double effect_power(double d, double dof, double conf)
{
	return 100 * effect_found(d, dof, ttest_quantile(conf, dof));
}

/* How far power is above what is wanted, both as normal quantiles: almost a straight line in d. */
static double effect_above(double d, double dof, double t, double want)
{
	double found = effect_found(d, dof, t);

	return gsl_cdf_ugaussian_Pinv(fmin(fmax(found, 1e-15), 1 - 1e-15)) - want;
}

double effect_smallest(double dof, double conf, double power)
{
	double t = ttest_quantile(conf, dof), want = gsl_cdf_ugaussian_Pinv(power / 100);
	double lo = 0, hi = t + fmax(1, want), d = hi, flo, fhi;

	if (power <= 100 - conf)
		return 0;
	flo = gsl_cdf_ugaussian_Pinv(1 - conf / 100) - want;
	for (; (fhi = effect_above(hi, dof, t, want)) < 0 && hi < 1e12; hi *= 2) {
		lo = hi;
		flo = fhi;
	}
	/* False position, with the weight of an end that stays halved (Dowell and Jarratt 1971). */
	for (int i = 0, side = 0; i < 100 && hi - lo > 1e-12 * hi; i++) {
		double f;

		d = fhi > flo ? (lo * fhi - hi * flo) / (fhi - flo) : (lo + hi) / 2;
		f = effect_above(d, dof, t, want);
		if (fabs(f) < 1e-10)
			break;
		if (f < 0) {
			lo = d;
			flo = f;
			fhi = side < 0 ? fhi / 2 : fhi;
			side = -1;
		} else {
			hi = d;
			fhi = f;
			flo = side > 0 ? flo / 2 : flo;
			side = 1;
		}
	}
	return d;
}

double effect_smallest_sd(size_t n, double conf, double power)
{
	return effect_smallest(2 * (double)n - 2, conf, power) * sqrt(2 / (double)n);
}

size_t effect_boots(double effect, double conf, double power)
{
	return effect_boots_unequal(effect, 2, conf, power);
}

static int effect_enough(size_t n, double effect, double dof_boot, double conf, double power)
{
	return effect_power(effect * sqrt((double)n / 2), dof_boot * ((double)n - 1), conf) >=
	       power;
}

size_t effect_boots_unequal(double effect, double dof_boot, double conf, double power)
{
	/* Known spreads would need this many; with estimated ones it is some more. */
	double guess = (ttest_quantile(conf, 1e9) + gsl_cdf_ugaussian_Pinv(power / 100)) / effect;
	size_t lo = 2, hi, step = 1; /* lo is not enough, or below all that is asked */

	guess *= 2 * guess;
	if (!(guess <= EFFECT_BOOTS_MAX))
		return EFFECT_BOOTS_MAX + 1;
	for (hi = guess > 3 ? (size_t)guess : 3;
		hi <= EFFECT_BOOTS_MAX && !effect_enough(hi, effect, dof_boot, conf, power);
		step *= 2) {
		lo = hi;
		hi += step;
	}
	if (lo == 2 && hi > 3 && !effect_enough(hi - 1, effect, dof_boot, conf, power))
		return hi;
	while (hi - lo > 1) {
		size_t mid = lo + (hi - lo) / 2;

		if (effect_enough(mid, effect, dof_boot, conf, power))
			hi = mid;
		else
			lo = mid;
	}
	return hi <= EFFECT_BOOTS_MAX ? hi : EFFECT_BOOTS_MAX + 1;
}
