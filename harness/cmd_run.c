/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>
#include <uv.h>

#include "db/store.h"
#include "firmware-images/image.h"
#include "harness/base/clock.h"
#include "harness/base/log.h"
#include "harness/base/mem.h"
#include "harness/base/path.h"
#include "harness/base/str.h"
#include "harness/cmd_run_args.h"
#include "harness/display.h"
#include "harness/hold.h"
#include "harness/quarantine.h"
#include "harness/run.h"
#include "harness/stats/settle.h"
#include "harness/version.h"

enum { MODES_MAX = 16, LAB_FAILURES_MAX = 2 };

struct cmd_run_state {
	struct run *run;
	bool uefi;
	struct run_mode modes[MODES_MAX];
	size_t n_modes;
	int lab_failures; /* on end */
	bool quarantined;
	int boots_seen, failed, failed_boot; /* as `harness show --console` counts them */
	int status;
	struct err err;
	uv_loop_t loop;
	struct signals signals;
	struct hold *hold;
};

static int cmd_run_add_mode(struct cmd_run_state *s, const struct cmd_run_args *a,
	const char *state, const char *mode, struct err *e)
{
	struct run_mode *m = &s->modes[s->n_modes];
	struct image_ref ref;
	int rc;

	rc = image_ref_get(state, a->recipe, mode, &ref, e);
	if (rc)
		return rc;
	snprintf(m->mode, sizeof(m->mode), "%s", mode);
	m->skipped = ref.skipped;
	snprintf(m->reason, sizeof(m->reason), "%s", ref.reason);
	s->n_modes++;
	if (ref.skipped)
		return 0;
	rc = image_open(&m->image, state, ref.sha256, e);
	if (!rc)
		rc = image_verify(&m->image, e);
	if (!rc && s->uefi)
		rc = image_for_uefi(&m->image, e);
	if (!rc && m->image.debug && !a->allow_debug)
		rc = err_set(e, ERR_IMAGE, "E_DEBUG",
			"the %s image of mode %s is a debug build, whose times say little: build "
			"without debug=y, or give --allow-debug",
			a->recipe, mode);
	return rc;
}

static int cmd_run_modes(
	struct cmd_run_state *s, const struct cmd_run_args *a, const char *state, struct err *e)
{
	const char *names[MODES_MAX];
	size_t n = MODES_MAX;
	int rc = image_modes_parse(a->recipe, a->modes, names, &n, e);

	for (size_t i = 0; i < n && !rc; i++)
		rc = cmd_run_add_mode(s, a, state, names[i], e);
	return rc;
}

/* Version 4, from the kernel's generator. */
static void cmd_run_uuid(char out[UUID_TEXT])
{
	char h[33];

	str_random_hex(16, h);
	snprintf(out, UUID_TEXT, "%.8s-%.4s-4%.3s-a%.3s-%.12s", h, h + 8, h + 13, h + 17, h + 20);
}

static uint64_t cmd_run_seed(void)
{
	uint32_t v;

	while (getrandom(&v, sizeof(v), 0) != sizeof(v))
		;
	return v % 99999 + 1;
}

static void cmd_run_on_done(void *arg, int status, const struct err *e)
{
	struct cmd_run_state *s = arg;

	s->status = status;
	s->err = *e;
	s->run = NULL;
	signals_tell(&s->signals, NULL, NULL);
	hold_tell(s->hold, NULL, NULL);
}

static void cmd_run_on_signal(void *arg, const char *why)
{
	run_interrupt(arg, why);
}

static void cmd_run_on_lost(void *arg, const struct err *e)
{
	run_lose(arg, e);
}

static void cmd_run_leaving(void *arg)
{
	struct cmd_run_state *s = arg;

	hold_abandon(s->hold);
}

static int cmd_run_count_boot(
	void *arg, const struct boot_result *r, bool will_retry, struct err *e)
{
	struct cmd_run_state *s = arg;

	(void)e;
	s->boots_seen++;
	/* A wrong password says nothing of the machine. */
	if (r->outcome == OUTCOME_LAB && strcmp(r->err.code, "E_AUTH") != 0)
		s->lab_failures++;
	else if (r->outcome != OUTCOME_INTERRUPTED)
		s->lab_failures = 0;
	/* The one that the error of the run is about: its first, if it has anything to show. */
	if (r->outcome != OUTCOME_OK && r->outcome != OUTCOME_INTERRUPTED && !will_retry &&
		!s->failed++ && r->console_len)
		s->failed_boot = s->boots_seen;
	return 0;
}

