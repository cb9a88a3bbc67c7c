/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A visit to a machine outside of a run: its lock, its lines, and a few steps one after another.
 *
 * Every step runs the loop until it is over.  A signal, or a lock that was lost, ends the step
 * under way and all later ones with that error.  Open, steps, close; nothing stays open on the BMC.
 */
#ifndef HARNESS_VISIT_H
#define HARNESS_VISIT_H

#include <stdbool.h>
#include <uv.h>

#include "harness/hold.h"
#include "harness/session.h"

struct visit {
	uv_loop_t loop;
	uv_timer_t timer; /* of visit_pause() */
	struct signals signals;
	struct hold *hold;
	struct session *session;
	const struct target *target;
	const char *state;
	bool over;
	bool touched;		/* switched: visit_close() leaves the machine as `idle` says */
	struct power *busy;	/* a step on power is under way */
	enum power_state power; /* of the last step on power */
	struct err step;
	struct err end; /* what ends the visit early */
};

/* Take the machine.  v stays where it is until visit_close(), which is called also after a failure.
 */
int visit_open(struct visit *v, const struct hold_opts *o, struct err *e) must_check;

/* Open its lines.  start_lab: a virtual machine whose lab does not run gets one for the visit;
 * otherwise that is an error. */
int visit_lines(struct visit *v, bool start_lab, struct err *e) must_check;

/* v->power is what was read; or the machine has reached what the action aims at. */
int visit_power_get(struct visit *v, struct err *e) must_check;
int visit_power_set(struct visit *v, enum power_action action, struct err *e) must_check;
/* Agreeing readings, as many as the target file wants. */
int visit_power_verify(
	struct visit *v, enum power_state want, int deadline_ms, struct err *e) must_check;

/* One reading by a driver of the caller's (session_power_one()); errors of these do not name the
 * machine. */
int visit_power_read(struct visit *v, struct power *p, struct err *e) must_check;

/* The boot override, by such a driver: network, read back; what it is, in p->boot; as it was.  As
 * it was is also tried once the visit has come to its end. */
int visit_boot_net(struct visit *v, struct power *p, struct err *e) must_check;
int visit_boot_get(struct visit *v, struct power *p, struct err *e) must_check;
int visit_boot_put(
	struct visit *v, struct power *p, const struct power_boot *was, struct err *e) must_check;

/* Run the loop for so long. */
int visit_pause(struct visit *v, int ms, struct err *e) must_check;

/* Make the console live, which ends a stale session first. */
int visit_console(struct visit *v, struct err *e) must_check;
/* The same without the machine's name in the error. */
int visit_console_open(struct visit *v, struct err *e) must_check;

/* Run the loop until visit_over(). */
int visit_wait(struct visit *v, struct err *e) must_check;
void visit_over(struct visit *v, const struct err *e);

/* Close what is open, give the machine back.  e tells what could not be closed. */
int visit_close(struct visit *v, struct err *e) must_check;

#endif
