/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>

#include "db/store.h"
#include "harness/base/path.h"
#include "harness/cmd.h"
#include "reports/comparison.h"
#include "reports/text.h"

enum { OPT_MACHINE = CMD_OPT_OWN };

enum { REPORT_MAX = 64 << 20 }; /* bytes of a report */

struct cmd_report_args {
	struct cmd_common common;
	const char *run, *machine, *file;
};

static int cmd_report_parse(struct cmd_report_args *a, int argc, char **argv, struct err *e)
{
	static const struct option longs[] = {CMD_COMMON_LONG,
		{"machine", required_argument, NULL, OPT_MACHINE},
		{"output", required_argument, NULL, 'o'}, {NULL, 0, NULL, 0}};
	int opt;

	while ((opt = getopt_long(argc, argv, ":o:" CMD_COMMON_SHORT, longs, NULL)) != -1) {
		if (opt == OPT_MACHINE)
			a->machine = optarg;
		else if (opt == 'o')
			a->file = optarg;
		else if (cmd_common_option(&a->common, opt, argv, e))
			return -ERR_USAGE;
	}
	a->run = optind < argc ? argv[optind++] : "last";
	if (optind < argc)
		return err_set(e, ERR_USAGE, NULL,
			"report: unexpected \"%s\"; try harness report --help", argv[optind]);
	return 0;
}

static int cmd_report_run(int argc, char **argv, struct err *e)
{
	struct cmd_report_args a = {.run = NULL};
	char *state = NULL, uuid[UUID_TEXT];
	const struct verdict_opts verdicts = VERDICT_OPTS_INIT;
	const struct text_opts text = TEXT_OPTS_INIT;
	struct comparison c = {.n_sets = 0};
	struct store *s = NULL;
	struct model m;
	struct buf out;
	int rc = cmd_report_parse(&a, argc, argv, e);

	if (rc)
		return rc;
	cmd_common_apply(&a.common);
	model_init(&m);
	buf_init(&out, REPORT_MAX);
	rc = path_state(a.common.state, &state, e);
	if (!rc)
		rc = store_open(&s, state, e);
	if (!rc)
		rc = store_find(s, a.run, a.machine, uuid, e);
	if (!rc)
		rc = store_load(s, uuid, &m, e);
	if (!rc)
		rc = comparison_of_run(&c, &m, &verdicts, e);
	if (rc)
		goto out;
	report_text(&out, &c, &text);
	if (out.failed)
		rc = err_set(e, ERR_LAB, NULL, "the report of run %s is longer than %d bytes", m.id,
			REPORT_MAX);
	else if (a.file)
		rc = path_write(a.file, out.data, out.len, 0644, e);
	else
		fwrite(out.data, 1, out.len, stdout);
out:
	buf_release(&out);
	comparison_release(&c);
	model_release(&m);
	store_close(s);
	free(state);
	return rc;
}

const struct cmd cmd_report = {
	.name = "report",
	.run = cmd_report_run,
	.brief = "print the report of a run again",
	.usage = "report [RUN] [OPTIONS]\n\n"
		 "Makes the report from what is stored: the same run always gives the same bytes.\n"
		 "RUN is the first digits of its id, or last (the default).\n\n"
		 "  -o, --output FILE  write it to FILE, whole or not at all\n"
		 "  --machine NAME     last means the last run of this machine\n" CMD_COMMON_USAGE,
};
