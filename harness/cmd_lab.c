/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/buf.h"
#include "harness/base/mem.h"
#include "harness/base/path.h"
#include "harness/base/stop.h"
#include "harness/base/str.h"
#include "harness/cmd.h"
#include "harness/lab.h"
#include "harness/lock.h"
#include "reports/json.h"

enum { OPT_TRACE = CMD_OPT_OWN, OPT_JSON, OPT_FORCE, OPT_FILE, OPT_STAY };

struct cmd_lab_args {
	struct cmd_common common;
	bool trace, json, force;
	const char *file; /* of `serve`, as is stay */
	bool stay;
	const char *verb, *machine;
};

static int cmd_lab_parse(struct cmd_lab_args *a, int argc, char **argv, struct err *e)
{
	static const struct option longs[] = {CMD_COMMON_LONG,
		{"trace", no_argument, NULL, OPT_TRACE}, {"json", no_argument, NULL, OPT_JSON},
		{"force", no_argument, NULL, OPT_FORCE}, {"stay", no_argument, NULL, OPT_STAY},
		{"file", required_argument, NULL, OPT_FILE}, {NULL, 0, NULL, 0}};
	int opt;

	while ((opt = getopt_long(argc, argv, ":" CMD_COMMON_SHORT, longs, NULL)) != -1) {
		if (opt == OPT_TRACE)
			a->trace = true;
		else if (opt == OPT_JSON)
			a->json = true;
		else if (opt == OPT_FORCE)
			a->force = true;
		else if (opt == OPT_STAY)
			a->stay = true;
		else if (opt == OPT_FILE)
			a->file = optarg;
		else if (cmd_common_option(&a->common, opt, argv, e))
			return -ERR_USAGE;
	}
	if (optind >= argc || argc - optind > 2)
		return err_set(e, ERR_USAGE, NULL,
			"lab: say up, down or status, and a machine; try harness lab --help");
	a->verb = argv[optind];
	a->machine = optind + 1 < argc ? argv[optind + 1] : "vlab";
	if (!str_is_name(a->machine))
		return err_set(e, ERR_USAGE, NULL, "lab: \"%s\" is no machine's name", a->machine);
	return 0;
}

static void cmd_lab_print_json(const char *machine, const struct lab_info *i)
{
	json_t *o = json_pack("{s:s,s:b}", "machine", machine, "running", i->running);
	char *text;

	if (i->running)
		json_object_update_new(
			o, json_pack("{s:b,s:b,s:i,s:s,s:i,s:i,s:o,s:o,s:o,s:s,s:b,s:o}", "powered",
				   i->powered, "stays", i->stay, "pid", i->pid, "bmc_host",
				   "127.0.0.1", "bmc_port", i->bmc_port, "serial_port",
				   i->serial_port, "user", report_json_text(i->user),
				   "password_file", report_json_text(i->password_file), "folder",
				   report_json_text(i->dir), "emulator", i->qemu, "trace", i->trace,
				   "trace_file", report_json_text(i->trace_file)));
	text = json_dumps(o, JSON_INDENT(2) | JSON_PRESERVE_ORDER);
	puts(text ? text : "{}");
	free(text);
	json_decref(o);
}

static void cmd_lab_print(const char *machine, const struct lab_info *i)
{
	if (!i->running) {
		printf("%s  down\n", machine);
		return;
	}
	printf("%s  up, %s, power %s, %s, supervisor %d\n", machine, i->stay ? "stays" : "of a run",
		i->powered ? "on" : "off", i->qemu, i->pid);
	printf("  BMC      ipmitool -I lanplus -C 3 -H 127.0.0.1 -p %d -U %s -f %s chassis power "
	       "status\n",
		i->bmc_port, i->user, i->password_file);
	printf("  serial   127.0.0.1 port %d, TCP, every byte as it is\n", i->serial_port);
	printf("  logs     %s\n", i->dir);
	if (i->trace)
		printf("  trace    %s\n",
			i->trace_file[0] ? i->trace_file : "begins at the next power-on");
}

