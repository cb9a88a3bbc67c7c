/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whose console session a BMC has: not every BMC tells, and none tells since when. */
#ifndef HARNESS_IPMI_SOL_WHO_H
#define HARNESS_IPMI_SOL_WHO_H

#include "harness/ipmi_session.h"

/* In the caller's memory until done() or the session's end. */
struct ipmi_sol_who {
	struct ipmi_session *session; /* borrowed */
	int deadline_ms;	      /* of each command */
	/* who: "10.0.0.7, user 3", "" when it cannot be told; borrowed until it returns. */
	void (*done)(void *arg, const char *who);
	void *arg;
};

/* done() is called once, unless the session is cancelled or freed first. */
void ipmi_sol_who_ask(struct ipmi_sol_who *w);

#endif
