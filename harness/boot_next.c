/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From a good boot to the next one without off and on.
 *
 * restart: the report's end is followed by the machine's own restart at once, so all must be ready
 * before that.  When the machine has its image, the old script is withdrawn (whoever asks too early
 * is told to ask again) and the boot override for the next boot is set, before the measurement, to
 * leave the BMC alone while it runs.  The next boot is published in the same turn of the loop in
 * which the old one ends.
 *
 * reset: as after power-off, with a reset in place of power-on; whoever asks before it was sent is
 * told to ask again, as the machine has restarted by itself. */
#include "harness/base/clock.h"
#include "harness/boot_priv.h"
#include "harness/script.h"

/* A BMC may drop an override 60 s after it was set when no power command of its own follows (IPMI
 * 2.0, table 28-14, parameter 3). */
#define ARMED_NS (INT64_C(50) * 1000000000)

static void boot_hold(struct boot *b)
{
	struct err e = ERR_INIT;
	struct buf script;

	buf_init(&script, SCRIPT_TEXT_MAX);
	if (script_wait(&script, b->base_url, b->target->mac, &e)) {
		boot_note(b, "between", "%s", e.msg);
	} else {
		netboot_hold(b->served, script.data);
		b->held = true;
	}
	buf_release(&script);
}

static void boot_on_armed(void *arg, enum power_state state, const struct err *e)
{
	struct boot *b = arg;

	(void)state;
	b->power_busy = false;
	if (!e->cls) {
		b->armed_ns = clock_mono_ns();
		boot_note(b, "boot-device", "network, for the next boot, read back");
	} else if (e->cls != ERR_INTERRUPTED) {
		boot_note(b, "between", "no boot override for the restart: %s", e->msg);
	}
	if (b->finished)
		boot_settled(b);
}

static void boot_arm(struct boot *b, power_done_fn *done)
{
	struct power *p = session_power(b->session);

	b->arm_wanted = false;
	b->power_busy = true;
	p->ops->boot_net(p, b->target->deadline_ms[STAGE_BOOT_DEVICE], done, b);
}

void boot_arm_late(struct boot *b)
{
	if (b->arm_wanted)
		boot_arm(b, boot_on_armed);
}

void boot_get_ready(struct boot *b)
{
	if (!b->spec.restarts || b->held)
		return;
	boot_hold(b);
	b->arm_wanted = b->held;
	if (!b->power_busy)
		boot_arm_late(b);
}

/* A failure to set the override again is none: perhaps the firmware has used it already. */
static void boot_on_armed_again(void *arg, enum power_state state, const struct err *e)
{
	struct boot *b = arg;

	(void)state;
	if (!boot_power_over(b))
		return;
	boot_note(b, "boot-device", "%s",
		e->cls ? e->msg : "network, read back: set again, the first was old");
	boot_check_on(b);
}

void boot_from_restart(struct boot *b)
{
	boot_enter(b, STAGE_FIRMWARE);
	if (!boot_serve(b))
		return;
	boot_note(b, "between", "restart");
	boot_console(b);
	if (b->finished)
		return;
	if (clock_mono_ns() - b->spec.armed_ns > ARMED_NS)
		boot_arm(b, boot_on_armed_again);
	else
		boot_check_on(b);
}

void boot_from_reset(struct boot *b)
{
	boot_note(b, "between", "reset");
	boot_hold(b);
	boot_device(b);
}

static void boot_on_sent_reset(void *arg, enum power_state state, const struct err *e)
{
	struct boot *b = arg;

	(void)state;
	if (!boot_power_ok(b, e))
		return;
	boot_note(b, "power", "reset sent");
	if (!boot_serve(b))
		return;
	boot_powered(b);
	boot_check_on(b);
}

void boot_reset(struct boot *b)
{
	struct power *p = session_power(b->session);

	b->power_busy = true;
	p->ops->set(p, POWER_DO_RESET, boot_left_ms(b), boot_on_sent_reset, b);
}
