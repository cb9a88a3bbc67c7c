/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command table: dispatch, `--help` and completion all come from it.
 *
 * A cmd_*.c file parses argv and calls a module; it holds no logic that another caller could want.
 * run() returns the exit status (0 or what DESIGN names); or a negative code with *e filled, and
 * main prints "harness: <message>" and exits with e->cls.  `--help` is handled by main.
 */
#ifndef HARNESS_CMD_H
#define HARNESS_CMD_H

#include <getopt.h>
#include <stddef.h>

#include "harness/base/err.h"

struct cmd {
	const char *name;
	int (*run)(int argc, char **argv, struct err *e); /* argv[0] is the command's name */
	const char *brief;				  /* one line, no full stop */
	const char *usage; /* "SYNOPSIS\n\nOPTIONS…", what --help prints after "usage: harness " */
};

extern const struct cmd cmd_attach, cmd_bisect, cmd_build, cmd_compare, cmd_lab, cmd_machine,
	cmd_netboot, cmd_patch, cmd_report, cmd_run, cmd_runs, cmd_show, cmd_stat;

/* Options that every command takes. */
struct cmd_common {
	const char *state;   /* --state DIR */
	const char *targets; /* --targets DIR */
	int verbose;	     /* -v, may be repeated: log level info, debug */
	int quiet;	     /* -q */
};

enum { CMD_OPT_STATE = 1000, CMD_OPT_TARGETS, CMD_OPT_OWN /* the command's own start here */ };

#define CMD_COMMON_SHORT "vq"
#define CMD_COMMON_LONG \
	{"state", required_argument, NULL, CMD_OPT_STATE}, \
		{"targets", required_argument, NULL, CMD_OPT_TARGETS}, \
		{"verbose", no_argument, NULL, 'v'}, \
	{ \
		"quiet", no_argument, NULL, 'q' \
	}

#define CMD_COMMON_USAGE \
	"  --state DIR      state folder (default $HARNESS_STATE or ~/.local/state/harness)\n" \
	"  --targets DIR    folder of target files\n" \
	"  -v, --verbose    say more; twice: everything\n" \
	"  -q, --quiet      say less\n"

/* Take one option that getopt_long() returned.  0: it was a common one; -1: it is not ours (an
 * unknown option fills *e with class usage; getopt's own messages are switched off by main). */
int cmd_common_option(struct cmd_common *c, int opt, char **argv, struct err *e);

/* Set the log level from -v and -q. */
void cmd_common_apply(const struct cmd_common *c);

#endif
