/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where is a part of a row best cut in two?  The statistic of changes.h, and nothing of its search.
 *
 * For a cut at t of a segment with n values, X = [0, t) and Y = [t, k), where k is the segment's
 * end or at most SPLIT_WINDOW values after t; both have min values at least.  The best cut has the
 * largest Q(X, Y).  A call costs O(n log n + n SPLIT_WINDOW): sums of distances within all prefixes
 * come from a tree over the values' places in size, those within all short windows from
 *
 *   W(i, j) = W(i, j-1) + W(i+1, j) - W(i+1, j-1) + |x[j-1] - x[i]|
 *
 * Pure.  What does not depend on the order of a segment's values is worked out once and serves all
 * its permutations.
 */
#ifndef HARNESS_SPLIT_H
#define HARNESS_SPLIT_H

#include <gsl/gsl_rng.h>
#include <stddef.h>

enum { SPLIT_WINDOW = 128 };

struct segment {
	size_t from, n;
	size_t at; /* best cut, counted from `from`; 0: there is none */
	double q;
	double whole; /* sum of all distances in it */
};

/* A row and room to work in.  The arrays hold something for each value of the row: those of a
 * segment lie at `from`. */
struct split {
	size_t min;
	const double *v;
	double *sorted; /* a segment's values by place in size */
	double *dist;	/* sum of the distances from a place to all of its segment */
	double *x, *prefix, *part, *top, *inverse, *count, *sum, *w[3];
	double *room;  /* of all doubles */
	size_t *place; /* of each value in its segment, from 0 */
	size_t *order; /* room for another order of places */
};

/* v: n values, finite and with a mean near 0, so that sums lose no digits; borrowed until release.
 * min >= 2. */
void split_init(struct split *s, const double *v, size_t n, size_t min);
void split_release(struct split *s);

/* Make [from, from+n) a segment and find its best cut. */
void split_segment(struct split *s, struct segment *g, size_t from, size_t n);

/* Q of the best cut after the segment's values have been shuffled; the row stays as it is. */
double split_shuffled(struct split *s, const struct segment *g, gsl_rng *rng);

/* Q of X = v[0 .. at) and Y = v[at .. n), term by term: O(n^2). */
double split_q(const double *v, size_t n, size_t at);

#endif
