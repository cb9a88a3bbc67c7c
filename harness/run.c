/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/run.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/clock.h"
#include "harness/base/log.h"
#include "harness/base/mem.h"
#include "harness/base/stop.h"
#include "harness/boot.h"
#include "harness/netboot.h"
#include "harness/netboot_url.h"
#include "harness/plan.h"
#include "harness/run_hang.h"
#include "harness/run_pilot.h"
#include "harness/script.h"
#include "harness/session.h"

enum { PROBE_TIMINGS_MAX = 1024 }; /* firmware-images/PROTOCOL.md */

struct run {
	uv_loop_t *loop;
	struct run_config *cfg;
	const struct run_sink *sink;
	run_done_fn *done;
	void *arg;
	struct session *session;
	struct netboot *netboot;
	char base_url[NETBOOT_URL_MAX];
	struct plan plan;
	size_t next;	       /* place in the plan */
	int attempt, repeated; /* at this place; repetitions that counted among the retries */
	struct boot_left left; /* by the last boot */
	bool any, good;	       /* a boot has ended; the last one did so well */
	int *mode_index;       /* plan's mode -> info.modes */
	bool *given_up;	       /* by plan's mode */
	struct run_pilot pilot;
	struct run_hang hang;
	bool piloting; /* the first of two stages goes on */
	struct boot *boot;
	enum target_between from; /* how that one began */
	uv_timer_t cancel; /* ends the boot from the loop, never from within its own callbacks */
	bool touched;
	bool interrupted;
	bool lost;	  /* the machine is not ours any more */
	struct err end;	  /* what ended the run early */
	struct err first; /* the first place without a good boot … */
	bool first_hung;  /* … and it is that of the hang */
	struct run_totals totals;
};

static void run_next(struct run *r);

static int64_t run_now(const struct run *r)
{
	return clock_mono_ns() - r->cfg->start_mono_ns;
}

static void run_on_cancel(uv_timer_t *t)
{
	struct run *r = t->data;

	if (r->boot)
		boot_cancel(r->boot, &r->end);
}

/* A sink that fails (disk full) ends the run: measuring on without storing would lose it all. */
static void run_check_sink(struct run *r, int rc, const struct err *e)
{
	if (!rc || r->end.cls)
		return;
	r->end = *e;
	uv_timer_start(&r->cancel, run_on_cancel, 0, 0);
}

static void run_on_stage(void *arg, const struct boot_result *b, enum stage s)
{
	struct run *r = arg;
	struct err e = ERR_INIT;

	run_check_sink(r, r->sink->stage(r->sink->arg, b, s, &e), &e);
}

static void run_on_event(void *arg, int64_t mono_ns, const char *what, const char *detail)
{
	struct run *r = arg;
	struct err e = ERR_INIT;

	run_check_sink(r,
		r->sink->event(
			r->sink->arg, r->plan.n ? (int)r->next : 0, mono_ns, what, detail, &e),
		&e);
}

/* A line of the run's own log: what was decided about its second stage. */
static void run_say(void *arg, const char *line)
{
	struct run *r = arg;
	struct err e = ERR_INIT;

	run_check_sink(r, r->sink->event(r->sink->arg, -1, run_now(r), "until", line, &e), &e);
}

static void run_on_closed(uv_handle_t *h)
{
	struct run *r = h->data;
	struct err result = r->end.cls ? r->end : r->first;
	run_done_fn *done = r->done;
	void *arg = r->arg;

	free(r);
	done(arg, (int)result.cls, &result);
}

static void run_unserve(struct run *r)
{
	netboot_pool_put(r->cfg->netboots, r->netboot, r->cfg->info.target->mac);
	r->netboot = NULL;
}

static void run_release(struct run *r)
{
	session_free(r->session);
	run_unserve(r);
	plan_release(&r->plan);
	run_pilot_release(&r->pilot);
	run_hang_release(&r->hang);
	free(r->mode_index);
	free(r->given_up);
}

