/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Samples by set and boot: how much boots differ from each other, and samples within a boot. */
#include <math.h>
#include <stdio.h>

#include "reports/html.h"
#include "reports/html_samples.h"

enum {
	STRIP_LEFT = 64,
	STRIP_TOP = 44,
	STRIP_HEIGHT = 280,
	STRIP_BOTTOM = 36,
	STRIP_GAP = 26, /* between sets */
	STRIP_RIGHT = 8,
	STRIP_BOOT_MIN = 12,
	STRIP_BOOT_MAX = 72,
};

struct strip {
	struct html_samples s;
	double boot;  /* px of a boot */
	double drawn; /* of all boots and gaps */
	double width; /* of the plot */
	size_t label; /* each so many boots have their number */
};

static void strip_init(struct strip *t, const struct html_view *v, size_t block)
{
	size_t boots = 0, sets = 0;

	html_samples_init(&t->s, v, block, STRIP_TOP, STRIP_HEIGHT);
	for (size_t i = t->s.first; i < t->s.end; i++) {
		if (!v->symbol[i])
			continue;
		boots += v->c->sets[i].n_boots;
		sets++;
	}
	t->boot = boots ? (PLOT_WIDTH - STRIP_LEFT - STRIP_RIGHT - STRIP_GAP * (double)sets) / boots
			: 0;
	t->boot = fmin(fmax(floor(t->boot), boots > 1500 ? 4 : STRIP_BOOT_MIN), STRIP_BOOT_MAX);
	t->label = (size_t)ceil(30 / (t->boot > 0 ? t->boot : 30));
	t->drawn = STRIP_GAP * (double)sets + t->boot * (double)boots;
	t->width = fmax(STRIP_LEFT + t->drawn + STRIP_RIGHT, PLOT_WIDTH);
}

/* Returns where the next one begins. */
static double strip_set(struct buf *out, const struct strip *t, size_t i, double x)
{
	const struct html_view *v = t->s.v;
	const struct comparison_set *set = &v->c->sets[i];
	double width = t->boot * set->n_boots, from = x;
	char text[64];
	size_t n = 0;

	for (size_t k = 0; k < v->n_boots; k++) {
		const struct html_boot *b = &v->boots[k];

		if (b->set != i)
			continue;
		html_samples_boot(out, &t->s, b, x, t->boot);
		if (n++ % t->label == 0) {
			snprintf(text, sizeof(text), "%d", b->boot->number);
			html_label(out, x + t->boot / 2, STRIP_TOP + STRIP_HEIGHT + 16, "middle",
				"tick", text, 12);
		}
		x += t->boot;
	}
	html_label(out, from, 14, "start", "name", set->name, fmax(width / 8, 6));
	html_label(out, from, 29, "start", "tick", html_time(set->between.avg, false).s, 20);
	return x + STRIP_GAP;
}

static void strip_samples(struct buf *out, const struct html_boot *b)
{
	buf_adds(out, "<td class=\"samples\">");
	for (size_t i = 0; i < b->kept->n; i++) {
		if (i)
			buf_addc(out, ' ');
		html_number(out, b->values[i]);
	}
	buf_adds(out, "</td>");
}

static void strip_table(struct buf *out, const struct strip *t, size_t block)
{
	static const char *const heads[] = {"boot", "set", "#samples", "#mean", "#sd", "#lowest",
		"#median", "#highest", "samples in the order in which they were taken"};
	const struct html_view *v = t->s.v;
	bool all = t->s.total <= HTML_POINTS_MAX;
	char id[32], text[40];

	if (!all)
		buf_addf(out,
			"<p>More than %d samples: each boot is summed up here. "
			"<code>harness report --format csv</code> has them all.</p>\n",
			HTML_POINTS_MAX);
	snprintf(id, sizeof(id), "strip-%zu", block);
	html_table_open(out, id, "Samples by set and boot, in ns", heads,
		sizeof(heads) / sizeof(heads[0]) - !all);
	for (size_t i = t->s.first; i < t->s.end; i++)
		for (size_t k = 0; k < v->n_boots && v->symbol[i]; k++) {
			const struct html_boot *b = &v->boots[k];

			if (b->set != i)
				continue;
			buf_adds(out, "<tr>");
			html_row_head(out, "%s", html_boot_name(v, b).s);
			html_cell(out, "%s", v->c->sets[i].name);
			html_cell_number(out, "%zu", b->kept->n);
			for (size_t j = 0; j < 5; j++) {
				double x = (double[]){b->kept->avg, b->kept->sd, b->kept->min,
					b->kept->median, b->kept->max}[j];

				snprintf(text, sizeof(text), "%.10g", x);
				html_cell_data(out, x, text);
			}
			if (all)
				strip_samples(out, b);
			buf_adds(out, "</tr>\n");
		}
	html_table_close(out);
}

static void strip_open(struct buf *out, const struct strip *t, size_t block)
{
	struct buf caption, finding;
	char id[32];

	snprintf(id, sizeof(id), "fig-strip-%zu", block);
	buf_init(&caption, HTML_TEXT_MAX);
	buf_init(&finding, HTML_TEXT_MAX);
	buf_addf(&caption,
		"A column is a boot, a mark a sample, a bar the boot's mean; up is slower. Each "
		"set "
		"is shown around its own mean%s.",
		t->s.relative ? ", in percent of it" : ", in ns");
	if (t->s.relative)
		buf_addf(&caption, " The band is \xc2\xb1%g %%.", t->s.v->c->opts.effect);
	html_samples_thinned(&caption, &t->s);
	for (size_t i = t->s.first; i < t->s.end; i++) {
		const struct comparison_set *set = &t->s.v->c->sets[i];
		double mean = fabs(set->between.avg);

		if (!set->usable)
			continue;
		if (!set->has_variance) {
			buf_addf(&finding, "%s: 1 boot. ", set->name);
			continue;
		}
		buf_addf(&finding, "%s: %zu boots; sd between boots %s, ", set->name, set->n_boots,
			html_share(set->variance.between, mean).s);
		buf_addf(&finding, "within a boot %s. ", html_share(set->variance.within, mean).s);
	}
	html_figure_open(out, &(struct html_figure){.id = id,
				      .title = "Samples by set and boot.",
				      .caption = caption.data,
				      .finding = finding.data,
				      .width = t->width,
				      .height = STRIP_TOP + STRIP_HEIGHT + STRIP_BOTTOM});
	buf_release(&caption);
	buf_release(&finding);
}

void html_strip(struct buf *out, const struct html_view *v, size_t block)
{
	double x = STRIP_LEFT + STRIP_GAP / 2.0;
	struct strip t;

	strip_init(&t, v, block);
	if (!t.s.total)
		return;
	strip_open(out, &t, block);
	html_samples_ground(out, &t.s, STRIP_LEFT, STRIP_LEFT + t.drawn);
	for (size_t i = t.s.first; i < t.s.end; i++)
		if (v->symbol[i])
			x = strip_set(out, &t, i, x);
	html_label(out, STRIP_LEFT - 8, STRIP_TOP + STRIP_HEIGHT + 30, "end", "unit", "boot", 8);
	html_figure_data(out, "Samples of this plot");
	strip_table(out, &t, block);
	html_figure_close(out);
}
