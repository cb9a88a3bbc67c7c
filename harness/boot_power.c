/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>

#include "harness/base/clock.h"
#include "harness/boot_priv.h"

enum { ON_CHECK_MS = 30000, BACK_CHECK_MS = 20000 };

int boot_left_ms(const struct boot *b)
{
	int64_t gone = (clock_mono_ns() - b->spec.run_start_ns - b->now->start_ns) / 1000000;
	int64_t left = b->target->deadline_ms[b->r.stage] - gone;

	return left > 1 ? (int)left : 1;
}

bool boot_unread(uv_timer_t *t, bool *looked, uv_timer_cb fn)
{
	*looked = !*looked;
	if (*looked)
		uv_timer_start(t, fn, 1, 0);
	return *looked;
}

bool boot_power_over(struct boot *b)
{
	b->power_busy = false;
	if (!b->finished)
		return true;
	boot_settled(b);
	return false;
}

bool boot_power_ok(struct boot *b, const struct err *e)
{
	if (!e->cls)
		b->touched = true;
	if (!boot_power_over(b))
		return false;
	if (e->cls) {
		b->r.err = *e;
		boot_fail(b, e->cls == ERR_INTERRUPTED ? OUTCOME_INTERRUPTED : OUTCOME_LAB);
		return false;
	}
	return true;
}

static void boot_on_net(void *arg, enum power_state state, const struct err *e);

void boot_device(struct boot *b)
{
	struct power *p = session_power(b->session);

	boot_enter(b, STAGE_BOOT_DEVICE);
	b->power_busy = true;
	p->ops->boot_net(p, boot_left_ms(b), boot_on_net, b);
}

static void boot_on_settled(uv_timer_t *t)
{
	boot_device(t->data);
}

static void boot_on_off(void *arg, enum power_state state, const struct err *e)
{
	struct boot *b = arg;
	const struct target *t = b->target;

	(void)state;
	if (!boot_power_ok(b, e))
		return;
	boot_note(b, "power", "off, verified by %d readings", t->bmc.readings);
	b->now->settle_ns += ((int64_t)(t->bmc.readings - 1) * t->bmc.reading_gap_ms +
				     t->bmc.settle_ms) *
			     1000000;
	uv_timer_start(&b->wait, boot_on_settled, (uint64_t)t->bmc.settle_ms, 0);
}

static void boot_verify_off(struct boot *b, int readings)
{
	b->power_busy = true;
	power_wait(session_power(b->session), POWER_OFF, readings, b->target->bmc.reading_gap_ms,
		boot_left_ms(b), boot_on_off, b);
}

static void boot_on_gap(uv_timer_t *t)
{
	struct boot *b = t->data;

	boot_verify_off(b, b->target->bmc.readings - 1);
}

static void boot_on_sent_off(void *arg, enum power_state state, const struct err *e)
{
	struct boot *b = arg;

	(void)state;
	if (boot_power_ok(b, e))
		boot_verify_off(b, b->target->bmc.readings);
}

static void boot_on_first_reading(void *arg, enum power_state state, const struct err *e)
{
	struct boot *b = arg;
	struct power *p = session_power(b->session);

	if (!boot_power_ok(b, e))
		return;
	if (state != POWER_OFF) {
		boot_note(b, "power", "off sent");
		b->power_busy = true;
		p->ops->set(p, POWER_DO_OFF, boot_left_ms(b), boot_on_sent_off, b);
	} else if (b->target->bmc.readings > 1) {
		uv_timer_start(&b->wait, boot_on_gap, (uint64_t)b->target->bmc.reading_gap_ms, 0);
	} else {
		boot_on_off(b, state, e);
	}
}

void boot_power(struct boot *b)
{
	struct power *p = session_power(b->session);

	boot_enter(b, STAGE_POWER_OFF);
	b->power_busy = true;
	p->ops->get(p, boot_left_ms(b), boot_on_first_reading, b);
}

/* The reading runs beside the firmware: a machine that did not come on is found at once instead of
 * at the end of the firmware's deadline, and a good one is not held up. */
static void boot_on_checked(void *arg, enum power_state state, const struct err *e)
{
	struct boot *b = arg;

	(void)state;
	if (!boot_power_over(b))
		return;
	if (!e->cls || b->r.stage != STAGE_FIRMWARE) {
		boot_arm_late(b);
		return;
	}
	b->r.err = *e;
	/* The stage that it belongs to went on without it. */
	if (b->spec.from != BETWEEN_RESTART)
		b->r.stage = STAGE_POWER_ON;
	err_prefix(&b->r.err, b->spec.from == BETWEEN_RESTART
				      ? "the machine restarted and did not come back on"
				      : "the machine was told to power on and did not stay on");
	boot_fail(b, OUTCOME_LAB);
}

void boot_check_on(struct boot *b)
{
	const int *deadline = b->target->deadline_ms;
	int check = BACK_CHECK_MS, firmware = deadline[STAGE_FIRMWARE];

	if (b->spec.from != BETWEEN_RESTART)
		check = deadline[STAGE_POWER_ON] < ON_CHECK_MS ? deadline[STAGE_POWER_ON]
							       : ON_CHECK_MS;

	b->power_busy = true;
	power_wait(session_power(b->session), POWER_ON, 1, 500, firmware < check ? firmware : check,
		boot_on_checked, b);
}

