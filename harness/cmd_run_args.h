/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command line of `harness run`, both ways: what argv asks for, and the words that ask for the
 * same run again. */
#ifndef HARNESS_CMD_RUN_ARGS_H
#define HARNESS_CMD_RUN_ARGS_H

#include <stdbool.h>
#include <stdint.h>

#include "harness/base/buf.h"
#include "harness/cmd_hold.h"
#include "harness/cmd_render.h"
#include "harness/sink.h"

/* Names that an option may give several of, separated by commas or one a time; each once. */
struct cmd_run_names {
	char **v;
	size_t n;
};

enum { CMD_RUN_BUILDS_MAX = 4 };

/* --build NAME=IMAGE[,IMAGE…]: what is compared in one run, by stored images, one a mode. */
struct cmd_run_build {
	struct run_build build;
	struct cmd_run_names images;  /* first digits of a sha256 each, which knows its mode */
	struct cmd_run_names skipped; /* "mode: why" that this build cannot have */
};

/* 0, NULL and a warm-up of -1: as the target file says.  Texts borrow from argv. */
struct cmd_run_args {
	struct cmd_common common;
	struct cmd_render render;
	struct cmd_hold hold;
	struct cmd_run_names machines, tags;
	const char *modes, *workload, *recipe, *extra;
	const char *junit, *html; /* files to write the report to as well, or NULL; as of render,
				     "%m" in the names stands for the machine's */
	int64_t boots, samples, iterations, warmup, seed;
	double until;	   /* relative half width; 0: a run of one stage */
	int64_t max_boots; /* 0: the default */
	bool allow_debug;
	struct cmd_run_build *builds; /* n_builds; of --build; owned, as are their names */
	size_t n_builds;
	bool silent; /* no report, and no word of how it went but the progress */
};

#define CMD_RUN_ARGS \
	{ \
		.render = CMD_RENDER_INIT, .hold = CMD_HOLD_INIT, .modes = "all", .recipe = "xen", \
		.extra = "", .warmup = -1 \
	}

extern const char cmd_run_usage[];

/* Those of a list "NAME[,NAME…]" on top; option is its name in the error, of class usage. */
int cmd_run_names_add(struct cmd_run_names *names, const char *list, const char *option,
	struct err *e) must_check;

/* Fails with class usage. */
int cmd_run_args_parse(struct cmd_run_args *a, int argc, char **argv, struct err *e) must_check;
void cmd_run_args_release(struct cmd_run_args *a);

/* Can the reports of these machines be written where they are wanted?  Before hours of measuring,
 * not after them.  Takes the form from the file's name.  Fails with class usage. */
int cmd_run_args_files(
	struct cmd_run_args *a, const char *const *machines, size_t n, struct err *e) must_check;

/* The file of one machine; NULL for NULL.  The caller frees it. */
char *cmd_run_args_file(const char *file, const char *machine);

/* Does the form of the report suit a person at a terminal? */
bool cmd_run_args_person(const struct cmd_render *r);

/* Boots a mode, and the two stages of `--until`: i->boots and i->until.  Fails with class usage. */
int cmd_run_args_boots(const struct cmd_run_args *a, const struct target *t, struct run_info *i,
	struct err *e) must_check;

/* The command that repeats a run which has not begun yet. */
void cmd_run_args_again(struct buf *b, const struct run_info *i, const struct cmd_run_args *a);

#endif
