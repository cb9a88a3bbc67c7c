/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The patches of a series -> commits, by `git am` in a checkout of ours.
 *
 * The committer is fixed (git.h) and the author's date is the committer's, too: the same series on
 * the same base gives the same commit ids, whoever applies it and when.
 *
 * A patch is applied as it stands.  Where that fails, or gives a file with another blob id than the
 * patch's `index` line has, it is tried with what a mailer may have done to it undone (mend.h), by
 * a three-way merge (git am -3; the blobs must be there), and with white space not compared; the
 * first way that no blob id speaks against is taken.  An added line that was joined needs an id
 * that speaks for it (mends.h, mends_doubt).
 */
#ifndef HARNESS_GIT_APPLY_H
#define HARNESS_GIT_APPLY_H

#include "harness/git/git.h"
#include "harness/mail/series.h"

enum apply_proof {
	APPLY_PROVEN, /* the file is that of the author: the blob id of the index line is its own */
	APPLY_OTHER_BASE, /* the file was another one before the patch: its id can tell nothing */
	APPLY_NO_ID,	  /* the patch names no id for it, or one of fewer than 7 digits */
	APPLY_DIFFERS	  /* the file was the author's before, and is not after it */
};

struct apply_file {
	char path[DIFF_PATH_MAX];
	enum apply_proof proof;
};

struct apply_patch {
	char commit[GIT_HASH_MAX], tree[GIT_HASH_MAX];
	char author[256];   /* "Name <address>", of the commit */
	bool three_way;	    /* only a merge could apply it */
	struct mends mends; /* of the mail, in words */
	struct apply_file *files;
	size_t n_files, proven;
};

/* Released by apply_release(), also after a failure. */
struct apply {
	char base[GIT_HASH_MAX], head[GIT_HASH_MAX], tree[GIT_HASH_MAX];
	struct apply_patch *patches; /* as many as the series has */
	size_t n;
};

/* dir: what checkout_make() made of the commit base.  On success it stands at the last patch; on
 * failure it is as it was.  A patch that does not apply: class image, E_APPLY, with its number and
 * subject, the file and hunk, and what to do. */
int apply_series(const char *dir, const char *base, const struct series *s, struct apply *a,
	struct err *e) must_check;
void apply_release(struct apply *a);

/* "proven", "other base", … */
const char *apply_proof_name(enum apply_proof p);

#endif
