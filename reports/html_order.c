/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The same samples in the order in which the boots ran, over all sets: drift shows here. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "reports/html_samples.h"

enum {
	ORDER_LEFT = 64,
	ORDER_TOP = 30,
	ORDER_HEIGHT = 240,
	ORDER_BOTTOM = 48,
	ORDER_RIGHT = 8,
	ORDER_BOOT_MIN = 10,
	ORDER_BOOT_MAX = 72,
};

struct order {
	struct html_samples s;
	size_t boots;
	double boot, width;
	size_t label;
};

/* A boot of this block: one of its sets', or a lost one that was meant for it. */
static bool order_takes(const struct html_samples *s, const struct html_boot *b)
{
	const struct comparison *c = s->v->c;

	if (b->set < c->n_sets)
		return b->set >= s->first && b->set < s->end && s->v->symbol[b->set];
	for (size_t i = s->first; i < s->end; i++)
		if (comparison_wants(&c->sets[i], &b->boot->r))
			return true;
	return false;
}

static void order_init(struct order *o, const struct html_view *v, size_t block)
{
	html_samples_init(&o->s, v, block, ORDER_TOP, ORDER_HEIGHT);
	o->boots = 0;
	for (size_t k = 0; k < v->n_boots; k++)
		o->boots += order_takes(&o->s, &v->boots[k]);
	o->boot = (PLOT_WIDTH - ORDER_LEFT - ORDER_RIGHT) / fmax((double)o->boots, 1);
	o->boot = fmin(fmax(floor(o->boot), o->boots > 1500 ? 4 : ORDER_BOOT_MIN), ORDER_BOOT_MAX);
	o->label = (size_t)ceil(30 / o->boot);
	o->width = fmax(PLOT_WIDTH, ORDER_LEFT + ORDER_RIGHT + o->boot * (double)o->boots);
}

/* A line through the boot means of a set. */
static void order_trend(struct buf *out, const struct order *o, size_t set)
{
	const struct html_view *v = o->s.v;
	size_t class = html_mark_class(v->symbol[set]);
	double x = ORDER_LEFT;
	bool first = true;

	buf_addf(out, "<path class=\"trend c%zu\" data-set=\"%zu\" d=\"", class, class);
	for (size_t k = 0; k < v->n_boots; k++) {
		const struct html_boot *b = &v->boots[k];

		if (!order_takes(&o->s, b))
			continue;
		if (b->set == set) {
			buf_addc(out, first ? 'M' : 'L');
			html_px(out, x + o->boot / 2);
			buf_addc(out, ' ');
			html_px(out, html_samples_y(&o->s, set, b->kept->avg));
			first = false;
		}
		x += o->boot;
	}
	buf_adds(out, first ? "M0 0\"/>\n" : "\"/>\n");
}

static void order_lost(struct buf *out, const struct html_view *v, const struct html_boot *b,
	double x, double width)
{
	double y = ORDER_TOP + ORDER_HEIGHT - 10, half = fmin(6, width / 2 - 1);

	buf_adds(out, "<g class=\"lost\"><title>");
	html_escf(out, "%s, %s: %s in stage %s", html_boot_name(v, b).s,
		html_name_of(b->boot->r.build, b->boot->r.mode).s, outcome_name(b->boot->r.outcome),
		stage_name(b->boot->r.stage));
	buf_adds(out, "</title>\n");
	html_rect(out, "lost", x, ORDER_TOP, width, ORDER_HEIGHT);
	html_line(out, "cross", x + width / 2 - half, y - half, x + width / 2 + half, y + half);
	html_line(out, "cross", x + width / 2 - half, y + half, x + width / 2 + half, y - half);
	buf_adds(out, "</g>\n");
}

static void order_columns(struct buf *out, const struct order *o)
{
	const struct html_view *v = o->s.v;
	double x = ORDER_LEFT, foot = ORDER_TOP + ORDER_HEIGHT;
	size_t run = SIZE_MAX, n = 0;
	char text[24];

	for (size_t k = 0; k < v->n_boots; k++) {
		const struct html_boot *b = &v->boots[k];

		if (!order_takes(&o->s, b))
			continue;
		if (v->c->n_runs > 1 && b->run_at != run) {
			html_line(out, "run", x, ORDER_TOP - 6, x, foot);
			html_label(out, x + 4, foot + 34, "start", "unit", b->run->id, 8);
			run = b->run_at;
		}
		if (b->kept)
			html_samples_boot(out, &o->s, b, x, o->boot);
		else
			order_lost(out, v, b, x, o->boot);
		if (n++ % o->label == 0) {
			snprintf(text, sizeof(text), "%d", b->boot->number);
			html_label(out, x + o->boot / 2, foot + 16, "middle", "tick", text, 12);
		}
		x += o->boot;
	}
}

