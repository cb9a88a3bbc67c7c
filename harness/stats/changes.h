/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where in a row of numbers, in time order, did their distribution change?
 *
 * E-divisive (Matteson and James, Journal of the American Statistical Association 109, 2014), with
 * distance |x - y| (their exponent alpha = 1).  For a split into X (n values) and Y (m values),
 *
 *   E = 2/(nm) sum|x - y| - 2/[n(n-1)] sum_{i<k}|xi - xk| - 2/[m(m-1)] sum_{i<k}|yi - yk|
 *   Q = nm/(n+m) E
 *
 * A segment is cut where Q is largest, with Y anything that follows X: as in the paper, Y may end
 * before the segment does, or a rise that was mended later would hide itself; but only up to 128
 * values after the cut, or at the end.  The best cut of all segments is put to a permutation test:
 * the values of each segment are shuffled within it, R times, and z is how often the best cut of
 * them all is no worse then; p = (z+1)/(R+1).  While p is at most the limit the cut stands, and the
 * search goes on with one segment more.
 *
 * Then what is too small to matter is taken out again, the least of them first, and the parts
 * beside it become one, until every change that is left moves the mean by the minimum effect, and
 * would still with any one value of either part left out.  So one spike is no change, wherever it
 * lies, although a segment of three that holds it may well be significant.
 *
 * Deterministic: a seed gives the same answer everywhere (MT19937, GSL's seeding).  With 999
 * permutations each change that is found costs 0.15 s in 400 values, 1 s in 2000, and about as n
 * beyond; the test that ends the search is mostly far cheaper, since it stops when p is past its
 * limit.
 */
#ifndef HARNESS_CHANGES_H
#define HARNESS_CHANGES_H

#include <stddef.h>

#include "harness/base/err.h"

enum { CHANGES_PERMUTATIONS = 999 };

struct changes_options {
	unsigned long seed; /* 0 is GSL's default seed, 4357 */
	int permutations;   /* R; CHANGES_PERMUTATIONS .. 1000000 */
	size_t min_segment; /* values; 2 or more */
	double p_limit;	    /* 1/(R+1) .. 1 */
	double min_effect;  /* part of the mean before: 0.01 is 1 %; 0 or more */
};

#define CHANGES_OPTIONS \
	{ \
		1, CHANGES_PERMUTATIONS, 3, 0.001, 0.01 \
	}

/* before and after are the parts up to the neighbouring changes, or the ends. */
struct change {
	size_t at;	    /* index of the first value after it */
	double q;	    /* of before and after; in the unit of the values */
	double p;	    /* as it was when it was found */
	double mean_before; /* in the unit of the values */
	double mean_after;
	double effect; /* (after - before) / |before|; infinite when before is 0 */
};

struct changes {
	struct change *list; /* in time order; owned; NULL when n is 0 */
	size_t n;
};

/* v: n values in time order, borrowed for the call.  Too few values are no error: then there is no
 * change.  Fails with *c empty: ERR_MEASURE when a value is NaN, infinite or beyond MOMENTS_LIMIT
 * (moments.h), ERR_USAGE for options outside the ranges above.  Release *c either way. */
must_check int changes_find(struct changes *c, const double *v, size_t n,
	const struct changes_options *o, struct err *e);
void changes_release(struct changes *c); /* safe to call twice */

#endif
