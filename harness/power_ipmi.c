/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Power and boot device of a machine with an IPMI 2.0 BMC, by ipmitool. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/clock.h"
#include "harness/base/mem.h"
#include "harness/ipmi_session.h"
#include "harness/power.h"
#include "harness/power_turn.h"

enum { BOOT_TRIES = 2, AGAIN_MS = 500 };

struct power_ipmi {
	struct power base;
	struct ipmi_bmc bmc;
	struct ipmi_session *session;
	struct turn *turn;
	/* The command that waits for its turn, or runs. */
	char *command;
	ipmi_session_ok_fn *ok;
	ipmi_session_done_fn *answered;
	uv_timer_t late; /* tells an interrupted caller, from the loop; before a second try */
	/* The operation that runs; done NULL: none. */
	power_done_fn *done;
	void *arg;
	int64_t end_ns;
	enum power_action action;
	int64_t start_ns;
	bool again; /* it runs for the second time */
	int tries;
	bool put; /* what is read must be put_device */
	int put_device;
	bool efi;   /* the override is set for UEFI, although bootdev_options does not say so */
	bool valid; /* as it was set, the override read back as valid */
};

static void ipmi_finish(struct power_ipmi *p, enum power_state state, const struct err *e)
{
	power_done_fn *done = p->done;

	p->done = NULL;
	done(p->arg, state, e);
}

static void ipmi_begin(struct power_ipmi *p, int deadline_ms, power_done_fn *done, void *arg)
{
	assert(!p->done);
	p->done = done;
	p->arg = arg;
	p->end_ns = clock_mono_ns() + (int64_t)deadline_ms * 1000000;
	p->tries = 0;
}

static int ipmi_left_ms(const struct power_ipmi *p)
{
	int64_t left = (p->end_ns - clock_mono_ns()) / 1000000;

	return left > 1 ? (int)left : 1;
}

static bool ipmi_ok_status(const char *text)
{
	return ipmi_parse_power(text) >= 0;
}

static bool ipmi_ok_raw(const char *text)
{
	return ipmi_parse_fault(text) == IPMI_FAULT_NONE;
}

static bool ipmi_ok_bootdev(const char *text)
{
	return strstr(text, "Set Boot Device to pxe") && ipmi_ok_raw(text);
}

static bool ipmi_ok_boot(const char *text)
{
	return ipmi_parse_boot(text).known;
}

static void ipmi_on_turn(void *arg, const struct err *e);

/* A BMC that is busy, or that a datagram did not reach, may do better the next time.  One that said
 * nothing at all, or wants another password, will not. */
static bool ipmi_may_pass(const struct power_ipmi *p, const char *text, const struct err *e)
{
	int64_t now = clock_mono_ns(), took = now - p->start_ns;

	return e->cls == ERR_LAB && *text && !p->again && !strcmp(e->code, "E_BMC") &&
	       p->end_ns - now > took + AGAIN_MS * INT64_C(1000000);
}

static void ipmi_on_again(uv_timer_t *t)
{
	struct power_ipmi *p = t->data;

	turn_take(p->turn, ipmi_left_ms(p), ipmi_on_turn, p);
}

static void ipmi_on_answer(void *arg, const char *text, const struct err *e)
{
	struct power_ipmi *p = arg;

	turn_end(p->turn);
	if (ipmi_may_pass(p, text, e)) {
		p->again = true;
		power_note(&p->base,
			p->ok == ipmi_ok_boot || p->ok == ipmi_ok_bootdev ? "boot-device" : "power",
			"%s; once more", e->msg);
		uv_timer_start(&p->late, ipmi_on_again, AGAIN_MS, 0);
		return;
	}
	p->answered(p, text, e);
}

static void ipmi_on_turn(void *arg, const struct err *e)
{
	struct power_ipmi *p = arg;

	if (e->cls)
		p->answered(p, "", e);
	else
		ipmi_session_run(p->session, p->command, ipmi_left_ms(p), p->ok, ipmi_on_answer, p);
}

