/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A series in mail files -> commits on a base of the user's repository, in a checkout of ours.
 *
 * The checkout is STATE/patch/tree, a repository of ours that borrows the objects of the user's,
 * which is only read (git/checkout.h).  A lock beside it is held until patch_unlock(): the commits
 * can be built from it for as long, and no other command puts another series there.
 */
#ifndef HARNESS_PATCH_H
#define HARNESS_PATCH_H

#include "harness/base/err.h"
#include "harness/git/apply.h"
#include "harness/mail/series.h"

enum patch_base {
	PATCH_BASE_GIVEN,
	PATCH_BASE_MAIL, /* the base-commit: line of the mails, which the repository has */
	PATCH_BASE_HEAD
};

struct patch_opts {
	const char *state;
	const char *source;	  /* in the user's repository */
	const char *base;	  /* a revision of it; NULL: of the mails, or else HEAD */
	const char *const *files; /* n_files; "-" is standard input */
	size_t n_files;
};

/* Starts as PATCH_INIT; released by patch_release(), also after a failure. */
struct patch {
	struct series series;
	struct apply apply;
	enum patch_base from;
	char *tree; /* the checkout */
	int lock;   /* -1: not held */
};

#define PATCH_INIT \
	{ \
		.lock = -1 \
	}

/* Read, mend, apply.  Errors as series_add(), series_finish(), git_resolve() and apply_series()
 * have them; class busy, E_BUSY, when others have the checkout for 2 hours: builds may take one. */
int patch_check(const struct patch_opts *o, struct patch *p, struct err *e) must_check;
void patch_unlock(struct patch *p); /* safe to call twice */
void patch_release(struct patch *p);

#endif
