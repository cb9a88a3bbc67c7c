/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/check_int.h"

#include <errno.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/base/child.h"
#include "harness/base/mem.h"
#include "harness/script.h"

void check_init(struct check *c, const struct target *t)
{
	*c = (struct check){.target = t};
}

void check_add(struct check *c, const char *name, enum check_status s, const char *hint,
	const char *fmt, ...)
{
	struct check_row *r;
	va_list ap;

	if (c->n == CHECK_ROWS_MAX)
		return;
	r = &c->rows[c->n++];
	r->name = name;
	r->status = s;
	snprintf(r->hint, sizeof(r->hint), "%s", hint ? hint : "");
	va_start(ap, fmt);
	vsnprintf(r->text, sizeof(r->text), fmt, ap);
	va_end(ap);
}

void check_drop(struct check *c, const char *name)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n; i++)
		if (strcmp(c->rows[i].name, name) != 0)
			c->rows[n++] = c->rows[i];
	c->n = n;
}

bool check_is(const struct check *c, const char *name, enum check_status s)
{
	for (size_t i = 0; i < c->n; i++)
		if (!strcmp(c->rows[i].name, name) && c->rows[i].status == s)
			return true;
	return false;
}

static void check_password_file(struct check *c, const char *file)
{
	struct stat st;
	char *hint;

	if (stat(file, &st)) {
		hint = mem_printf("write the password into it: install -m 600 /dev/stdin %s", file);
		check_add(c, "password", CHECK_FAIL, hint, "%s: %s", file, strerror(errno));
		free(hint);
	} else if (!S_ISREG(st.st_mode)) {
		check_add(c, "password", CHECK_FAIL, NULL, "%s is not a file", file);
	} else if (st.st_mode & 077) {
		hint = mem_printf("chmod 600 %s", file);
		check_add(c, "password", CHECK_FAIL, hint, "%s can be read by others", file);
		free(hint);
	} else if (access(file, R_OK)) {
		check_add(c, "password", CHECK_FAIL, NULL, "%s: %s", file, strerror(errno));
	} else {
		check_add(c, "password", CHECK_OK, NULL, "in %s", file);
	}
}

static void check_password(struct check *c)
{
	const char *from = c->target->bmc.password_from;

	switch (c->target->bmc.password_kind) {
	case SECRET_FILE:
		check_password_file(c, from);
		break;
	case SECRET_ENV:
		if (secret_is_set(from))
			check_add(c, "password", CHECK_OK, NULL, "in $%s", from);
		else
			check_add(c, "password", CHECK_WARN, "export it before a run",
				"$%s is not set", from);
		break;
	case SECRET_COMMAND:
		check_add(c, "password", CHECK_OK, NULL, "from a command, not run by this check");
		break;
	case SECRET_NONE:
		check_add(c, "password", CHECK_OK, NULL, "%s",
			c->target->lab.present ? "the running lab gives it" : "none is needed");
		break;
	}
}

static void check_command_line(struct check *c)
{
	const struct target *t = c->target;
	const struct script_probe probe = {.workload = t->measure.workload,
		.samples = t->measure.samples,
		.iterations = t->measure.iterations,
		.warmup = t->measure.warmup,
		.repeat = t->measure.repeat};
	struct err e = ERR_INIT;
	size_t length;

	if (script_check(t, NULL, &probe, &length, &e))
		check_add(c, "command line", CHECK_FAIL, "shorten [hypervisor] args", "%s", e.msg);
	else
		check_add(c, "command line", CHECK_OK, NULL, "%zu bytes, fits", length);
}

static void check_tools(struct check *c)
{
	static const char *const tools[] = {
		"ipmitool", "setpriv", "qemu-system-x86_64", "ipmi_sim"};
	size_t n = c->target->lab.present ? 4 : 2;
	struct buf have, missing;

	buf_init(&have, 200);
	buf_init(&missing, 200);
	for (size_t i = target_uses_bmc(c->target) ? 0 : 1; i < n; i++) {
		struct buf *to = child_on_path(tools[i]) ? &have : &missing;

		buf_addf(to, "%s%s", to->len ? ", " : "", tools[i]);
	}
	if (missing.len)
		check_add(c, "tools", CHECK_FAIL, "scripts/deps.sh run", "not installed: %s",
			missing.data);
	else
		check_add(c, "tools", CHECK_OK, NULL, "%s", have.data);
	buf_release(&have);
	buf_release(&missing);
}

