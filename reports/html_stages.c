/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a boot cost and where its time went, stage by stage; also of those that failed. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "harness/base/clock.h"
#include "reports/cost.h"
#include "reports/html_plot.h"
#include "reports/html_private.h"

enum {
	STAGES_LEFT = 160,
	STAGES_LEFT_BUILDS = 240, /* where a boot's name has its build's in it */
	STAGES_CHARACTER = 7,	  /* px of a name's, with some room */
	STAGES_RIGHT = 150,
	STAGES_TOP = 6,
	STAGES_ROW = 24,
	STAGES_BAR = 16,
	STAGES_BOTTOM = 40,
};

/* A boot of two sets is there twice, and has one row. */
static bool stages_again(const struct html_view *v, size_t k)
{
	return k && v->boots[k].boot == v->boots[k - 1].boot;
}

static bool stages_builds(const struct html_view *v)
{
	for (size_t k = 0; k < v->n_boots; k++)
		if (*v->boots[k].boot->r.build)
			return true;
	return false;
}

static void stages_bar(struct buf *out, const struct html_axis *a, const struct boot_result *r,
	double unit, double y)
{
	double at = 0;
	char text[32], classes[16];

	for (int s = 0; s < STAGE_COUNT; s++) {
		double ns = r->stages[s].reached ? (double)r->stages[s].ns : 0, from, to;

		if (!(ns > 0))
			continue;
		from = html_axis_px(a, at / unit);
		to = html_axis_px(a, (at + ns) / unit);
		at += ns;
		clock_human(r->stages[s].ns, text, sizeof(text));
		buf_addf(out, "<g data-stage=\"%s\"><title>%s: %s</title>",
			stage_name((enum stage)s), stage_name((enum stage)s), text);
		snprintf(classes, sizeof(classes), "st st%d", s);
		html_rect(out, classes, from, y, to - from, STAGES_BAR);
		if (to - from > 8 + 6.5 * (double)strlen(stage_name((enum stage)s)))
			html_label(out, (from + to) / 2, y + 12, "middle", "in",
				stage_name((enum stage)s), 20);
		buf_adds(out, "</g>\n");
	}
}

static void stages_row(struct buf *out, const struct html_view *v, const struct html_axis *a,
	const struct html_boot *b, double unit, double y)
{
	const struct boot_result *r = &b->boot->r;
	double end = html_axis_px(a, (double)cost_boot_ns(r) / unit) + 8;
	char text[96];

	buf_adds(out, "<g data-row=\"");
	html_escf(out, "%s", html_boot_name(v, b).s);
	buf_addf(out, "\" data-outcome=\"%s\">\n", outcome_name(r->outcome));
	snprintf(text, sizeof(text), "%s %s", html_boot_name(v, b).s,
		html_name_of(r->build, r->mode).s);
	html_label(
		out, a->at - 8, y + 12, "end", "row", text, (size_t)(a->at - 8) / STAGES_CHARACTER);
	stages_bar(out, a, r, unit, y);
	if (r->outcome != OUTCOME_OK) {
		snprintf(text, sizeof(text), "\xe2\x9c\x95 %s", outcome_name(r->outcome));
		html_label(out, end, y + 12, "start", "bad", text, 24);
	}
	buf_adds(out, "</g>\n");
}

static void stages_key(struct buf *out, const struct html_view *v)
{
	bool used[STAGE_COUNT] = {false};

	for (size_t k = 0; k < v->n_boots; k++)
		for (int s = 0; s < STAGE_COUNT; s++)
			used[s] = used[s] || v->boots[k].boot->r.stages[s].reached;
	buf_adds(out, "<ol class=\"key\">");
	for (int s = 0; s < STAGE_COUNT; s++)
		if (used[s])
			buf_addf(out,
				"<li><svg width=\"14\" height=\"14\" aria-hidden=\"true\"><rect "
				"class=\"st st%d\" x=\"1\" y=\"1\" width=\"12\" "
				"height=\"12\"/></svg> "
				"%s</li>",
				s, stage_name((enum stage)s));
	buf_adds(out, "</ol>\n");
}

