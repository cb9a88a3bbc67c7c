/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Drive the console of a target file from a shell test.
 *
 *   console_driver TARGET.ini [deadline=MS] STEP…
 *
 * Steps, one after another; the first that fails ends it:
 *   open close        the console
 *   send=TEXT         type it; %XX is a byte
 *   until=TEXT        wait for TEXT on the console, after what was found before
 *   lost              wait until the console is lost
 *   sleep=MS          let the loop run
 * Each step prints "STEP MS ok [CODE MESSAGE of what was lost]" or "STEP MS CODE MESSAGE"; the exit
 * status is the error's class.  Console data goes to standard error.  The password is "sesame".
 */
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/buf.h"
#include "harness/base/clock.h"
#include "harness/console.h"

enum { SEEN_MAX = 1 << 20, SEND_MAX = 4096 };

struct driver {
	uv_loop_t loop;
	struct target target;
	struct console *console;
	struct buf seen;
	uv_timer_t timer;
	int deadline_ms, status;
	char **step; /* the one that runs */
	const char *want;
	bool want_lost, lost;
	struct err why;
	int64_t start_ns;
};

static void driver_next(struct driver *d);

static void driver_stop(struct driver *d)
{
	console_free(d->console);
	d->console = NULL;
	if (!uv_is_closing((uv_handle_t *)&d->timer))
		uv_close((uv_handle_t *)&d->timer, NULL);
}

static void driver_done(struct driver *d, const struct err *told, const struct err *e)
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
	printf("%s %lld ok %s %s\n", *d->step, ms, told ? told->code : "", told ? told->msg : "");
	fflush(stdout);
	d->step++;
	driver_next(d);
}

static void driver_on_ready(void *arg, const struct err *e)
{
	driver_done(arg, NULL, e);
}

static void driver_look(struct driver *d)
{
	size_t n = d->want ? strlen(d->want) : 0;
	char *at = n ? memmem(d->seen.data, d->seen.len, d->want, n) : NULL;

	if (!at)
		return;
	buf_consume(&d->seen, (size_t)(at - d->seen.data) + n);
	driver_done(d, NULL, NULL);
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
	d->why = *e;
	if (d->want_lost)
		driver_done(d, e, NULL);
	else if (d->want)
		driver_done(d, NULL, e);
}

static void driver_on_closed(void *arg)
{
	driver_done(arg, NULL, NULL);
}

static void driver_on_slept(uv_timer_t *t)
{
	driver_done(t->data, NULL, NULL);
}

static void driver_on_late(uv_timer_t *t)
{
	struct err e = ERR_INIT;

	err_set(&e, ERR_LAB, "E_TIMEOUT", "did not come");
	driver_done(t->data, NULL, &e);
}

static void driver_send(struct driver *d, const char *s)
{
	struct buf b;
	unsigned byte;

	buf_init(&b, SEND_MAX);
	for (; *s; s++) {
		if (*s == '%' && sscanf(s + 1, "%2x", &byte) == 1) {
			buf_addc(&b, (char)byte);
			s += 2;
		} else {
			buf_addc(&b, *s);
		}
	}
	d->console->ops->send(d->console, b.data, b.len);
	buf_release(&b);
	uv_timer_start(&d->timer, driver_on_slept, 0, 0);
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
		d->console->ops->close(d->console, d->deadline_ms, driver_on_closed, d);
	} else if (!strncmp(s, "send=", 5)) {
		driver_send(d, s + 5);
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
		driver_done(d, &d->why, NULL);
	} else {
		fprintf(stderr, "console_driver: unknown step %s\n", s);
		d->status = ERR_USAGE;
		driver_stop(d);
	}
}

int main(int argc, char **argv)
{
	static const struct console_events events = {
		.ready = driver_on_ready, .data = driver_on_data, .lost = driver_on_lost};
	struct driver d = {.deadline_ms = 20000};
	char password[] = "sesame";
	const struct secret secret = {.value = password};
	struct err e = ERR_INIT;

	if (argc < 3) {
		fputs("usage: console_driver TARGET.ini [deadline=MS] STEP…\n", stderr);
		return ERR_USAGE;
	}
	d.step = argv + 2;
	if (!strncmp(*d.step, "deadline=", 9))
		d.deadline_ms = (int)strtol(*d.step++ + 9, NULL, 10);
	signal(SIGPIPE, SIG_IGN);
	uv_loop_init(&d.loop);
	uv_timer_init(&d.loop, &d.timer);
	d.timer.data = &d;
	buf_init(&d.seen, SEEN_MAX);
	if (target_load(&d.target, argv[1], &e))
		goto out;
	d.console = console_new(&d.loop, &d.target, &secret, NULL, 0, &events, &d, &e);
	if (!d.console)
		goto out;
	driver_next(&d);
	uv_run(&d.loop, UV_RUN_DEFAULT);
	uv_loop_close(&d.loop);
out:
	if (e.cls) {
		fprintf(stderr, "console_driver: %s\n", e.msg);
		d.status = (int)e.cls;
	}
	target_release(&d.target);
	buf_release(&d.seen);
	return d.status;
}
