/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/display.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "harness/base/buf.h"
#include "harness/base/clock.h"
#include "harness/base/log.h"
#include "harness/base/mem.h"
#include "harness/stats/moments.h"

enum { TICK_MS = 500, BAR_CELLS = 20, BAR_COLUMNS = 76 };

struct display {
	uv_timer_t tick;
	bool quiet, tty, shown;
	bool pilot; /* the boots of a second stage may come on top of total */
	char machine[64];
	int total, done, index;
	char mode[MODE_MAX];
	enum stage stage;
	int64_t stage_since, begun, last_done; /* monotonic */
	int64_t stage_limit_ms;
	const struct target *target;
};

static int display_columns(void)
{
	struct winsize w;

	return !ioctl(STDERR_FILENO, TIOCGWINSZ, &w) && w.ws_col > 20 ? w.ws_col : 80;
}

static void display_hide(struct display *d)
{
	if (d->shown)
		fputs("\r\033[K", stderr);
	d->shown = false;
}

/* A cell of the bar is three bytes and one column, so bytes alone do not tell the width. */
static void display_put(const char *line, int columns)
{
	int col = 0;

	for (const char *p = line; *p && col < columns - 1; p++) {
		fputc(*p, stderr);
		if (((unsigned char)p[1] & 0xc0) != 0x80)
			col++;
	}
}

/* Whole seconds: "7s", "1m02s", "1h02m". */
static void display_clock(int64_t ns, char *out, size_t size)
{
	int64_t s = ns / 1000000000;

	if (s < 60)
		snprintf(out, size, "%llds", (long long)s);
	else
		clock_human(s * 1000000000, out, size);
}

static void display_show(struct display *d)
{
	int64_t now = clock_mono_ns();
	int columns = display_columns();
	char stage_time[16], limit[16], left[16];
	struct buf b;

	if (!d->tty || d->quiet || !d->total)
		return;
	buf_init(&b, 1024);
	display_clock(now - d->stage_since, stage_time, sizeof(stage_time));
	display_clock(d->stage_limit_ms * 1000000, limit, sizeof(limit));
	buf_addf(&b, "%s  ", d->machine);
	/* The words matter more than the bar. */
	for (int i = 0; i < BAR_CELLS && columns >= BAR_COLUMNS; i++)
		buf_adds(&b, i < d->done * BAR_CELLS / d->total ? "█" : "░");
	buf_addf(&b, "  boot %d/%d  %s  %s %s/%s", d->index + 1, d->total, d->mode,
		stage_name(d->stage), stage_time, limit);
	if (d->done) {
		int64_t each = (d->last_done - d->begun) / d->done;
		int64_t ns = each * (d->total - d->done) - (now - d->last_done);

		display_clock(ns > 0 ? ns : 0, left, sizeof(left));
		buf_addf(&b, d->pilot ? "   pilot: %s left" : "   about %s left", left);
	}
	display_hide(d);
	display_put(b.data, columns);
	d->shown = true;
	fflush(stderr);
	buf_release(&b);
}

static void display_on_tick(uv_timer_t *t)
{
	display_show(t->data);
}

static void display_around_log(void *arg, int before)
{
	if (before)
		display_hide(arg);
	else
		display_show(arg);
}

static void display_say(struct display *d, const char *line)
{
	char stamp[32];

	if (d->quiet)
		return;
	display_hide(d);
	clock_iso(clock_wall_ns(), stamp, sizeof(stamp));
	if (d->tty)
		fprintf(stderr, "%s\n", line);
	else
		fprintf(stderr, "%s %s:%s%s\n", stamp, d->machine, *line == ' ' ? "" : " ", line);
	display_show(d);
}

static int display_begin(void *arg, const struct run_info *i, struct err *e)
{
	struct display *d = arg;
	struct buf b;

	(void)e;
	buf_init(&b, 2048);
	snprintf(d->machine, sizeof(d->machine), "%s", i->target->name);
	d->target = i->target;
	d->begun = d->stage_since = clock_mono_ns();
	buf_addf(&b, "run %.8s  %s  %s %dx  modes ", i->uuid, d->machine, i->workload,
		i->iterations);
	for (size_t m = 0, n = 0; m < i->n_modes; m++)
		if (!i->modes[m].skipped)
			buf_addf(&b, "%s%s", n++ ? "," : "", i->modes[m].mode);
	buf_addf(&b, "  %d boot%s x %d sample%s  seed %llu", i->boots, i->boots == 1 ? "" : "s",
		i->samples, i->samples == 1 ? "" : "s", (unsigned long long)i->seed);
	if (i->until.width > 0)
		buf_addf(&b, "  until +-%.6g %%, %d boots at most", 100 * i->until.width,
			i->until.max);
	display_say(d, b.data);
	for (size_t m = 0; m < i->n_modes; m++) {
		if (!i->modes[m].skipped)
			continue;
		buf_clear(&b);
		buf_addf(&b, "  %s SKIPPED: %s", i->modes[m].mode, i->modes[m].reason);
		display_say(d, b.data);
	}
	buf_release(&b);
	d->total = i->total;
	d->pilot = i->until.width > 0;
	if (d->tty && !d->quiet) {
		log_set_hook(display_around_log, d);
		uv_timer_start(&d->tick, display_on_tick, TICK_MS, TICK_MS);
	}
	return 0;
}