static void run_finish(void *arg, const struct err *close_err)
{
	struct run *r = arg;
	struct err e = ERR_INIT;

	if (close_err->cls)
		log_line(LOG_WARN, r->cfg->info.target->name, "%s", close_err->msg);
	if (close_err->cls && !r->end.cls)
		r->end = *close_err;
	r->totals.wall_ns = run_now(r);
	r->totals.err = r->end;
	if (r->sink->end(r->sink->arg, &r->totals, &e)) {
		if (!r->end.cls)
			r->end = e;
		else if (strcmp(e.msg, r->end.msg) != 0)
			log_line(LOG_WARN, r->cfg->info.target->name,
				"the end of the run is not stored: %s", e.msg);
	}
	if (r->first_hung)
		run_hang_tell(&r->hang, &r->first);
	run_release(r);
	uv_close((uv_handle_t *)&r->cancel, run_on_closed);
}

static void run_close(struct run *r)
{
	session_close(r->session, r->touched && !r->lost,
		r->cfg->info.target->deadline_ms[STAGE_DONE], run_finish, r);
}

static bool run_may_retry(const struct boot_result *b)
{
	switch (b->outcome) {
	case OUTCOME_LAB:
		return strcmp(b->err.code, "E_AUTH") != 0;
	case OUTCOME_WRONG_IMAGE:
	case OUTCOME_INCOMPLETE:
	case OUTCOME_CONFLICT:
	case OUTCOME_CRASH:
		return true;
	case OUTCOME_IMAGE:
		return !strcmp(b->err.code, "E_LOAD");
	default:
		return false;
	}
}

static void run_add_machine_time(struct run *r, const struct boot_result *b)
{
	for (int s = 0; s < STAGE_COUNT; s++)
		r->totals.machine_ns += s >= STAGE_FIRMWARE && s <= STAGE_PROBE
						? b->stages[s].ns
						: b->stages[s].settle_ns;
}

/* The boot under way is one of info.modes[…]. */
static size_t run_pair(const struct run *r)
{
	return (size_t)r->mode_index[r->plan.items[r->next].mode];
}

static void run_give_up(struct run *r, const struct boot_result *b, const char *why)
{
	char label[LABEL_MAX];

	result_label(b->build, b->mode, label);
	r->given_up[r->plan.items[r->next].mode] = true;
	if (r->piloting)
		run_pilot_give_up(&r->pilot, run_pair(r));
	log_line(LOG_WARN, r->cfg->info.target->name, "%s%s %s: its other boots are left out",
		*b->build ? "" : "mode ", label, why);
}

/* The last attempt at a place of the plan has failed. */
static void run_place_failed(struct run *r, const struct boot_result *b)
{
	bool hung = run_hang_takes(&r->hang, run_pair(r), b);
	struct err e;

	run_hang_boot_err(&r->hang, b, &e);
	if (!r->first.cls) {
		r->first = e;
		r->first_hung = hung;
	}
	switch (b->outcome) {
	case OUTCOME_MODE_MISMATCH:
	case OUTCOME_CPU_MISMATCH:
	case OUTCOME_REFUSED:
		run_give_up(r, b, "cannot be had here");
		break;
	case OUTCOME_LAB:
	case OUTCOME_IMAGE:
		if (hung)
			run_give_up(r, b, "hangs");
		else if (!r->end.cls)
			r->end = e;
		break;
	default:
		break;
	}
}

/* A machine that did not find its way from one boot to the next is turned off and on once more,
 * whatever the target says of retries. */
static bool run_lost_way(const struct run *r, const struct boot_result *b)
{
	return r->from != BETWEEN_CYCLE && b->outcome == OUTCOME_LAB && b->stage <= STAGE_FIRMWARE;
}

