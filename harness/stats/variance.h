/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How much of the spread lies between boots, and how much within a boot.
 *
 * One-way random effects, boots of samples (Searle, Casella and McCulloch 1992, chapter 3):
 * a sample is mean + boot effect (variance T2^2) + its own (variance T1^2).  With k boots of m_i
 * samples, means b_i and sample variances s_i^2:
 *
 *	S1^2 = sum (m_i - 1) s_i^2 / sum (m_i - 1)	T1^2 = S1^2
 *	S2^2 = variance of the b_i (divisor k - 1)	T2^2 = max(0, S2^2 - S1^2 w)
 *	w = mean of 1 / m_i				F = S2^2 / (S1^2 w)
 *
 * For boots of one size this is the usual analysis of variance; for others the unweighted means'
 * (then p is approximate).  Units: those of the values, squared where a name says so.
 */
#ifndef HARNESS_STATS_VARIANCE_H
#define HARNESS_STATS_VARIANCE_H

#include <stddef.h>

#include "harness/base/err.h"
#include "harness/stats/moments.h"

/* Finite but for f and p.  Without a boot of 2 samples (dof1 0) the two cannot be told apart: then
 * S1^2, T1 and icc are 0 for not known, and T2 holds all of the spread. */
struct variance {
	size_t boots, samples;
	double mean;		/* of the boot means */
	double s1_sq, s2_sq;	/* S1^2, S2^2 */
	double within, between; /* sd: T1, T2 */
	double icc;		/* T2^2 / (T1^2 + T2^2); 0 when both are 0 */
	double dof1, dof2;	/* of S1^2 and of S2^2 */
	/* Do boots differ by more than their samples explain?  NAN when T1 is 0. */
	double f, p;
	double samples_inv; /* w */
};

/* From the moments of n >= 2 boots, borrowed for the call.  Fails with ERR_MEASURE on fewer. */
must_check int variance_init(
	struct variance *v, const struct moments *boots, size_t n, struct err *e);

/* Samples a boot at which a given time yields the smallest error of the mean:
 * sqrt(c_boot / c_sample * T1^2 / T2^2), at least 1; costs in any one unit, above 0.  Without
 * variance between boots (or with hardly any) there is no best: infinity. */
double variance_best_samples(const struct variance *v, double cost_boot, double cost_sample);

#endif
