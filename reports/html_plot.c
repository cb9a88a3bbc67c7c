/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/html_plot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "reports/html_text.h"

enum { FIGURE_TALL = 900 }; /* px; a higher one scrolls in its box */

static void figure_svg(struct buf *out, const struct html_figure *f, double width, const char *at)
{
	buf_adds(out, "<svg role=\"img\" width=\"");
	html_px(out, width);
	buf_adds(out, "\" height=\"");
	html_px(out, f->height);
	buf_adds(out, "\" viewBox=\"0 0 ");
	html_px(out, width);
	buf_addc(out, ' ');
	html_px(out, f->height);
	buf_addf(out,
		"\" aria-labelledby=\"%s%s-t %s%s-d\">\n"
		"<title id=\"%s%s-t\">",
		f->id, at, f->id, at, f->id, at);
	html_esc(out, f->title);
	buf_addf(out, "</title><desc id=\"%s%s-d\">", f->id, at);
	html_esc(out, f->finding);
	buf_adds(out, "</desc>\n");
}

void html_figure_open(struct buf *out, const struct html_figure *f)
{
	buf_addf(out,
		"<figure id=\"%s\" aria-labelledby=\"%s-c\">\n"
		"<figcaption><strong id=\"%s-c\">",
		f->id, f->id, f->id);
	html_esc(out, f->title);
	buf_adds(out, "</strong> ");
	html_esc(out, f->caption);
	buf_adds(out, "</figcaption>\n");
	html_scroll_open(out, f->title, f->narrow ? "wide" : f->height > FIGURE_TALL ? "tall" : "");
	figure_svg(out, f, f->width, "");
}

/* A box that cannot scroll, since the drawing shrinks with it. */
void html_figure_narrow(struct buf *out, const struct html_figure *f)
{
	buf_adds(out, "</svg>\n");
	html_scroll_close(out);
	buf_adds(out, "<div class=\"narrow\">\n");
	figure_svg(out, f, PLOT_NARROW, "-n");
}

void html_figure_data(struct buf *out, const char *label)
{
	buf_adds(out, "</svg>\n");
	html_scroll_close(out); /* any box */
	buf_adds(out, "<details><summary>");
	html_esc(out, label);
	buf_adds(out, "</summary>\n");
}

void html_figure_close(struct buf *out)
{
	buf_adds(out, "</details>\n</figure>\n");
}

/* The smallest of 1, 2, 5 times a power of ten that is not below v. */
static double axis_nice(double v)
{
	double p = pow(10, floor(log10(v)));

	return v <= p ? p : v <= 2 * p ? 2 * p : v <= 5 * p ? 5 * p : 10 * p;
}

void html_axis_fit(struct html_axis *a, double lo, double hi, size_t ticks)
{
	double span = hi - lo, size = fmax(fabs(lo), fabs(hi));

	if (!(span > size * 1e-12)) {
		span = size > 0 ? size * 0.02 : 2;
		lo -= span / 2;
		hi += span / 2;
	}
	a->step = axis_nice(span / (double)(ticks > 1 ? ticks : 1));
	a->digits = (int)fmax(0, fmin(12, -floor(log10(a->step) + 1e-9)));
	a->lo = lo - span * 0.04;
	a->hi = hi + span * 0.04;
}

static double axis_place(const struct html_axis *a, double v)
{
	return a->knee > 0 ? asinh(v / a->knee) : v;
}

double html_axis_px(const struct html_axis *a, double v)
{
	double lo = axis_place(a, a->lo), hi = axis_place(a, a->hi);

	v = fmin(fmax(v, a->lo), a->hi);
	return a->at + a->len * (axis_place(a, v) - lo) / (hi - lo);
}

struct ticks {
	double v[64];
	size_t n;
};

/* One more, unless another is nearer than `gap` px. */
static void ticks_add(struct ticks *t, const struct html_axis *a, double v, double gap)
{
	if (v < a->lo || v > a->hi || t->n == sizeof(t->v) / sizeof(t->v[0]))
		return;
	for (size_t i = 0; i < t->n; i++)
		if (fabs(html_axis_px(a, t->v[i]) - html_axis_px(a, v)) < gap)
			return;
	t->v[t->n++] = v;
}

/* The knee, then powers of ten from afar, then what fits between. */
static void ticks_squeezed(struct ticks *t, const struct html_axis *a)
{
	static const double parts[] = {1, 5, 2};
	double top = fmax(fabs(a->lo), fabs(a->hi));

	ticks_add(t, a, 0, 0);
	for (int sign = -1; sign <= 1; sign += 2)
		ticks_add(t, a, sign * a->knee, 30);
	for (size_t i = 0; i < 3; i++)
		for (double p = pow(10, floor(log10(top))); p > a->knee * 0.99; p /= 10)
			for (int sign = -1; sign <= 1; sign += 2)
				ticks_add(t, a, sign * p * parts[i], 56);
}

static void ticks_init(struct ticks *t, const struct html_axis *a)
{
	t->n = 0;
	if (a->knee > 0) {
		ticks_squeezed(t, a);
		return;
	}
	for (double k = ceil(a->lo / a->step); k <= floor(a->hi / a->step); k++)
		ticks_add(t, a, k * a->step, 1);
}

static void axis_number(struct buf *out, const struct html_axis *a, double v)
{
	if (a->knee > 0)
		buf_addf(out, "%.6g", v + 0.0);
	else if (a->digits > 6)
		buf_addf(out, "%.3g", fabs(v) < a->step / 2 ? 0.0 : v);
	else
		buf_addf(out, "%.*f", a->digits, fabs(v) < a->step / 2 ? 0.0 : v);
}

