/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <uv.h>

#include "harness/base/limits.h"
#include "harness/base/mem.h"
#include "harness/cmd_run.h"
#include "harness/cmd_run_end.h"
#include "harness/cmd_run_out.h"
#include "harness/signals.h"

/* Open files: a machine has its lock, its turn at the BMC, a command or a connection to that, its
 * console, a connection from its boot loader, and files that are sent; with pipes of children more.
 */
enum { RUN_FILES = 64, RUN_FILES_LEAST = 12, RUN_FILES_EACH = 24 };

/* All machines on one loop. */
struct cmd_run_all {
	struct cmd_run_set set;
	struct cmd_run_args *args; /* borrowed */
	uv_loop_t loop;
	struct signals signals;
	struct store *db;
	struct display *display;
	struct netboot_pool *netboots;
	size_t left; /* that have not ended */
	struct cmd_run_out out;
};

static void cmd_run_on_done(void *arg, struct job *j)
{
	struct cmd_run_one *m = arg;
	struct cmd_run_all *all = m->all;

	(void)j;
	/* With one machine everything is closed first. */
	if (all->set.n > 1) {
		display_hide(all->display);
		cmd_run_end_one(m, all->args, all->db, cmd_run_out_next(&all->out));
		cmd_run_out_go(&all->out);
	}
	if (!--all->left)
		uv_stop(&all->loop);
}

static void cmd_run_on_signal(void *arg, const char *why)
{
	struct cmd_run_all *all = arg;

	for (size_t i = 0; i < all->set.n; i++)
		job_interrupt(&all->set.machines[i].job, why);
}

static void cmd_run_leaving(void *arg)
{
	struct cmd_run_all *all = arg;
	struct hold **holds = mem_array(all->set.n, sizeof(struct hold *));

	for (size_t i = 0; i < all->set.n; i++)
		holds[i] = job_hold(&all->set.machines[i].job);
	hold_abandon(holds, all->set.n);
	free(holds);
}

static void cmd_run_start(struct cmd_run_all *all)
{
	struct job_opts o = {.loop = &all->loop, .db = all->db, .display = all->display};

	cmd_hold_opts(&all->args->hold, &o.hold);
	o.hold.signals = &all->signals;
	all->left = all->set.n;
	for (size_t i = 0; i < all->set.n; i++) {
		struct cmd_run_one *m = &all->set.machines[i];

		m->cfg.netboots = all->netboots;
		o.cfg = &m->cfg;
		m->all = all;
		job_start(&m->job, &o, cmd_run_on_done, m);
	}
}

static int cmd_run_loop(struct cmd_run_all *all, struct err *e)
{
	int rc = limits_files(RUN_FILES + all->set.n * RUN_FILES_LEAST,
		RUN_FILES + all->set.n * RUN_FILES_EACH, e);

	if (rc)
		return rc;
	if (uv_loop_init(&all->loop))
		return err_set(
			e, ERR_LAB, NULL, "no event loop: too few file descriptors (ulimit -n)?");
	rc = signals_open(&all->signals, &all->loop, e);
	if (rc) {
		uv_loop_close(&all->loop);
		return rc;
	}
	all->signals.leaving = cmd_run_leaving;
	all->signals.leaving_arg = all;
	all->display = display_new(&all->loop, all->args->common.quiet > 0, all->set.n > 1);
	all->netboots = netboot_pool_new(&all->loop);
	cmd_run_out_open(&all->out, &all->loop, all->display);
	cmd_run_start(all);
	signals_tell(&all->signals, cmd_run_on_signal, all);
	while (all->left)
		uv_run(&all->loop, UV_RUN_DEFAULT);
	signals_tell(&all->signals, NULL, NULL);
	netboot_pool_free(all->netboots);
	display_free(all->display);
	/* Ctrl-C ends a wait for the reader, too. */
	signals_close(&all->signals);
	cmd_run_out_close(&all->out);
	while (uv_loop_close(&all->loop))
		uv_run(&all->loop, UV_RUN_DEFAULT);
	return 0;
}

/* How it went, once all have ended. */
static int cmd_run_tell(struct cmd_run_all *all, struct err *e)
{
	struct cmd_run_one *m = all->set.machines;

	if (all->set.n > 1) {
		if (!all->args->common.quiet)
			cmd_run_end_summary(&all->set);
		return cmd_run_end_status(&all->set);
	}
	if (!m->job.how.ran || (all->args->silent && m->job.how.status)) {
		*e = m->job.how.err;
		return -m->job.how.status;
	}
	if (all->args->silent)
		return 0;
	cmd_run_end_one(m, all->args, all->db, NULL);
	return m->status;
}

static void cmd_run_note(const struct cmd_run_one *m, struct cmd_run_went *went)
{
	went->how = m->job.how;
	if (m->job.how.ran)
		snprintf(went->uuid, sizeof(went->uuid), "%s", m->cfg.info.uuid);
}

int cmd_run_go(struct cmd_run_args *a, struct cmd_run_went *went, struct err *e)
{
	struct cmd_run_all all = {.args = a};
	int rc = cmd_run_set_open(&all.set, a, e);

	if (went)
		*went = (struct cmd_run_went){.uuid = ""};
	if (!rc)
		rc = store_open(&all.db, all.set.state, e);
	if (!rc)
		rc = cmd_run_loop(&all, e);
	if (!rc && went)
		cmd_run_note(all.set.machines, went);
	if (!rc)
		rc = cmd_run_tell(&all, e);
	store_close(all.db);
	cmd_run_set_close(&all.set);
	return rc;
}

static int cmd_run_main(int argc, char **argv, struct err *e)
{
	struct cmd_run_args a = CMD_RUN_ARGS;
	int rc = cmd_run_args_parse(&a, argc, argv, e);

	if (!rc) {
		cmd_common_apply(&a.common);
		rc = cmd_run_go(&a, NULL, e);
	}
	cmd_run_args_release(&a);
	return rc;
}

const struct cmd cmd_run = {
	.name = "run",
	.run = cmd_run_main,
	.brief = "boot a machine in each mode, measure, compare",
	.usage = cmd_run_usage,
};
