/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Failures of the lab on end: does this machine keep failing?
 *
 * A good boot, or one that fails for another reason, ends them.  What a build does that hangs is
 * not the machine's: its hangs do not count when another build has booted well, unless a second
 * build hangs too with no good boot since.
 */
#ifndef HARNESS_STREAK_H
#define HARNESS_STREAK_H

#include <stdbool.h>

#include "harness/result.h"

/* Begins as zeroes. */
struct streak {
	int failures;		   /* on end */
	char good[BUILD_NAME_MAX]; /* the first build that booted well */
	bool several;		   /* others did, too */
	char hung[BUILD_NAME_MAX]; /* since the last good boot, the first that hung; "": none */
};

/* A boot has ended, also one that will be repeated. */
void streak_add(struct streak *s, const struct boot_result *r);

#endif
