/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One run of one machine, from its lock to its end, beside others on one loop.
 *
 * quarantine? -> hold -> runs of a dead controller marked -> quarantine? -> run -> quarantine if it
 * kept failing -> given back.  Nothing that happens to a machine reaches another job.
 */
#ifndef HARNESS_JOB_H
#define HARNESS_JOB_H

#include "db/store.h"
#include "harness/display.h"
#include "harness/hold.h"
#include "harness/run.h"
#include "harness/streak.h"

/* How it ended. */
struct job_how {
	int status;	 /* 0 or a class, as from run.h or of err */
	struct err err;	 /* why, in one line */
	bool ran;	 /* the store has a run of it */
	int boots_seen;	 /* boots that ended, also those repeated later */
	int failed_boot; /* the one that err is about, counted so, if it has a console; or 0 */
	bool quarantined;
};

struct job_opts {
	uv_loop_t *loop;
	struct store *db;
	struct display *display;
	struct run_config *cfg; /* its time of start is filled by us */
	struct hold_opts hold;	/* exec, wait_ms, renew_ms; the rest is filled by us */
};

struct job;
typedef void job_done_fn(void *arg, struct job *j);

/* Of what follows, only how is for others, after done(). */
struct job {
	struct job_how how;
	struct job_opts opts;
	job_done_fn *done;
	void *arg;
	enum { JOB_WAITS, JOB_RUNS, JOB_GIVES, JOB_OVER } phase;
	char who[32];
	struct hold *hold;
	struct run *run;
	struct run_sink sinks[3], all;
	struct sink_list list;
	struct streak streak;
	int failed;
};

/* opts is copied, what it points to borrowed until done(), which is called once, perhaps before
 * this returns. */
void job_start(struct job *j, const struct job_opts *opts, job_done_fn *done, void *arg);

/* End early, with class interrupted; done() follows.  why is a literal. */
void job_interrupt(struct job *j, const char *why);

/* The lock that it has, waits for or gives back, for hold_abandon(); or NULL. */
struct hold *job_hold(struct job *j);

#endif
