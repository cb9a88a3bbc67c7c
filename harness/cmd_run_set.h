/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What `harness run` is about to do: its machines, a run for each, and the images that they share.
 *
 * cmd_run_set_open() starts nothing and sends nothing: a mistake about any of the machines shows
 * here.
 */
#ifndef HARNESS_CMD_RUN_SET_H
#define HARNESS_CMD_RUN_SET_H

#include "harness/cmd_run_args.h"
#include "harness/job.h"
#include "harness/stats/settle.h"

enum { CMD_RUN_MODES_MAX = 16 };

struct cmd_run_modes {
	struct run_mode modes[CMD_RUN_MODES_MAX];
	size_t n;
	struct run_build builds[CMD_RUN_BUILDS_MAX];
	size_t n_builds;
};

struct cmd_run_all; /* cmd_run.c */

struct cmd_run_one {
	struct cmd_run_all *all;
	struct target target;
	struct run_config cfg;
	char keep_rule[SETTLE_RULE];
	struct buf again;
	struct job job;
	char id[UUID_TEXT]; /* of the run in the store, once it is known */
	int status;	    /* of all, its report included */
	struct err err;	    /* the reason, where status is not 0 */
};

struct cmd_run_set {
	struct cmd_run_one *machines;
	size_t n;
	struct cmd_run_modes modes[2]; /* by enum target_firmware */
	char *state;
	char host[128], user[64]; /* who runs it, and where */
};

/* s is released by cmd_run_set_close() also after a failure.  Takes the form of the report from its
 * file's name.  a is borrowed. */
int cmd_run_set_open(struct cmd_run_set *s, struct cmd_run_args *a, struct err *e) must_check;
void cmd_run_set_close(struct cmd_run_set *s);

/* The same mistakes where the images are still to be built: about machines, their number of boots,
 * and files to write to.  *machines: how many there are. */
int cmd_run_set_check(struct cmd_run_args *a, size_t *machines, struct err *e) must_check;

#endif
