/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/ipmi_sol_who.h"

#include <stdio.h>

static bool who_any(const char *text)
{
	(void)text;
	return true;
}

static void who_on_session(void *arg, const char *text, const struct err *e)
{
	struct ipmi_sol_who *w = arg;
	char who[96] = "";

	if (!e->cls)
		ipmi_parse_session(text, who, sizeof(who));
	w->done(w->arg, who);
}

/* Get Payload Instance Info (IPMI 2.0, section 24.5) names the session that has the console. */
static void who_on_instance(void *arg, const char *text, const struct err *e)
{
	struct ipmi_sol_who *w = arg;
	unsigned long id = e->cls ? 0 : ipmi_parse_sol_holder(text);
	char command[48];

	if (!id) {
		w->done(w->arg, "");
		return;
	}
	snprintf(command, sizeof(command), "session info id 0x%08lx", id);
	ipmi_session_run(w->session, command, w->deadline_ms, who_any, who_on_session, w);
}

void ipmi_sol_who_ask(struct ipmi_sol_who *w)
{
	ipmi_session_run(
		w->session, "raw 0x06 0x4b 0x01 0x01", w->deadline_ms, who_any, who_on_instance, w);
}
