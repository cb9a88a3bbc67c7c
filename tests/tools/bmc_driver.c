/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Drive a BMC's power and console from a shell test.
 *
 *   bmc_driver HOST PORT USER PASSWORD_FILE [cipher=N] [deadline=MS] [KEY=VALUE]… STEP…
 *
 * KEY is driver, fallback, command, url, ca_file, pin, auth or system of [bmc], or firmware.
 *
 * Steps, one after another; the first that fails ends it:
 *   get off on cycle reset net keep    one operation of struct power_ops
 *   wait-off wait-on               power_wait(), two readings
 *   open close                     the console
 *   until=TEXT                     wait for TEXT on the console, after what was found before
 *   lost                           wait until the console is lost
 *   sleep=MS                       let the loop run
 *   cancel                         `get`, cancelled at once
 * Each step prints "STEP MS ok [STATE]" or "STEP MS CODE MESSAGE"; the exit status is the error's
 * class.  SIGTERM ends it as the end of its steps does.  Console data goes to standard error.  The
 * program ends without console_close(), and by power_free() and console_free(): whether these leave
 * a child is for the test to see.
 */
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/buf.h"
#include "harness/base/clock.h"
#include "harness/console.h"
#include "harness/power.h"
#include "targets/target_keys.h"

enum { READINGS = 2, GAP_MS = 20, SEEN_MAX = 1 << 20 };

struct driver {
	uv_loop_t loop;
	struct target target;
	struct secret secret;
	struct power *power;
	struct console *console;
	struct buf seen;
	uv_timer_t timer;
	uv_signal_t term;
	int deadline_ms, status;
	char **step; /* the one that runs */
	const char *want;
	bool want_lost, lost;
	int64_t start_ns;
};

static void driver_next(struct driver *d);

static void driver_stop(struct driver *d)
{
	power_free(d->power);
	console_free(d->console);
	d->power = NULL;
	d->console = NULL;
	if (!uv_is_closing((uv_handle_t *)&d->timer)) {
		uv_close((uv_handle_t *)&d->timer, NULL);
		uv_close((uv_handle_t *)&d->term, NULL);
	}
}

static void driver_on_term(uv_signal_t *s, int sig)
{
	struct driver *d = s->data;

	(void)sig;
	d->status = ERR_INTERRUPTED;
	driver_stop(d);
}

static void driver_done(struct driver *d, const char *more, const struct err *e)
{
	long long ms = (long long)((clock_mono_ns() - d->start_ns) / 1000000);

	uv_timer_stop(&d->timer);
	d->want = NULL;
	d->want_lost = false;
	if (e && e->cls) {
		printf("%s %lld %s %s\n", *d->step, ms, *e->code ? e->code : "-", e->msg);
		d->status = (int)e->cls;
		driver_stop(d);
		return;
	}
	printf("%s %lld ok %s\n", *d->step, ms, more);
	fflush(stdout);
	d->step++;
	driver_next(d);
}

static void driver_on_power(void *arg, enum power_state state, const struct err *e)
{
	driver_done(arg, state == POWER_ON ? "on" : state == POWER_OFF ? "off" : "-", e);
}

static void driver_on_ready(void *arg, const struct err *e)
{
	driver_done(arg, "-", e);
}

/* What was found is used up: the same text has to come again for the next step. */
static void driver_look(struct driver *d)
{
	size_t n = d->want ? strlen(d->want) : 0;
	char *at = n ? memmem(d->seen.data, d->seen.len, d->want, n) : NULL;

	if (!at)
		return;
	buf_consume(&d->seen, (size_t)(at - d->seen.data) + n);
	driver_done(d, "-", NULL);
}

static void driver_on_data(void *arg, const char *p, size_t n)
{
	struct driver *d = arg;

	fwrite(p, 1, n, stderr);
	buf_add(&d->seen, p, n);
	driver_look(d);
}

static void driver_on_lost(void *arg, const struct err *e)
{
	struct driver *d = arg;

	d->lost = true;
	if (d->want_lost)
		driver_done(d, e->code, NULL);
	else if (d->want)
		driver_done(d, "-", e);
}

static void driver_on_console_closed(void *arg)
{
	driver_done(arg, "-", NULL);
}

static void driver_on_slept(uv_timer_t *t)
{
	driver_done(t->data, "-", NULL);
}

static void driver_on_late(uv_timer_t *t)
{
	struct err e = ERR_INIT;

	err_set(&e, ERR_LAB, "E_TIMEOUT", "did not come");
	driver_done(t->data, "-", &e);
}

static void driver_power(struct driver *d, const char *s)
{
	static const char *const sets[] = {[POWER_DO_OFF] = "off",
		[POWER_DO_ON] = "on",
		[POWER_DO_CYCLE] = "cycle",
		[POWER_DO_RESET] = "reset"};
	struct power *p = d->power;

	if (!strcmp(s, "get") || !strcmp(s, "cancel"))
		p->ops->get(p, d->deadline_ms, driver_on_power, d);
	else if (!strcmp(s, "net"))
		p->ops->boot_net(p, d->deadline_ms, driver_on_power, d);
	else if (!strcmp(s, "keep"))
		p->ops->boot_keep(p, d->deadline_ms, driver_on_power, d);
	else if (!strncmp(s, "wait-", 5))
		power_wait(p, strcmp(s, "wait-on") ? POWER_OFF : POWER_ON, READINGS, GAP_MS,
			d->deadline_ms, driver_on_power, d);
	for (int i = 0; i < 4; i++)
		if (!strcmp(s, sets[i]))
			p->ops->set(p, (enum power_action)i, d->deadline_ms, driver_on_power, d);
	if (!strcmp(s, "cancel"))
		power_cancel(p);
}

