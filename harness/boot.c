/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/boot.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/clock.h"
#include "harness/base/mem.h"
#include "harness/base/str.h"
#include "harness/boot_priv.h"
#include "harness/script.h"

enum {
	CONSOLE_MAX = 8 << 20,
	FLAGS_MAX = 2048,
	SCRIPTS_MAX = 3,
	TAIL_MS = 3000,	     /* after a DONE: how long the next pass may be silent */
	TAIL_ALL_MS = 60000, /* and how long all further passes may take beside other output */
	DEAD_MS = 1000,	     /* after a panic: for the rest of its words */
};

void boot_note(struct boot *b, const char *what, const char *fmt, ...)
{
	char detail[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(detail, sizeof(detail), fmt, ap);
	va_end(ap);
	b->events->event(b->arg, clock_mono_ns() - b->spec.run_start_ns, what, detail);
}

static void boot_close_stage(struct boot *b)
{
	if (b->now)
		b->now->ns = clock_mono_ns() - b->spec.run_start_ns - b->now->start_ns;
	if (b->now && b->now->settle_ns > b->now->ns)
		b->now->settle_ns = b->now->ns;
}

static void boot_on_deadline(uv_timer_t *t);

void boot_enter(struct boot *b, enum stage s)
{
	boot_close_stage(b);
	b->r.stage = s;
	b->now = &b->r.stages[s];
	b->now->reached = true;
	b->now->start_ns = clock_mono_ns() - b->spec.run_start_ns;
	b->deadline_looked = false;
	uv_timer_start(&b->deadline, boot_on_deadline, (uint64_t)b->target->deadline_ms[s], 0);
	b->events->stage(b->arg, &b->r, s);
}

static void boot_on_closed(uv_handle_t *h)
{
	struct boot *b = h->data;

	if (--b->open_handles)
		return;
	/* Until here a machine that has restarted already was told to ask again. */
	netboot_end(b->served);
	b->r.console = b->console.data;
	b->r.console_len = b->console.len;
	if (b->flags.len)
		b->r.flags = b->flags.data;
	b->events->done(
		b->arg, &b->r, &(struct boot_left){.touched = b->touched, .armed_ns = b->armed_ns});
	free(b->r.samples);
	probe_free(b->probe);
	buf_release(&b->console);
	buf_release(&b->flags);
	free(b->script);
	free(b);
}

void boot_settled(struct boot *b)
{
	if (b->power_busy || uv_is_closing((uv_handle_t *)&b->wait))
		return;
	boot_close_stage(b);
	uv_close((uv_handle_t *)&b->wait, boot_on_closed);
	uv_close((uv_handle_t *)&b->deadline, boot_on_closed);
	uv_close((uv_handle_t *)&b->gap.again, boot_on_closed);
}

/* The outcome stands: stop serving, let go of the lines. */
static void boot_end(struct boot *b)
{
	enum stage ended = b->r.stage;

	b->finished = true;
	uv_timer_stop(&b->wait);
	uv_timer_stop(&b->gap.again);
	session_listen(b->session, NULL);
	power_listen(session_power(b->session), NULL, NULL);
	session_console_forget(b->session);
	if (!b->held) {
		netboot_end(b->served);
		b->served = NULL;
	}
	boot_enter(b, STAGE_DONE);
	uv_timer_stop(&b->deadline);
	b->r.stage = b->r.outcome == OUTCOME_OK ? STAGE_DONE : ended;
	if (b->power_busy)
		power_cancel(session_power(b->session));
	boot_settled(b);
}

void boot_fail(struct boot *b, enum outcome o)
{
	if (b->finished)
		return;
	b->r.outcome = o;
	boot_gap_blame(b);
	err_prefix(&b->r.err, "%s: stage %s", b->target->name, stage_name(b->r.stage));
	boot_end(b);
}

void boot_flag(struct boot *b, const char *fmt, ...)
{
	va_list ap;

	if (b->flags.len)
		buf_adds(&b->flags, "; ");
	va_start(ap, fmt);
	buf_vaddf(&b->flags, fmt, ap);
	va_end(ap);
}

static void boot_decide(struct boot *b)
{
	const struct boot_spec *s = &b->spec;
	const struct probe_expect x = {.cpus = b->target->cpus,
		.sockets = b->target->sockets,
		.build_id = s->image->build_id,
		.workload = s->workload,
		.iterations = s->iterations,
		.samples = (size_t)s->samples,
		.warmup = (size_t)s->warmup,
		.allow_debug = s->allow_debug};

	probe_finish(b->probe, &b->r, &x);
	if (b->r.flags && *b->r.flags)
		boot_flag(b, "%s", b->r.flags);
}

/* What boot_decide() found is the outcome. */
static void boot_conclude(struct boot *b)
{
	boot_gap_blame(b);
	if (b->r.outcome != OUTCOME_OK)
		err_prefix(&b->r.err, "%s: stage %s", b->target->name, stage_name(b->r.stage));
	boot_end(b);
}

static void boot_report(struct boot *b)
{
	if (b->finished)
		return;
	boot_decide(b);
	boot_conclude(b);
}

bool boot_decided(struct boot *b)
{
	boot_decide(b);
	switch (b->r.outcome) {
	case OUTCOME_INCOMPLETE:
	case OUTCOME_LAB:
		return false;
	case OUTCOME_CRASH:
		if (probe_state(b->probe) != PROBE_DEAD)
			return false;
		break;
	default:
		break;
	}
	boot_conclude(b);
	return true;
}

static void boot_on_tail(uv_timer_t *t)
{
	struct boot *b = t->data;

	if (!boot_unread(t, &b->wait_looked, boot_on_tail))
		boot_report(b);
}

static void boot_tail(struct boot *b, int ms)
{
	b->wait_looked = false;
	uv_timer_start(&b->wait, boot_on_tail, (uint64_t)ms, 0);
}

static void boot_on_deadline(uv_timer_t *t)
{
	struct boot *b = t->data;

	if (!boot_unread(t, &b->deadline_looked, boot_on_deadline))
		boot_late(b);
}

static void boot_on_data(void *arg, const char *p, size_t n)
{
	struct boot *b = arg;
	size_t room = b->console.max - b->console.len;

	if (!b->probe) {
		b->quiet_since = clock_mono_ns();
		b->noisy = true;
		return;
	}
	b->heard_ns = clock_mono_ns();
	if (n > room && !b->console.failed)
		boot_flag(b, "console log cut at %d MiB", CONSOLE_MAX >> 20);
	buf_add(&b->console, p, n < room ? n : room);
	b->console.failed = n > room;
	if (b->asking) {
		boot_late_heard(b);
		return;
	}
	switch (probe_feed(b->probe, p, n)) {
	case PROBE_WAITING:
		break;
	case PROBE_BOOTING:
		if (b->r.stage == STAGE_LOAD)
			boot_enter(b, STAGE_HYPERVISOR);
		break;
	case PROBE_BEGUN:
		if (b->r.stage != STAGE_PROBE)
			boot_enter(b, STAGE_PROBE);
		break;
	case PROBE_TAIL:
		if (b->r.stage != STAGE_PROBE)
			boot_enter(b, STAGE_PROBE);
		if (!b->tail_since)
			b->tail_since = clock_mono_ns();
		/* Another console may chatter on and on: that is no reason to wait for ever. */
		if (clock_mono_ns() - b->tail_since < (int64_t)TAIL_ALL_MS * 1000000)
			boot_tail(b, TAIL_MS);
		break;
	case PROBE_DONE:
		boot_report(b);
		break;
	case PROBE_DEAD:
		if (!uv_is_active((uv_handle_t *)&b->wait))
			boot_tail(b, DEAD_MS);
		break;
	}
}

void boot_no_console(struct boot *b, const struct err *e)
{
	if (b->probe && probe_state(b->probe) == PROBE_TAIL) {
		boot_report(b);
		return;
	}
	b->r.err = *e;
	boot_fail(b, OUTCOME_LAB);
}

static void boot_on_lost(void *arg, const struct err *e)
{
	boot_console_lost(arg, e);
}

static void boot_on_script(struct boot *b)
{
	b->scripts++;
	boot_gap_script(b);
	if (b->r.stage >= STAGE_HYPERVISOR) {
		/* The machine restarted: after a whole report that is its clean end. */
		boot_note(b, "netboot", "the machine restarted");
		if (probe_state(b->probe) == PROBE_TAIL) {
			boot_report(b);
		} else if (!boot_decided(b)) {
			err_set(&b->r.err, ERR_MEASURE, "E_CRASH",
				"the machine restarted before the report was complete");
			boot_fail(b, OUTCOME_CRASH);
		}
	} else if (b->scripts > SCRIPTS_MAX) {
		err_set(&b->r.err, ERR_LAB, "E_LOOP",
			"iPXE fetched the boot script %d times without loading the image",
			b->scripts);
		boot_fail(b, OUTCOME_LAB);
	} else if (b->r.stage < STAGE_IPXE) {
		boot_enter(b, STAGE_IPXE);
	}
}

static void boot_on_fetch(void *arg, const struct netboot_event *ev)
{
	static const char *const names[] = {"script", "begin", "sent", "cut off", "failed"};
	struct boot *b = arg;

	boot_note(b, "netboot", "%s: %s%s%s, %llu bytes%s%s", ev->peer, names[ev->type],
		*ev->file				? " "
		: b->held && ev->type == NETBOOT_SCRIPT ? " that says to ask again"
							: "",
		ev->file, (unsigned long long)ev->bytes, *ev->detail ? ": " : "", ev->detail);
	/* Somebody who only looks at our pages does not move the boot, nor does a machine that was
	 * told to ask again. */
	if (b->finished || !b->probe || (b->peer[0] && strcmp(b->peer, ev->peer)))
		return;
	if (b->asking) {
		boot_late_over(b);
		return;
	}
	switch (ev->type) {
	case NETBOOT_SCRIPT:
		boot_on_script(b);
		break;
	case NETBOOT_FILE_START:
		snprintf(b->peer, sizeof(b->peer), "%s", ev->peer);
		if (b->r.stage < STAGE_LOAD)
			boot_enter(b, STAGE_LOAD);
		break;
	case NETBOOT_FILE_DONE:
		b->files_loaded[!strcmp(ev->file, "dummy")] = true;
		if (!b->files_loaded[0] || !b->files_loaded[1])
			break;
		probe_live(b->probe);
		if (b->r.stage == STAGE_LOAD)
			boot_enter(b, STAGE_HYPERVISOR);
		boot_get_ready(b);
		break;
	case NETBOOT_FILE_CUT:
		break;
	case NETBOOT_FAILED:
		err_set(&b->r.err, ERR_IMAGE, "E_LOAD", "iPXE could not load the image: %s",
			*ev->detail ? ev->detail : "no reason given");
		boot_fail(b, OUTCOME_IMAGE);
		break;
	}
}

/* Everything that can be refused is refused here, before the machine is touched. */
static int boot_prepare(struct boot *b, struct err *e)
{
	const struct script_probe sp = {.nonce = b->r.nonce,
		.workload = b->spec.workload,
		.samples = b->spec.samples,
		.iterations = b->spec.iterations,
		.warmup = b->spec.warmup,
		.repeat = b->spec.repeat};
	struct buf line, script;
	int rc;

	buf_init(&line, sizeof(b->r.command_line) - 1);
	buf_init(&script, SCRIPT_TEXT_MAX);
	b->served = netboot_prepare(b->netboot, b->target->mac, boot_on_fetch, b, e);
	rc = b->served ? 0 : -(int)e->cls;
	if (!rc)
		rc = script_cmdline(&line, b->target, NULL, b->spec.extra_args, &sp, e);
	if (!rc)
		rc = script_boot(
			&script, b->target, netboot_base(b->served, b->base_url), line.data, e);
	snprintf(b->r.command_line, sizeof(b->r.command_line), "%s", line.data);
	b->script = buf_detach(&script);
	buf_release(&line);
	return rc;
}

bool boot_serve(struct boot *b)
{
	char *path = mem_printf("%s/%s", b->spec.image->dir, b->spec.image->main_file);
	const struct netboot_file files[2] = {
		{.name = "xen", .path = path}, {.name = "dummy", .text = "dummy\n"}};
	int rc = netboot_publish(b->served, b->script, files, b->uefi ? 1 : 2, &b->r.err);

	free(path);
	if (rc) {
		boot_fail(b, b->r.err.cls == ERR_LAB ? OUTCOME_LAB : OUTCOME_IMAGE);
		return false;
	}
	b->held = false;
	b->probe = probe_new(b->r.nonce);
	return true;
}

void boot_powered(struct boot *b)
{
	/* A fast machine may have asked for its script before a slow BMC answered. */
	if (b->r.stage == STAGE_POWER_ON)
		boot_enter(b, STAGE_FIRMWARE);
}

static void boot_begin(uv_timer_t *t)
{
	struct boot *b = t->data;

	boot_enter(b, STAGE_ACQUIRE);
	if (boot_prepare(b, &b->r.err)) {
		boot_fail(b, b->r.err.cls == ERR_LAB ? OUTCOME_LAB : OUTCOME_IMAGE);
		return;
	}
	if (b->spec.from_why[0])
		boot_note(b, "between", "off and on: %s", b->spec.from_why);
	if (b->spec.from == BETWEEN_RESTART)
		boot_from_restart(b);
	else if (b->spec.from == BETWEEN_RESET)
		boot_from_reset(b);
	else
		boot_power(b);
}

static void boot_on_power_note(void *arg, const char *what, const char *text)
{
	boot_note(arg, what, "%s", text);
}

struct boot *boot_start(uv_loop_t *loop, struct session *s, struct netboot *n, const char *base_url,
	const struct target *t, const struct boot_spec *spec, const struct boot_events *events,
	void *arg)
{
	struct boot *b = mem_alloc(sizeof(*b));
	const struct session_listener l = {.data = boot_on_data, .lost = boot_on_lost, .arg = b};

	b->session = s;
	b->netboot = n;
	b->base_url = base_url;
	b->target = t;
	b->spec = *spec;
	b->events = events;
	b->arg = arg;
	b->r.index = spec->index;
	b->r.block = spec->block;
	b->r.attempt = spec->attempt;
	b->r.flags = "";
	b->r.err = (struct err)ERR_INIT;
	b->r.facts.debug = b->r.facts.shorthand = -1;
	b->r.started_wall_ns = clock_wall_ns();
	snprintf(b->r.build, sizeof(b->r.build), "%s", spec->build);
	snprintf(b->r.mode, sizeof(b->r.mode), "%s", spec->mode);
	snprintf(b->r.image_sha256, sizeof(b->r.image_sha256), "%s", spec->image->sha256);
	str_random_hex(NONCE_HEX / 2, b->r.nonce);
	buf_init(&b->console, CONSOLE_MAX);
	buf_init(&b->flags, FLAGS_MAX);
	uv_timer_init(loop, &b->deadline);
	uv_timer_init(loop, &b->wait);
	uv_timer_init(loop, &b->gap.again);
	b->deadline.data = b->wait.data = b->gap.again.data = b;
	b->open_handles = 3;
	b->uefi = t->firmware == FIRMWARE_UEFI;
	b->files_loaded[1] = b->uefi; /* its module lies in the image */
	session_listen(s, &l);
	power_listen(session_power(s), boot_on_power_note, b);
	uv_timer_start(&b->wait, boot_begin, 0, 0);
	return b;
}

void boot_cancel(struct boot *b, const struct err *why)
{
	if (b->finished)
		return;
	b->r.err = *why;
	boot_fail(b, why->cls == ERR_INTERRUPTED ? OUTCOME_INTERRUPTED : OUTCOME_LAB);
}
