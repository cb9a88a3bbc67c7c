/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Has a boot settled?
 *
 * Which timings of a boot count is decided before there are any: the first W are warm-up, and the
 * rest is kept, whatever it looks like.  The check here only says so when the kept part still goes
 * somewhere; it never moves the line between warm-up and kept, and never takes a boot out.
 *
 * The rule: a boot never settled when the first half of its kept timings and the second differ, by
 * a two-sided Mann-Whitney test with p < SETTLE_P (ranks.h) and by medians that are further apart
 * than SETTLE_PART of the median of all.  The test keeps noise from being flagged: independent
 * timings are, in fewer than SETTLE_P of the boots.  The second condition keeps quiet about a drift
 * too small to matter.  Pure; the unit is the unit of the values.
 */
#ifndef HARNESS_SETTLE_H
#define HARNESS_SETTLE_H

#include <stddef.h>

#include "harness/base/err.h"

#define SETTLE_P    0.001
#define SETTLE_PART 0.01

/* The fewest kept timings that can tell: no order of 6 and 7 values is as unlikely as SETTLE_P. */
#define SETTLE_MIN 14

/* Room for the rule's text, its NUL included. */
#define SETTLE_RULE 96

enum settle_state {
	SETTLE_UNKNOWN, /* fewer than SETTLE_MIN values */
	SETTLE_YES,
	SETTLE_NEVER,
};

struct settle {
	enum settle_state state;
	double first, second; /* medians of the halves; 0 when unknown, as p */
	double p;	      /* that the halves differ by chance alone */
};

/* v: the n kept timings of a boot in the order in which they were taken; borrowed for the call.  An
 * odd n gives the second half one more.  Fails with ERR_MEASURE when a value is NaN, infinite or
 * beyond MOMENTS_LIMIT (moments.h). */
must_check int settle_check(struct settle *s, const double *v, size_t n, struct err *e);

/* The rule in words, to be stored with a run: which timings are kept, and when a boot is flagged.
 * warmup: timings at the start of a boot that are not kept, 0 or more. */
void settle_rule(char *out, size_t size, int warmup);

#endif