static void cmd_run_say_failure(const struct cmd_run_state *s, const char *id, const char *machine)
{
	log_fatal("%s%s%s%s", s->err.msg, *s->err.code ? " (" : "", s->err.code,
		*s->err.code ? ")" : "");
	if (s->failed_boot)
		fprintf(stderr, "         console: harness show %s --console %d\n", id,
			s->failed_boot);
	else
		fprintf(stderr, "         what was measured is kept: harness show %s\n", id);
	if (s->quarantined)
		fprintf(stderr,
			"         the machine is in quarantine now; when it is mended: harness "
			"machine recover %s\n",
			machine);
}

/* A machine that keeps failing is not taken by the next run. */
static int cmd_run_quarantine(struct cmd_run_state *s, const struct run_config *cfg, struct err *e)
{
	char by[32];

	if (s->status != ERR_LAB || s->lab_failures < LAB_FAILURES_MAX)
		return 0;
	snprintf(by, sizeof(by), "run %.8s", cfg->info.uuid);
	s->quarantined = true;
	return quarantine_put(cfg->state, cfg->info.target->name, by, s->err.msg, e);
}

/* A person who pressed Ctrl-C wants no pages of report; a program reads how it ended. */
static bool cmd_run_wants(const struct cmd_run_state *s, const struct cmd_render *r)
{
	bool person = !r->file && (r->format == RENDER_TEXT || r->format == RENDER_MAIL);

	return !person || (s->status != ERR_INTERRUPTED && s->boots_seen);
}

/* The report in all forms that were asked for; the first one that fails ends it. */
static int cmd_run_report(const struct cmd_run_args *a, struct store *db, const char *uuid,
	struct cmd_run_state *s, struct err *e)
{
	struct comparison c = {.n_sets = 0};
	struct model m;
	int rc = store_load(db, uuid, &m, e);

	if (rc)
		return rc;
	rc = comparison_of_run(&c, &m, &a->render.verdict, e);
	if (!rc && cmd_run_wants(s, &a->render))
		rc = cmd_render_out(&a->render, &c, e);
	if (!rc && a->junit)
		rc = cmd_render_file(a->junit, RENDER_JUNIT, &c, e);
	if (!rc && a->html)
		rc = cmd_render_file(a->html, RENDER_HTML, &c, e);
	fflush(stdout);
	if (s->status)
		cmd_run_say_failure(s, m.id, a->machine);
	comparison_release(&c);
	model_release(&m);
	return rc;
}

static int cmd_run_execute(struct cmd_run_state *s, struct run_config *cfg, struct store *db,
	bool quiet, struct err *e)
{
	struct display *d = display_new(&s->loop, quiet);
	struct run_sink sinks[3], all;
	struct sink_list list = {sinks, 3};
	int rc;

	sinks[0] = store_sink(db);
	sinks[1] = (struct run_sink){.boot = cmd_run_count_boot, .arg = s};
	sinks[2] = display_sink(d);
	all = sink_list_sink(&list);
	rc = run_start(&s->run, &s->loop, cfg, &all, cmd_run_on_done, s, e);
	if (!rc) {
		hold_tell(s->hold, cmd_run_on_lost, s->run);
		signals_tell(&s->signals, cmd_run_on_signal, s->run);
	}
	while (!rc && s->run)
		uv_run(&s->loop, UV_RUN_ONCE);
	display_free(d);
	return rc;
}

/* Wait for the machine, clean up after a controller that was killed, run, give it back. */
static int cmd_run_hold(struct cmd_run_state *s, const struct cmd_run_args *a,
	struct run_config *cfg, struct store *db, struct err *e)
{
	const struct target *t = cfg->info.target;
	struct hold_opts opts = {.state = cfg->state, .target = t, .run = cfg->info.uuid};
	char who[32];
	int rc, dead = 0;

