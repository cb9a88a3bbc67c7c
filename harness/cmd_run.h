/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What `harness run` does, for commands that measure what they have built themselves. */
#ifndef HARNESS_CMD_RUN_H
#define HARNESS_CMD_RUN_H

#include "harness/cmd_run_args.h"
#include "harness/job.h"

/* Of a run on one machine. */
struct cmd_run_went {
	char uuid[UUID_TEXT]; /* "" when the store has no run of it */
	struct job_how how;
};

/* Hold the machines, boot, store, and unless a->silent say how it went and print the reports.  went
 * (may be NULL) is of the first machine, and filled as far as it came also after a failure.
 * Returns the exit status: 0, ERR_REGRESSION, or negative with *e filled where nothing has been
 * said of it yet, or a class whose error has been said.  a is released by the caller. */
int cmd_run_go(struct cmd_run_args *a, struct cmd_run_went *went, struct err *e) must_check;

#endif
