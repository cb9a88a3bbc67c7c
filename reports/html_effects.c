/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Differences and their intervals beside each other, with the zero and the size that matters. */
#include "reports/html_private.h"

#include <math.h>
#include <stdio.h>

#include "reports/html_plot.h"

enum {
	EFFECTS_LEFT = 200,  /* names */
	EFFECTS_RIGHT = 250, /* numbers */
	EFFECTS_TOP = 28,
	EFFECTS_ROW = 40,
	EFFECTS_BOTTOM = 44,
	EFFECTS_SQUEEZE =
		12, /* beyond so many times the effect that matters, the axis is squeezed */
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

static void effects_axis(struct html_axis *a, const struct comparison *c)
{
	double lo = -1.2 * c->opts.effect, hi = -lo;

	for (size_t i = 0; i < c->n_sets; i++) {
		const struct verdict *d = &c->sets[i].verdict;

		if (!effects_drawn(c, i))
			continue;
		lo = fmin(lo, d->pct_bounded ? d->pct_lo : d->pct);
		hi = fmax(hi, d->pct_bounded ? d->pct_hi : d->pct);
	}
	html_axis_fit(a, lo, hi, 6);
	a->at = EFFECTS_LEFT;
	a->len = PLOT_WIDTH - EFFECTS_LEFT - EFFECTS_RIGHT;
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

static void effects_row(
	struct buf *out, const struct html_view *v, const struct html_axis *a, size_t i, double y)
{
	const struct comparison_set *s = &v->c->sets[i];
	const struct verdict *d = &s->verdict;
	double half = d->pct_bounded ? (d->pct_hi - d->pct_lo) / 2 : 0;
	size_t class = html_mark_class(v->symbol[i]);
	char text[160];

	buf_addf(out, "<g class=\"effect\" data-set=\"%zu\" data-row=\"", class);
	html_esc(out, s->name);
	buf_adds(out, "\">\n");
	html_label(out, 0, y - 2, "start", "name", s->name, 26);
	snprintf(text, sizeof(text), "against %s", v->c->sets[s->ref].name);
	html_label(out, 0, y + 13, "start", "tick", text, 30);
	effects_whisker(out, a, d, class, y);
	buf_addf(out, "<path class=\"mark big c%zu\" d=\"", class);
	html_mark(out, v->symbol[i], html_axis_px(a, d->pct), y);
	buf_adds(out, "\"/>\n");
	html_label(out, PLOT_WIDTH, y - 2, "end", "value", html_percent(d->pct, half).s, 30);
	if (d->pct_bounded)
		snprintf(text, sizeof(text), "[%s, %s]", html_bound(d->pct_lo, half).s,
			html_bound(d->pct_hi, half).s);
	else
		snprintf(text, sizeof(text), "[no bounds]");
	html_label(out, PLOT_WIDTH, y + 13, "end", "tick", text, 60);
	buf_adds(out, "</g>\n");
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

static void effects_open(
	struct buf *out, const struct html_view *v, const struct html_axis *a, double height)
{
	struct buf caption, finding;

	buf_init(&caption, HTML_TEXT_MAX);
	buf_init(&finding, HTML_TEXT_MAX);
	buf_addf(&caption,
		"Percent of the reference's mean; a line is the interval at %g %% of one "
		"comparison by itself. Right is slower. The band is the difference that matters, "
		"\xc2\xb1%g %%.",
		v->c->opts.conf, v->c->opts.effect);
	if (a->knee > 0)
		buf_adds(&caption, " Beyond the band the axis is squeezed (logarithmic).");
	for (size_t i = 0; i < v->c->n_sets; i++) {
		if (!effects_drawn(v->c, i))
			continue;
		if (finding.len)
			buf_adds(&finding, "; ");
		html_finding(&finding, v->c, i);
	}
	buf_addc(&finding, '.');
	html_figure_open(out, &(struct html_figure){.id = "fig-effects",
				      .title = "Differences with their intervals.",
				      .caption = caption.data,
				      .finding = finding.data,
				      .width = PLOT_WIDTH,
				      .height = height});
	buf_release(&caption);
	buf_release(&finding);
}

void html_effects(struct buf *out, const struct html_view *v)
{
	size_t n = effects_count(v->c);
	double end = EFFECTS_TOP + (double)n * EFFECTS_ROW, y = EFFECTS_TOP + EFFECTS_ROW / 2.0;
	double zero, from, to;
	struct html_axis a = {0};

	if (!n)
		return;
	effects_axis(&a, v->c);
	zero = html_axis_px(&a, 0);
	from = html_axis_px(&a, -v->c->opts.effect);
	to = html_axis_px(&a, v->c->opts.effect);
	effects_open(out, v, &a, end + EFFECTS_BOTTOM);
	html_rect(out, "band", from, EFFECTS_TOP, to - from, end - EFFECTS_TOP);
	html_axis_draw_x(out, &a, EFFECTS_TOP, end, "percent");
	html_line(out, "zero", zero, EFFECTS_TOP - 6, zero, end);
	html_label(out, from - 8, EFFECTS_TOP - 12, "end", "unit", "\xe2\x86\x90 faster", 20);
	html_label(out, to + 8, EFFECTS_TOP - 12, "start", "unit", "slower \xe2\x86\x92", 20);
	for (size_t i = 0; i < v->c->n_sets; i++) {
		if (!effects_drawn(v->c, i))
			continue;
		effects_row(out, v, &a, i, y);
		y += EFFECTS_ROW;
	}
	html_figure_data(out, "Numbers of this plot");
	effects_table(out, v);
	html_figure_close(out);
}