static void boot_on_sent_on(void *arg, enum power_state state, const struct err *e)
{
	struct boot *b = arg;

	(void)state;
	if (!boot_power_ok(b, e))
		return;
	boot_note(b, "power", "on sent");
	boot_powered(b);
	boot_check_on(b);
}

/* The override is there; last of all the machine is told to go on. */
static void boot_on_kept(void *arg, enum power_state state, const struct err *e)
{
	struct boot *b = arg;
	struct power *p = session_power(b->session);

	(void)state;
	if (!boot_power_ok(b, e))
		return;
	if (b->spec.from == BETWEEN_RESET) {
		boot_reset(b);
		return;
	}
	if (!boot_serve(b))
		return;
	b->power_busy = true;
	p->ops->set(p, POWER_DO_ON, boot_left_ms(b), boot_on_sent_on, b);
}

/* Console and silence took their time, and a BMC may drop the override within a minute. */
static void boot_keep(struct boot *b)
{
	struct power *p = session_power(b->session);

	boot_enter(b, STAGE_POWER_ON);
	b->power_busy = true;
	p->ops->boot_keep(p, boot_left_ms(b), boot_on_kept, b);
}

static void boot_on_silence(uv_timer_t *t);

static void boot_on_off_again(void *arg, enum power_state state, const struct err *e)
{
	struct boot *b = arg;

	(void)state;
	if (e->cls && e->cls != ERR_INTERRUPTED && !b->finished) {
		b->power_busy = false;
		boot_note(b, "power", "off: %s", e->msg);
	} else if (!boot_power_ok(b, e)) {
		return;
	}
	b->quiet_since = clock_mono_ns();
	boot_on_silence(&b->wait);
}

/* "Off" was read, and the machine speaks.  First the same driver, then the others. */
static void boot_off_again(struct boot *b)
{
	struct power *p = session_power(b->session);
	struct err e = ERR_INIT;

	b->power_busy = true;
	if (!b->off_again++) {
		boot_note(b, "power", "reads off, but the console goes on: off sent all the same");
		p->ops->set(p, POWER_DO_OFF_BLIND, boot_left_ms(b), boot_on_off_again, b);
		return;
	}
	err_set(&e, ERR_LAB, "E_POWER", "reads off, but the console goes on");
	p->ops->insist(p, POWER_DO_OFF, &e, boot_left_ms(b), boot_on_off_again, b);
}

/* Equal shares of the stage for the silence to come by itself, and after each try. */
static bool boot_off_again_is_due(const struct boot *b)
{
	struct power *p = session_power(b->session);
	int tries = 1 + (p->ops->spares ? (int)p->ops->spares(p) : 0);
	int all = b->target->deadline_ms[STAGE_CONSOLE], gone = all - boot_left_ms(b);

	return b->noisy && b->off_again < tries &&
	       gone >= (int64_t)all * (b->off_again + 1) / (tries + 1);
}

/* Off also means a silent console: a BMC that reads "off" for a running machine is found here. */
static void boot_on_silence(uv_timer_t *t)
{
	struct boot *b = t->data;
	int64_t quiet_ms = (clock_mono_ns() - b->quiet_since) / 1000000;
	int64_t wait_ms = b->target->console.silence_ms - quiet_ms;

	if (b->power_busy || b->gap.since)
		return; /* comes here again */
	if (wait_ms <= 0) {
		if (!boot_unread(t, &b->wait_looked, boot_on_silence))
			boot_keep(b);
	} else if (boot_off_again_is_due(b)) {
		boot_off_again(b);
	} else if (b->noisy && wait_ms > boot_left_ms(b)) {
		err_set(&b->r.err, ERR_LAB, "E_POWER",
			"power reads off, but the console goes on, so the machine runs: look at "
			"the machine and restart its BMC, or add a fallback to [bmc]");
		boot_fail(b, OUTCOME_LAB);
	} else {
		b->now->settle_ns += wait_ms * 1000000;
		b->wait_looked = false;
		uv_timer_start(&b->wait, boot_on_silence, (uint64_t)wait_ms, 0);
	}
}

static void boot_on_console(void *arg, const struct err *e)
{
	struct boot *b = arg;

	if (b->finished)
		return;
	if (e->cls) {
		boot_no_console(b, e);
		return;
	}
	if (b->r.stage != STAGE_CONSOLE)
		return; /* opened again in the middle of the boot */
	if (b->spec.from == BETWEEN_RESET)
		boot_keep(b);
	else
		boot_on_silence(&b->wait);
}

static void boot_on_net(void *arg, enum power_state state, const struct err *e)
{
	struct boot *b = arg;

	(void)state;
	if (!boot_power_ok(b, e))
		return;
	boot_note(b, "boot-device", "network");
	boot_enter(b, STAGE_CONSOLE);
	b->quiet_since = clock_mono_ns();
	b->noisy = false;
	boot_console(b);
}

void boot_console(struct boot *b)
{
	session_console(b->session, boot_left_ms(b), boot_on_console, b);
}
