/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lays the sides of a comparison out into sets and blocks (reports/comparison.h).  Pure.
 *
 * Several sides: a block for each mode that all of them have, and in it a set a side, so that each
 * mode is compared with itself.  When every side has one mode and these are not the same, there is
 * one block, a set a side.  One side alone: one block, a set a mode.
 *
 * Boots of two builds of a run are never in one set, since they are what that run compares: a side
 * that is such a run names a build, days without a build have only runs without builds.  An image
 * is one thing, whichever build of a run it was.
 */
#ifndef HARNESS_REPORTS_SIDES_H
#define HARNESS_REPORTS_SIDES_H

#include <stdbool.h>
#include <stddef.h>

#include "harness/base/buf.h"
#include "reports/comparison.h"

/* Set names hold one of these, a blank and a mode. */
enum { SIDES_NAME_MAX = 100 };

/* What a side was found to be.  Names differ between sides. */
struct side {
	char name[SIDES_NAME_MAX];  /* "7f3a", "7f3a patched", "image 58eee895", "2026-11-30" */
	char build[BUILD_NAME_MAX]; /* "": none is named */
	char mode[MODE_MAX];	    /* "": any */
	char image[SHA256_HEX + 1]; /* only its boots; "": any */
	bool days;		    /* chosen by days */
	const struct model **runs;  /* in the order of their starts; the array and the models are
				       the caller's, until comparison_release() */
	size_t n_runs;
};

/* "image " and as many digits as it takes to tell them apart, 8 at least, for those with an image.
 */
void sides_name_images(struct side *sides, size_t n);

/* What stood behind a side as its mode is its build, if its runs have one of that name; names get
 * their build behind them.  Once, when all that belongs to a side is in it. */
void sides_name_builds(struct side *sides, size_t n);

/* From comparison_init() on (c is initialised by this call; release it whatever this returns): add
 * the sets, set title and left.  The caller has boots compared by alike_check() and
 * comparison_judge().  modes: those to take, with commas; "all" or NULL for any.
 *
 * Errors, class usage: a run with builds of which none is named, a build that no run of a side has,
 * a mode that no side has, no mode in common, one side with less than two
 * modes, more sets in a block than ministat's table takes, a boot that is on two sides, no two sets
 * of a block that can be compared. */
must_check int sides_compare(struct comparison *c, const struct side *sides, size_t n,
	const char *modes, const struct verdict_opts *opts, struct err *e);

/* A line each for sides of several runs of which one had two stages: their boots are taken as those
 * of one stage, since the pilots' variances (verdict.h) are of one run each. */
void sides_stages(struct buf *out, const struct comparison *c);

#endif
