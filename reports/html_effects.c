/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Differences and their intervals beside each other, with the zero and the size that matters. */
#include "reports/html_private.h"

#include <math.h>
#include <stdio.h>

#include "reports/html_plot.h"

/* Beyond so many times the effect that matters, the axis is squeezed. */
enum { EFFECTS_SQUEEZE = 12, EFFECTS_TOP = 28, EFFECTS_BOTTOM = 44 };

/* Wide: names on the left, numbers on the right, the axis between them; narrow: the axis below. */
struct effects_form {
	bool narrow;
	double width;
	double at, len;		    /* of the axis */
	double row, words, whisker; /* height of a row; from its top to the first line and to the
				       interval */
	size_t ticks, name, ref, bounds; /* at most; columns */
};

static const struct effects_form effects_forms[] = {
	{.width = PLOT_WIDTH,
		.at = 200,
		.len = PLOT_WIDTH - 200 - 250,
		.row = 40,
		.words = 18,
		.whisker = 20,
		.ticks = 6,
		.name = 26,
		.ref = 30,
		.bounds = 60},
	{.narrow = true,
		.width = PLOT_NARROW,
		.at = 6,
		.len = PLOT_NARROW - 12,
		.row = 64,
		.words = 16,
		.whisker = 48,
		.ticks = 3,
		.name = 26,
		.ref = 20,
		.bounds = 28},
};

static bool effects_drawn(const struct comparison *c, size_t i)
{
	return c->sets[i].ref != i && c->sets[i].verdict.kind != VERDICT_TOO_FEW &&
	       c->sets[i].verdict.relative;
}

static size_t effects_count(const struct comparison *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n_sets; i++)
		n += effects_drawn(c, i);
	return n;
}

static void effects_axis(
	struct html_axis *a, const struct comparison *c, const struct effects_form *f)
{
	double lo = -1.2 * c->opts.effect, hi = -lo;

	for (size_t i = 0; i < c->n_sets; i++) {
		const struct verdict *d = &c->sets[i].verdict;

		if (!effects_drawn(c, i))
			continue;
		lo = fmin(lo, d->pct_bounded ? d->pct_lo : d->pct);
		hi = fmax(hi, d->pct_bounded ? d->pct_hi : d->pct);
	}
	html_axis_fit(a, lo, hi, f->ticks);
	a->at = f->at;
	a->len = f->len;
	a->knee = fmax(-lo, hi) > EFFECTS_SQUEEZE * c->opts.effect ? c->opts.effect : 0;
	if (a->knee > 0) {
		a->lo = lo * 1.3;
		a->hi = hi * 1.3;
	}
}

static void effects_whisker(
	struct buf *out, const struct html_axis *a, const struct verdict *d, size_t class, double y)
{
	char classes[32];
	double lo = d->pct_bounded ? html_axis_px(a, d->pct_lo) : a->at;
	double hi = d->pct_bounded ? html_axis_px(a, d->pct_hi) : a->at + a->len;

	snprintf(classes, sizeof(classes), "ci c%zu", class);
	html_line(out, classes, lo, y, hi, y);
	if (d->pct_bounded) {
		html_line(out, classes, lo, y - 6, lo, y + 6);
		html_line(out, classes, hi, y - 6, hi, y + 6);
	} else {
		/* It goes on for ever on both sides. */
		html_line(out, classes, lo, y, lo + 7, y - 5);
		html_line(out, classes, lo, y, lo + 7, y + 5);
		html_line(out, classes, hi, y, hi - 7, y - 5);
		html_line(out, classes, hi, y, hi - 7, y + 5);
	}
}

static void effects_row(struct buf *out, const struct html_view *v, const struct html_axis *a,
	const struct effects_form *f, size_t i, double top)
{
	const struct comparison_set *s = &v->c->sets[i];
	const struct verdict *d = &s->verdict;
	double half = d->pct_bounded ? (d->pct_hi - d->pct_lo) / 2 : 0, y = top + f->words;
	size_t class = html_mark_class(v->symbol[i]);
	char text[160];

	buf_addf(out, "<g class=\"effect\" data-set=\"%zu\" data-row=\"", class);
	html_esc(out, s->name);
	buf_adds(out, "\">\n");
	html_label(out, 0, y, "start", "name", s->name, f->name);
	snprintf(text, sizeof(text), "against %s", v->c->sets[s->ref].name);
	html_label(out, 0, y + 15, "start", "tick", text, f->ref);
	effects_whisker(out, a, d, class, top + f->whisker);
	buf_addf(out, "<path class=\"mark big c%zu\" d=\"", class);
	html_mark(out, v->symbol[i], html_axis_px(a, d->pct), top + f->whisker);
	buf_adds(out, "\"/>\n");
	html_label(out, f->width, y, "end", "value", html_percent(d->pct, half).s, 30);
	if (d->pct_bounded)
		snprintf(text, sizeof(text), "[%s, %s]", html_bound(d->pct_lo, half).s,
			html_bound(d->pct_hi, half).s);
	else
		snprintf(text, sizeof(text), "[no bounds]");
	html_label(out, f->width, y + 15, "end", "tick", text, f->bounds);
	buf_adds(out, "</g>\n");
}