static int display_stage(void *arg, const struct boot_result *r, enum stage s, struct err *e)
{
	struct display *d = arg;

	(void)e;
	d->index = r->index;
	snprintf(d->mode, sizeof(d->mode), "%s", r->mode);
	d->stage = s;
	d->stage_since = clock_mono_ns();
	d->stage_limit_ms = d->target->deadline_ms[s];
	if (d->tty)
		display_show(d);
	else
		log_line(LOG_INFO, d->machine, "boot %d/%d %s: %s", r->index + 1, d->total, r->mode,
			stage_name(s));
	return 0;
}

static int display_event(
	void *arg, int boot, int64_t mono_ns, const char *what, const char *detail, struct err *e)
{
	struct display *d = arg;

	(void)e;
	(void)mono_ns;
	/* What the run itself decides matters to whoever waits for it. */
	if (boot < 0)
		display_say(d, detail);
	else
		log_line(LOG_DEBUG, d->machine, "boot %d/%d %s: %s", boot + 1, d->total, what,
			detail);
	return 0;
}

static bool display_median(const struct boot_result *r, double *median)
{
	double *v = mem_array(r->n_samples, sizeof(*v));
	struct err e = ERR_INIT;
	struct moments m;
	size_t n = 0;
	bool ok;

	for (size_t i = 0; i < r->n_samples; i++)
		if (!r->samples[i].warmup)
			v[n++] = (double)r->samples[i].ns;
	ok = !moments_init(&m, v, n, &e);
	if (ok)
		*median = m.median;
	free(v);
	return ok;
}

static int display_boot(void *arg, const struct boot_result *r, bool will_retry, struct err *e)
{
	struct display *d = arg;
	char took[16], middle[32] = "";
	int64_t ns = 0;
	double median;
	struct buf b;

	(void)e;
	buf_init(&b, 2048);
	for (int s = 0; s < STAGE_COUNT; s++)
		ns += r->stages[s].ns;
	clock_human(ns, took, sizeof(took));
	buf_addf(&b, "  boot %*d/%d  block %d  %-9s", d->total > 9 ? 2 : 1, r->index + 1, d->total,
		r->block + 1, r->mode);
	if (r->outcome == OUTCOME_OK) {
		if (display_median(r, &median))
			clock_measured(median, middle, sizeof(middle));
		buf_addf(&b, " ok  %7s  median %9s  %s, %d CPUs", took, middle,
			r->facts.apic_driver, r->facts.cpus_online);
	} else {
		buf_addf(&b, " %s %s%s%s%s", will_retry ? "retry:" : outcome_name(r->outcome),
			r->err.msg, *r->err.code ? " (" : "", r->err.code, *r->err.code ? ")" : "");
	}
	if (r->flags && *r->flags)
		buf_addf(&b, "  [%s]", r->flags);
	if (!will_retry) {
		d->done++;
		d->last_done = clock_mono_ns();
	}
	display_say(d, b.data);
	buf_release(&b);
	return 0;
}

static int display_replan(void *arg, const struct run_info *i, struct err *e)
{
	struct display *d = arg;

	(void)e;
	d->total = i->total;
	d->pilot = false;
	display_show(d);
	return 0;
}

static int display_end(void *arg, const struct run_totals *t, struct err *e)
{
	struct display *d = arg;

	(void)e;
	(void)t;
	uv_timer_stop(&d->tick);
	d->total = 0;
	display_hide(d);
	return 0;
}

struct display *display_new(uv_loop_t *loop, bool quiet)
{
	const char *term = getenv("TERM");
	struct display *d = mem_alloc(sizeof(*d));

	d->quiet = quiet;
	d->tty = isatty(STDERR_FILENO) && term && strcmp(term, "dumb") != 0;
	uv_timer_init(loop, &d->tick);
	d->tick.data = d;
	uv_unref((uv_handle_t *)&d->tick);
	return d;
}

struct run_sink display_sink(struct display *d)
{
	return (struct run_sink){.begin = display_begin,
		.stage = display_stage,
		.event = display_event,
		.boot = display_boot,
		.replan = display_replan,
		.end = display_end,
		.arg = d};
}

static void display_on_closed(uv_handle_t *h)
{
	free(h->data);
}

void display_free(struct display *d)
{
	display_hide(d);
	log_set_hook(NULL, NULL);
	uv_close((uv_handle_t *)&d->tick, display_on_closed);
}