/* What a test needs to read values back from px. */
static void axis_open(struct buf *out, const struct html_axis *a, const char *which)
{
	buf_addf(out, "<g class=\"axis\" data-axis=\"%s\" data-lo=\"", which);
	html_number(out, a->lo);
	buf_adds(out, "\" data-hi=\"");
	html_number(out, a->hi);
	buf_adds(out, "\" data-at=\"");
	html_px(out, a->at);
	buf_adds(out, "\" data-len=\"");
	html_px(out, a->len);
	buf_adds(out, "\" data-knee=\"");
	html_number(out, a->knee);
	buf_adds(out, "\">\n");
}

static void axis_tick(struct buf *out, const struct html_axis *a, double v, double x, double y,
	const char *anchor)
{
	buf_adds(out, "<text class=\"tick\" x=\"");
	html_px(out, x);
	buf_adds(out, "\" y=\"");
	html_px(out, y);
	buf_addf(out, "\" text-anchor=\"%s\">", anchor);
	axis_number(out, a, v);
	buf_adds(out, "</text>\n");
}

void html_axis_draw_x(
	struct buf *out, const struct html_axis *a, double from, double to, const char *unit)
{
	struct ticks t;

	ticks_init(&t, a);
	axis_open(out, a, "x");
	for (size_t i = 0; i < t.n; i++) {
		double x = html_axis_px(a, t.v[i]);

		html_line(out, "grid", x, from, x, to);
		axis_tick(out, a, t.v[i], x, to + 16, "middle");
	}
	html_label(out, a->at + a->len, to + 32, "end", "unit", unit, 60);
	buf_adds(out, "</g>\n");
}

void html_axis_draw_y(
	struct buf *out, const struct html_axis *a, double from, double to, const char *unit)
{
	struct ticks t;

	ticks_init(&t, a);
	axis_open(out, a, "y");
	for (size_t i = 0; i < t.n; i++) {
		double y = html_axis_px(a, t.v[i]);

		html_line(out, "grid", from, y, to, y);
		axis_tick(out, a, t.v[i], from - 8, y + 4, "end");
	}
	html_label(out, from - 8, a->at + a->len - 8, "end", "unit", unit, 40);
	buf_adds(out, "</g>\n");
}

size_t html_mark_class(size_t symbol)
{
	return symbol ? (symbol - 1) % PLOT_MARKS + 1 : 0;
}

void html_mark(struct buf *out, size_t symbol, double x, double y)
{
	/* From its middle; strokes only, so that the shapes show where they overlap. */
	static const char *const shapes[] = {
		"m-3-3l6 6m0-6l-6 6",		     /* x */
		"m-3.5 0h7m-3.5-3.5v7",		     /* + */
		"m-3.5 0h7m-5.2-3l3.4 6m0-6l-3.4 6", /* * */
		"m-2.5 3.5l5-7m-5.7 1.5a1.2 1.2 0 1 0 2.4 0a1.2 1.2 0 1 0-2.4 0m4 4"
		"a1.2 1.2 0 1 0 2.4 0a1.2 1.2 0 1 0-2.4 0", /* % */
		"m-1.5-3.5v7m3-7v7m-5-5h7m-7 3h7",	    /* # */
		"m-3.6 0a3.6 3.6 0 1 0 7.2 0a3.6 3.6 0 1 0-7.2 0m2.4 0"
		"a1.2 1.2 0 1 0 2.4 0a1.2 1.2 0 1 0-2.4 0",    /* @ */
		"m-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0-7 0", /* O */
	};

	buf_addc(out, 'M');
	html_px(out, x);
	buf_addc(out, ' ');
	html_px(out, y);
	buf_adds(out, shapes[html_mark_class(symbol ? symbol : 1) - 1]);
}

void html_label(struct buf *out, double x, double y, const char *anchor, const char *classes,
	const char *text, size_t columns)
{
	struct buf cut, whole;

	buf_init(&cut, HTML_TEXT_MAX);
	buf_init(&whole, HTML_TEXT_MAX);
	html_cut(&cut, text, columns);
	html_esc(&whole, text);
	buf_addf(out, "<text class=\"%s\" x=\"", classes);
	html_px(out, x);
	buf_adds(out, "\" y=\"");
	html_px(out, y);
	buf_addf(out, "\" text-anchor=\"%s\">", anchor);
	buf_adds(out, cut.data);
	if (strcmp(cut.data, whole.data) != 0)
		buf_addf(out, "<title>%s</title>", whole.data);
	buf_adds(out, "</text>\n");
	buf_release(&cut);
	buf_release(&whole);
}

void html_line(struct buf *out, const char *classes, double x1, double y1, double x2, double y2)
{
	buf_addf(out, "<path class=\"%s\" d=\"M", classes);
	html_px(out, x1);
	buf_addc(out, ' ');
	html_px(out, y1);
	buf_addc(out, 'L');
	html_px(out, x2);
	buf_addc(out, ' ');
	html_px(out, y2);
	buf_adds(out, "\"/>\n");
}

void html_rect(struct buf *out, const char *classes, double x, double y, double w, double h)
{
	buf_addf(out, "<rect class=\"%s\" x=\"", classes);
	html_px(out, x);
	buf_adds(out, "\" y=\"");
	html_px(out, y);
	buf_adds(out, "\" width=\"");
	html_px(out, fmax(w, 0));
	buf_adds(out, "\" height=\"");
	html_px(out, fmax(h, 0));
	buf_adds(out, "\"/>\n");
}
