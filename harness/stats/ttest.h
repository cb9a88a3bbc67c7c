/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Is the difference of two means more than chance?
 *
 * Pure functions over struct moments; ref is what set is compared with, and a difference is
 * always set - ref.  Confidence is two-sided and in percent, 0 < conf < 100.  Both sides need
 * n >= 2 and an sd.  Two kinds of answer:
 *
 * - ttest_student() and ttest_welch(): exact quantiles, t, degrees of freedom, p and interval;
 * - ttest_ministat(): what ministat prints, with its three-decimal table.
 */
#ifndef HARNESS_TTEST_H
#define HARNESS_TTEST_H

#include <stdbool.h>
#include <stddef.h>

#include "harness/base/err.h"
#include "harness/stats/moments.h"

struct ttest {
	double diff; /* set->avg - ref->avg */
	double se;   /* standard error of diff */
	double dof;  /* Welch: not whole */
	double t;    /* diff / se; se 0, or too small for a quotient: 0 or +-infinity */
	double p;    /* two-sided */
	double half; /* half width of the interval at conf */
	double lo, hi;
	double pooled; /* pooled sd; NAN for Welch */
};

/* Equal variances assumed.  sp^2 = [(n1-1)s1^2 + (n0-1)s0^2] / (n1+n0-2). */
must_check int ttest_student(struct ttest *t, const struct moments *ref, const struct moments *set,
	double conf, struct err *e);

/* Variances may differ.  With a = s1^2/n1, b = s0^2/n0:
 * dof = (a+b)^2 / [a^2/(n1-1) + b^2/(n0-1)] (Welch 1947, Satterthwaite 1946). */
must_check int ttest_welch(struct ttest *t, const struct moments *ref, const struct moments *set,
	double conf, struct err *e);

/* Welch's test from the means' standard errors (>= 0, finite) and the degrees of freedom (> 0) of
 * each, for whoever takes them from elsewhere than the sets themselves. */
void ttest_errors(struct ttest *t, double diff, double ref_se, double ref_dof, double set_se,
	double set_dof, double conf);

/* Its degrees of freedom alone. */
double ttest_dof(double ref_se, double ref_dof, double set_se, double set_dof);

/* Half width of a two-sided interval in standard errors: exact Student quantile.  dof > 0. */
double ttest_quantile(double conf, double dof);

/* The same as ministat looks it up, dof >= 1: three decimals, and the normal value above 100
 * degrees of freedom.  ministat knows 80, 90, 95, 98, 99 and 99.5; what it calls 99.5 is really
 * the two-sided 99.8 % value, and stays so here.  Another level gets the exact quantile. */
double ttest_ministat_quantile(double conf, size_t dof);
bool ttest_ministat_knows(double conf);

/* How the error of the relative difference is made.  The older way scales the error of the
 * difference and forgets that the reference mean has an error too. */
enum ttest_relative {
	TTEST_RELATIVE_NEW, /* 100 t sqrt{[(n1-1)s1^2 + (n0-1)s0^2 (m1/m0)^2] (n1+n0)/(n1 n0 dof)} /
			       m0 */
	TTEST_RELATIVE_OLD, /* 100 e / m0 */
};

struct ttest_ministat {
	bool proven; /* |diff| > err */
	double diff; /* in the unit of the values, as err */
	double err;  /* t sp sqrt(1/n1 + 1/n0) */
	double pct;  /* percent of ref->avg, as pct_err; infinite or NAN when that is 0 */
	double pct_err;
	double pooled;
};

must_check int ttest_ministat(struct ttest_ministat *t, const struct moments *ref,
	const struct moments *set, double conf, enum ttest_relative how, struct err *e);

#endif