static void ipmi_command(struct power_ipmi *p, const char *command, ipmi_session_ok_fn *ok,
	ipmi_session_done_fn *answered)
{
	free(p->command);
	p->command = mem_strdup(command);
	p->ok = ok;
	p->answered = answered;
	p->again = false;
	p->start_ns = clock_mono_ns();
	turn_take(p->turn, ipmi_left_ms(p), ipmi_on_turn, p);
}

static enum power_state ipmi_state(const char *text)
{
	int on = ipmi_parse_power(text);

	return on < 0 ? POWER_UNKNOWN : on ? POWER_ON : POWER_OFF;
}

static void ipmi_on_status(void *arg, const char *text, const struct err *e)
{
	ipmi_finish(arg, e->cls ? POWER_UNKNOWN : ipmi_state(text), e);
}

static void ipmi_get(struct power *base, int deadline_ms, power_done_fn *done, void *arg)
{
	struct power_ipmi *p = (struct power_ipmi *)base;

	ipmi_begin(p, deadline_ms, done, arg);
	ipmi_command(p, "chassis power status", ipmi_ok_status, ipmi_on_status);
}

static void ipmi_on_set(void *arg, const char *text, const struct err *e)
{
	struct power_ipmi *p = arg;
	struct err mine = *e;

	(void)text;
	/* The BMC answered and said no: that is about power, not about the BMC. */
	if (!strcmp(mine.code, "E_BMC") && ipmi_parse_fault(text) == IPMI_FAULT_REFUSED)
		snprintf(mine.code, sizeof(mine.code), "E_POWER");
	ipmi_finish(p, POWER_UNKNOWN, &mine);
}

static void ipmi_set_now(struct power_ipmi *p, enum power_action action)
{
	static const char *const commands[] = {
		[POWER_DO_OFF] = "chassis power off",
		[POWER_DO_ON] = "chassis power on",
		[POWER_DO_CYCLE] = "chassis power cycle",
		[POWER_DO_RESET] = "chassis power reset",
		[POWER_DO_OFF_BLIND] = "chassis power off",
	};

	ipmi_command(p, commands[action], ipmi_parse_control, ipmi_on_set);
}

/* Some BMCs refuse off, cycle and reset of a machine that is off. */
static void ipmi_on_state_before_set(void *arg, const char *text, const struct err *e)
{
	struct power_ipmi *p = arg;

	if (e->cls || (p->action == POWER_DO_OFF && ipmi_state(text) == POWER_OFF))
		ipmi_finish(p, e->cls ? POWER_UNKNOWN : POWER_OFF, e);
	else
		ipmi_set_now(p, ipmi_state(text) == POWER_OFF ? POWER_DO_ON : p->action);
}

static void ipmi_set(struct power *base, enum power_action action, int deadline_ms,
	power_done_fn *done, void *arg)
{
	struct power_ipmi *p = (struct power_ipmi *)base;

	ipmi_begin(p, deadline_ms, done, arg);
	p->action = action;
	if (action == POWER_DO_ON || action == POWER_DO_OFF_BLIND)
		ipmi_set_now(p, action);
	else
		ipmi_command(p, "chassis power status", ipmi_ok_status, ipmi_on_state_before_set);
}

static void ipmi_boot_try(struct power_ipmi *p);

/* Is the boot mode, as it reads back, the wrong one?  A BMC that does not keep "valid", which was
 * set with it, does not keep the mode either. */
static bool ipmi_is_legacy(const struct power_ipmi *p, const struct ipmi_boot *b)
{
	const struct target *t = p->base.target;

	return t->firmware == FIRMWARE_UEFI && b->valid && !b->efi && !t->bmc.bootdev_raw[0];
}

static bool ipmi_asks_efi(const struct power_ipmi *p)
{
	return p->efi || strstr(p->base.target->bmc.bootdev_options, "efiboot");
}