static void run_on_boot(void *arg, const struct boot_result *b, const struct boot_left *left)
{
	struct run *r = arg;
	bool lost = run_lost_way(r, b);
	bool again = b->outcome != OUTCOME_OK && !r->interrupted && !r->end.cls &&
		     (lost || (r->repeated < r->cfg->info.target->retries && run_may_retry(b)));
	struct err e = ERR_INIT;

	r->boot = NULL;
	r->touched = r->touched || left->touched;
	r->left = *left;
	r->any = true;
	r->good = b->outcome == OUTCOME_OK;
	run_add_machine_time(r, b);
	if (r->piloting)
		run_pilot_add(&r->pilot, b);
	if (r->good) {
		r->totals.ok++;
		run_hang_good(&r->hang, run_pair(r));
	} else if (!again) {
		r->totals.failed++;
	}
	run_check_sink(r, r->sink->boot(r->sink->arg, b, again, &e), &e);
	if (again && !r->end.cls) {
		r->attempt++;
		r->repeated += !lost;
	} else {
		if (b->outcome != OUTCOME_OK && b->outcome != OUTCOME_INTERRUPTED)
			run_place_failed(r, b);
		r->next++;
		r->attempt = r->repeated = 0;
	}
	run_next(r);
}

/* The pilot is over.  The longer plan begins with the one that has been booted. */
static void run_second_stage(struct run *r)
{
	struct run_info *i = &r->cfg->info;
	int wanted = run_pilot_decide(&r->pilot, run_say, r);
	int modes = (int)r->plan.n / i->boots;
	struct err e = ERR_INIT;

	r->piloting = false;
	if (!wanted || r->end.cls)
		return;
	i->until.wanted = wanted;
	i->boots = wanted < i->until.max ? wanted : i->until.max;
	plan_release(&r->plan);
	plan_init(&r->plan, modes, i->boots, (uint32_t)i->seed);
	i->total = (int)r->plan.n;
	run_check_sink(r, r->sink->replan(r->sink->arg, i, &e), &e);
}

/* Go to the next place of the plan that is to be booted; false: there is none. */
static bool run_find_place(struct run *r)
{
	for (;;) {
		while (r->next < r->plan.n && r->given_up[r->plan.items[r->next].mode])
			r->next++;
		if (r->end.cls)
			return false;
		if (r->next < r->plan.n)
			return true;
		if (!r->piloting)
			return false;
		run_second_stage(r);
	}
}

/* How the machine gets to the next boot, and if it is not as the target asks, why. */
static enum target_between run_between(const struct run *r, const char **why)
{
	enum target_between wanted = r->cfg->info.target->between_boots;

	*why = "";
	if (!r->any || wanted == BETWEEN_CYCLE)
		return BETWEEN_CYCLE;
	if (!r->good)
		*why = "the boot before it failed";
	else if (wanted == BETWEEN_RESTART && !r->left.armed_ns)
		*why = "the machine's restart was not prepared in time";
	return **why ? BETWEEN_CYCLE : wanted;
}

/* Is a boot known to follow the one at the next place? */
static bool run_goes_on(const struct run *r)
{
	for (size_t i = r->next + 1; i < r->plan.n; i++)
		if (!r->given_up[r->plan.items[i].mode])
			return true;
	return false;
}

static void run_next(struct run *r)
{
	static const struct boot_events events = {
		.stage = run_on_stage, .event = run_on_event, .done = run_on_boot};
	const struct run_info *i = &r->cfg->info;
	struct boot_spec spec;
	const struct run_mode *m;

	if (!run_find_place(r)) {
		run_close(r);
		return;
	}
	m = &i->modes[run_pair(r)];
	spec = (struct boot_spec){.index = (int)r->next,
		.block = r->plan.items[r->next].block,
		.attempt = r->attempt,
		.build = m->build,
		.mode = m->mode,
		.image = &m->image,
		.workload = i->workload,
		.samples = i->samples,
		.iterations = i->iterations,
		.warmup = i->warmup,
		.repeat = i->repeat,
		.extra_args = i->extra_args,
		.allow_debug = r->cfg->allow_debug,
		.run_start_ns = r->cfg->start_mono_ns,
		.armed_ns = r->left.armed_ns,
		.restarts = i->target->between_boots == BETWEEN_RESTART && run_goes_on(r)};
	r->from = spec.from = run_between(r, &spec.from_why);
	r->boot = boot_start(
		r->loop, r->session, r->netboot, r->base_url, i->target, &spec, &events, r);
}

