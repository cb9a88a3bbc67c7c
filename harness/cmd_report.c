/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>

#include "db/store.h"
#include "harness/base/path.h"
#include "harness/cmd_render.h"
#include "reports/comparison_json.h"

enum { OPT_MACHINE = CMD_OPT_OWN, OPT_SCHEMA };

struct cmd_report_args {
	struct cmd_common common;
	struct cmd_render render;
	const char *run, *machine;
	bool schema;
};

static int cmd_report_parse(struct cmd_report_args *a, int argc, char **argv, struct err *e)
{
	static const struct option longs[] = {CMD_COMMON_LONG, CMD_RENDER_LONG,
		{"machine", required_argument, NULL, OPT_MACHINE},
		{"schema", no_argument, NULL, OPT_SCHEMA}, {NULL, 0, NULL, 0}};
	int opt, rc = 0;

	while (!rc && (opt = getopt_long(argc, argv, ":" CMD_RENDER_SHORT CMD_COMMON_SHORT, longs,
			       NULL)) != -1) {
		if (opt == OPT_MACHINE)
			a->machine = optarg;
		else if (opt == OPT_SCHEMA)
			a->schema = true;
		else
			rc = cmd_render_option(&a->render, &a->common, opt, argv, e);
	}
	if (rc)
		return rc;
	a->run = optind < argc ? argv[optind++] : "last";
	if (optind < argc)
		return err_set(e, ERR_USAGE, NULL,
			"report: unexpected \"%s\"; try harness report --help", argv[optind]);
	return cmd_render_check(&a->render, "report", e);
}

static int cmd_report_run(int argc, char **argv, struct err *e)
{
	struct cmd_report_args a = {.render = CMD_RENDER_INIT};
	char *state = NULL, uuid[UUID_TEXT];
	struct comparison c = {.n_sets = 0};
	struct store *s = NULL;
	struct model m;
	int rc = cmd_report_parse(&a, argc, argv, e);

	if (rc)
		return rc;
	cmd_common_apply(&a.common);
	if (a.schema) {
		fputs(report_schema(), stdout);
		return 0;
	}
	model_init(&m);
	rc = path_state(a.common.state, &state, e);
	if (!rc)
		rc = store_open(&s, state, e);
	if (!rc)
		rc = store_find(s, a.run, a.machine, uuid, e);
	if (!rc)
		rc = store_load(s, uuid, &m, e);
	if (!rc)
		rc = comparison_of_run(&c, &m, &a.render.verdict, e);
	if (!rc)
		rc = cmd_render_out(&a.render, &c, e);
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
		 "  --machine NAME   last means the last run of this machine\n"
		 "  --schema         print the JSON Schema of --json instead\n" CMD_RENDER_USAGE
			 CMD_COMMON_USAGE,
};
