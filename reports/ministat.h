/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The block that ministat prints: symbols, plot, table, verdicts.
 *
 * A renderer: it takes sets and options, adds text to a buffer, and touches nothing else.  The
 * same input gives the same bytes.  The text is that of FreeBSD's current ministat, except for:
 *
 * - a stack of points is shown whole also when the last set's stacks are lower;
 * - stacks taller than max_height are scaled down, and a line below the box says by how much;
 * - where the mean of the reference is 0, or so near that percents of it pass the largest number,
 *   a line says that there is no percentage;
 * - what a summary does not tell prints as '-';
 * - equal values have a deviation of exactly 0, also where sum / n is not exactly the value;
 * - control characters in names print as '?'; confidence may be any level (see ttest.h).
 *
 * The first set is the reference; each other one is compared with it, whatever the order.
 */
#ifndef REPORTS_MINISTAT_H
#define REPORTS_MINISTAT_H

#include <stdbool.h>
#include <stddef.h>

#include "harness/base/buf.h"
#include "harness/base/err.h"
#include "harness/stats/moments.h"
#include "harness/stats/ttest.h"

#define MINISTAT_MAX_SETS   7
#define MINISTAT_MIN_POINTS 3
#define MINISTAT_MIN_WIDTH  2
#define MINISTAT_MAX_WIDTH  10000

/* Indexed by set number from 1, and in the plot by the OR of the numbers that share a cell. */
#define MINISTAT_SYMBOLS " x+*%#@O"

/* Plain data, nothing to release. */
struct ministat_set {
	const char *name; /* borrowed */
	const double *v;  /* borrowed; n values in any order, or NULL: from a summary */
	struct moments m;
};

/* Each borrows its pointers until the last rendering.  Fails with ERR_MEASURE, the name in front.
 */
must_check int ministat_set_values(struct ministat_set *s, const char *name, double *v, size_t n,
	struct err *e); /* reorders v */
must_check int ministat_set_summary(
	struct ministat_set *s, const char *name, const struct moments *given, struct err *e);

struct ministat_opts {
	size_t width;	   /* -w: columns between the bars of the plot */
	double conf;	   /* -c: percent */
	size_t max_height; /* rows of the plot before it is scaled; 0: no limit */
	enum ttest_relative relative;
	bool separate;	/* -s: a row of bars a set */
	bool no_plot;	/* -A */
	bool no_diff;	/* -n: neither plot nor verdicts */
	bool quiet;	/* -q: neither names nor header */
	size_t columns; /* where a row of the table would be longer, see ministat_narrow.h; 0: never
			 */
};

#define MINISTAT_OPTS_INIT \
	{ \
		.width = 74, .conf = 95, .max_height = 100 \
	}

/* What ministat_render() refuses: a count of sets outside 1..MINISTAT_MAX_SETS, a set of less than
 * MINISTAT_MIN_POINTS values, a width out of range.  All ERR_USAGE. */
must_check int ministat_check(const struct ministat_set *sets, size_t nsets,
	const struct ministat_opts *o, struct err *e);

/* Add the block to out.  A set made from a summary cannot be drawn: then there is no plot.  Fails,
 * with out unchanged, as ministat_check(), and on a confidence out of range (ERR_USAGE).  Fails
 * with ERR_BUG when out is full: then it holds a part. */
must_check int ministat_render(struct buf *out, const struct ministat_set *sets, size_t nsets,
	const struct ministat_opts *o, struct err *e);

#endif
