/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Builds that hang: is it the build, or the machine?
 *
 * In a run with builds a (build, mode) whose boots hang is given up and the others go on; what they
 * do tells.  When another build of that mode boots, and does not hang in its turn, the machine is
 * fine and the build is not: that is a measurement.  When a second build hangs with no good boot
 * since, it is the lab, and the run ends as any other does.  No I/O.
 */
#ifndef HARNESS_RUN_HANG_H
#define HARNESS_RUN_HANG_H

#include <stdbool.h>
#include <stddef.h>

#include "harness/sink.h"

struct run_hang {
	const struct run_info *info; /* borrowed */
	struct run_hang_pair {
		bool good, hung;
	} * pairs;	   /* as info->modes; owned */
	const char *build; /* that has hung since the last good boot, or NULL (in info->modes) */
	size_t first;	   /* the pair that hung first, … */
	enum stage stage;  /* where it did, … */
	struct err err;	   /* and the boot's error; class none: none has */
};

void run_hang_init(struct run_hang *h, const struct run_info *info);
void run_hang_release(struct run_hang *h); /* safe to call twice, and on zeroes */

/* A boot of info->modes[pair] went well. */
void run_hang_good(struct run_hang *h, size_t pair);

/* Its last attempt at one place of the plan did not.  True: this is a hang of its build as far as
 * one can tell; give it up, and go on. */
bool run_hang_takes(struct run_hang *h, size_t pair, const struct boot_result *b);

/* The error of a boot as one of its run: in a run with builds it says of which. */
void run_hang_boot_err(const struct run_hang *h, const struct boot_result *b, struct err *e);

/* The run is over, and its first place without a good boot is that of h->err, which *e tells.
 * Was it the build?  Then *e becomes class measurement, E_HANG. */
void run_hang_tell(const struct run_hang *h, struct err *e);

#endif
