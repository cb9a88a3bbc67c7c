/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/build_view.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/clock.h"
#include "harness/base/log.h"

static const int64_t view_log_every_ns = 10000000000;

static void view_hook(void *arg, int before)
{
	struct build_view *v = arg;

	if (!v->shown)
		return;
	if (before)
		fputs("\r\033[K", stderr);
	else
		fprintf(stderr, "%s", v->line);
	fflush(stderr);
}

void build_view_init(struct build_view *v, bool live)
{
	*v = (struct build_view){.live = live};
	if (live)
		log_set_hook(view_hook, v);
}

void build_view_release(struct build_view *v)
{
	if (v->live)
		log_set_hook(NULL, NULL);
}

void build_view_line(const struct build_progress *p, char *out, size_t size)
{
	char time[16], what[96];
	int percent;

	clock_human(p->step_ns, time, sizeof(time));
	if (!p->mode) {
		snprintf(out, size, "%s %s  %s", p->recipe, p->step, time);
		return;
	}
	snprintf(what, sizeof(what), "%s %s %d/%d", p->recipe, p->step, p->mode, p->n_modes);
	if (p->ends)
		snprintf(out, size, "%s  %d objects  %s", what, p->objects, time);
	else if (!p->total || !p->objects)
		snprintf(out, size, "%s  configuration and headers  %s", what, time);
	else if (p->objects >= p->total)
		snprintf(out, size, "%s  %d objects, linking  %s", what, p->objects, time);
	else {
		/* The total is an estimate, and linking comes after the last object. */
		percent = p->objects * 100 / p->total;
		snprintf(out, size, "%s  %d/%d objects  %d %%  %s", what, p->objects,
			p->objects > p->total ? p->objects : p->total, percent > 99 ? 99 : percent,
			time);
	}
}

static void view_live(struct build_view *v, const struct build_progress *p)
{
	build_view_line(p, v->line, sizeof(v->line));
	fprintf(stderr, "\r%s\033[K%s%s", v->line, p->ends && p->failed ? "  failed" : "",
		p->ends ? "\n" : "");
	fflush(stderr);
	v->shown = !p->ends;
}

static void view_log(struct build_view *v, const struct build_progress *p)
{
	size_t skip = strlen(p->recipe) + 1;

	if (!p->begins && !p->ends && p->step_ns - v->logged_ns < view_log_every_ns)
		return;
	v->logged_ns = p->step_ns;
	build_view_line(p, v->line, sizeof(v->line));
	/* Warnings are what is shown without -v and not with -q. */
	if (p->begins && p->mode)
		log_line(LOG_WARN, p->recipe, "%s %d/%d: building", p->step, p->mode, p->n_modes);
	else if (p->begins)
		log_line(LOG_WARN, p->recipe, "%s", p->step);
	else
		log_line(LOG_WARN, p->recipe, "%s%s", v->line + skip,
			!p->ends    ? ""
			: p->failed ? "  failed"
				    : "  done");
}

void build_view_progress(void *arg, const struct build_progress *p)
{
	struct build_view *v = arg;

	if (v->live)
		view_live(v, p);
	else
		view_log(v, p);
}

static void view_size(uint64_t bytes, char *out, size_t size)
{
	if (bytes < 1048576)
		snprintf(out, size, "%.1f KiB", (double)bytes / 1024);
	else
		snprintf(out, size, "%.1f MiB", (double)bytes / 1048576);
}

void build_view_table(const struct build_result *r, struct buf *out)
{
	char size[24], time[16];

	buf_addf(out, "%-9s %-12s %-12s  %9s  %s\n", "mode", "version", "sha256", "size", "result");
	for (size_t i = 0; i < r->n_modes; i++) {
		const struct build_mode *m = &r->modes[i];

		if (m->status == BUILD_SKIPPED) {
			buf_addf(out, "%-9s %-12s %-12s  %9s  SKIPPED: %s\n", m->mode, m->version,
				"-", "-", m->reason);
			continue;
		}
		view_size(m->size, size, sizeof(size));
		buf_addf(out, "%-9s %-12s %.12s  %9s  %s", m->mode, m->version, m->sha256, size,
			build_status_name(m->status));
		if (m->status == BUILD_BUILT) {
			clock_human(m->ns, time, sizeof(time));
			buf_addf(out, " in %s", time);
		}
		buf_addc(out, '\n');
	}
}

void build_view_json(const char *recipe, const struct build_result *r, struct buf *out)
{
	json_t *modes = json_array(), *o;
	char *text;

	for (size_t i = 0; i < r->n_modes; i++) {
		const struct build_mode *m = &r->modes[i];
		bool skipped = m->status == BUILD_SKIPPED;

		o = json_pack("{s:s, s:s, s:s}", "mode", m->mode, "result",
			skipped ? "skipped" : build_status_name(m->status), "version", m->version);
		if (skipped) {
			json_object_set_new(o, "reason", json_string(m->reason));
		} else {
			json_object_set_new(o, "sha256", json_string(m->sha256));
			json_object_set_new(o, "size", json_integer((json_int_t)m->size));
		}
		if (m->status == BUILD_BUILT)
			json_object_set_new(o, "ns", json_integer((json_int_t)m->ns));
		json_array_append_new(modes, o);
	}
	o = json_pack("{s:s, s:s, s:s, s:b, s:o}", "image", recipe, "version", r->version, "commit",
		r->commit, "dirty", r->dirty, "modes", modes);
	text = o ? json_dumps(o, JSON_INDENT(2)) : NULL;
	if (text)
		buf_addf(out, "%s\n", text);
	free(text);
	json_decref(o);
}