/* Which way is slower; a narrow plot has no room beside the band. */
static void effects_ways(struct buf *out, const struct effects_form *f, double from, double to)
{
	html_label(out, f->narrow ? 0 : from - 8, EFFECTS_TOP - 12, f->narrow ? "start" : "end",
		"unit", "\xe2\x86\x90 faster", 20);
	html_label(out, f->narrow ? f->width : to + 8, EFFECTS_TOP - 12,
		f->narrow ? "end" : "start", "unit", "slower \xe2\x86\x92", 20);
}

static void effects_draw(struct buf *out, const struct html_view *v, const struct html_axis *a,
	const struct effects_form *f)
{
	double end = EFFECTS_TOP + (double)effects_count(v->c) * f->row, y = EFFECTS_TOP;
	double zero = html_axis_px(a, 0);
	double from = html_axis_px(a, -v->c->opts.effect), to = html_axis_px(a, v->c->opts.effect);

	html_rect(out, "band", from, EFFECTS_TOP, to - from, end - EFFECTS_TOP);
	html_axis_draw_x(out, a, EFFECTS_TOP, end, "percent");
	html_line(out, "zero", zero, EFFECTS_TOP - 6, zero, end);
	effects_ways(out, f, from, to);
	for (size_t i = 0; i < v->c->n_sets; i++) {
		if (!effects_drawn(v->c, i))
			continue;
		effects_row(out, v, a, f, i, y);
		y += f->row;
	}
}

static void effects_table(struct buf *out, const struct html_view *v)
{
	static const char *const heads[] = {"set", "reference", "verdict", "#difference", "#from",
		"#to", "#difference, ns", "#from, ns", "#to, ns", "#p", "#p after Holm", "#boots"};
	const struct comparison *c = v->c;

	html_table_open(out, "effects", "Differences and their intervals", heads,
		sizeof(heads) / sizeof(heads[0]));
	for (size_t i = 0; i < c->n_sets; i++) {
		const struct comparison_set *s = &c->sets[i];
		const struct verdict *d = &s->verdict;
		double half = d->pct_bounded ? (d->pct_hi - d->pct_lo) / 2 : 0;
		double lo = d->pct_bounded ? d->pct_lo : NAN, hi = d->pct_bounded ? d->pct_hi : NAN;
		char text[64];

		if (!effects_drawn(c, i))
			continue;
		buf_adds(out, "<tr>");
		html_row_head(out, "%s", s->name);
		html_cell(out, "%s", c->sets[s->ref].name);
		html_cell(out, "%s", verdict_name(d->kind));
		html_cell_data(out, d->pct, html_percent(d->pct, half).s);
		html_cell_data(out, lo, html_percent(lo, half).s);
		html_cell_data(out, hi, html_percent(hi, half).s);
		snprintf(text, sizeof(text), "%+.8g", d->diff);
		html_cell_data(out, d->diff, text);
		snprintf(text, sizeof(text), "%+.8g", d->lo);
		html_cell_data(out, d->lo, text);
		snprintf(text, sizeof(text), "%+.8g", d->hi);
		html_cell_data(out, d->hi, text);
		snprintf(text, sizeof(text), "%.4g", d->p);
		html_cell_data(out, d->p, text);
		snprintf(text, sizeof(text), "%.4g", d->holm);
		html_cell_data(out, d->holm, text);
		html_cell_number(out, "%zu, %zu", d->set_boots, d->ref_boots);
		buf_adds(out, "</tr>\n");
	}
	html_table_close(out);
}

/* How to read it, and what it shows. */
static void effects_words(struct buf *caption, struct buf *finding, const struct html_view *v,
	const struct html_axis *a)
{
	buf_addf(caption,
		"Percent of the reference's mean; a line is the interval at %g %% of one "
		"comparison by itself. Right is slower. The band is the difference that matters, "
		"\xc2\xb1%g %%.",
		v->c->opts.conf, v->c->opts.effect);
	if (a->knee > 0)
		buf_adds(caption, " Beyond the band the axis is squeezed (logarithmic).");
	for (size_t i = 0; i < v->c->n_sets; i++) {
		if (!effects_drawn(v->c, i))
			continue;
		if (finding->len)
			buf_adds(finding, "; ");
		html_finding(finding, v->c, i);
	}
	buf_addc(finding, '.');
}

void html_effects(struct buf *out, const struct html_view *v)
{
	struct buf caption, finding;
	struct html_figure figure;
	struct html_axis a = {0};
	size_t n = effects_count(v->c);

	if (!n)
		return;
	buf_init(&caption, HTML_TEXT_MAX);
	buf_init(&finding, HTML_TEXT_MAX);
	effects_axis(&a, v->c, &effects_forms[0]);
	effects_words(&caption, &finding, v, &a);
	figure = (struct html_figure){.id = "fig-effects",
		.title = "Differences with their intervals.",
		.caption = caption.data,
		.finding = finding.data,
		.width = PLOT_WIDTH,
		.height = EFFECTS_TOP + (double)n * effects_forms[0].row + EFFECTS_BOTTOM,
		.narrow = true};
	html_figure_open(out, &figure);
	effects_draw(out, v, &a, &effects_forms[0]);
	effects_axis(&a, v->c, &effects_forms[1]);
	figure.height = EFFECTS_TOP + (double)n * effects_forms[1].row + EFFECTS_BOTTOM;
	html_figure_narrow(out, &figure);
	effects_draw(out, v, &a, &effects_forms[1]);
	html_figure_data(out, "Numbers of this plot");
	effects_table(out, v);
	html_figure_close(out);
	buf_release(&caption);
	buf_release(&finding);
}
