/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the verbs of `harness machine` share. */
#ifndef HARNESS_CMD_MACHINE_H
#define HARNESS_CMD_MACHINE_H

#include <stdbool.h>

#include "harness/base/buf.h"
#include "harness/cmd.h"
#include "harness/cmd_hold.h"
#include "harness/visit.h"

struct machine_args {
	struct cmd_common common;
	struct cmd_hold hold;
	bool json, offline, boot, sol, keep_power;
	const char *verb, *name;
	const char *action; /* of power; NULL: status */
	const char *why;    /* of quarantine */
	const char *log;    /* of console */
	const char *tag;    /* of list; NULL: all */
};

/* A verb: its output goes to out.  0, or negative with *e filled. */
typedef int machine_verb_fn(const struct machine_args *a, struct buf *out, struct err *e);

machine_verb_fn machine_list, machine_show, machine_check; /* cmd_machine_look.c */
machine_verb_fn machine_power, machine_console;		   /* cmd_machine_drive.c */
machine_verb_fn machine_recover, machine_quarantine;	   /* cmd_machine_recover.c */

/* What a verb on one machine needs: its target file and the state folder. */
struct machine_of {
	struct target target;
	char *state;
};

int machine_of_open(struct machine_of *m, const struct machine_args *a, struct err *e) must_check;
void machine_of_close(struct machine_of *m);

/* Take the machine for a visit; what is said of a killed holder stays for a run, which cleans up.
 */
int machine_visit(struct visit *v, const struct machine_args *a, const struct machine_of *m,
	bool brief, struct err *e) must_check;

#endif
