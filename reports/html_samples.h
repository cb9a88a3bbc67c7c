/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Samples as marks: what the strip plot and the plot in boot order share.
 *
 * Sets may lie far apart, so both show each sample's distance from the mean of its set's boot
 * means: in percent of it, or in ns where some set's mean is 0.
 */
#ifndef HARNESS_REPORTS_HTML_SAMPLES_H
#define HARNESS_REPORTS_HTML_SAMPLES_H

#include "reports/html_plot.h"
#include "reports/html_private.h"

struct html_samples {
	const struct html_view *v;
	size_t first, end;     /* sets of the block */
	struct html_axis axis; /* upwards */
	bool relative;
	size_t total;  /* samples of the block */
	size_t stride; /* 1: all are drawn; else each so many, and each boot's extremes */
};

void html_samples_init(
	struct html_samples *s, const struct html_view *v, size_t block, double top, double height);

double html_samples_y(const struct html_samples *s, size_t set, double ns); /* px */
const char *html_samples_unit(const struct html_samples *s);

/* Grid, numbers, zero line and the band of what matters, between two x. */
void html_samples_ground(struct buf *out, const struct html_samples *s, double from, double to);

/* One boot that counts: its samples from left to right as they were taken, its mean as a line. */
void html_samples_boot(struct buf *out, const struct html_samples *s, const struct html_boot *b,
	double x, double width);

/* Which mark is which set. */
void html_samples_key(struct buf *out, const struct html_samples *s);

/* What a caption says when not all are drawn. */
void html_samples_thinned(struct buf *plain, const struct html_samples *s);

#endif
