/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Row "console". */
#include <stdio.h>
#include <string.h>

#include "harness/base/clock.h"
#include "harness/check_int.h"

int check_console(struct check *c, struct visit *v, struct err *e)
{
	const struct target *t = c->target;
	int64_t began = clock_mono_ns();
	struct err bad = ERR_INIT;
	char hint[128] = "", took[16];

	if (!strcmp(t->console.driver, "sol") && check_is(c, "BMC answers", CHECK_FAIL)) {
		check_add(c, "console", CHECK_SKIPPED, NULL, "needs the BMC");
	} else if (!strcmp(t->console.driver, "sol") && check_is(c, "credentials", CHECK_FAIL)) {
		check_add(c, "console", CHECK_SKIPPED, NULL, "needs the credentials");
	} else {
		session_console_polite(v->session);
		if (!visit_console_open(v, &bad)) {
			clock_human(clock_mono_ns() - began, took, sizeof(took));
			check_add(c, "console", CHECK_OK, NULL, "%s opens, %s", t->console.driver,
				took);
		} else if (!v->end.cls) {
			if (session_console_held(v->session))
				snprintf(hint, sizeof(hint),
					"end it: harness machine recover %s --sol", t->name);
			check_add(c, "console", CHECK_FAIL, hint, "%s", bad.msg);
		}
	}
	if (v->end.cls)
		*e = v->end;
	return -(int)v->end.cls;
}
