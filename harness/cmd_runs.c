/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "db/store.h"
#include "harness/base/clock.h"
#include "harness/base/path.h"
#include "harness/base/str.h"
#include "harness/cmd.h"
#include "harness/cmd_hold.h"
#include "reports/json.h"

enum { OPT_MACHINE = CMD_OPT_OWN, OPT_JSON };

struct cmd_runs_args {
	struct cmd_common common;
	const char *machine;
	int64_t limit;
	bool json;
};

static int cmd_runs_parse(struct cmd_runs_args *a, int argc, char **argv, struct err *e)
{
	static const struct option longs[] = {CMD_COMMON_LONG,
		{"machine", required_argument, NULL, OPT_MACHINE},
		{"json", no_argument, NULL, OPT_JSON}, {NULL, 0, NULL, 0}};
	int opt;

	while ((opt = getopt_long(argc, argv, ":n:" CMD_COMMON_SHORT, longs, NULL)) != -1) {
		if (opt == OPT_MACHINE)
			a->machine = optarg;
		else if (opt == OPT_JSON)
			a->json = true;
		else if (opt == 'n' && str_int(optarg, 1, 1000000, &a->limit))
			return err_set(e, ERR_USAGE, NULL,
				"runs: -n takes a number from 1 to 1000000, not \"%s\"", optarg);
		else if (opt != 'n' && cmd_common_option(&a->common, opt, argv, e))
			return -ERR_USAGE;
	}
	if (optind < argc)
		return err_set(e, ERR_USAGE, NULL,
			"runs: unexpected \"%s\"; try harness runs --help", argv[optind]);
	return 0;
}

/* What the lines go to. */
struct cmd_runs_list {
	const char *state;
	json_t *json;
	int n;
};

static bool cmd_runs_lives(const struct cmd_runs_list *list, const struct store_run_line *l)
{
	return !l->ended && cmd_hold_is_by(list->state, l->machine, l->uuid);
}

static int cmd_runs_text(void *arg, const struct store_run_line *l)
{
	struct cmd_runs_list *list = arg;
	char when[32], wall[32];

	if (!list->n++)
		printf("%-8s  %-20s  %-14s %-12s %-24s %9s  %-7s %s\n", "RUN", "STARTED", "MACHINE",
			"WORKLOAD", "MODES", "BOOTS OK", "TIME", "END");
	clock_iso(l->started_wall_ns, when, sizeof(when));
	clock_human(l->wall_ns, wall, sizeof(wall));
	printf("%-8s  %-20s  %-14s %-12s %-24s %4d/%-4d  %-7s %s\n", l->id, when, l->machine,
		l->workload, l->modes, l->boots_ok, l->boots_planned, l->ended ? wall : "-",
		cmd_runs_lives(list, l) ? "under way"
		: !l->ended		? "not ended, or killed"
		: l->end_err.cls	? l->end_err.msg
					: "done");
	return 0;
}

static int cmd_runs_json(void *arg, const struct store_run_line *l)
{
	struct cmd_runs_list *list = arg;
	json_t *o = json_pack("{s:o, s:o, s:o, s:o, s:o, s:I, s:I, s:i, s:i, s:i, s:b, s:b, s:o}",
		"uuid", report_json_text(l->uuid), "id", report_json_text(l->id), "machine",
		report_json_text(l->machine), "workload", report_json_text(l->workload), "modes",
		report_json_text(l->modes), "started_wall_ns", (json_int_t)l->started_wall_ns,
		"wall_ns", (json_int_t)l->wall_ns, "boots_ok", l->boots_ok, "boots_failed",
		l->boots_failed, "boots_planned", l->boots_planned, "ended", (int)l->ended,
		"under_way", (int)cmd_runs_lives(list, l), "error", report_json_err(&l->end_err));

	json_array_append_new(list->json, o);
	return 0;
}

static int cmd_runs_run(int argc, char **argv, struct err *e)
{
	struct cmd_runs_args a = {.limit = 20};
	struct cmd_runs_list list = {.n = 0};
	struct store *s = NULL;
	char *state = NULL;
	int rc = cmd_runs_parse(&a, argc, argv, e);

	if (rc)
		return rc;
	cmd_common_apply(&a.common);
	rc = path_state(a.common.state, &state, e);
	if (!rc)
		rc = store_open(&s, state, e);
	if (rc)
		goto out;
	list.state = state;
	list.json = json_array();
	rc = store_runs(
		s, a.machine, (int)a.limit, a.json ? cmd_runs_json : cmd_runs_text, &list, e);
	if (!rc && a.json) {
		json_dumpf(list.json, stdout, JSON_INDENT(2));
		putchar('\n');
	} else if (!rc && !list.n) {
		puts(a.machine ? "no runs of that machine"
			       : "no runs yet; start one with harness run --machine NAME");
	}
out:
	json_decref(list.json);
	store_close(s);
	free(state);
	return rc;
}

const struct cmd cmd_runs = {
	.name = "runs",
	.run = cmd_runs_run,
	.brief = "list the runs that are stored",
	.usage = "runs [OPTIONS]\n\n"
		 "Lists runs, the newest first: id, start (UTC), machine, workload, modes, boots\n"
		 "that count of those planned, time, and how it ended.\n\n"
		 "  --machine NAME   only of this machine\n"
		 "  -n N             N runs at most (default 20)\n"
		 "  --json           as JSON, for programs\n" CMD_COMMON_USAGE,
};
