/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of apply share. */
#ifndef HARNESS_GIT_APPLY_INT_H
#define HARNESS_GIT_APPLY_INT_H

#include "harness/git/apply.h"

/* One patch as the one mail that git am gets: date replaces the mail's where it is not NULL. */
void apply_mail(const struct series_mail *m, const char *date, const char *text, struct buf *out);

/* Fill p's commit, tree, author and files, these with what the ids of the patch say, from the
 * checkout's HEAD.
 * *differs: files of which they say that they are others. */
int apply_prove(const char *dir, const struct diff *d, struct apply_patch *p, size_t *differs,
	struct err *e) must_check;

/* Why git am failed, in one line: "xen/a.c, hunk 2 (line 14)" from git's words and the patch. */
void apply_why(const struct git_result *r, const struct diff *d, char *out, size_t size);

#endif
