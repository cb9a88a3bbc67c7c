/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The first stage of a run in two: boot means as boots end, and what they say about the second.
 *
 * Stein's rule (stats/stein.h) on the boot means of the pilot: each mode against the reference,
 * which is the first mode that is not skipped; a run of one mode asks for the interval of its own
 * mean.  A mode takes part when it was not given up and RUN_PILOT_MIN boots of it are good.
 * In a run with builds: each mode of a build against that of the first build, or if the first build
 * has no such mode, against the first mode of its own build; when there is none of these pairs, the
 * rule is that of a run without builds.
 * No I/O.
 */
#ifndef HARNESS_RUN_PILOT_H
#define HARNESS_RUN_PILOT_H

#include <stdbool.h>
#include <stddef.h>

#include "harness/sink.h"

/* With fewer good boots of a mode their spread says nothing. */
enum { RUN_PILOT_MIN = 3 };

struct run_pilot_mode {
	double *means; /* n, ns: of the kept samples of each good boot; owned */
	size_t n;
	bool given_up;
};

struct run_pilot {
	const struct run_info *info;  /* borrowed */
	struct run_pilot_mode *modes; /* as info->modes; owned */
};

void run_pilot_init(struct run_pilot *p, const struct run_info *info);
void run_pilot_release(struct run_pilot *p); /* safe to call twice, and on zeroes */

/* Take what a boot has to say: nothing when it is not good, or has no kept samples. */
void run_pilot_add(struct run_pilot *p, const struct boot_result *b);

/* info->modes[mode] is not booted again in this run, and so takes no part. */
void run_pilot_give_up(struct run_pilot *p, size_t mode);

/* One line for a person: a mode that takes no part, or what was decided.  The decision is last. */
typedef void run_pilot_say_fn(void *arg, const char *line);

/* The pilot is over.  Returns the boots a mode that the rule asks for in all: info->until.pilot or
 * more, perhaps more than info->until.max; 0 when nothing is left to compare, or the boots say
 * nothing. */
int run_pilot_decide(const struct run_pilot *p, run_pilot_say_fn *say, void *arg);

#endif
