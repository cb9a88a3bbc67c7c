/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sets on one scale: a box of all samples, and the boot means on it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/mem.h"
#include "reports/html_samples.h"

enum { SETS_LEFT = 180, SETS_RIGHT = 24, SETS_TOP = 10, SETS_ROW = 56, SETS_BOTTOM = 40 };

static int sets_order(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

struct quartiles {
	double q1, q3;
};

/* By interpolation between neighbours, at (n - 1) q from the lowest. */
static double sets_quantile(const double *sorted, size_t n, double q)
{
	double at = (double)(n - 1) * q;
	size_t i = (size_t)at;

	return i + 1 < n ? sorted[i] + (at - (double)i) * (sorted[i + 1] - sorted[i]) : sorted[i];
}

static struct quartiles sets_quartiles(const struct comparison_set *s)
{
	double *v = mem_array(s->n_values, sizeof(*v));
	struct quartiles q;

	memcpy(v, s->values, s->n_values * sizeof(*v));
	qsort(v, s->n_values, sizeof(*v), sets_order);
	q = (struct quartiles){
		sets_quantile(v, s->n_values, 0.25), sets_quantile(v, s->n_values, 0.75)};
	free(v);
	return q;
}

static void sets_row(struct buf *out, const struct html_samples *s, const struct html_axis *a,
	double unit, size_t i, double y)
{
	const struct comparison_set *set = &s->v->c->sets[i];
	struct quartiles q = sets_quartiles(set);
	size_t symbol = s->v->symbol[i], class = html_mark_class(symbol);
	double lo = html_axis_px(a, set->all.min / unit), hi = html_axis_px(a, set->all.max / unit);
	double b1 = html_axis_px(a, q.q1 / unit), b3 = html_axis_px(a, q.q3 / unit);
	double median = html_axis_px(a, set->all.median / unit);
	char classes[32], text[96];

	buf_addf(out, "<g data-set=\"%zu\" data-row=\"", class);
	html_esc(out, set->name);
	buf_adds(out, "\">\n");
	html_label(out, 0, y - 2, "start", "name", set->name, 22);
	snprintf(text, sizeof(text), "mean %s", html_time(set->between.avg, false).s);
	html_label(out, 0, y + 13, "start", "tick", text, 30);
	snprintf(classes, sizeof(classes), "whisker c%zu", class);
	html_line(out, classes, lo, y - 8, hi, y - 8);
	html_line(out, classes, lo, y - 12, lo, y - 4);
	html_line(out, classes, hi, y - 12, hi, y - 4);
	snprintf(classes, sizeof(classes), "box c%zu", class);
	html_rect(out, classes, b1, y - 16, fmax(b3 - b1, 1), 16);
	snprintf(classes, sizeof(classes), "median c%zu", class);
	html_line(out, classes, median, y - 17, median, y + 1);
	buf_addf(out, "<path class=\"mark c%zu\" d=\"", class);
	for (size_t k = 0; k < set->n_boots; k++)
		html_mark(out, symbol, html_axis_px(a, set->means[k] / unit), y + 11);
	buf_adds(out, "\"/>\n</g>\n");
}

static void sets_table(struct buf *out, const struct html_samples *s, size_t block)
{
	static const char *const heads[] = {"set", "#boots", "#samples", "#lowest",
		"#lower quartile", "#median", "#upper quartile", "#highest", "#mean of samples",
		"#mean of boots"};
	char id[32], text[40];

	snprintf(id, sizeof(id), "sets-%zu", block);
	html_table_open(out, id, "Sets, all in ns", heads, sizeof(heads) / sizeof(heads[0]));
	for (size_t i = s->first; i < s->end; i++) {
		const struct comparison_set *set = &s->v->c->sets[i];
		struct quartiles q;

		if (!set->usable)
			continue;
		q = sets_quartiles(set);
		buf_adds(out, "<tr>");
		html_row_head(out, "%s", set->name);
		html_cell_number(out, "%zu", set->n_boots);
		html_cell_number(out, "%zu", set->n_values);
		for (size_t k = 0; k < 7; k++) {
			double v = (double[]){set->all.min, q.q1, set->all.median, q.q3,
				set->all.max, set->all.avg, set->between.avg}[k];

			snprintf(text, sizeof(text), "%.10g", v);
			html_cell_data(out, v, text);
		}
		buf_adds(out, "</tr>\n");
	}
	html_table_close(out);
}

static void sets_open(struct buf *out, const struct html_samples *s, size_t block, double height)
{
	struct buf finding;
	char id[32];

	snprintf(id, sizeof(id), "fig-sets-%zu", block);
	buf_init(&finding, HTML_TEXT_MAX);
	for (size_t i = s->first; i < s->end; i++) {
		const struct comparison_set *set = &s->v->c->sets[i];

		if (!set->usable)
			continue;
		buf_addf(&finding, "%s: median %s, ", set->name,
			html_time(set->all.median, false).s);
		buf_addf(&finding, "from %s ", html_time(set->all.min, false).s);
		buf_addf(&finding, "to %s. ", html_time(set->all.max, false).s);
	}
	html_figure_open(out, &(struct html_figure){.id = id,
				      .title = "Sets on one scale.",
				      .caption = "Box: the middle half of all samples, and their "
						 "median; line: lowest to "
						 "highest; marks below: boot means.",
				      .finding = finding.data,
				      .width = PLOT_WIDTH,
				      .height = height});
	buf_release(&finding);
}

void html_sets(struct buf *out, const struct html_view *v, size_t block)
{
	double lo = HUGE_VAL, hi = -HUGE_VAL, unit, y = SETS_TOP + SETS_ROW / 2.0, end;
	struct html_axis a = {.at = SETS_LEFT, .len = PLOT_WIDTH - SETS_LEFT - SETS_RIGHT};
	struct html_samples s;
	const char *name;
	size_t n = 0;

	html_samples_init(&s, v, block, 0, 1);
	for (size_t i = s.first; i < s.end; i++) {
		if (!v->symbol[i])
			continue;
		lo = fmin(lo, v->c->sets[i].all.min);
		hi = fmax(hi, v->c->sets[i].all.max);
		n++;
	}
	if (!n)
		return;
	unit = html_unit(fmax(fabs(lo), fabs(hi)), &name);
	html_axis_fit(&a, lo / unit, hi / unit, 7);
	end = SETS_TOP + (double)n * SETS_ROW;
	sets_open(out, &s, block, end + SETS_BOTTOM);
	html_axis_draw_x(out, &a, SETS_TOP, end, name);
	for (size_t i = s.first; i < s.end; i++) {
		if (!v->symbol[i])
			continue;
		sets_row(out, &s, &a, unit, i, y);
		y += SETS_ROW;
	}
	html_figure_data(out, "Numbers of this plot");
	sets_table(out, &s, block);
	html_figure_close(out);
}
