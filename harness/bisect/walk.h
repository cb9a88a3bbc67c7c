/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which commit of a history is looked at next.
 *
 * The commits left are those that the newest bad one has and no good one has, as `git rev-list
 * --bisect-all` lists them: merges too, best halving first.  The best that is not skipped is
 * next.  Once the best is skipped, its neighbours, which likely share its fault, are left alone:
 * with n skipped ones on the list, the commit is taken that stands at the n-th number of van der
 * Corput's sequence (1/2, 1/4, 3/4, 1/8, …) of the others, so that one look after the other falls
 * elsewhere; in a line of commits the first splits at a quarter.  (git draws that place by chance.)
 * The same marks give the same answer always.
 *
 * The repository is only read.
 */
#ifndef HARNESS_BISECT_WALK_H
#define HARNESS_BISECT_WALK_H

#include "harness/git/git.h"

enum walk_word { WALK_GOOD, WALK_BAD, WALK_SKIP };

/* "good", "bad", "skip": the words of git bisect. */
const char *walk_word_name(enum walk_word w);

struct walk_mark {
	char commit[GIT_HASH_MAX];
	enum walk_word word;
};

/* One BAD is needed, and the last one counts. */
struct walk_marks {
	struct walk_mark *v; /* owned by whoever fills it */
	size_t n;
};

enum walk_kind {
	WALK_NEXT,  /* commit is to be looked at */
	WALK_FOUND, /* commit is the first bad one */
	WALK_STUCK, /* only skipped ones are left: any of list could be it */
};

struct walk {
	enum walk_kind kind;
	char commit[GIT_HASH_MAX];
	/* That may be the first bad one, the newest known bad one last; owned. */
	char (*list)[GIT_HASH_MAX];
	size_t n;
	int steps; /* about how many looks are left, this one included */
};

/* Fails with class usage when good is not an ancestor of bad, or the same commit. */
int walk_check(const char *repo, const char *good, const char *bad, struct err *e) must_check;

/* w is released by walk_release() whatever this returns. */
int walk_at(const char *repo, const struct walk_marks *m, struct walk *w, struct err *e) must_check;
void walk_release(struct walk *w); /* safe to call twice */

/* The choice alone, from what rev-list printed: "HASH (dist=N)" a line.  Pure. */
void walk_choose(struct walk *w, const char *text, const struct walk_marks *m);

#endif
