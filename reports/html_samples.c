/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/html_samples.h"

#include <math.h>
#include <stdio.h>

#include "reports/html.h"

static double samples_away(const struct html_samples *s, size_t set, double ns)
{
	double mean = s->v->c->sets[set].between.avg;

	return s->relative ? 100 * (ns - mean) / fabs(mean) : ns - mean;
}

void html_samples_init(
	struct html_samples *s, const struct html_view *v, size_t block, double top, double height)
{
	double lo = 0, hi = 0;

	*s = (struct html_samples){.v = v, .relative = true, .stride = 1};
	s->end = html_block(v->c, block, &s->first);
	for (size_t i = s->first; i < s->end; i++) {
		const struct comparison_set *set = &v->c->sets[i];

		s->total += set->usable ? set->n_values : 0;
		if (set->usable && set->between.avg == 0)
			s->relative = false;
	}
	s->stride = (s->total + HTML_POINTS_MAX - 1) / HTML_POINTS_MAX;
	s->stride = s->stride ? s->stride : 1;
	for (size_t i = s->first; i < s->end; i++) {
		const struct comparison_set *set = &v->c->sets[i];

		if (!set->usable)
			continue;
		lo = fmin(lo, samples_away(s, i, set->all.min));
		hi = fmax(hi, samples_away(s, i, set->all.max));
	}
	html_axis_fit(&s->axis, lo, hi, 6);
	s->axis.at = top + height;
	s->axis.len = -height;
}

double html_samples_y(const struct html_samples *s, size_t set, double ns)
{
	return html_axis_px(&s->axis, samples_away(s, set, ns));
}

const char *html_samples_unit(const struct html_samples *s)
{
	return s->relative ? "%" : "ns";
}

void html_samples_ground(struct buf *out, const struct html_samples *s, double from, double to)
{
	double zero = html_axis_px(&s->axis, 0), effect = s->v->c->opts.effect;

	if (s->relative) {
		double top = html_axis_px(&s->axis, effect);

		html_rect(out, "band", from, top, to - from, html_axis_px(&s->axis, -effect) - top);
	}
	html_axis_draw_y(out, &s->axis, from, to, html_samples_unit(s));
	html_line(out, "zero", from, zero, to, zero);
}

static bool samples_drawn(const struct html_samples *s, const struct html_boot *b, size_t i)
{
	return i % s->stride == 0 || b->values[i] == b->kept->min || b->values[i] == b->kept->max;
}

void html_samples_boot(struct buf *out, const struct html_samples *s, const struct html_boot *b,
	double x, double width)
{
	size_t n = b->kept->n, symbol = s->v->symbol[b->set], class = html_mark_class(symbol);
	double inset = width > 16 ? 4 : width / 4, step = n > 1 ? (width - 2 * inset) / (n - 1) : 0;
	double mean = html_samples_y(s, b->set, b->kept->avg);
	char classes[32];

	buf_addf(out, "<g data-set=\"%zu\" data-row=\"", class);
	html_escf(out, "%s", html_boot_name(s->v, b).s);
	buf_adds(out, "\"><title>");
	html_escf(out, "%s, %s: mean %s, median %s, sd ", html_boot_name(s->v, b).s,
		s->v->c->sets[b->set].name, html_time(b->kept->avg, false).s,
		html_time(b->kept->median, false).s);
	html_escf(out, "%s", n > 1 ? html_share(b->kept->sd, fabs(b->kept->avg)).s : "-");
	buf_addf(out, "</title><path class=\"mark c%zu\" d=\"", class);
	for (size_t i = 0; i < n; i++)
		if (samples_drawn(s, b, i))
			html_mark(out, symbol, n > 1 ? x + inset + step * i : x + width / 2,
				html_samples_y(s, b->set, b->values[i]));
	buf_adds(out, "\"/>");
	snprintf(classes, sizeof(classes), "mean c%zu", class);
	html_line(out, classes, x + 1, mean, x + width - 1, mean);
	buf_adds(out, "</g>\n");
}

void html_samples_key(struct buf *out, const struct html_samples *s)
{
	buf_adds(out, "<ul class=\"key\">");
	for (size_t i = s->first; i < s->end; i++) {
		size_t symbol = s->v->symbol[i], class = html_mark_class(symbol);

		if (!symbol)
			continue;
		buf_addf(out,
			"<li data-key=\"%zu\"><svg width=\"14\" height=\"14\" aria-hidden=\"true\">"
			"<path class=\"mark c%zu\" d=\"",
			class, class);
		html_mark(out, symbol, 7, 7);
		buf_adds(out, "\"/></svg> ");
		html_esc(out, s->v->c->sets[i].name);
		buf_adds(out, "</li>");
	}
	buf_adds(out, "</ul>\n");
}

void html_samples_thinned(struct buf *plain, const struct html_samples *s)
{
	if (s->stride > 1)
		buf_addf(plain,
			" Of %zu samples 1 in %zu is drawn, and the lowest and highest of each "
			"boot.",
			s->total, s->stride);
}
