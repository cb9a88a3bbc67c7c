/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <string.h>

#include "harness/base/clock.h"
#include "harness/check_int.h"
#include "harness/lab.h"

/* The BMC took the first command: read on, until the target's number of readings is there. */
static void online_readings(struct check *c, struct visit *v, struct power *p)
{
	enum power_state first = v->power;
	bool agree = first != POWER_UNKNOWN;
	struct err bad = ERR_INIT;
	struct buf words;

	buf_init(&words, 200);
	buf_adds(&words, power_state_name(first));
	for (int i = 1; i < c->target->bmc.readings && !bad.cls; i++) {
		if (visit_pause(v, c->target->bmc.reading_gap_ms, &bad) ||
			visit_power_read(v, p, &bad))
			break;
		agree = agree && v->power == first;
		buf_addf(&words, ", %s", power_state_name(v->power));
	}
	if (bad.cls)
		check_add(c, "power reading", CHECK_FAIL, NULL, "%s", bad.msg);
	else
		check_add(c, "power reading", agree ? CHECK_OK : CHECK_WARN,
			agree ? NULL : "raise [bmc] readings and reading_gap", "%s", words.data);
	buf_release(&words);
}

static void online_answers(struct check *c, struct visit *v, int64_t took_ns)
{
	const struct target *t = c->target;
	char took[16], where[300];

	clock_human(took_ns, took, sizeof(took));
	session_bmc(v->session, where, sizeof(where));
	if (!strcmp(t->bmc.driver, "ipmi"))
		check_add(c, "BMC answers", CHECK_OK, NULL, "ipmi %s, cipher %d, %s", where,
			t->bmc.cipher, took);
	else
		check_add(c, "BMC answers", CHECK_OK, NULL, "%s, %s", t->bmc.driver, took);
}

static void online_skip_bmc(struct check *c, const char *what)
{
	if (!strcmp(what, "BMC"))
		check_add(c, "credentials", CHECK_SKIPPED, NULL, "needs the BMC");
	check_add(c, "power reading", CHECK_SKIPPED, NULL, "needs the %s", what);
}

/* The first driver. */
static void online_ask(struct check *c, struct visit *v, struct power *p)
{
	const struct target *t = c->target;
	int64_t began = clock_mono_ns();
	struct err bad = ERR_INIT;

	if (visit_power_read(v, p, &bad) && strcmp(bad.code, "E_AUTH") != 0) {
		check_add(c, "BMC answers", CHECK_FAIL, NULL, "%s", bad.msg);
		online_skip_bmc(c, "BMC");
		return;
	}
	online_answers(c, v, clock_mono_ns() - began);
	if (bad.cls) {
		check_add(c, "credentials", CHECK_FAIL, NULL, "%s", bad.msg);
		online_skip_bmc(c, "credentials");
		return;
	}
	if (!strcmp(t->bmc.driver, "ipmi"))
		check_add(c, "credentials", CHECK_OK, NULL, "user %s, privilege %s", t->bmc.user,
			t->bmc.privilege);
	else
		check_add(c, "credentials", CHECK_OK, NULL, "%s%s",
			t->bmc.user[0] ? "user " : "none are configured", t->bmc.user);
	online_readings(c, v, p);
}

/* What comes after the first driver is asked too: it is of use only if it works that day. */
static void online_fallbacks(struct check *c, struct visit *v)
{
	char name[sizeof(c->target->bmc.driver)];

	for (size_t i = 0; power_fallback(c->target, i, name, sizeof(name)) && !v->end.cls; i++) {
		struct err bad = ERR_INIT;
		struct power *p = session_power_one(v->session, name, &bad);

		if (p && !visit_power_read(v, p, &bad))
			check_add(c, "power fallback", CHECK_OK, NULL, "%s reads %s", name,
				power_state_name(v->power));
		else
			check_add(c, "power fallback", CHECK_FAIL, NULL, "%s: %s", name, bad.msg);
		power_free(p);
	}
}

static int online_power(struct check *c, struct visit *v, struct err *e)
{
	struct err bad = ERR_INIT;
	struct power *p = session_power_one(v->session, c->target->bmc.driver, &bad);
	int rc = 0;

	if (p)
		online_ask(c, v, p);
	else
		check_add(c, "BMC answers", CHECK_FAIL, NULL, "%s", bad.msg);
	online_fallbacks(c, v);
	if (check_is(c, "power reading", CHECK_OK) || check_is(c, "power reading", CHECK_WARN))
		rc = check_boot_device(c, v, p, e);
	power_free(p);
	return rc;
}

/* What a boot needs, and has not got. */
static const char *online_lacks(const struct check *c)
{
	static const char *const rows[][2] = {{"BMC answers", "BMC"},
		{"credentials", "credentials"}, {"power reading", "power reading"},
		{"privilege", "privilege"}, {"boot device", "boot device"}, {"console", "console"},
		{"HTTP server", "HTTP server"}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (check_is(c, rows[i][0], CHECK_FAIL))
			return rows[i][1];
	return NULL;
}

static int online_netboot(struct check *c, struct visit *v, bool boot, struct err *e)
{
	char url[NETBOOT_URL_MAX], hint[160];
	struct netboot *n = NULL;
	const char *lacks;
	int rc = 0;

	check_server(c, v, &n, url);
	lacks = online_lacks(c);
	if (lacks) {
		check_add(c, "netboot", CHECK_SKIPPED, NULL, "needs the %s", lacks);
	} else if (!boot) {
		snprintf(hint, sizeof(hint), "harness machine check %s --boot", c->target->name);
		check_add(c, "netboot", CHECK_SKIPPED, hint, "it boots the machine");
	} else {
		rc = check_try(c, v, n, url, e);
	}
	netboot_free(n);
	return rc;
}

/* False: the machine cannot be asked, and the rows say so. */
static bool online_lines(struct check *c, struct visit *v, bool boot)
{
	const struct target *t = c->target;
	struct err bad = ERR_INIT;
	struct lab_info lab;
	char hint[128];

	if (t->lab.present && !boot && !lab_status(v->state, t->name, &lab, &bad) && !lab.running) {
		snprintf(hint, sizeof(hint), "a run starts it; so does harness lab up %s", t->name);
		check_add(c, "BMC answers", CHECK_SKIPPED, hint, "the lab is not running");
		return false;
	}
	if (!bad.cls && !visit_lines(v, boot, &bad))
		return true;
	if (!strcmp(bad.code, "E_SECRET")) {
		check_add(c, "BMC answers", CHECK_SKIPPED, NULL, "needs the password");
		check_add(c, "credentials", CHECK_FAIL, NULL, "%s", bad.msg);
	} else {
		check_add(c, "BMC answers", CHECK_FAIL, NULL, "%s", bad.msg);
		online_skip_bmc(c, "BMC");
	}
	return false;
}

int check_online(struct check *c, struct visit *v, bool boot, struct err *e)
{
	bool lines = online_lines(c, v, boot);
	int rc = lines ? online_power(c, v, e) : 0;

	if (!rc && lines)
		rc = check_console(c, v, e);
	else if (!rc)
		check_add(c, "console", CHECK_SKIPPED, NULL, "needs the BMC");
	if (!rc && v->end.cls) {
		*e = v->end;
		rc = -(int)e->cls;
	}
	return rc ? rc : online_netboot(c, v, boot && lines, e);
}