static void ipmi_on_boot(void *arg, const char *text, const struct err *e)
{
	struct power_ipmi *p = arg;
	struct err mine = *e;
	struct ipmi_boot b = ipmi_parse_boot(text);
	/* A BMC that drops the override after a minute may take back no more than "valid". */
	bool lost = !b.network || (p->valid && !b.valid), legacy = !lost && ipmi_is_legacy(p, &b);

	if (e->cls) {
		ipmi_finish(p, POWER_UNKNOWN, e);
		return;
	}
	if (legacy && !ipmi_asks_efi(p)) {
		p->efi = true;
		power_note(&p->base, "boot-device",
			"reads back as legacy, the machine is UEFI: set again with "
			"bootdev_options = efiboot, which [bmc] lacks");
		ipmi_boot_try(p);
		return;
	}
	if (lost && p->tries < BOOT_TRIES) {
		power_note(&p->base, "boot-device",
			"BMC lost the boot override (reads \"%s\"%s): set again", b.device,
			b.network ? ", not valid" : "");
		ipmi_boot_try(p);
		return;
	}
	p->valid = b.valid;
	if (lost)
		err_set(&mine, ERR_LAB, "E_BOOTDEV",
			"BMC %s forgot the boot override twice (reads \"%s\"); try bootdev_raw, "
			"see "
			"targets/README.md",
			p->bmc.where, b.device);
	else if (legacy)
		err_set(&mine, ERR_LAB, "E_BOOTDEV",
			"BMC %s keeps the boot override in legacy mode, although bootdev_options = "
			"efiboot was asked for, and the machine is UEFI; try bootdev_raw, see "
			"targets/README.md",
			p->bmc.where);
	ipmi_finish(p, POWER_UNKNOWN, &mine);
}

static void ipmi_on_boot_set(void *arg, const char *text, const struct err *e)
{
	struct power_ipmi *p = arg;
	struct err mine = *e;

	if (!strcmp(mine.code, "E_BMC") && ipmi_parse_fault(text) == IPMI_FAULT_REFUSED)
		snprintf(mine.code, sizeof(mine.code), "E_BOOTDEV");
	if (mine.cls)
		ipmi_finish(p, POWER_UNKNOWN, &mine);
	else
		ipmi_command(p, "chassis bootparam get 5", ipmi_ok_boot, ipmi_on_boot);
}

static void ipmi_boot_try(struct power_ipmi *p)
{
	const struct target *t = p->base.target;
	bool has = t->bmc.bootdev_options[0];
	char *command;

	p->tries++;
	p->valid = false;
	if (t->bmc.bootdev_raw[0])
		command = mem_printf("raw %s", t->bmc.bootdev_raw);
	else
		command = mem_printf("chassis bootdev pxe%s%s%s", has || p->efi ? " options=" : "",
			t->bmc.bootdev_options,
			!p->efi ? ""
			: has	? ",efiboot"
				: "efiboot");
	ipmi_command(p, command, t->bmc.bootdev_raw[0] ? ipmi_ok_raw : ipmi_ok_bootdev,
		ipmi_on_boot_set);
	free(command);
}

static void ipmi_boot_net(struct power *base, int deadline_ms, power_done_fn *done, void *arg)
{
	struct power_ipmi *p = (struct power_ipmi *)base;

	ipmi_begin(p, deadline_ms, done, arg);
	ipmi_boot_try(p);
}

static bool ipmi_ok_flags(const char *text)
{
	unsigned char flags[IPMI_BOOT_FLAGS];

	return ipmi_parse_boot_flags(text, flags);
}

static void ipmi_on_flags(void *arg, const char *text, const struct err *e)
{
	struct power_ipmi *p = arg;
	unsigned char f[IPMI_BOOT_FLAGS];
	struct power_boot *b = &p->base.boot;
	struct err mine = *e;
	int device = 0;

	if (!e->cls && ipmi_parse_boot_flags(text, f)) {
		ipmi_boot_words(f, &device, b->text, sizeof(b->text));
		b->network = device == 1;
		b->efi = device && f[0] & 0x20;
		b->legacy = device && !b->efi;
		snprintf(b->saved, sizeof(b->saved), "0x%02x 0x%02x 0x%02x 0x%02x 0x%02x", f[0],
			f[1], f[2], f[3], f[4]);
		if (p->put && device != p->put_device)
			err_set(&mine, ERR_LAB, "E_BOOTDEV",
				"BMC %s did not take back what it was to boot from: it reads %s",
				p->bmc.where, b->text);
	}
	p->put = false;
	ipmi_finish(p, POWER_UNKNOWN, &mine);
}