static void stages_table(struct buf *out, const struct html_view *v)
{
	const char *heads[STAGE_COUNT + 6] = {"boot", "mode", "outcome", "began by"};
	char words[STAGE_COUNT][40], text[40];
	size_t n = 4;

	for (int s = 0; s < STAGE_COUNT; s++) {
		snprintf(words[s], sizeof(words[s]), "#%s", stage_name((enum stage)s));
		heads[n++] = words[s];
	}
	heads[n++] = "#sum";
	heads[n++] = "#settling in it";
	html_table_open(out, "stages", "Time in each stage, in seconds", heads, n);
	for (size_t k = 0; k < v->n_boots; k++) {
		const struct boot_result *r = &v->boots[k].boot->r;
		const char *way = cost_way_name(cost_way(r));
		int64_t settle = 0;

		if (stages_again(v, k))
			continue;
		buf_adds(out, "<tr>");
		html_row_head(out, "%s", html_boot_name(v, &v->boots[k]).s);
		html_cell(out, "%s", html_name_of(r->build, r->mode).s);
		html_cell(out, "%s", outcome_name(r->outcome));
		html_cell(out, "%s", way ? way : "");
		for (int s = 0; s < STAGE_COUNT; s++) {
			double sec = r->stages[s].reached ? (double)r->stages[s].ns / 1e9 : NAN;

			settle += r->stages[s].reached ? r->stages[s].settle_ns : 0;
			snprintf(text, sizeof(text), "%.3f", sec);
			html_cell_data(out, sec, text);
		}
		snprintf(text, sizeof(text), "%.3f", (double)cost_boot_ns(r) / 1e9);
		html_cell_data(out, (double)cost_boot_ns(r) / 1e9, text);
		snprintf(text, sizeof(text), "%.3f", (double)settle / 1e9);
		html_cell_data(out, (double)settle / 1e9, text);
		buf_adds(out, "</tr>\n");
	}
	html_table_close(out);
}

/* "Run 7f3a: 1m36s for 9 boots: ...; 9 boots by cycle, ..." */
static void stages_run(struct buf *plain, const struct model *m)
{
	struct buf lines;

	buf_init(&lines, HTML_TEXT_MAX);
	cost_lines(&lines, m);
	if (lines.len)
		buf_addf(plain, "Run %s: ", m->id);
	for (const char *line = lines.data; *line;) {
		size_t n = strcspn(line, "\n");

		buf_add(plain, line, n);
		line += n + 1;
		buf_adds(plain, *line ? "; " : ".");
	}
	buf_release(&lines);
}

static void stages_runs(struct buf *out, struct buf *finding, const struct html_view *v)
{
	struct buf plain;

	buf_init(&plain, HTML_TEXT_MAX);
	for (size_t i = 0; i < v->c->n_runs; i++) {
		buf_clear(&plain);
		stages_run(&plain, v->c->runs[i]);
		if (!plain.len)
			continue;
		buf_adds(out, "<p>");
		html_esc(out, plain.data);
		buf_adds(out, "</p>\n");
		buf_addf(finding, "%s%s", finding->len ? " " : "", plain.data);
	}
	buf_release(&plain);
}

static void stages_open(struct buf *out, const struct html_view *v, double height)
{
	struct buf finding;

	buf_init(&finding, HTML_TEXT_MAX);
	stages_runs(out, &finding, v);
	html_figure_open(out,
		&(struct html_figure){.id = "fig-stages",
			.title = "Time in each stage.",
			.caption =
				"A row is a boot, in the order in which they ran; stages from left "
				"to right. A boot that failed is marked with its outcome.",
			.finding = finding.data,
			.width = PLOT_WIDTH,
			.height = height});
	buf_release(&finding);
}

void html_stages(struct buf *out, const struct html_view *v)
{
	double left = stages_builds(v) ? STAGES_LEFT_BUILDS : STAGES_LEFT;
	struct html_axis a = {.at = left, .len = PLOT_WIDTH - left - STAGES_RIGHT};
	double most = 0, unit = 1e9, y = STAGES_TOP, end;
	size_t rows = 0;

	for (size_t k = 0; k < v->n_boots; k++) {
		rows += !stages_again(v, k);
		most = fmax(most, (double)cost_boot_ns(&v->boots[k].boot->r));
	}
	if (!(most > 0))
		return;
	if (most > 600e9)
		unit = 60e9;
	html_axis_fit(&a, 0, most / unit, 7);
	a.lo = 0;
	end = STAGES_TOP + (double)rows * STAGES_ROW;
	buf_adds(out, "<section id=\"time\" aria-labelledby=\"h-time\">\n"
		      "<h2 id=\"h-time\">Where the time went</h2>\n");
	stages_open(out, v, end + STAGES_BOTTOM);
	html_axis_draw_x(out, &a, STAGES_TOP, end, unit > 1e9 ? "minutes" : "seconds");
	for (size_t k = 0; k < v->n_boots; k++) {
		if (stages_again(v, k))
			continue;
		stages_row(out, v, &a, &v->boots[k], unit, y);
		y += STAGES_ROW;
	}
	html_figure_data(out, "Numbers of this plot");
	stages_table(out, v);
	html_figure_close(out);
	stages_key(out, v);
	buf_adds(out, "</section>\n");
}
