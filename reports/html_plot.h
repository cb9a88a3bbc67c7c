/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plots as SVG: axes, marks, and the figure around them.
 *
 * Coordinates are px from the upper left corner; nothing is styled inline, colours come from the
 * classes s1 … s7 and the like of style.css.  A figure is
 *
 *	html_figure_open(out, &f);	figure, caption, svg with its title and description
 *	…				what is drawn
 *	html_figure_narrow(out, &f);	where f.narrow: a second svg, for narrow screens
 *	…				the same, drawn narrower
 *	html_figure_data(out, "…");	ends the svg; what follows is folded away: tables
 *	…
 *	html_figure_close(out);
 */
#ifndef HARNESS_REPORTS_HTML_PLOT_H
#define HARNESS_REPORTS_HTML_PLOT_H

#include <stdbool.h>
#include <stddef.h>

#include "harness/base/buf.h"

enum {
	PLOT_WIDTH = 928,  /* of a plot that need not be wider */
	PLOT_NARROW = 326, /* within a screen of 360 */
	PLOT_MARKS = 7,	   /* different marks and colours */
};

struct html_figure {
	const char *id;
	const char *title;   /* what it shows: heading of the caption, name of the image */
	const char *caption; /* plain text: how to read it */
	const char *finding; /* plain text: what it shows here, in words */
	double width, height;
	bool narrow; /* what is too wide for a screen is drawn twice instead of scrolled */
};

void html_figure_open(struct buf *out, const struct html_figure *f);
/* Height is that of the second drawing, whose width is PLOT_NARROW; of the two a reader has one. */
void html_figure_narrow(struct buf *out, const struct html_figure *f);
void html_figure_data(struct buf *out, const char *label);
void html_figure_close(struct buf *out);

/* A scale from values to px.  lo < hi. */
struct html_axis {
	double lo, hi;
	double at, len; /* px of lo; px from lo to hi, negative upwards */
	double knee;	/* above 0: linear within about +-knee, logarithmic beyond (asinh) */
	double step;	/* between ticks of a linear one */
	int digits;	/* of its ticks */
};

/* Take in lo..hi and a little more; values that are all the same get a range all the same. */
void html_axis_fit(struct html_axis *a, double lo, double hi, size_t ticks);
double html_axis_px(const struct html_axis *a, double v); /* clipped to the axis */

/* Grid lines from `from` to `to` px with their numbers, and the unit after the last. */
void html_axis_draw_x(
	struct buf *out, const struct html_axis *a, double from, double to, const char *unit);
void html_axis_draw_y(
	struct buf *out, const struct html_axis *a, double from, double to, const char *unit);

/* Add a mark to the d attribute of a path of class "mark": x + * % # @ O, for 1 … 7 (and again). */
void html_mark(struct buf *out, size_t symbol, double x, double y);
/* The class of a set with this symbol, 1 … PLOT_MARKS. */
size_t html_mark_class(size_t symbol);

/* Text at x, y; anchor is "start", "middle" or "end".  What is longer than `columns` is cut and
 * stands whole in its title. */
void html_label(struct buf *out, double x, double y, const char *anchor, const char *classes,
	const char *text, size_t columns);

void html_line(struct buf *out, const char *classes, double x1, double y1, double x2, double y2);
void html_rect(struct buf *out, const char *classes, double x, double y, double w, double h);

#endif
