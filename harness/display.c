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

enum {
	TICK_MS = 500,
	BAR_CELLS = 20,
	BAR_COLUMNS = 76,
	BLOCK_MAX = 256 * 1024,
	LINE_MAX_BYTES = 2048
};

/* A machine. */
struct display_line {
	struct display *d;
	struct display_line *next;
	bool pilot; /* the boots of a second stage may come on top of total */
	char machine[64];
	int total, done, index; /* total 0: no run, no live line */
	char label[LABEL_MAX];	/* of the boot that goes on */
	int width;		/* of the longest label */
	enum stage stage;
	int64_t stage_since, begun, last_done; /* monotonic */
	int64_t stage_limit_ms;
	const struct target *target;
};

struct display {
	uv_timer_t tick;
	bool quiet, tty, several;
	int shown; /* live lines on the terminal */
	int active;
	struct display_line *lines, **last;
};

static void display_window(int *columns, int *rows)
{
	struct winsize w;
	bool known = !ioctl(STDERR_FILENO, TIOCGWINSZ, &w);

	*columns = known && w.ws_col > 20 ? w.ws_col : 80;
	*rows = known && w.ws_row > 2 ? w.ws_row : 24;
}

static void display_add_hide(struct display *d, struct buf *b)
{
	if (d->shown > 1)
		buf_addf(b, "\r\033[%dA\033[J", d->shown - 1);
	else if (d->shown)
		buf_adds(b, "\r\033[K");
	d->shown = 0;
}

/* At once: standard error has no buffer. */
static void display_flush(struct buf *b)
{
	if (b->len)
		fwrite(b->data, 1, b->len, stderr);
	buf_release(b);
}

void display_hide(struct display *d)
{
	struct buf b;

	buf_init(&b, 64);
	display_add_hide(d, &b);
	display_flush(&b);
}