static void order_table(struct buf *out, const struct order *o, size_t block)
{
	const struct html_view *v = o->s.v;
	const char *const heads[] = {"boot", "set", "outcome", "#mean, ns",
		o->s.relative ? "#from its set's mean, %" : "#from its set's mean, ns"};
	char id[32], text[40];

	snprintf(id, sizeof(id), "order-%zu", block);
	html_table_open(out, id, "Boots in the order in which they ran", heads, 5);
	for (size_t k = 0; k < v->n_boots; k++) {
		const struct html_boot *b = &v->boots[k];
		double mean, away;

		if (!order_takes(&o->s, b))
			continue;
		buf_adds(out, "<tr>");
		html_row_head(out, "%s", html_boot_name(v, b).s);
		html_cell(out, "%s",
			b->kept ? v->c->sets[b->set].name
				: html_name_of(b->boot->r.build, b->boot->r.mode).s);
		html_cell(out, "%s", outcome_name(b->boot->r.outcome));
		if (b->kept) {
			mean = v->c->sets[b->set].between.avg;
			away = b->kept->avg - mean;
			away = o->s.relative ? 100 * away / fabs(mean) : away;
			snprintf(text, sizeof(text), "%.10g", b->kept->avg);
			html_cell_data(out, b->kept->avg, text);
			snprintf(text, sizeof(text), "%+.4g", away);
			html_cell_data(out, away, text);
		} else {
			html_cell_number(out, "-");
			html_cell_number(out, "-");
		}
		buf_adds(out, "</tr>\n");
	}
	html_table_close(out);
}

/* How far the mean of the later half lies from that of the earlier half, over all sets. */
static void order_finding(struct buf *plain, const struct order *o)
{
	const struct html_view *v = o->s.v;
	double sum[2] = {0}, lo = 0, hi = 0;
	size_t n[2] = {0}, at = 0, lost = 0;

	for (size_t k = 0; k < v->n_boots; k++) {
		const struct html_boot *b = &v->boots[k];
		size_t half = 2 * at >= o->boots;
		double mean, away;

		if (!order_takes(&o->s, b))
			continue;
		at++;
		lost += !b->kept;
		if (!b->kept)
			continue;
		mean = v->c->sets[b->set].between.avg;
		away = o->s.relative ? 100 * (b->kept->avg - mean) / fabs(mean)
				     : b->kept->avg - mean;
		lo = fmin(lo, away);
		hi = fmax(hi, away);
		sum[half] += away;
		n[half]++;
	}
	buf_addf(plain, "Boot means lie from %+.3g to %+.3g %s around the means of their sets", lo,
		hi, html_samples_unit(&o->s));
	if (n[0] && n[1])
		buf_addf(plain, "; on average %+.3g in the earlier half, %+.3g in the later",
			sum[0] / (double)n[0], sum[1] / (double)n[1]);
	buf_adds(plain, ".");
	if (lost)
		buf_addf(plain, " %zu boot%s gave nothing.", lost, lost == 1 ? "" : "s");
}

static void order_open(struct buf *out, const struct order *o, size_t block)
{
	struct buf caption, finding;
	char id[32];

	snprintf(id, sizeof(id), "fig-order-%zu", block);
	buf_init(&caption, HTML_TEXT_MAX);
	buf_init(&finding, HTML_TEXT_MAX);
	order_finding(&finding, o);
	buf_adds(&caption, "All sets together, boots from left to right as they ran: a slope would "
			   "be drift. A cross is a boot that does not count.");
	html_samples_thinned(&caption, &o->s);
	html_figure_open(out, &(struct html_figure){.id = id,
				      .title = "Samples in boot order.",
				      .caption = caption.data,
				      .finding = finding.data,
				      .width = o->width,
				      .height = ORDER_TOP + ORDER_HEIGHT + ORDER_BOTTOM});
	buf_release(&caption);
	buf_release(&finding);
}

void html_order(struct buf *out, const struct html_view *v, size_t block)
{
	struct order o;

	order_init(&o, v, block);
	if (!o.s.total)
		return;
	order_open(out, &o, block);
	html_samples_ground(out, &o.s, ORDER_LEFT, ORDER_LEFT + o.boot * (double)o.boots);
	for (size_t i = o.s.first; i < o.s.end; i++)
		if (v->symbol[i])
			order_trend(out, &o, i);
	order_columns(out, &o);
	html_label(out, ORDER_LEFT - 8, ORDER_TOP + ORDER_HEIGHT + 30, "end", "unit", "boot", 8);
	html_figure_data(out, "Numbers of this plot");
	order_table(out, &o, block);
	html_figure_close(out);
}
