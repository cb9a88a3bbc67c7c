/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options of commands that print a report, and where it goes. */
#ifndef HARNESS_CMD_RENDER_H
#define HARNESS_CMD_RENDER_H

#include "harness/base/buf.h"
#include "harness/cmd.h"
#include "reports/render.h"

struct cmd_render {
	enum render_format format;
	bool chosen;	  /* format was given */
	const char *file; /* -o; NULL: standard output */
	struct verdict_opts verdict;
};

#define CMD_RENDER_INIT \
	{ \
		.verdict = VERDICT_OPTS_INIT \
	}

enum { CMD_OPT_FORMAT = 1100, CMD_OPT_JSON, CMD_OPT_CONF, CMD_OPT_POWER, CMD_OPT_EFFECT };

#define CMD_RENDER_SHORT "o:"
#define CMD_RENDER_LONG \
	{"format", required_argument, NULL, CMD_OPT_FORMAT}, \
		{"json", no_argument, NULL, CMD_OPT_JSON}, \
		{"output", required_argument, NULL, 'o'}, \
		{"conf", required_argument, NULL, CMD_OPT_CONF}, \
		{"power", required_argument, NULL, CMD_OPT_POWER}, \
	{ \
		"effect", required_argument, NULL, CMD_OPT_EFFECT \
	}

#define CMD_RENDER_USAGE \
	"  --format FORM    " RENDER_NAMES "\n" \
	"  --json           the same as --format json\n" \
	"  -o, --output FILE\n" \
	"                   write to FILE, whole or not at all; without --format its end says\n" \
	"                   the form (" RENDER_ENDS ")\n" \
	"  --conf PERCENT   confidence of the verdicts (95)\n" \
	"  --power PERCENT  power of the difference that would have been seen (80)\n" \
	"  --effect PERCENT\n" \
	"                   a difference that matters: how many boots would find it (1)\n"

/* Take one option that getopt_long() returned, of these or of the common ones.  0, or negative with
 * *e filled, the command's name (argv[0]) in front. */
must_check int cmd_render_option(
	struct cmd_render *r, struct cmd_common *c, int opt, char **argv, struct err *e);

/* When all options are taken: the form that the file's name asks for, and whether the file can be
 * written. */
must_check int cmd_render_check(struct cmd_render *r, const char *cmd, struct err *e);

/* Make the report and write it to its file or to standard output. */
must_check int cmd_render_out(
	const struct cmd_render *r, const struct comparison *c, struct err *e);

/* Add to out what would go to standard output. */
must_check int cmd_render_add(
	const struct cmd_render *r, const struct comparison *c, struct buf *out, struct err *e);

/* The same into one file; text has no colour there. */
must_check int cmd_render_file(
	const char *file, enum render_format f, const struct comparison *c, struct err *e);

/* The options of the verdicts, where they are not the usual ones, for a command that makes the
 * report again. */
void cmd_render_again(struct buf *b, const struct cmd_render *r);

#endif