/* A cell of the bar is three bytes and one column, so bytes alone do not tell the width. */
static void display_put(struct buf *b, const char *line, int columns)
{
	int col = 0;

	for (const char *p = line; *p && col < columns - 1; p++) {
		buf_addc(b, *p);
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

static void display_add_live(
	const struct display_line *l, int64_t now, int columns, struct buf *out)
{
	char stage_time[16], limit[16], left[16];
	struct buf b;

	buf_init(&b, LINE_MAX_BYTES);
	display_clock(now - l->stage_since, stage_time, sizeof(stage_time));
	display_clock(l->stage_limit_ms * 1000000, limit, sizeof(limit));
	buf_addf(&b, "%s  ", l->machine);
	/* The words matter more than the bar. */
	for (int i = 0; i < BAR_CELLS && columns >= BAR_COLUMNS; i++)
		buf_adds(&b, i < l->done * BAR_CELLS / l->total ? "█" : "░");
	buf_addf(&b, "  boot %d/%d  %s  %s %s/%s", l->index + 1, l->total, l->label,
		stage_name(l->stage), stage_time, limit);
	if (l->done) {
		int64_t each = (l->last_done - l->begun) / l->done;
		int64_t ns = each * (l->total - l->done) - (now - l->last_done);

		display_clock(ns > 0 ? ns : 0, left, sizeof(left));
		buf_addf(&b, l->pilot ? "   pilot: %s left" : "   about %s left", left);
	}
	display_put(out, b.data, columns);
	buf_release(&b);
}

static void display_show(struct display *d)
{
	int64_t now = clock_mono_ns();
	int columns, rows, room;
	struct buf b;

	if (!d->tty || d->quiet || !d->active)
		return;
	display_window(&columns, &rows);
	buf_init(&b, BLOCK_MAX);
	display_add_hide(d, &b);
	room = d->active < rows ? d->active : rows - 2;
	for (const struct display_line *l = d->lines; l && d->shown < room; l = l->next) {
		if (!l->total)
			continue;
		if (d->shown++)
			buf_addc(&b, '\n');
		display_add_live(l, now, columns, &b);
	}
	if (room < d->active) {
		buf_addf(&b, "\nand %d more", d->active - room);
		d->shown++;
	}
	display_flush(&b);
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

static void display_say(struct display_line *l, const char *line)
{
	struct display *d = l->d;
	bool indented = *line == ' ';
	char stamp[32];

	if (d->quiet)
		return;
	display_hide(d);
	clock_iso(clock_wall_ns(), stamp, sizeof(stamp));
	if (!d->tty)
		fprintf(stderr, "%s %s:%s%s\n", stamp, l->machine, indented ? "" : " ", line);
	else if (d->several)
		fprintf(stderr, "%s:%s%s\n", l->machine, indented ? "" : " ", line);
	else
		fprintf(stderr, "%s\n", line);
	display_show(d);
}

/* Is this the first build that boots this mode? */
static bool display_first_of(const struct run_info *i, size_t m)
{
	for (size_t k = 0; k < m; k++)
		if (!i->modes[k].skipped && !strcmp(i->modes[k].mode, i->modes[m].mode))
			return false;
	return !i->modes[m].skipped;
}

/* Columns of the labels; 9 are those of "physical" and a blank. */
static int display_width(const struct run_info *i)
{
	char label[LABEL_MAX];
	int width = 9;

	for (size_t m = 0; m < i->n_modes; m++) {
		int n;

		result_label(i->modes[m].build, i->modes[m].mode, label);
		n = (int)strlen(label);
		width = !i->modes[m].skipped && n > width ? n : width;
	}
	return width;
}

static int display_begin(void *arg, const struct run_info *i, struct err *e)
{
	struct display_line *l = arg;
	char label[LABEL_MAX];
	struct buf b;

	(void)e;
	buf_init(&b, 2048);
	snprintf(l->machine, sizeof(l->machine), "%s", i->target->name);
	l->target = i->target;
	l->begun = l->stage_since = clock_mono_ns();
	buf_addf(&b, "run %.8s  %s  %s %dx  ", i->uuid, l->machine, i->workload, i->iterations);
	for (size_t k = 0; k < i->n_builds; k++)
		buf_addf(&b, "%s%s", k ? "," : "builds ", i->builds[k].name);
	buf_addf(&b, "%smodes ", i->n_builds ? "  " : "");
	for (size_t m = 0, n = 0; m < i->n_modes; m++)
		if (display_first_of(i, m))
			buf_addf(&b, "%s%s", n++ ? "," : "", i->modes[m].mode);
	buf_addf(&b, "  %d boot%s x %d sample%s  seed %llu", i->boots, i->boots == 1 ? "" : "s",
		i->samples, i->samples == 1 ? "" : "s", (unsigned long long)i->seed);
	if (i->until.width > 0)
		buf_addf(&b, "  until +-%.6g %%, %d boots at most", 100 * i->until.width,
			i->until.max);
	display_say(l, b.data);
	for (size_t m = 0; m < i->n_modes; m++) {
		if (!i->modes[m].skipped)
			continue;
		buf_clear(&b);
		result_label(i->modes[m].build, i->modes[m].mode, label);
		buf_addf(&b, "  %s SKIPPED: %s", label, i->modes[m].reason);
		display_say(l, b.data);
	}
	buf_release(&b);
	l->width = display_width(i);
	l->total = i->total;
	l->pilot = i->until.width > 0;
	if (!l->d->active++ && l->d->tty && !l->d->quiet) {
		log_set_hook(display_around_log, l->d);
		uv_timer_start(&l->d->tick, display_on_tick, TICK_MS, TICK_MS);
	}
	return 0;
}

static int display_stage(void *arg, const struct boot_result *r, enum stage s, struct err *e)
{
	struct display_line *l = arg;

	(void)e;
	l->index = r->index;
	result_label(r->build, r->mode, l->label);
	l->stage = s;
	l->stage_since = clock_mono_ns();
	l->stage_limit_ms = l->target->deadline_ms[s];
	if (!l->d->tty)
		log_line(LOG_INFO, l->machine, "boot %d/%d %s: %s", r->index + 1, l->total,
			l->label, stage_name(s));
	else if (!l->d->several)
		display_show(l->d);
	return 0;
}

static int display_event(
	void *arg, int boot, int64_t mono_ns, const char *what, const char *detail, struct err *e)
{
	struct display_line *l = arg;

	(void)e;
	(void)mono_ns;
	/* What the run itself decides matters to whoever waits for it. */
	if (boot < 0)
		display_say(l, detail);
	else
		log_line(LOG_DEBUG, l->machine, "boot %d/%d %s: %s", boot + 1, l->total, what,
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
	struct display_line *l = arg;
	char took[16], middle[32] = "", label[LABEL_MAX];
	int64_t ns = 0;
	double median;
	struct buf b;

	(void)e;
	buf_init(&b, 2048);
	for (int s = 0; s < STAGE_COUNT; s++)
		ns += r->stages[s].ns;
	clock_human(ns, took, sizeof(took));
	result_label(r->build, r->mode, label);
	buf_addf(&b, "  boot %*d/%d  block %d  %-*s", l->total > 9 ? 2 : 1, r->index + 1, l->total,
		r->block + 1, l->width, label);
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
		l->done++;
		l->last_done = clock_mono_ns();
	}
	display_say(l, b.data);
	buf_release(&b);
	return 0;
}

static int display_replan(void *arg, const struct run_info *i, struct err *e)
{
	struct display_line *l = arg;

	(void)e;
	l->total = i->total;
	l->pilot = false;
	display_show(l->d);
	return 0;
}

static int display_end(void *arg, const struct run_totals *t, struct err *e)
{
	struct display_line *l = arg;

	(void)e;
	(void)t;
	l->total = 0;
	display_hide(l->d);
	if (!--l->d->active)
		uv_timer_stop(&l->d->tick);
	return 0;
}

struct display *display_new(uv_loop_t *loop, bool quiet, bool several)
{
	const char *term = getenv("TERM");
	struct display *d = mem_alloc(sizeof(*d));

	d->quiet = quiet;
	d->several = several;
	d->tty = isatty(STDERR_FILENO) && term && strcmp(term, "dumb") != 0;
	d->last = &d->lines;
	uv_timer_init(loop, &d->tick);
	d->tick.data = d;
	uv_unref((uv_handle_t *)&d->tick);
	return d;
}

struct run_sink display_sink(struct display *d)
{
	struct display_line *l = mem_alloc(sizeof(*l));

	l->d = d;
	*d->last = l;
	d->last = &l->next;
	return (struct run_sink){.begin = display_begin,
		.stage = display_stage,
		.event = display_event,
		.boot = display_boot,
		.replan = display_replan,
		.end = display_end,
		.arg = l};
}

static void display_on_closed(uv_handle_t *h)
{
	struct display *d = h->data;

	while (d->lines) {
		struct display_line *l = d->lines;

		d->lines = l->next;
		free(l);
	}
	free(d);
}

void display_free(struct display *d)
{
	display_hide(d);
	log_set_hook(NULL, NULL);
	uv_close((uv_handle_t *)&d->tick, display_on_closed);
}
