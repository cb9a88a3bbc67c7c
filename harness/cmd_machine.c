/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/path.h"
#include "harness/check.h"
#include "harness/cmd.h"
#include "targets/target.h"
#include "targets/target_show.h"

enum { OUTPUT_MAX = 4 * 1024 * 1024 };

enum { OPT_JSON = CMD_OPT_OWN, OPT_OFFLINE };

struct args {
	struct cmd_common common;
	bool json, offline;
	const char *verb, *name;
};

static void list_text(
	const char *name, const struct target *t, const struct err *e, struct buf *out)
{
	if (e->cls)
		buf_addf(out, "%-16s BROKEN   %s\n", name, e->msg);
	else
		buf_addf(out, "%-16s %-8s %s\n", name, t->lab.present ? "virtual" : "real",
			t->description[0] ? t->description : t->file);
}

static json_t *list_json(const char *name, const struct target *t, const struct err *e)
{
	if (e->cls)
		return json_pack("{s:s, s:s}", "name", name, "error", e->msg);
	return json_pack("{s:s, s:s, s:s, s:b}", "name", name, "file", t->file, "description",
		t->description, "virtual", t->lab.present);
}

static int machine_list(const struct args *a, struct buf *out, struct err *e)
{
	json_t *all = json_array();
	char **names = NULL, *text;
	size_t n = 0;
	int rc = target_names(a->common.targets, &names, &n, e);

	for (size_t i = 0; i < n; i++) {
		struct err bad = ERR_INIT;
		struct target t;

		/* A broken file is a line of the list, not the end of it. */
		if (!target_find(&t, a->common.targets, names[i], &bad))
			bad = (struct err)ERR_INIT;
		if (a->json)
			json_array_append_new(all, list_json(names[i], &t, &bad));
		else
			list_text(names[i], &t, &bad, out);
		if (!bad.cls)
			target_release(&t);
	}
	if (a->json && !rc) {
		text = json_dumps(all, JSON_INDENT(2));
		if (text)
			buf_addf(out, "%s\n", text);
		free(text);
	}
	target_names_free(names, n);
	json_decref(all);
	return rc;
}

static int machine_show(const struct args *a, struct buf *out, struct err *e)
{
	struct target t;
	int rc = target_find(&t, a->common.targets, a->name, e);

	if (rc)
		return rc;
	if (a->json)
		target_show_json(&t, out);
	else
		target_show_ini(&t, out);
	target_release(&t);
	return 0;
}

static int machine_check(const struct args *a, struct buf *out, struct err *e)
{
	char *state = NULL;
	struct target t;
	struct check c;
	int rc = target_find(&t, a->common.targets, a->name, e);

	if (rc)
		return rc;
	check_init(&c, &t);
	check_offline(&c);
	if (!a->offline) {
		rc = path_state(a->common.state, &state, e);
		if (rc)
			goto out;
		check_online(&c, state);
	}
	if (a->json)
		check_json(&c, out);
	else
		check_table(&c, a->offline ? "the machine itself was not asked" : "", out);
	rc = check_count(&c, CHECK_FAIL) ? ERR_LAB : 0;
out:
	free(state);
	target_release(&t);
	return rc;
}

static int machine_parse(struct args *a, int argc, char **argv, struct err *e)
{
	static const struct option options[] = {CMD_COMMON_LONG,
		{"json", no_argument, NULL, OPT_JSON}, {"offline", no_argument, NULL, OPT_OFFLINE},
		{NULL, 0, NULL, 0}};
	int opt;

	while ((opt = getopt_long(argc, argv, ":" CMD_COMMON_SHORT, options, NULL)) != -1)
		if (opt == OPT_JSON)
			a->json = true;
		else if (opt == OPT_OFFLINE)
			a->offline = true;
		else if (cmd_common_option(&a->common, opt, argv, e))
			return -(int)e->cls;
	cmd_common_apply(&a->common);
	a->verb = optind < argc ? argv[optind++] : NULL;
	if (a->verb && strcmp(a->verb, "list") && optind < argc)
		a->name = argv[optind++];
	if (optind < argc)
		return err_set(e, ERR_USAGE, NULL,
			"machine: unexpected \"%.60s\"; try harness machine --help", argv[optind]);
	return 0;
}

static int machine_command(int argc, char **argv, struct err *e)
{
	static const struct {
		const char *name;
		bool takes_name;
		int (*run)(const struct args *a, struct buf *out, struct err *e);
	} verbs[] = {{"check", true, machine_check}, {"list", false, machine_list},
		{"show", true, machine_show}};
	struct args a = {0};
	struct buf out;
	int rc = machine_parse(&a, argc, argv, e);

	if (rc)
		return rc;
	if (!a.verb)
		return err_set(e, ERR_USAGE, NULL, "machine: say list, show NAME or check NAME");
	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++) {
		if (strcmp(verbs[i].name, a.verb))
			continue;
		if (verbs[i].takes_name && !a.name)
			return err_set(e, ERR_USAGE, NULL,
				"machine %s: which one? harness machine list shows them", a.verb);
		buf_init(&out, OUTPUT_MAX);
		rc = verbs[i].run(&a, &out, e);
		fputs(out.data, stdout);
		buf_release(&out);
		return rc;
	}
	return err_set(e, ERR_USAGE, NULL,
		"machine: no verb \"%.40s\"; there are list, show and check", a.verb);
}

const struct cmd cmd_machine = {
	"machine",
	machine_command,
	"list, show and check the machines of the lab",
	"machine list [--json]\n"
	"       harness machine show NAME [--json]\n"
	"       harness machine check NAME [--offline] [--json]\n"
	"\n"
	"list names every target file that is found.  show prints all settings of a machine with\n"
	"their defaults, and no secret.  check tells whether the target file, the password and\n"
	"this controller's tools are in order, and whether the BMC answers; it switches nothing.\n"
	"\n"
	"  --offline        do not contact the machine\n"
	"  --json           print JSON\n" CMD_COMMON_USAGE "\n"
	"Exit status: 0 in order, 2 usage or a bad target file, 3 a check failed.\n",
};
