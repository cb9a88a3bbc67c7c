/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A series in mail files -> commits on a base of the user's repository, in a checkout of ours.
 *
 * The checkout is STATE/patch/tree, held by a lock beside it for as long as it is worked on; the
 * user's repository is only read (git/checkout.h).
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

/* Released by patch_release(), also after a failure. */
struct patch {
	struct series series;
	struct apply apply;
	enum patch_base from;
};

/* Read, mend, apply.  Errors as series_add(), series_finish(), git_resolve() and apply_series()
 * have them; class busy, E_BUSY, when others have the checkout for 10 minutes. */
int patch_check(const struct patch_opts *o, struct patch *p, struct err *e) must_check;
void patch_release(struct patch *p);

#endif
