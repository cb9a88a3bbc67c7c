/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The interval of a ratio of two means.
 *
 * "248 % slower" is a ratio, and the reference in it was measured too.  Fieller (1954) takes the
 * set of all ratios r that a t test of num - r * den would not reject.  It is exact for normal
 * means; scaling the interval of the difference by the reference's mean forgets the error of the
 * reference.
 */
#ifndef HARNESS_STATS_FIELLER_H
#define HARNESS_STATS_FIELLER_H

#include <stdbool.h>

#include "harness/base/err.h"

/* Plain data, all finite.  bounded: lo <= ratio <= hi.  Otherwise the denominator cannot be told
 * from 0 at this confidence (or an end overflows), no finite interval holds the ratio, and lo and
 * hi are 0. */
struct fieller {
	double ratio;
	double lo, hi;
	bool bounded;
};

/* num / den of two independent means; num_se and den_se are their standard errors, t the half width
 * of a two-sided interval in standard errors (ttest_quantile()).  With A = den^2 - t^2 den_se^2,
 * B = num den, C = num^2 - t^2 num_se^2 the ends are (B -+ sqrt(B^2 - AC)) / A, for A > 0.  Fails
 * with ERR_MEASURE when there is no ratio (den is 0, or so small that it overflows), an argument is
 * not finite, or an error or t negative. */
must_check int fieller_ratio(struct fieller *f, double num, double num_se, double den,
	double den_se, double t, struct err *e);

/* A mean with its standard error (>= 0), and the degrees of freedom of that (>= 1). */
struct fieller_mean {
	double avg, se, dof;
};

/* The same with quantiles of its own, for variances that may differ, at `conf` percent: the ratios
 * r that Welch's test of num - r den would not reject.  Its degrees of freedom depend on r, those
 * of den taking over as r grows; where r has more of them than r = 1 has, those of r = 1 are taken.
 * So r = 1 lies inside exactly when Welch's test of the difference itself does not reject (up to
 * rounding).  Bounded when den by itself can be told from 0; the ends by bisection.  Coverage is
 * that of Welch's test, or more.  Fails as fieller_ratio() does. */
must_check int fieller_welch(struct fieller *f, const struct fieller_mean *num,
	const struct fieller_mean *den, double conf, struct err *e);

#endif