static void ipmi_read_flags(struct power_ipmi *p)
{
	ipmi_command(p, "raw 0x00 0x09 0x05 0x00 0x00", ipmi_ok_flags, ipmi_on_flags);
}

static void ipmi_boot_get(struct power *base, int deadline_ms, power_done_fn *done, void *arg)
{
	struct power_ipmi *p = (struct power_ipmi *)base;

	ipmi_begin(p, deadline_ms, done, arg);
	p->put = false;
	ipmi_read_flags(p);
}

static void ipmi_on_put(void *arg, const char *text, const struct err *e)
{
	struct power_ipmi *p = arg;

	(void)text;
	if (e->cls)
		ipmi_finish(p, POWER_UNKNOWN, e);
	else
		ipmi_read_flags(p);
}

static bool ipmi_ok_none(const char *text)
{
	return strstr(text, "Set Boot Device to none") && ipmi_ok_raw(text);
}

static void ipmi_boot_put(struct power *base, const struct power_boot *b, int deadline_ms,
	power_done_fn *done, void *arg)
{
	struct power_ipmi *p = (struct power_ipmi *)base;
	char *command = mem_printf("raw 0x00 0x08 0x05 %s", b->saved);
	unsigned first = 0, second = 0;

	ipmi_begin(p, deadline_ms, done, arg);
	p->put = sscanf(b->saved, "0x%2x 0x%2x", &first, &second) == 2;
	p->put_device = (int)(second >> 2 & 15);
	if (p->put_device)
		ipmi_command(p, command, ipmi_ok_raw, ipmi_on_put);
	else
		ipmi_command(p, "chassis bootdev none", ipmi_ok_none, ipmi_on_put);
	free(command);
}

static void ipmi_boot_keep(struct power *base, int deadline_ms, power_done_fn *done, void *arg)
{
	struct power_ipmi *p = (struct power_ipmi *)base;

	ipmi_begin(p, deadline_ms, done, arg);
	ipmi_command(p, "chassis bootparam get 5", ipmi_ok_boot, ipmi_on_boot);
}

static void ipmi_on_late(uv_timer_t *t)
{
	struct err e = ERR_INIT;

	err_set(&e, ERR_INTERRUPTED, NULL, "interrupted");
	ipmi_finish(t->data, POWER_UNKNOWN, &e);
}

static void ipmi_cancel(struct power *base)
{
	struct power_ipmi *p = (struct power_ipmi *)base;

	if (!p->done)
		return;
	ipmi_session_cancel(p->session);
	turn_end(p->turn);
	uv_timer_start(&p->late, ipmi_on_late, 0, 0);
}

static void ipmi_on_closed(uv_handle_t *h)
{
	free(h->data);
}

static void ipmi_free(struct power *base)
{
	struct power_ipmi *p = (struct power_ipmi *)base;

	ipmi_session_free(p->session);
	turn_free(p->turn);
	free(p->command);
	ipmi_bmc_release(&p->bmc);
	uv_close((uv_handle_t *)&p->late, ipmi_on_closed);
}

static const struct power_ops ipmi_ops = {
	.name = "ipmi",
	.get = ipmi_get,
	.set = ipmi_set,
	.boot_net = ipmi_boot_net,
	.boot_get = ipmi_boot_get,
	.boot_put = ipmi_boot_put,
	.boot_keep = ipmi_boot_keep,
	.cancel = ipmi_cancel,
	.free = ipmi_free,
};

struct power *power_ipmi_new(uv_loop_t *loop, const struct target *t, const struct secret *s,
	const char *host, int port, struct err *e)
{
	struct power_ipmi *p = mem_alloc(sizeof(*p));

	p->base = (struct power){.ops = &ipmi_ops, .loop = loop, .target = t, .secret = s};
	if (ipmi_bmc_init(&p->bmc, t, s, host, port, e)) {
		free(p);
		return NULL;
	}
	p->session = ipmi_session_new(loop, &p->bmc);
	p->turn = turn_new(loop, t, host, port);
	uv_timer_init(loop, &p->late);
	p->late.data = p;
	return &p->base;
}
