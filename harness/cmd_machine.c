/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/cmd_machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/path.h"
#include "harness/base/str.h"

enum { OUTPUT_MAX = 4 * 1024 * 1024 };

enum {
	OPT_JSON = CMD_OPT_OWN,
	OPT_OFFLINE,
	OPT_BOOT,
	OPT_WHY,
	OPT_LOG,
	OPT_SOL,
	OPT_KEEP_POWER,
	OPT_TAG
};

int machine_of_open(struct machine_of *m, const struct machine_args *a, struct err *e)
{
	int rc;

	*m = (struct machine_of){.state = NULL};
	rc = target_find(&m->target, a->common.targets, a->name, e);
	if (rc)
		return rc;
	rc = path_state(a->common.state, &m->state, e);
	if (rc)
		target_release(&m->target);
	return rc;
}

void machine_of_close(struct machine_of *m)
{
	free(m->state);
	target_release(&m->target);
}

int machine_visit(struct visit *v, const struct machine_args *a, const struct machine_of *m,
	bool brief, struct err *e)
{
	struct hold_opts o = {.state = m->state, .target = &m->target, .run = "", .brief = brief};
	char who[48];

	snprintf(who, sizeof(who), "harness machine %s", a->verb);
	o.who = who;
	cmd_hold_opts(&a->hold, &o);
	return visit_open(v, &o, e);
}

static int machine_option(struct machine_args *a, int opt, char **argv, struct err *e)
{
	switch (opt) {
	case OPT_JSON:
		a->json = true;
		return 0;
	case OPT_OFFLINE:
		a->offline = true;
		return 0;
	case OPT_BOOT:
		a->boot = true;
		return 0;
	case OPT_SOL:
		a->sol = true;
		return 0;
	case OPT_KEEP_POWER:
		a->keep_power = true;
		return 0;
	case OPT_WHY:
		a->why = optarg;
		return 0;
	case OPT_TAG:
		a->tag = optarg;
		return 0;
	case OPT_LOG:
		a->log = optarg;
		return 0;
	default:
		if (cmd_hold_is(opt))
			return cmd_hold_option(&a->hold, opt, argv, e);
		return cmd_common_option(&a->common, opt, argv, e) ? -(int)e->cls : 0;
	}
}

static int machine_parse(struct machine_args *a, int argc, char **argv, struct err *e)
{
	static const struct option options[] = {CMD_COMMON_LONG, CMD_HOLD_LONG,
		{"json", no_argument, NULL, OPT_JSON}, {"offline", no_argument, NULL, OPT_OFFLINE},
		{"boot", no_argument, NULL, OPT_BOOT}, {"why", required_argument, NULL, OPT_WHY},
		{"log", required_argument, NULL, OPT_LOG}, {"sol", no_argument, NULL, OPT_SOL},
		{"keep-power", no_argument, NULL, OPT_KEEP_POWER},
		{"tag", required_argument, NULL, OPT_TAG}, {NULL, 0, NULL, 0}};
	int opt, rc;

	while ((opt = getopt_long(argc, argv, ":" CMD_COMMON_SHORT, options, NULL)) != -1) {
		rc = machine_option(a, opt, argv, e);
		if (rc)
			return rc;
	}
	cmd_common_apply(&a->common);
	a->verb = optind < argc ? argv[optind++] : NULL;
	if (a->verb && strcmp(a->verb, "list") != 0 && optind < argc)
		a->name = argv[optind++];
	if (a->verb && !strcmp(a->verb, "power") && optind < argc)
		a->action = argv[optind++];
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
		machine_verb_fn *run;
	} verbs[] = {{"check", true, machine_check}, {"console", true, machine_console},
		{"list", false, machine_list}, {"power", true, machine_power},
		{"quarantine", true, machine_quarantine}, {"recover", true, machine_recover},
		{"show", true, machine_show}};
	enum { VERBS = sizeof(verbs) / sizeof(verbs[0]) };
	struct machine_args a = {.hold = CMD_HOLD_INIT};
	const char *names[VERBS], *near;
	struct buf out;
	int rc = machine_parse(&a, argc, argv, e);

	if (rc)
		return rc;
	if (!a.verb)
		return err_set(e, ERR_USAGE, NULL,
			"machine: say list, or what to do with which machine; try harness machine "
			"--help");
	for (size_t i = 0; i < VERBS; i++) {
		names[i] = verbs[i].name;
		if (strcmp(verbs[i].name, a.verb) != 0)
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
	near = str_nearest(a.verb, names, VERBS);
	return err_set(e, ERR_USAGE, NULL, "machine: no verb \"%.40s\"%s%s%s; try --help", a.verb,
		near ? " (did you mean \"" : "", near ? near : "", near ? "\"?)" : "");
}

const struct cmd cmd_machine = {
	"machine",
	machine_command,
	"the machines of the lab: list, check, switch, recover them",
	"machine list [--tag TAG] [--json]\n"
	"       harness machine show NAME [--json]\n"
	"       harness machine check NAME [--offline|--boot] [--json]\n"
	"       harness machine power NAME [status|on|off|cycle|reset] [--json]\n"
	"       harness machine console NAME [--log FILE]\n"
	"       harness machine recover NAME [--sol] [--keep-power] [--json]\n"
	"       harness machine quarantine NAME --why TEXT\n"
	"\n"
	"list names every machine, with who uses it, its quarantine and its last run.  show "
	"prints\n"
	"all settings with their defaults, and no secret.  check tries each part of the chain and\n"
	"says what to mend; the machine stays as it was, unless --boot.  power reads or switches,\n"
	"and verifies.  console is a terminal at the serial console, until ~. or the end of input. "
	" recover ends stale "
	"console\n"
	"sessions, brings the machine to its idle state, verifies, and lifts its quarantine.\n"
	"\n"
	"  --tag TAG        list: only machines with this tag\n"
	"  --offline        check: do not contact the machine\n"
	"  --boot           check: netboot the machine once, then leave it as idle says\n"
	"  --log FILE       console: append what it says to FILE, too\n"
	"  --sol            recover: the console only\n"
	"  --keep-power     recover: switch nothing\n"
	"  --why TEXT       quarantine: the reason, for whoever meets it\n"
	"  --json           print JSON\n" CMD_HOLD_USAGE CMD_COMMON_USAGE "\n"
	"Exit status: 0 in order, 2 usage or a bad target file, 3 lab, 6 in use, 130 "
	"interrupted.\n",
};
