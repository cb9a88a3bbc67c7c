/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The two sides of a series as images: its base, and the base with the series applied.
 *
 * Both are commits in the checkout that patch_check() made, and are built aside: what a mode stands
 * for (harness build) stays.  The same series on the same base is the same commit, whose images are
 * there already.
 */
#ifndef HARNESS_PATCH_BUILD_H
#define HARNESS_PATCH_BUILD_H

#include "harness/build.h"
#include "harness/patch.h"
#include "harness/sink.h"

enum patch_side { PATCH_SIDE_BASE, PATCH_SIDE_PATCHED, PATCH_SIDES };

/* "base", "patched" */
const char *patch_side_name(enum patch_side s);

struct patch_build {
	struct build_result result[PATCH_SIDES];
	struct run_build build[PATCH_SIDES]; /* name, and in words what it is made of */
};

/* p: after patch_check(), its lock held.  o: state, recipe, modes, jobs and so on, without source
 * and rev.  done (may be NULL) is called after each side.  Errors as of build_run(), "base: " or
 * "patched: " in front, of the base with the word that the series is not to blame; class image,
 * E_NOMODE, when no mode is in both. */
int patch_build(const struct patch *p, const struct build_opts *o, struct patch_build *b,
	void (*done)(enum patch_side, const struct build_result *), struct err *e) must_check;

/* What each side is made of, for a report: version and commit; of the patched one also title,
 * author and Message-ID of the series, and whatever was mended.  p->from and given (what the user
 * called the base, or NULL) tell where the base is from.  Fills b->build from b->result.  Pure. */
void patch_build_text(const struct patch *p, const char *given, struct patch_build *b);

#endif
