/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/stats/variance.h"

#include <float.h>
#include <gsl/gsl_cdf.h>
#include <math.h>

/* The largest deviation there is, so that all squares can be taken in units of it. */
static double variance_unit(const struct moments *boots, size_t n, double mean)
{
	double unit = 0;

	for (size_t i = 0; i < n; i++) {
		unit = fmax(unit, fabs(boots[i].avg - mean));
		if (boots[i].n > 1)
			unit = fmax(unit, boots[i].sd);
	}
	return unit;
}

/* The mean of the boot means; exact when they are all the same. */
static double variance_mean(const struct moments *boots, size_t n)
{
	double sum = 0, min = boots[0].avg, max = min;

	for (size_t i = 0; i < n; i++) {
		sum += boots[i].avg;
		min = fmin(min, boots[i].avg);
		max = fmax(max, boots[i].avg);
	}
	return fmin(fmax(sum / (double)n, min), max);
}

/* S1^2 and S2^2 in units of unit^2, which is above 0. */
static void variance_squares(struct variance *v, const struct moments *boots, size_t n, double unit)
{
	double ss1 = 0, ss2 = 0, drift = 0;

	for (size_t i = 0; i < n; i++) {
		double d = (boots[i].avg - v->mean) / unit;

		drift += d;
		ss2 += d * d;
		if (boots[i].n > 1)
			ss1 += (double)(boots[i].n - 1) * pow(boots[i].sd / unit, 2);
	}
	v->s1_sq = v->dof1 > 0 ? ss1 / v->dof1 : 0;
	v->s2_sq = fmax(0, ss2 - drift * drift / (double)n) / v->dof2;
}

int variance_init(struct variance *v, const struct moments *boots, size_t n, struct err *e)
{
	double unit, t2;

	*v = (struct variance){.f = NAN, .p = NAN};
	if (n < 2)
		return err_set(e, ERR_MEASURE, NULL, "variation between boots needs 2 boots");
	v->boots = n;
	for (size_t i = 0; i < n; i++) {
		v->samples += boots[i].n;
		v->samples_inv += 1 / (double)boots[i].n / (double)n;
		v->dof1 += (double)(boots[i].n - 1);
	}
	v->dof2 = (double)(n - 1);
	v->mean = variance_mean(boots, n);
	unit = variance_unit(boots, n, v->mean);
	if (unit == 0)
		return 0;
	variance_squares(v, boots, n, unit);
	t2 = fmax(0, v->s2_sq - v->s1_sq * v->samples_inv);
	v->within = unit * sqrt(v->s1_sq);
	v->between = unit * sqrt(t2);
	if (v->dof1 > 0)
		v->icc = t2 / (v->s1_sq + t2);
	if (v->s1_sq > 0) {
		v->f = fmin(v->s2_sq / (v->s1_sq * v->samples_inv), DBL_MAX);
		v->p = gsl_cdf_fdist_Q(v->f, v->dof2, v->dof1);
	}
	v->s1_sq *= unit * unit;
	v->s2_sq *= unit * unit;
	return 0;
}

double variance_best_samples(const struct variance *v, double cost_boot, double cost_sample)
{
	if (v->between == 0)
		return INFINITY;
	return fmax(1, sqrt(cost_boot / cost_sample) * v->within / v->between);
}
