/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Do two sets of numbers come from one distribution?  Asked of their ranks alone.
 *
 * Pure functions; no unit, since only the order of the values counts, so one wild value weighs no
 * more than any other.  The rank test of Mann and Whitney (Annals of Mathematical Statistics 18,
 * 1947): U is the number of pairs (a, b) in which a is the larger, equal ones counted as half.
 */
#ifndef HARNESS_RANKS_H
#define HARNESS_RANKS_H

#include <stdbool.h>
#include <stddef.h>

#include "harness/base/err.h"

/* Up to this many values a side, and without ties, p is exact. */
#define RANKS_EXACT 50

struct ranks {
	double u; /* 0 .. na nb; na nb / 2 when neither side is the larger */
	double z; /* [u - na nb / 2] / sd, half a pair nearer to 0; > 0: a is the larger */
	double p; /* two-sided, 0 < p <= 1 but for what rounds to 0 */
	bool exact;
};

/* Compare a (na values) with b (nb).  Both are borrowed for the call.
 *
 * Exact: p is twice the tail of U over all C(na+nb, na) equally likely orders, which the recurrence
 * of the paper counts: f(u; m, n) = f(u-n; m-1, n) + f(u; m, n-1).  Otherwise the normal limit,
 * var = na nb / 12 * [N+1 - sum(t^3-t) / (N (N-1))] with N = na+nb and t the sizes of the ties
 * (Kendall 1948), and half a pair as correction for continuity: p of z.  All values equal: z 0,
 * p 1.
 *
 * Costs O(N log N), exact also O(na nb U), which is below 10 ms.  Fails with ERR_MEASURE when a
 * side is empty or a value is NaN or infinite. */
must_check int ranks_mann_whitney(
	struct ranks *r, const double *a, size_t na, const double *b, size_t nb, struct err *e);

#endif
