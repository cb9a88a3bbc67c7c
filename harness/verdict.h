/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Is one set of boots slower than another?  The answer that a report gives.
 *
 * The values are boot means (samples of one boot are not independent); the test is Welch's t, with
 * Holm's correction over the comparisons that are made together.  With fewer than VERDICT_BOOTS_MIN
 * boots a side there is no answer.  Pure.
 *
 * Welch's test is approximate.  From 10 boots a side its error rate is the stated one within what
 * 10 000 simulated runs can tell; with 3 against 3 it is 3.5 .. 6 % for 5 %; with 3 noisy boots
 * against 25 it was 7.6 %.  Intervals fall short accordingly.
 *
 * A run of two stages (Stein 1945) looked at the variance of its pilot before it chose its size:
 * then the means are of all boots, but variances and degrees of freedom stay those of the pilot,
 * which keeps the stated error rate.  A pilot below VERDICT_BOOTS_MIN boots, or one whose boots do
 * not differ at all, says nothing about variance; then all boots do.
 *
 * Means that differ by rounding alone (8 units in the last place) are equal, and a spread of less
 * than one unit is none.
 */
#ifndef HARNESS_VERDICT_H
#define HARNESS_VERDICT_H

#include <stdbool.h>
#include <stddef.h>

#include "harness/base/err.h"
#include "harness/stats/ttest.h"

enum { VERDICT_BOOTS_MIN = 3, VERDICT_RANK_FACTOR = 4 };

enum verdict_kind {
	VERDICT_TOO_FEW, /* boots: only the counts, `needed` and `factor` (1) are filled */
	VERDICT_NONE,	 /* no difference proven */
	VERDICT_LOWER,	 /* proven: the set's mean is lower than the reference's (faster) */
	VERDICT_HIGHER,	 /* proven: higher (slower) */
};

/* "too-few", "none", "lower", "higher": the words of JSON and CSV. */
const char *verdict_name(enum verdict_kind k);

struct verdict_opts {
	double conf;   /* percent; Holm's error rate is 100 - conf */
	double power;  /* percent, of the smallest effect that could be seen */
	double effect; /* percent of the reference's mean: a difference that matters */
};

#define VERDICT_OPTS_INIT \
	{ \
		.conf = 95, .power = 80, .effect = 1 \
	}

/* Conf and power within 50..99.999, effect above 0 and at most 1000; else ERR_USAGE. */
must_check int verdict_opts_check(const struct verdict_opts *o, struct err *e);

/* Boot means, borrowed for the call. */
struct verdict_side {
	const double *means; /* in the order in which the boots ran */
	size_t n;
	size_t pilot; /* boots at the front that were the pilot; 0: a run of one stage */
};

/* Percents are of the reference's mean.  All numbers are finite; those that a flag rules out are 0.
 */
struct verdict {
	enum verdict_kind kind;
	size_t ref_boots, set_boots;
	size_t needed; /* more boots, on the side that has fewest, before there is an answer */
	bool pilot;    /* variances and degrees of freedom are the pilot's */

	double ref_mean, set_mean;
	double ref_sd, set_sd; /* of one boot mean; of the pilot's where that counts */
	double diff, lo, hi;   /* set - reference, and its interval at conf by itself */
	double se, dof;
	double t;      /* diff / se; 0 when se is 0 */
	bool exact;    /* se is 0: boots of a side do not differ at all, and t says nothing */
	double p;      /* two-sided, of this comparison by itself */
	double holm;   /* the same after Holm: what decides */
	size_t factor; /* by which Holm multiplied */

	bool relative; /* pct is known: the reference's mean is not 0, nor next to it */
	double pct;
	bool pct_bounded; /* Fieller's interval is finite */
	double pct_lo, pct_hi;

	/* The confidence, in percent, at which this comparison is tested while the others are what
	 * they are: multiple_holm_divisors().  conf itself when it is the only one. */
	double level;
	/* Smallest true difference that a repetition of these boots finds with `power` at `level`.
	 * An estimate: effect_smallest() is exact in units of the true standard error, of which
	 * only `se` is known, and se itself varies by about 1 part in sqrt(2 dof) from run to run.
	 * Boots of like sides and size that have this true effect are found in `power` of the
	 * cases when se happens to be the true one. */
	double seen;
	bool seen_known; /* se is above 0 */
	double seen_pct; /* when relative */
	/* Boots a side, in one stage and with the spreads seen here, that would find a difference
	 * with `power` at `level`: one as large as was observed, where that is not proven; and one
	 * of opts.effect, where seen_pct is larger.  0: does not apply, or not known; above
	 * EFFECT_BOOTS_MAX: hopeless. */
	size_t observed_boots, effect_boots;

	/* Mann-Whitney on the boot means, as a cross-check that knows no normal distribution. Known
	 * when there are boots enough that it could reject at the level of this comparison. */
	bool rank_known;
	double rank_p;
	bool rank_contradicts; /* it rejects where Welch does not, or the other way round, and
				  its p is VERDICT_RANK_FACTOR times smaller or larger */
};

/* Compare; kind is decided as if this were the only comparison.  Fails with ERR_MEASURE on NaN,
 * infinity or values beyond MOMENTS_LIMIT. */
must_check int verdict_init(struct verdict *v, const struct verdict_side *ref,
	const struct verdict_side *set, const struct verdict_opts *o, struct err *e);

/* Holm over n comparisons that were made together: p, kind, and what could have been seen.  Those
 * with too few boots are not counted. */
void verdict_together(struct verdict *list, size_t n, const struct verdict_opts *o);

#endif