/* The program of the driver `command`. */
static void check_program(struct check *c)
{
	const struct target *t = c->target;
	char *program = mem_printf("%.*s", (int)strcspn(t->bmc.command, " "), t->bmc.command);

	if (*program && child_on_path(program))
		check_add(c, "power command", CHECK_OK, NULL, "%s", program);
	else if (*program)
		check_add(c, "power command", CHECK_FAIL,
			"set [bmc] command to an executable: a path, or a name on PATH",
			"%s is no program that can be run", program);
	free(program);
}

static void check_settings(struct check *c)
{
	const struct target *t = c->target;

	if (!t->cpus)
		check_add(c, "CPUs", CHECK_WARN, "set [machine] cpus",
			"any number that comes online will be accepted");
	else if (t->lab.present && t->lab.cpus != t->cpus)
		check_add(c, "CPUs", CHECK_WARN, "make them equal, or every boot is CPU_MISMATCH",
			"[machine] expects %d, [lab] has %d", t->cpus, t->lab.cpus);
	else
		check_add(c, "CPUs", CHECK_OK, NULL, "%d must come online", t->cpus);

	if (!strcmp(t->bmc.driver, "ipmi") && t->firmware == FIRMWARE_UEFI &&
		!t->bmc.bootdev_raw[0] && !strstr(t->bmc.bootdev_options, "efiboot"))
		check_add(c, "boot device", CHECK_WARN, "set bootdev_options = efiboot",
			"the machine is UEFI, but a legacy network boot will be asked for");
	else
		check_add(c, "boot device", CHECK_OK, NULL, "%s network boot",
			t->firmware == FIRMWARE_UEFI ? "UEFI" : "BIOS");

	if (t->measure.boots < 3)
		check_add(c, "measurement", CHECK_WARN, "set [measure] boots = 3 or more",
			"%d boot%s a mode say nothing about the spread between boots",
			t->measure.boots, t->measure.boots == 1 ? "" : "s");
	else
		check_add(c, "measurement", CHECK_OK, NULL,
			"%s, %d boots a mode x %d samples x %d calls", t->measure.workload,
			t->measure.boots, t->measure.samples, t->measure.iterations);
}

void check_offline(struct check *c)
{
	check_add(c, "target file", CHECK_OK, NULL, "%s", c->target->file);
	check_settings(c);
	check_password(c);
	check_command_line(c);
	check_tools(c);
	check_program(c);
}

size_t check_count(const struct check *c, enum check_status s)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n; i++)
		n += c->rows[i].status == s;
	return n;
}

static const char *check_word(enum check_status s)
{
	static const char *const words[] = {"ok", "WARN", "FAIL", "skipped"};

	return words[s];
}

void check_rows(const struct check *c, struct buf *out)
{
	for (size_t i = 0; i < c->n; i++) {
		const struct check_row *r = &c->rows[i];

		buf_addf(out, "  %-17s %-8s %s\n", r->name, check_word(r->status), r->text);
		if (r->hint[0])
			buf_addf(out, "  %-17s %-8s %s\n", "", "", r->hint);
	}
}

void check_table(const struct check *c, const char *how, struct buf *out)
{
	size_t fails = check_count(c, CHECK_FAIL), warns = check_count(c, CHECK_WARN);

	check_rows(c, out);
	if (fails || warns)
		buf_addf(out, "%zu failure%s, %zu warning%s: ", fails, fails == 1 ? "" : "s", warns,
			warns == 1 ? "" : "s");
	buf_addf(out, "%s%s%s%s\n",
		fails					 ? "the machine is not ready"
		: warns || check_count(c, CHECK_SKIPPED) ? "nothing forbids a run"
							 : "the machine is ready",
		*how ? " (" : "", how, *how ? ")" : "");
}

void check_json(const struct check *c, struct buf *out)
{
	json_t *rows = json_array(), *o;
	char *text;

	for (size_t i = 0; i < c->n; i++) {
		const struct check_row *r = &c->rows[i];

		json_array_append_new(
			rows, json_pack("{s:s, s:s, s:s, s:s}", "check", r->name, "status",
				      check_word(r->status), "text", r->text, "hint", r->hint));
	}
	o = json_pack("{s:s, s:b, s:o}", "machine", c->target->name, "ready",
		!check_count(c, CHECK_FAIL), "checks", rows);
	text = o ? json_dumps(o, JSON_INDENT(2)) : NULL;
	if (text)
		buf_addf(out, "%s\n", text);
	free(text);
	json_decref(o);
}