	if (uv_loop_init(&s->loop))
		return err_set(
			e, ERR_LAB, NULL, "no event loop: too few file descriptors (ulimit -n)?");
	rc = signals_open(&s->signals, &s->loop, e);
	if (rc) {
		uv_loop_close(&s->loop);
		return rc;
	}
	s->signals.leaving = cmd_run_leaving;
	s->signals.leaving_arg = s;
	snprintf(who, sizeof(who), "run %.8s", cfg->info.uuid);
	opts.who = who;
	cmd_hold_opts(&a->hold, &opts);
	rc = hold_take(&s->hold, &s->loop, &s->signals, &opts, e);
	/* The run's time is that with the machine. */
	cfg->start_mono_ns = clock_mono_ns();
	cfg->info.started_wall_ns = clock_wall_ns();
	if (!rc)
		rc = store_mark_dead(db, t->name, &dead, e);
	if (!rc && hold_dead(s->hold))
		log_line(LOG_WARN, t->name, "the last controller died without ending: %s",
			hold_dead(s->hold));
	/* It may have been put there while we waited. */
	if (!rc)
		rc = quarantine_check(cfg->state, t->name, e);
	if (!rc)
		rc = cmd_run_execute(s, cfg, db, a->common.quiet > 0, e);
	if (!rc)
		rc = cmd_run_quarantine(s, cfg, e);
	hold_give(s->hold);
	s->hold = NULL;
	signals_close(&s->signals);
	uv_run(&s->loop, UV_RUN_DEFAULT);
	uv_loop_close(&s->loop);
	return rc;
}

static int cmd_run_main(int argc, char **argv, struct err *e)
{
	struct cmd_run_args a = CMD_RUN_ARGS;
	struct cmd_run_state s = {.err = ERR_INIT};
	struct run_config cfg = {.state = NULL};
	struct run_info *i = &cfg.info;
	struct target t = {.file = NULL};
	struct store *db = NULL;
	struct passwd *pw = getpwuid(getuid());
	char *state = NULL, host[128] = "?", keep_rule[SETTLE_RULE];
	struct buf again;
	int rc;

	buf_init(&again, 4096);
	rc = cmd_run_args_parse(&a, argc, argv, e);
	if (rc)
		goto out;
	cmd_common_apply(&a.common);
	rc = target_find(&t, a.common.targets, a.machine, e);
	if (rc)
		goto out;
	rc = path_state(a.common.state, &state, e);
	if (!rc)
		rc = quarantine_check(state, t.name, e);
	if (rc)
		goto out;
	gethostname(host, sizeof(host) - 1);
	*i = (struct run_info){.target = &t,
		.workload = a.workload ? a.workload : t.measure.workload,
		.samples = a.samples ? (int)a.samples : t.measure.samples,
		.iterations = a.iterations ? (int)a.iterations : t.measure.iterations,
		.warmup = a.warmup >= 0 ? (int)a.warmup : t.measure.warmup,
		.repeat = t.measure.repeat,
		.seed = a.seed ? (uint64_t)a.seed : cmd_run_seed(),
		.modes = s.modes,
		.extra_args = a.extra,
		.harness_version = harness_version,
		.user = pw ? pw->pw_name : "?",
		.host = host,
		.emulator = ""};
	rc = cmd_run_args_boots(&a, &t, i, e);
	if (rc)
		goto out;
	settle_rule(keep_rule, sizeof(keep_rule), i->warmup);
	i->keep_rule = keep_rule;
	cmd_run_uuid(i->uuid);
	cfg.state = state;
	cfg.allow_debug = a.allow_debug;
	s.uefi = t.firmware == FIRMWARE_UEFI;
	rc = cmd_run_modes(&s, &a, state, e);
	if (rc)
		goto out;
	i->n_modes = s.n_modes;
	cmd_run_args_again(&again, i, &a);
	i->again = again.data;
	rc = store_open(&db, state, e);
	if (rc)
		goto out;
	rc = cmd_run_hold(&s, &a, &cfg, db, e);
	if (!rc)
		rc = cmd_run_report(&a, db, i->uuid, &s, e);
	if (!rc)
		rc = s.status;
out:
	store_close(db);
	for (size_t m = 0; m < s.n_modes; m++)
		image_release(&s.modes[m].image);
	target_release(&t);
	buf_release(&again);
	free(state);
	return rc;
}

const struct cmd cmd_run = {
	.name = "run",
	.run = cmd_run_main,
	.brief = "boot a machine in each mode, measure, compare",
	.usage = cmd_run_usage,
};
