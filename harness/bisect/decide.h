/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Is a commit on GOOD's side or on BAD's?
 *
 * The values are boot means.  Everything is decided after a planned number of boots, or after more,
 * up to a planned number of looks, K; each look tests at 1 - (1 - conf)/K, so that the error rate
 * over all of them is at most 1 - conf (Bonferroni's inequality).
 *
 * The ends: Welch's test of their difference, and its interval relative to GOOD's mean (Fieller's,
 * stats/fieller.h).  They differ when the interval lies beyond the effect, and do not when it lies
 * within.
 *
 * A commit: the linear contrast L = mean(commit) - [mean(good) + mean(bad)] / 2, which says on
 * which side of their midpoint it lies.  With v = s^2/n for the commit and s^2/4n for the ends,
 * L / sqrt(sum v) is compared with Student's t of (sum v)^2 / sum [v^2 / (n - 1)] degrees of
 * freedom (Satterthwaite 1946; Welch 1947).  Of commits exactly at the midpoint at most 1 - conf
 * are decided at all, of those like GOOD or BAD less than half of that wrongly.
 *
 * Pure.
 */
#ifndef HARNESS_BISECT_DECIDE_H
#define HARNESS_BISECT_DECIDE_H

#include <stdbool.h>

#include "harness/bisect/walk.h"
#include "harness/stats/moments.h"

enum { DECIDE_LOOKS_MAX = 16 };

struct decide_plan {
	size_t looks[DECIDE_LOOKS_MAX]; /* boots at each, growing by half */
	size_t n;
	double conf;	 /* percent, of each look */
	double conf_all; /* percent, over all of them */
	double effect;	 /* percent of GOOD's mean */
};

/* first >= VERDICT_BOOTS_MIN (verdict.h), max >= first. */
void decide_plan_init(struct decide_plan *p, size_t first, size_t max, double conf, double effect);

/* The look that comes with this many boots: the first that wants as many or more; else the last. */
size_t decide_look(const struct decide_plan *p, size_t boots);

enum decide_ends_kind {
	DECIDE_DIFFER,
	DECIDE_SAME,
	DECIDE_OPEN, /* more boots may tell */
};

struct decide_ends {
	enum decide_ends_kind kind;
	bool faster;  /* BAD is */
	double pct;   /* BAD against GOOD, percent */
	bool bounded; /* else lo and hi are 0 */
	double lo, hi;
	double t, dof, p;
};

/* Both with 2 boots or more.  Fails with class measurement on what no arithmetic can take. */
int decide_ends(struct decide_ends *d, const struct decide_plan *p, const struct moments *good,
	const struct moments *bad, struct err *e) must_check;

struct decide_commit {
	bool decided;
	enum walk_word word; /* WALK_GOOD or WALK_BAD when decided */
	double t, dof, p;    /* finite; t is positive on BAD's side */
	bool exact;	     /* no boot differs from another of its commit: t says nothing */
};

int decide_commit(struct decide_commit *d, const struct decide_plan *p, const struct moments *m,
	const struct moments *good, const struct moments *bad, struct err *e) must_check;

#endif
