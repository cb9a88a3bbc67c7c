/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <string.h>

#include "harness/base/clock.h"
#include "harness/boot_priv.h"

/* Ten tries take half a minute where each is refused at once. */
enum {
	LOSSES_MAX = 3,
	TRIES_MAX = 10,
	AGAIN_MS = 250, /* after the first failure; doubled after each */
	AGAIN_MAX_MS = 5000,
	OPEN_MAX_MS = 20000,
	DEAF_MS = 3000
};

static void gap_on_open(void *arg, const struct err *e);

static void gap_try(struct boot *b)
{
	int left = boot_left_ms(b);

	b->gap.tries++;
	session_console_forget(b->session);
	session_console(b->session, left < OPEN_MAX_MS ? left : OPEN_MAX_MS, gap_on_open, b);
}

static void gap_on_again(uv_timer_t *t)
{
	gap_try(t->data);
}

static void gap_failed(struct boot *b, const struct err *e)
{
	int ms = AGAIN_MAX_MS;
	struct err last = *e;
	char took[16];

	if (b->gap.tries < TRIES_MAX && strcmp(e->code, "E_AUTH") != 0) {
		if (b->gap.tries < 5)
			ms = AGAIN_MS << (b->gap.tries - 1);
		uv_timer_start(&b->gap.again, gap_on_again, (uint64_t)ms, 0);
		return;
	}
	clock_human(clock_mono_ns() - b->gap.since, took, sizeof(took));
	boot_note(b, "console", "not back after %s, given up after %d tries", took, b->gap.tries);
	err_prefix(&last, "console lost, and not back after %d tries in %s", b->gap.tries, took);
	boot_no_console(b, &last);
}

static void gap_on_open(void *arg, const struct err *e)
{
	struct boot *b = arg;
	int64_t away;
	char took[16];

	if (b->finished)
		return;
	if (e->cls) {
		gap_failed(b, e);
		return;
	}
	away = clock_mono_ns() - b->gap.since;
	b->gap.since = 0;
	if (b->gap.any)
		b->gap.ns += away;
	clock_human(away, took, sizeof(took));
	boot_note(b, "console", "back after %s, %d tr%s; lost %d time%s in this boot", took,
		b->gap.tries, b->gap.tries == 1 ? "y" : "ies", b->gap.losses,
		b->gap.losses == 1 ? "" : "s");
	boot_flag(b, "console away for %s in stage %s", took, stage_name(b->r.stage));
	if (b->r.stage == STAGE_CONSOLE) {
		/* Nothing was there to miss; the silence is waited for anew. */
		b->quiet_since = clock_mono_ns();
		boot_console(b);
	}
}

void boot_console_lost(struct boot *b, const struct err *e)
{
	struct err often = *e;

	if (b->finished || b->r.stage < STAGE_CONSOLE)
		return;
	boot_note(b, "console", "lost: %s", e->msg);
	if (b->asking) {
		boot_late_over(b);
		return;
	}
	b->gap.since = clock_mono_ns();
	b->gap.tries = 0;
	if (b->r.stage == STAGE_CONSOLE)
		uv_timer_stop(&b->wait);
	if (b->probe && !b->gap.any) {
		b->gap.any = true;
		b->gap.stage = b->r.stage;
	}
	/* What was cut and what comes next are two lines. */
	if (b->probe)
		probe_feed(b->probe, "\n", 1);
	if (++b->gap.losses > LOSSES_MAX) {
		err_prefix(&often, "console lost %d times", b->gap.losses);
		boot_no_console(b, &often);
		return;
	}
	gap_try(b);
}

/* A firmware that spoke on the way to the first fetch of the script, and is silent on the way to
 * the next, was not heard: the line is dead, and nobody has noticed yet. */
void boot_gap_script(struct boot *b)
{
	int64_t lag = clock_mono_ns() - b->heard_ns;
	char took[16];

	if (b->scripts == 1) {
		b->script_lag = b->heard_ns ? lag : -1;
		return;
	}
	if (b->gap.any || b->script_lag < 0 || lag - b->script_lag < (int64_t)DEAF_MS * 1000000 ||
		b->r.stage < STAGE_HYPERVISOR)
		return;
	clock_human(lag, took, sizeof(took));
	boot_note(
		b, "console", "silent for %s although the machine has restarted: it is dead", took);
	b->gap.any = true;
	b->gap.since = b->heard_ns;
	b->gap.stage = b->r.stage;
}

/* Does the outcome say no more than that something did not come? */
static bool gap_explains(const struct boot *b)
{
	const char *code = b->r.err.code;

	switch (b->r.outcome) {
	case OUTCOME_INCOMPLETE:
		return true;
	case OUTCOME_CRASH:
		return !strcmp(code, "E_CRASH") && probe_state(b->probe) != PROBE_DEAD;
	case OUTCOME_LAB:
		return !strcmp(code, "E_SILENT") ||
		       (!strcmp(code, "E_TIMEOUT") && b->r.stage >= STAGE_HYPERVISOR);
	default:
		return false;
	}
}

void boot_gap_blame(struct boot *b)
{
	int64_t ns = b->gap.ns;
	char took[16];
	struct err was = b->r.err;

	if (!b->gap.any || !gap_explains(b))
		return;
	if (b->gap.since)
		ns += clock_mono_ns() - b->gap.since;
	clock_human(ns, took, sizeof(took));
	b->r.outcome = OUTCOME_LAB;
	err_set(&b->r.err, ERR_LAB, "E_GAP",
		"the console was away for %s from stage %s on, and what is missing was not "
		"repeated: "
		"%s",
		took, stage_name(b->gap.stage), was.msg);
}
