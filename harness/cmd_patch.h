/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `harness patch`: read, mend, apply; build both sides; measure; put the report where it is wanted.
 *
 * What can be wrong with where the report goes to is found before anything is built, and what goes
 * wrong there in the end leaves the run as it is stored.
 */
#ifndef HARNESS_CMD_PATCH_H
#define HARNESS_CMD_PATCH_H

#include "harness/cmd_attach.h"
#include "harness/cmd_run_args.h"
#include "harness/patch.h"

/* Texts borrow from argv. */
struct cmd_patch_args {
	struct cmd_run_args run; /* its common options are those of all */
	struct cmd_attach_mail mail;
	struct patch_opts patch;
	const char *note; /* a revision of the user's repository, or NULL */
	char note_commit[GIT_HASH_MAX];
	int64_t jobs;
	bool check, attach, in_message;
	bool reply; /* to the series itself, unless mail.reply names a file */
};

/* Everything but --check.  Returns as a command does (cmd.h). */
int cmd_patch_measure(struct cmd_patch_args *a, struct err *e) must_check;

/* Is there anything to be done with the report? */
bool cmd_patch_attaches(const struct cmd_patch_args *a);

/* Once the series is read: is there a place for the report?  Fills in what a bare --reply means,
 * and the commit of --note.  Writes nothing. */
int cmd_patch_attach_check(
	struct cmd_patch_args *a, const struct series *s, struct err *e) must_check;

/* Put the report of a stored run where it is wanted.  What fails is told here, with the command
 * that does it again; returns 0 or the class. */
int cmd_patch_attach(
	const struct cmd_patch_args *a, const struct series *s, const char *uuid) must_check;

/* That the run ended badly, so that nothing was put anywhere. */
void cmd_patch_attach_not(const struct cmd_patch_args *a, const struct series *s, const char *uuid);

#endif
