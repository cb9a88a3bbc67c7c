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
	const char *cmd; /* that this is the command line of, for messages */
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
	bool trial;  /* as in run.h */
	bool silent; /* no report, and no word of how it went but the progress */
};

#define CMD_RUN_ARGS \
	{ \
		.cmd = "run", .render = CMD_RENDER_INIT, .hold = CMD_HOLD_INIT, .modes = "all", \
		.recipe = "xen", .extra = "", .warmup = -1 \
	}

/* The options, for every command that measures. */
enum {
	CMD_OPT_MACHINE = 1400,
	CMD_OPT_TAG,
	CMD_OPT_MODES,
	CMD_OPT_BOOTS,
	CMD_OPT_SAMPLES,
	CMD_OPT_ITERATIONS,
	CMD_OPT_WARMUP,
	CMD_OPT_WORKLOAD,
	CMD_OPT_SEED,
	CMD_OPT_IMAGE,
	CMD_OPT_ARGS,
	CMD_OPT_ALLOW_DEBUG,
	CMD_OPT_UNTIL,
	CMD_OPT_MAX_BOOTS,
	CMD_OPT_JUNIT,
	CMD_OPT_HTML,
	CMD_OPT_BUILD, /* of harness run alone */
};

#define CMD_RUN_SHORT CMD_RENDER_SHORT CMD_COMMON_SHORT
#define CMD_RUN_LONG \
	CMD_COMMON_LONG, CMD_RENDER_LONG, CMD_HOLD_LONG, \
		{"machine", required_argument, NULL, CMD_OPT_MACHINE}, \
		{"tag", required_argument, NULL, CMD_OPT_TAG}, \
		{"modes", required_argument, NULL, CMD_OPT_MODES}, \
		{"boots", required_argument, NULL, CMD_OPT_BOOTS}, \
		{"samples", required_argument, NULL, CMD_OPT_SAMPLES}, \
		{"iterations", required_argument, NULL, CMD_OPT_ITERATIONS}, \
		{"warmup", required_argument, NULL, CMD_OPT_WARMUP}, \
		{"workload", required_argument, NULL, CMD_OPT_WORKLOAD}, \
		{"seed", required_argument, NULL, CMD_OPT_SEED}, \
		{"image", required_argument, NULL, CMD_OPT_IMAGE}, \
		{"args", required_argument, NULL, CMD_OPT_ARGS}, \
		{"until", required_argument, NULL, CMD_OPT_UNTIL}, \
		{"max-boots", required_argument, NULL, CMD_OPT_MAX_BOOTS}, \
		{"allow-debug", no_argument, NULL, CMD_OPT_ALLOW_DEBUG}, \
		{"junit", required_argument, NULL, CMD_OPT_JUNIT}, \
	{ \
		"html", required_argument, NULL, CMD_OPT_HTML \
	}

#define CMD_RUN_USAGE \
	"  --machine NAME[,NAME…]\n" \
	"                   the machine, or several at once (harness machine list)\n" \
	"  --tag TAG        all machines with this tag\n" \
	"  --modes LIST     all (default), or mixed,physical,cluster; the first is the " \
	"reference\n" \
	"  --boots N        boots of each mode\n" \
	"  --until WIDTH    after a pilot of --boots, go on until differences are known to\n" \
	"                   +-WIDTH of the reference (1%)\n" \
	"  --max-boots N    with --until: boots of each mode at most (30)\n" \
	"  --samples M      timings kept of each boot\n" \
	"  --iterations K   calls that one timing covers\n" \
	"  --warmup W       timings before those, stored but not compared\n" \
	"  --workload W     what the probe times (flush-all)\n" \
	"  --seed S         seed of the boots' order (1..4294967295; default: drawn)\n" \
	"  --image RECIPE   system under test (xen)\n" \
	"  --args TEXT      more arguments for the hypervisor's command line\n" \
	"  --allow-debug    take images that were built for debugging\n" \
	"  --junit FILE     write the report as JUnit XML, too\n" \
	"  --html FILE      write the report as HTML, too\n" \
	"                   (%m in a FILE: the machine's name; needed for several " \
	"machines)\n" CMD_HOLD_USAGE CMD_RENDER_USAGE CMD_COMMON_USAGE

extern const char cmd_run_usage[];

/* Take one option that getopt_long() returned, of these.  Fails with class usage. */
int cmd_run_args_option(struct cmd_run_args *a, int opt, char **argv, struct err *e) must_check;

/* When all are taken: do they fit together?  Fails with class usage. */
int cmd_run_args_check(const struct cmd_run_args *a, struct err *e) must_check;

/* Those of a list "NAME[,NAME…]" on top; option is its name in the error, of class usage. */
int cmd_run_names_add(struct cmd_run_names *names, const char *list, const char *option,
	struct err *e) must_check;

/* All of `harness run`.  Fails with class usage. */
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

/* Append one shell argument, in single quotes. */
void cmd_run_args_quote(struct buf *b, const char *s);

/* The command that repeats a run which has not begun yet. */
void cmd_run_args_again(struct buf *b, const struct run_info *i, const struct cmd_run_args *a);

#endif
