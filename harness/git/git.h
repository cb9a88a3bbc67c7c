/* SPDX-License-Identifier: GPL-3.0-or-later */
/* git(1) as a child process, in two kinds of repository: the user's, which is only read, and ours.
 *
 * Nothing of the user's is ever written: not a ref, not the index (GIT_OPTIONAL_LOCKS), and no
 * maintenance is started.  Neither the user's configuration nor that of the system reaches a
 * repository of ours: hooks, signing, line ends and filters would make two people's trees differ.
 * Variables like GIT_DIR, which a hook or `git rebase --exec` leaves in the environment, count in
 * neither.
 *
 * Each call runs to its end or its deadline (5 minutes); SIGINT and SIGTERM end it with class
 * interrupted.
 */
#ifndef HARNESS_GIT_GIT_H
#define HARNESS_GIT_GIT_H

#include <stdbool.h>
#include <stddef.h>

#include "harness/base/buf.h"
#include "harness/base/err.h"

enum { GIT_HASH_MAX = 65 }; /* SHA-1 or SHA-256 as hex, and the end */

struct git {
	const char *dir; /* in its work tree, or its .git; borrowed */
	bool ours;
};

/* What ran.  Released by git_result_release(). */
struct git_result {
	int status; /* git's; 0 is success */
	struct buf out;
	struct buf err; /* its last 64 KiB at most */
};

/* Run `git ARGS…` (at most 24, NULL-terminated).  stdin_data may be NULL.  out_max: bytes of output
 * that are kept; more is an error.  A status other than 0 is the caller's to judge.  Fails with
 * E_GIT, class lab, when git cannot be started or does not end in time. */
int git_run(const struct git *g, const char *const *args, const char *stdin_data, size_t out_max,
	struct git_result *r, struct err *e) must_check;
void git_result_release(struct git_result *r);

/* The same where any failure is one: class and code are given, and the message is "WHAT: " and what
 * git said last.  out may be NULL, else the output is appended without its last newline. */
int git_do(const struct git *g, const char *const *args, const char *what, enum err_class cls,
	const char *code, struct buf *out, struct err *e) must_check;

/* The last line of what git said that says something, without "fatal: " or "error: "; "" when it
 * said nothing. */
void git_last_words(const struct git_result *r, char *out, size_t size);

/* The commit that a revision of the user's repository means ("v4.19", "HEAD~2", a hash); class
 * usage, E_REV, names repository and revision. */
int git_resolve(
	const char *repo, const char *rev, char commit[GIT_HASH_MAX], struct err *e) must_check;

#endif
