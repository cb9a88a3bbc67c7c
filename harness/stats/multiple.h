/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Several tests at once: p values raised so that "5 %" keeps its meaning. */
#ifndef HARNESS_STATS_MULTIPLE_H
#define HARNESS_STATS_MULTIPLE_H

#include <stddef.h>

/* p: n values 0..1, in any order; NAN counts as 1, so that it proves nothing.  adjusted: n values
 * 0..1 in the same order, which may be p itself.  n 0 is fine.  A test is rejected at level a when
 * its adjusted value is <= a. */

/* Holm (1979): no false rejection at all in 1 - a of the cases.  The i-th smallest (from 0) is
 * multiplied by n - i, and no value falls below the one before it. */
void multiple_holm(const double *p, double *adjusted, size_t n);

/* By how much Holm's method multiplies each: n for the smallest, 1 for the largest. */
void multiple_holm_factors(const double *p, size_t *factor, size_t n);

/* At which level does Holm's method at alpha test each, the other p values being what they are?
 * Test i is rejected exactly when p[i] <= alpha / divisor[i], up to rounding.  That is what its
 * power depends on, and not on its own factor: a test whose factor is 1 is rejected only if all
 * others are, and while none is, the divisor of every one is n.  Costs O(n^2). */
void multiple_holm_divisors(const double *p, double alpha, size_t *divisor, size_t n);

/* Benjamini and Hochberg (1995): of what is rejected, a part a is false at most, on average.  The
 * i-th smallest (from 1) is multiplied by n / i, and no value rises above the one after it. */
void multiple_bh(const double *p, double *adjusted, size_t n);

#endif
