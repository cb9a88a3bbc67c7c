/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Machines that are not to be used until somebody has looked at them.
 *
 * STATE/quarantine/<machine> says since when, by whom and why, a line each.  A run puts a machine
 * there that failed for reasons of the lab again and again, a person by `harness machine
 * quarantine`; `harness machine recover` lifts it.
 */
#ifndef HARNESS_QUARANTINE_H
#define HARNESS_QUARANTINE_H

#include <stdbool.h>

#include "harness/base/err.h"

struct quarantine {
	bool on;
	char since[32]; /* UTC, as clock_iso() */
	char by[128];	/* "run 7f3a1b2c", "alice" */
	char why[512];	/* one line */
};

/* A file that cannot be read keeps the machine in quarantine, and the error says so. */
int quarantine_get(
	const char *state, const char *machine, struct quarantine *q, struct err *e) must_check;

/* Class lab, E_QUARANTINE, with what to do, when the machine is in quarantine. */
int quarantine_check(const char *state, const char *machine, struct err *e) must_check;

/* Put it there, from now on; a quarantine that is on already gets the new reason. */
int quarantine_put(const char *state, const char *machine, const char *by, const char *why,
	struct err *e) must_check;

/* Not there is success. */
int quarantine_lift(const char *state, const char *machine, struct err *e) must_check;

#endif
