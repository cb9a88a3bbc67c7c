/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One run: a plan of boots on one machine, in order, each with its repetition where it failed.
 *
 * The run owns session, HTTP server and the boot that is under way; it ends with the machine in its
 * idle state, whatever happened.  Results go to a sink as they come.  The caller holds the
 * machine's lock.
 *
 * A boot that failed for a reason that can pass is tried again once (the target file's `retries`).
 * A mode that cannot be had on this machine (mode mismatch, CPU count, refused) is not booted again
 * in this run.  Two lab failures on end, or a BMC that cannot be reached or refuses the password,
 * end the run: what was measured stays.  In a run with builds a (build, mode) that hangs is given
 * up as one that cannot be had, and the others tell whether it was the build (run_hang.h).
 *
 * A run in two stages (info.until.width > 0) boots its pilot as any other run; then Stein's rule on
 * the boot means says how many boots a mode there are to be (run_pilot.h).  Each thing decided is
 * an event "until" of the run itself; when there is an answer, info.boots, total and until.wanted
 * change and the sink's replan is called, also when no boot is to come.
 */
#ifndef HARNESS_RUN_H
#define HARNESS_RUN_H

#include <uv.h>

#include "harness/netboot_pool.h"
#include "harness/sink.h"

struct run;

struct run_config {
	struct run_info
		info; /* modes, counts, seed, texts; `total`, `emulator`, `until.wanted` are
			 filled by us.  With until.width: boots = pilot, RUN_PILOT_MIN <= pilot
			 <= max */
	struct netboot_pool *netboots; /* where the run's HTTP server comes from */
	const char *state;	       /* state folder */
	bool allow_debug;	       /* take images built with debug=y */
	bool trial;	       /* images that hang are no reason to put the machine in quarantine */
	int64_t start_mono_ns; /* when the machine was ours: the run's time counts from here */
};

/* status: 0, or the class of the first place of the plan that has no good boot (of a build that
 * hangs while others do not: measurement, E_HANG), or of what ended the run.  e says why in one
 * line; class none when status is 0. */
typedef void run_done_fn(void *arg, int status, const struct err *e);

/* What can be said before anything is started: the workload, the command line, our address.  Fails
 * with class usage or image. */
int run_check(const struct run_config *cfg, struct err *e) must_check;

/* Open the machine's lines and begin.  cfg and what it points to, and the sink, are borrowed until
 * done().  Fails, with nothing left open and done() not called, when the machine's lines cannot be
 * made (secret, port in use, lab). */
int run_start(struct run **out, uv_loop_t *loop, struct run_config *cfg,
	const struct run_sink *sink, run_done_fn *done, void *arg, struct err *e) must_check;

/* End early: the boot under way is cut, the machine goes to its idle state, done() follows with
 * class interrupted. */
void run_interrupt(struct run *r, const char *why);

/* The machine is not ours any more: the boot under way is cut and our sessions are closed, but
 * nothing is switched, since somebody else may have it by now; done() follows with this error. */
void run_lose(struct run *r, const struct err *why);

#endif