static int run_plan(struct run *r, struct err *e)
{
	struct run_info *i = &r->cfg->info;
	int n = 0;

	r->mode_index = mem_array(i->n_modes, sizeof(*r->mode_index));
	r->given_up = mem_array(i->n_modes, sizeof(*r->given_up));
	for (size_t m = 0; m < i->n_modes; m++)
		if (!i->modes[m].skipped)
			r->mode_index[n++] = (int)m;
	if (!n)
		return err_set(e, ERR_IMAGE, "E_NOIMAGE", "no mode is left to boot: %s",
			i->n_modes ? i->modes[0].reason : "none was asked for");
	plan_init(&r->plan, n, i->boots, (uint32_t)i->seed);
	i->total = (int)r->plan.n;
	run_hang_init(&r->hang, i);
	r->piloting = i->until.width > 0;
	if (r->piloting)
		run_pilot_init(&r->pilot, i);
	return 0;
}

/* A command line that iPXE would not pass on is refused before anything is started. */
static int run_check_cmdline(const struct run_info *i, struct err *e)
{
	const struct script_probe probe = {.workload = i->workload,
		.samples = i->samples,
		.iterations = i->iterations,
		.warmup = i->warmup,
		.repeat = i->repeat};

	if (strcmp(i->workload, "flush-all") != 0)
		return err_set(
			e, ERR_USAGE, NULL, "no workload \"%s\"; there is flush-all", i->workload);
	if (i->samples + i->warmup > PROBE_TIMINGS_MAX)
		return err_set(e, ERR_USAGE, NULL,
			"%d samples and %d of warm-up: the probe has room for %d together",
			i->samples, i->warmup, PROBE_TIMINGS_MAX);
	return script_check(i->target, i->extra_args, &probe, NULL, e);
}

int run_check(const struct run_config *cfg, struct err *e)
{
	const struct target *t = cfg->info.target;
	char url[NETBOOT_URL_MAX];
	int rc = run_check_cmdline(&cfg->info, e);

	/* The port is only known when it listens; any will do to find out whether there is a way.
	 */
	return rc ? rc : netboot_url(t, 1, url, e);
}

int run_start(struct run **out, uv_loop_t *loop, struct run_config *cfg,
	const struct run_sink *sink, run_done_fn *done, void *arg, struct err *e)
{
	struct run *r = mem_alloc(sizeof(*r));
	const struct target *t = cfg->info.target;
	sigset_t before;
	int rc;

	stop_hold(&before); /* none of what follows runs the loop */
	r->loop = loop;
	r->cfg = cfg;
	r->sink = sink;
	r->done = done;
	r->arg = arg;
	r->end = r->first = r->totals.err = (struct err)ERR_INIT;
	rc = run_check_cmdline(&cfg->info, e);
	if (!rc)
		rc = run_plan(r, e);
	if (rc)
		goto fail;
	r->netboot = netboot_pool_get(cfg->netboots, t->netboot.listen, t->mac, e);
	if (!r->netboot) {
		rc = err_prefix(e, "%s", t->name);
		goto fail;
	}
	rc = netboot_url(t, netboot_port(r->netboot), r->base_url, e);
	if (rc)
		goto fail;
	rc = session_open(&r->session, loop, t, cfg->state, e);
	if (rc)
		goto fail;
	cfg->info.emulator = session_emulator(r->session);
	rc = session_set_netboot(r->session, netboot_port(r->netboot), e);
	if (rc)
		goto fail;
	rc = sink->begin(sink->arg, &cfg->info, e);
	if (rc)
		goto fail;
	*out = r;
	uv_timer_init(loop, &r->cancel);
	r->cancel.data = r;
	run_next(r);
	stop_release(&before);
	return 0;
fail:
	run_release(r);
	free(r);
	stop_release(&before);
	return rc;
}

void run_interrupt(struct run *r, const char *why)
{
	if (r->interrupted)
		return;
	r->interrupted = true;
	session_hurry(r->session);
	if (!r->end.cls)
		err_set(&r->end, ERR_INTERRUPTED, NULL, "%s: interrupted by %s",
			r->cfg->info.target->name, why);
	uv_timer_start(&r->cancel, run_on_cancel, 0, 0);
}

void run_lose(struct run *r, const struct err *why)
{
	r->lost = true;
	if (!r->end.cls)
		r->end = *why;
	uv_timer_start(&r->cancel, run_on_cancel, 0, 0);
}
