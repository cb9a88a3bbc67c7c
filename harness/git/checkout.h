/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A commit of the user's repository as a folder of ours.
 *
 * The folder is the work tree of a repository of its own, which borrows the user's objects
 * (gitrepository-layout(5), objects/info/alternates) and so needs no room for history; commits made
 * in it stay in it.  The user's repository gets no worktree, ref or lock, also when we are killed:
 * nothing is ever written there.  (Of an object that a commit made here would write anew and that
 * is there already, git renews the time stamp, so that no gc takes it away; it knows no way not
 * to.)  It must stay where it is while the checkout is used.
 *
 * Whoever uses a folder holds a lock of their own on it: nothing here does.
 */
#ifndef HARNESS_GIT_CHECKOUT_H
#define HARNESS_GIT_CHECKOUT_H

#include "harness/git/git.h"

/* Make dir hold exactly the files of the commit (a full hash, git_resolve()), detached, without
 * anything that a build or a killed process left there.  A folder that was made for the same
 * repository is used again; any other, or one that is damaged, is made anew.  repo: in the user's
 * work tree, a linked work tree, or a bare repository. */
int checkout_make(const char *dir, const char *repo, const char *commit, struct err *e) must_check;

#endif
