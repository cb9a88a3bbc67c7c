/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The images of commits, made by `harness build --rev COMMIT --aside` in the background.
 *
 * This program starts itself, so that a build goes on while this process waits for a machine on
 * another loop; the builds themselves wait for each other.  At most BUILDS_MAX run; each ends with
 * this process, also when that is killed, and after two hours.
 */
#ifndef HARNESS_BISECT_BUILDS_H
#define HARNESS_BISECT_BUILDS_H

#include <uv.h>

#include "harness/git/git.h"
#include "harness/result.h"

enum { BUILDS_MAX = 3 };

/* Texts are borrowed. */
struct builds_opts {
	uv_loop_t *loop;
	const char *state, *repo, *recipe, *mode;
	int jobs; /* 0: as harness build has it */
	bool allow_debug;
};

struct builds_image {
	bool made;
	char sha256[SHA256_HEX + 1]; /* when made */
	char why[384];		     /* else, in a line */
};

struct builds;

struct builds *builds_new(const struct builds_opts *o);

/* Ends what runs, and waits for that. */
void builds_free(struct builds *b);

/* What will be needed soon: those builds are started, others ended.  Returns at once. */
void builds_want(struct builds *b, const char *const *commits, size_t n);

/* Start this one too, if nobody has, and run the loop until it is over or *stop is not NULL (class
 * interrupted).  A commit that cannot be built is no error; what the state folder or git lacks is
 * (class lab and others, as of harness build).  A commit is built once in the life of b. */
int builds_get(struct builds *b, const char *commit, const char *const *stop,
	struct builds_image *out, struct err *e) must_check;

#endif
