/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What `harness run` says when a machine's run has ended, and at the end of all. */
#ifndef HARNESS_CMD_RUN_END_H
#define HARNESS_CMD_RUN_END_H

#include "harness/cmd_run_set.h"

/* The report of a run in all forms that were asked for, then what failed and how to look.  Sets the
 * machine's status, err and id.  out takes what goes to standard output; NULL: it is written. */
void cmd_run_end_one(
	struct cmd_run_one *m, const struct cmd_run_args *a, struct store *db, struct buf *out);

/* A line a machine on standard error. */
void cmd_run_end_summary(const struct cmd_run_set *s);

/* The status of all: that of those that failed if they agree, else the first of bug, interrupted,
 * usage, lab, image, measurement, busy, regression that there is. */
int cmd_run_end_status(const struct cmd_run_set *s);

#endif