static int cmd_lab_up(
	const struct cmd_lab_args *a, const char *state, struct lab_info *info, struct err *e)
{
	struct target t = {.file = NULL};
	char holder[256];
	sigset_t before;
	int rc = target_find(&t, a->common.targets, a->machine, e);

	if (!rc && !t.lab.present)
		rc = err_set(e, ERR_USAGE, NULL,
			"%s is no virtual machine: %s has no [lab] section", a->machine, t.file);
	if (!rc)
		rc = lab_status(state, a->machine, info, e);
	if (!rc && info->running && a->trace && !info->trace)
		rc = err_set(e, ERR_BUSY, NULL,
			"the lab of %s runs without the trace: harness lab down %s, then up "
			"--trace",
			a->machine, a->machine);
	/* For good: main() ends with the status of an interruption. */
	stop_hold(&before);
	if (!rc)
		rc = lab_up(state, &t, true, a->trace, info, e);
	if (!rc && !info->stay) {
		lock_holder(state, a->machine, holder, sizeof(holder));
		rc = err_set(e, ERR_BUSY, "E_BUSY",
			"the lab of %s serves %s, and ends with it: try again then", a->machine,
			*holder ? holder : "a run");
	}
	target_release(&t);
	return rc;
}

/* A lab is not taken away from a run, and no run begins meanwhile.  The run itself comes another
 * way. */
static int cmd_lab_down(const struct cmd_lab_args *a, const char *state, struct err *e)
{
	char *holder = mem_printf("harness lab down (pid %d)", (int)getpid());
	struct lock lock = LOCK_INIT;
	int rc = 0;

	if (!a->force)
		rc = lock_acquire(&lock, state, a->machine, NULL, holder, e);
	if (rc == -ERR_BUSY)
		rc = err_set(e, ERR_BUSY, "E_BUSY", "%s is in use by %s; --force ends its lab",
			a->machine, *lock.former ? lock.former : "another controller");
	if (!rc)
		rc = lab_down(state, a->machine, a->force, LAB_DOWN_MS, e);
	lock_give_back(&lock);
	free(holder);
	return rc;
}

static int cmd_lab_serve(const struct cmd_lab_args *a, const char *state, struct err *e)
{
	struct target t = {.file = NULL};
	int rc;

	if (!a->file)
		return err_set(e, ERR_USAGE, NULL, "lab serve: --file is missing");
	rc = target_load(&t, a->file, e);
	if (!rc)
		rc = lab_serve(state, &t, a->stay, a->trace, e);
	target_release(&t);
	return rc;
}

static int cmd_lab_main(int argc, char **argv, struct err *e)
{
	struct cmd_lab_args a = {.machine = NULL};
	struct lab_info info = {.running = false};
	char *state = NULL;
	int rc;

	rc = cmd_lab_parse(&a, argc, argv, e);
	if (rc)
		return rc;
	cmd_common_apply(&a.common);
	rc = path_state(a.common.state, &state, e);
	if (rc)
		return rc;
	if (!strcmp(a.verb, "serve")) {
		rc = cmd_lab_serve(&a, state, e);
		goto out;
	}
	if (!strcmp(a.verb, "up"))
		rc = cmd_lab_up(&a, state, &info, e);
	else if (!strcmp(a.verb, "down"))
		rc = cmd_lab_down(&a, state, e);
	else if (!strcmp(a.verb, "status"))
		rc = lab_status(state, a.machine, &info, e);
	else
		rc = err_set(e, ERR_USAGE, NULL,
			"lab: unknown verb \"%s\"; there are up, down, status", a.verb);
	if (!rc && !a.common.quiet) {
		if (a.json)
			cmd_lab_print_json(a.machine, &info);
		else
			cmd_lab_print(a.machine, &info);
	}
out:
	free(state);
	return rc;
}

const struct cmd cmd_lab = {
	.name = "lab",
	.run = cmd_lab_main,
	.brief = "start, stop or look at a virtual machine's lab",
	.usage =
		"lab up|down|status [MACHINE] [OPTIONS]\n\n"
		"A virtual machine (vlab unless another is named) is QEMU behind a BMC simulator.\n"
		"A run starts and ends it by itself; `lab up` keeps it until `lab down`.\n\n"
		"  --force          down: also while a run uses it, or when it does not answer\n"
		"  --trace          up: QEMU writes its APIC register writes to a file a power-on\n"
		"  --json           print what runs as JSON\n" CMD_COMMON_USAGE,
};
