/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/job.h"

#include <stdio.h>

#include "harness/base/clock.h"
#include "harness/base/log.h"
#include "harness/quarantine.h"

enum { LAB_FAILURES_MAX = 2 };

static void job_over(struct job *j)
{
	j->phase = JOB_OVER;
	j->hold = NULL;
	j->done(j->arg, j);
}

static void job_on_given(void *arg)
{
	job_over(arg);
}

static void job_give(struct job *j)
{
	struct hold *h = j->hold;

	j->phase = JOB_GIVES;
	hold_tell(h, NULL, NULL);
	hold_end(h, job_on_given, j);
}

/* A machine that keeps failing is not taken by the next run. */
static void job_quarantine(struct job *j)
{
	const struct run_config *cfg = j->opts.cfg;
	struct err e = ERR_INIT;

	if (j->how.status != ERR_LAB || j->streak.failures < LAB_FAILURES_MAX)
		return;
	j->how.quarantined = !quarantine_put(
		cfg->state, cfg->info.target->name, j->who, j->how.err.msg, &e);
	if (!j->how.quarantined)
		log_line(LOG_WARN, cfg->info.target->name,
			"it should be in quarantine now, and is not: %s", e.msg);
}

static void job_on_run(void *arg, int status, const struct err *e)
{
	struct job *j = arg;

	j->run = NULL;
	j->how.status = status;
	j->how.err = *e;
	job_quarantine(j);
	job_give(j);
}

static void job_on_lost(void *arg, const struct err *e)
{
	struct job *j = arg;

	run_lose(j->run, e);
}

static int job_count_boot(void *arg, const struct boot_result *r, bool will_retry, struct err *e)
{
	struct job *j = arg;

	(void)e;
	j->how.boots_seen++;
	/* What may not boot at all says nothing of the machine when it hangs. */
	if (!(j->opts.cfg->trial && result_hung(r)))
		streak_add(&j->streak, r);
	/* The one that the error of the run is about: its first, if it has anything to show. */
	if (r->outcome != OUTCOME_OK && r->outcome != OUTCOME_INTERRUPTED && !will_retry &&
		!j->failed++ && r->console_len)
		j->how.failed_boot = j->how.boots_seen;
	return 0;
}

static int job_run(struct job *j, struct err *e)
{
	int rc;

	j->sinks[0] = store_sink_new(j->opts.db);
	j->sinks[1] = (struct run_sink){.boot = job_count_boot, .arg = j};
	j->sinks[2] = display_sink(j->opts.display);
	j->list = (struct sink_list){j->sinks, 3};
	j->all = sink_list_sink(&j->list);
	j->phase = JOB_RUNS;
	rc = run_start(&j->run, j->opts.loop, j->opts.cfg, &j->all, job_on_run, j, e);
	if (rc)
		return rc;
	j->how.ran = true;
	hold_tell(j->hold, job_on_lost, j);
	return 0;
}

/* We have the machine: clean up after a controller that was killed, and begin. */
static void job_on_held(void *arg, const struct err *failed)
{
	struct job *j = arg;
	struct run_config *cfg = j->opts.cfg;
	const char *name = cfg->info.target->name;
	struct err e = *failed;
	int dead = 0, rc = -(int)e.cls;

	/* The run's time is that with the machine. */
	cfg->start_mono_ns = clock_mono_ns();
	cfg->info.started_wall_ns = clock_wall_ns();
	if (!rc)
		rc = store_mark_dead(j->opts.db, name, &dead, &e);
	if (!rc && hold_dead(j->hold))
		log_line(LOG_WARN, name, "the last controller died without ending: %s",
			hold_dead(j->hold));
	/* It may have been put there while we waited. */
	if (!rc)
		rc = quarantine_check(cfg->state, name, &e);
	if (!rc)
		rc = job_run(j, &e);
	if (!rc)
		return;
	j->how.err = e;
	j->how.status = (int)e.cls;
	if (failed->cls)
		job_over(j);
	else
		job_give(j);
}

void job_start(struct job *j, const struct job_opts *opts, job_done_fn *done, void *arg)
{
	const struct run_config *cfg = opts->cfg;

	*j = (struct job){.opts = *opts, .done = done, .arg = arg};
	j->how.err = (struct err)ERR_INIT;
	snprintf(j->who, sizeof(j->who), "run %.8s", cfg->info.uuid);
	if (quarantine_check(cfg->state, cfg->info.target->name, &j->how.err)) {
		j->how.status = (int)j->how.err.cls;
		job_over(j);
		return;
	}
	j->opts.hold.state = cfg->state;
	j->opts.hold.target = cfg->info.target;
	j->opts.hold.run = cfg->info.uuid;
	j->opts.hold.who = j->who;
	j->hold = hold_start(opts->loop, &j->opts.hold, job_on_held, j);
}

void job_interrupt(struct job *j, const char *why)
{
	if ((j->phase == JOB_WAITS || j->phase == JOB_GIVES) && j->hold)
		hold_stop(j->hold, why);
	else if (j->phase == JOB_RUNS)
		run_interrupt(j->run, why);
}

struct hold *job_hold(struct job *j)
{
	return j->hold;
}
