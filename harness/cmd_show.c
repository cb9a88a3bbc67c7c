/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "db/store.h"
#include "harness/base/path.h"
#include "harness/base/str.h"
#include "harness/cmd.h"
#include "reports/json.h"
#include "reports/show.h"

enum { OPT_MACHINE = CMD_OPT_OWN, OPT_CONSOLE, OPT_SAMPLES, OPT_EVENTS, OPT_JSON };

enum { SHOW_MAX = 1 << 30 }; /* bytes of output */

struct cmd_show_args {
	struct cmd_common common;
	const char *run, *machine;
	int64_t console;
	bool samples, events, json;
};

static int cmd_show_parse(struct cmd_show_args *a, int argc, char **argv, struct err *e)
{
	static const struct option longs[] = {CMD_COMMON_LONG,
		{"machine", required_argument, NULL, OPT_MACHINE},
		{"console", required_argument, NULL, OPT_CONSOLE},
		{"samples", no_argument, NULL, OPT_SAMPLES},
		{"events", no_argument, NULL, OPT_EVENTS}, {"json", no_argument, NULL, OPT_JSON},
		{NULL, 0, NULL, 0}};
	int opt;

	while ((opt = getopt_long(argc, argv, ":" CMD_COMMON_SHORT, longs, NULL)) != -1) {
		if (opt == OPT_MACHINE)
			a->machine = optarg;
		else if (opt == OPT_SAMPLES)
			a->samples = true;
		else if (opt == OPT_EVENTS)
			a->events = true;
		else if (opt == OPT_JSON)
			a->json = true;
		else if (opt == OPT_CONSOLE && str_int(optarg, 1, 1000000, &a->console))
			return err_set(e, ERR_USAGE, NULL,
				"show: --console takes the number of a boot, from 1, not \"%s\"",
				optarg);
		else if (opt != OPT_CONSOLE && cmd_common_option(&a->common, opt, argv, e))
			return -ERR_USAGE;
	}
	a->run = optind < argc ? argv[optind++] : "last";
	if (optind < argc)
		return err_set(e, ERR_USAGE, NULL,
			"show: unexpected \"%s\"; try harness show --help", argv[optind]);
	return 0;
}

static int cmd_show_console(
	struct store *s, const char *uuid, int boot, struct buf *out, struct err *e)
{
	struct buf raw;
	int rc;

	if (!isatty(STDOUT_FILENO))
		return store_console(s, uuid, boot, out, e);
	buf_init(&raw, SHOW_MAX);
	rc = store_console(s, uuid, boot, &raw, e);
	if (!rc)
		report_console(out, raw.data, raw.len);
	buf_release(&raw);
	return rc;
}

static int cmd_show_event(void *arg, const struct store_event *ev)
{
	struct buf *out = arg;
	char boot[24] = "";

	if (ev->boot)
		snprintf(boot, sizeof(boot), "boot %d", ev->boot);
	buf_addf(out, "%10.3f s  %-9s %-16s ", (double)ev->mono_ns / 1e9, boot, ev->what);
	report_console(out, ev->detail, strlen(ev->detail));
	buf_addc(out, '\n');
	return 0;
}

static int cmd_show_event_json(void *arg, const struct store_event *ev)
{
	json_write_put(arg, NULL,
		json_pack("{s:i, s:I, s:o, s:o}", "boot", ev->boot, "mono_ns",
			(json_int_t)ev->mono_ns, "what", report_json_text(ev->what), "detail",
			report_json_text(ev->detail)));
	return 0;
}

static int cmd_show_as_json(struct store *s, const struct model *m, struct buf *out, struct err *e)
{
	struct json_write w;
	int rc;

	json_write_init(&w, out, 2);
	json_write_open(&w, NULL, '{');
	report_json(&w, m);
	json_write_open(&w, "events", '[');
	rc = store_events(s, m->uuid, cmd_show_event_json, &w, e);
	json_write_close(&w, ']');
	json_write_close(&w, '}');
	buf_addc(out, '\n');
	return rc;
}

static int cmd_show_run_facts(struct store *s, const struct cmd_show_args *a, const char *uuid,
	struct buf *out, struct err *e)
{
	struct model m;
	int rc = store_load(s, uuid, &m, e);

	if (rc)
		return rc;
	if (a->json) {
		rc = cmd_show_as_json(s, &m, out, e);
	} else {
		report_show(out, &m, a->samples);
		if (a->events) {
			buf_addc(out, '\n');
			rc = store_events(s, uuid, cmd_show_event, out, e);
		}
	}
	model_release(&m);
	return rc;
}

/* What becomes of standard output is looked at when the program ends. */
static int cmd_show_spill(void *arg, const char *p, size_t n)
{
	(void)arg;
	fwrite(p, 1, n, stdout);
	return 0;
}

static int cmd_show_run(int argc, char **argv, struct err *e)
{
	struct cmd_show_args a = {.console = 0};
	char *state = NULL, uuid[UUID_TEXT];
	struct store *s = NULL;
	struct buf out;
	int rc = cmd_show_parse(&a, argc, argv, e);

	if (rc)
		return rc;
	cmd_common_apply(&a.common);
	/* JSON is only added to, and may be long. */
	if (a.json && !a.console)
		buf_init_spill(&out, SHOW_MAX, cmd_show_spill, NULL);
	else
		buf_init(&out, SHOW_MAX);
	rc = path_state(a.common.state, &state, e);
	if (!rc)
		rc = store_open(&s, state, e);
	if (!rc)
		rc = store_find(s, a.run, a.machine, uuid, e);
	if (!rc && a.console)
		rc = cmd_show_console(s, uuid, (int)a.console, &out, e);
	else if (!rc)
		rc = cmd_show_run_facts(s, &a, uuid, &out, e);
	if (!rc && out.failed)
		rc = err_set(
			e, ERR_LAB, NULL, "run %.8s is more than %d bytes of text", uuid, SHOW_MAX);
	if (!rc)
		fwrite(out.data, 1, out.len, stdout);
	buf_release(&out);
	store_close(s);
	free(state);
	return rc;
}

const struct cmd cmd_show = {
	.name = "show",
	.run = cmd_show_run,
	.brief = "show a run boot by boot, or a boot's console",
	.usage =
		"show [RUN] [OPTIONS]\n\n"
		"Shows what a run was and how each of its boots went.  RUN is the first digits of\n"
		"its id, or last (the default).\n\n"
		"  --console BOOT   only the console log of this boot (numbers as show gives "
		"them)\n"
		"  --samples        also every timing\n"
		"  --events         also the run's log: fetches, power commands, remarks\n"
		"  --json           all of it as JSON, for programs\n"
		"  --machine NAME   last means the last run of this machine\n" CMD_COMMON_USAGE,
};