static void driver_next(struct driver *d)
{
	const char *s = *d->step;

	if (!s) {
		driver_stop(d);
		return;
	}
	d->start_ns = clock_mono_ns();
	if (!strcmp(s, "open")) {
		d->lost = false;
		d->console->ops->open(d->console, d->deadline_ms);
	} else if (!strcmp(s, "close")) {
		d->console->ops->close(d->console, d->deadline_ms, driver_on_console_closed, d);
	} else if (!strncmp(s, "sleep=", 6)) {
		uv_timer_start(&d->timer, driver_on_slept, strtoul(s + 6, NULL, 10), 0);
	} else if (!strncmp(s, "until=", 6)) {
		uv_timer_start(&d->timer, driver_on_late, (uint64_t)d->deadline_ms, 0);
		d->want = s + 6;
		driver_look(d);
	} else if (!strcmp(s, "lost") && !d->lost) {
		uv_timer_start(&d->timer, driver_on_late, (uint64_t)d->deadline_ms, 0);
		d->want_lost = true;
	} else if (!strcmp(s, "lost")) {
		driver_done(d, "-", NULL);
	} else {
		driver_power(d, s);
	}
}

static void driver_target(struct target *t, char **argv)
{
	snprintf(t->name, sizeof(t->name), "machine");
	snprintf(t->bmc.driver, sizeof(t->bmc.driver), "ipmi");
	snprintf(t->console.driver, sizeof(t->console.driver), "sol");
	snprintf(t->bmc.host, sizeof(t->bmc.host), "%s", argv[1]);
	t->bmc.port = (int)strtol(argv[2], NULL, 10);
	snprintf(t->bmc.user, sizeof(t->bmc.user), "%s", argv[3]);
	snprintf(t->bmc.privilege, sizeof(t->bmc.privilege), "ADMINISTRATOR");
	t->bmc.password_kind = SECRET_FILE;
	t->bmc.cipher = 3;
}

/* KEY=VALUE of [bmc], or firmware: true when it was one. */
static bool driver_key(struct target *t, const char *word)
{
	static const char *const keys[] = {
		"driver", "fallback", "command", "url", "ca_file", "pin", "auth", "system"};
	const struct target_key *k = NULL;
	const char *value = strchr(word, '=');
	struct buf why;
	bool ok;

	for (size_t i = 0; value && i < sizeof(keys) / sizeof(keys[0]); i++)
		if (!strncmp(word, keys[i], (size_t)(value - word)) && !keys[i][value - word])
			k = target_key_find("bmc", keys[i]);
	if (!strncmp(word, "firmware=", 9))
		k = target_key_find("machine", "firmware");
	if (!k)
		return false;
	buf_init(&why, 256);
	ok = !target_key_set(t, k, value + 1, &why);
	if (!ok)
		fprintf(stderr, "bmc_driver: %s: %s\n", word, why.data);
	buf_release(&why);
	return ok;
}

int main(int argc, char **argv)
{
	static const struct console_events events = {
		.ready = driver_on_ready, .data = driver_on_data, .lost = driver_on_lost};
	struct driver d = {.deadline_ms = 20000};
	struct err e = ERR_INIT;

	if (argc < 6) {
		fputs("usage: bmc_driver HOST PORT USER PASSWORD_FILE [OPTION] STEP…\n", stderr);
		return ERR_USAGE;
	}
	driver_target(&d.target, argv);
	for (d.step = argv + 5; *d.step; d.step++)
		if (!strncmp(*d.step, "cipher=", 7))
			d.target.bmc.cipher = (int)strtol(*d.step + 7, NULL, 10);
		else if (!strncmp(*d.step, "deadline=", 9))
			d.deadline_ms = (int)strtol(*d.step + 9, NULL, 10);
		else if (!driver_key(&d.target, *d.step))
			break;
	uv_loop_init(&d.loop);
	uv_timer_init(&d.loop, &d.timer);
	d.timer.data = &d;
	uv_signal_init(&d.loop, &d.term);
	d.term.data = &d;
	uv_signal_start(&d.term, driver_on_term, SIGTERM);
	buf_init(&d.seen, SEEN_MAX);
	if (secret_load(&d.secret, SECRET_FILE, argv[4], 20, &e))
		goto out;
	d.power = power_new(&d.loop, &d.target, &d.secret, NULL, 0, &e);
	if (d.power)
		d.console = console_new(&d.loop, &d.target, &d.secret, NULL, 0, &events, &d, &e);
	if (!d.console)
		goto out;
	driver_next(&d);
	uv_run(&d.loop, UV_RUN_DEFAULT);
	uv_loop_close(&d.loop);
out:
	if (e.cls) {
		fprintf(stderr, "bmc_driver: %s\n", e.msg);
		d.status = (int)e.cls;
	}
	secret_release(&d.secret);
	buf_release(&d.seen);
	return d.status;
}
