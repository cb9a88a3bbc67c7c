/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Variance components, and the list of boots. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "harness/base/clock.h"
#include "reports/html_private.h"

static bool variance_any(const struct comparison *c, bool runs)
{
	for (size_t i = 0; i < c->n_sets; i++)
		if (runs ? c->sets[i].has_runs : c->sets[i].has_variance)
			return true;
	return false;
}

/* An sd in the unit of its size, and as a share of the mean. */
static void variance_sd(struct buf *out, double sd, double mean)
{
	char text[96];

	snprintf(text, sizeof(text), "%s", html_time(sd, false).s);
	if (mean != 0)
		snprintf(text, sizeof(text), "%s (%s)", html_share(sd, fabs(mean)).s,
			html_time(sd, false).s);
	html_cell_data(out, sd, text);
}

static void variance_p(struct buf *out, double p)
{
	html_cell_data(out, p, html_p(p).s + (html_p(p).s[0] == '=' ? 2 : 0));
}

static void variance_boots(struct buf *out, const struct comparison *c)
{
	static const char *const heads[] = {"set", "#boots", "#samples", "#mean of means",
		"#sd between boots", "#sd within a boot", "#share between", "#p if alike"};
	char text[40];

	html_table_open(out, "components", "Between boots and within a boot", heads,
		sizeof(heads) / sizeof(heads[0]));
	for (size_t i = 0; i < c->n_sets; i++) {
		const struct comparison_set *s = &c->sets[i];
		const struct variance *r = &s->variance;

		if (!s->has_variance || comparison_again(c, i))
			continue;
		buf_adds(out, "<tr>");
		html_row_head(out, "%s", s->name);
		html_cell_number(out, "%zu", r->boots);
		html_cell_number(out, "%zu", r->samples);
		html_cell_data(out, r->mean, html_time(r->mean, false).s);
		variance_sd(out, r->between, r->mean);
		variance_sd(out, r->within, r->mean);
		snprintf(text, sizeof(text), "%.0f %%", 100 * r->icc);
		html_cell_data(out, r->icc, text);
		variance_p(out, r->p);
		buf_adds(out, "</tr>\n");
	}
	html_table_close(out);
}

static void variance_runs(struct buf *out, const struct comparison *c)
{
	static const char *const heads[] = {"set", "#runs", "#boots", "#sd between runs",
		"#sd between boots of a run", "#p if alike"};

	html_table_open(out, "components-runs", "Between runs and between the boots of a run",
		heads, sizeof(heads) / sizeof(heads[0]));
	for (size_t i = 0; i < c->n_sets; i++) {
		const struct comparison_set *s = &c->sets[i];

		if (!s->has_runs)
			continue;
		buf_adds(out, "<tr>");
		html_row_head(out, "%s", s->name);
		html_cell_number(out, "%zu", s->runs.boots);
		html_cell_number(out, "%zu", s->runs.samples);
		variance_sd(out, s->runs.between, s->runs.mean);
		variance_sd(out, s->runs.within, s->runs.mean);
		variance_p(out, s->runs.p);
		buf_adds(out, "</tr>\n");
	}
	html_table_close(out);
}

void html_variance(struct buf *out, const struct html_view *v)
{
	if (!variance_any(v->c, false))
		return;
	buf_adds(out,
		"<section id=\"variance\" aria-labelledby=\"h-variance\">\n"
		"<h2 id=\"h-variance\">Where the spread comes from</h2>\n"
		"<p>Samples of one boot share whatever changes from boot to boot. The larger "
		"the share between boots, the less a sample more in a boot tells, and the more "
		"a boot more does.</p>\n");
	variance_boots(out, v->c);
	if (variance_any(v->c, true))
		variance_runs(out, v->c);
	buf_adds(out, "</section>\n");
}

static void boots_took(struct buf *out, const struct boot_result *r)
{
	int64_t ns = 0;
	char text[32];

	for (int s = 0; s < STAGE_COUNT; s++)
		ns += r->stages[s].reached ? r->stages[s].ns : 0;
	clock_human(ns, text, sizeof(text));
	html_cell_data(out, (double)ns / 1e9, text);
}

static void boots_remarks(struct buf *out, const struct model_boot *b)
{
	const struct boot_result *r = &b->r;

	buf_adds(out, "<td class=\"remarks\">");
	if (*r->err.msg) {
		html_escf(out, "in stage %s: %s", stage_name(r->stage), r->err.msg);
		if (*r->err.code)
			html_escf(out, " (%s)", r->err.code);
	} else if (r->outcome != OUTCOME_OK) {
		html_escf(out, "in stage %s: no reason given", stage_name(r->stage));
	}
	if (r->flags && *r->flags) {
		if (*r->err.msg || r->outcome != OUTCOME_OK)
			buf_adds(out, "; ");
		html_esc(out, r->flags);
	}
	buf_adds(out, "</td>");
}

static void boots_row(struct buf *out, const struct html_view *v, const struct html_boot *b)
{
	const struct boot_result *r = &b->boot->r;
	bool ok = r->outcome == OUTCOME_OK;

	buf_addf(out, "<tr%s>", ok ? "" : " class=\"failed\"");
	html_row_head(out, "%s", html_boot_name(v, b).s);
	buf_adds(out, "<td>");
	html_escf(
		out, "%s%s", html_name_of(r->build, r->mode).s, r->attempt ? " (repetition)" : "");
	if (*r->effective && strcmp(r->effective, r->mode) != 0)
		html_escf(out, ", effective %s", r->effective);
	buf_adds(out, "</td>");
	html_cell(out, "%s%s", ok ? "" : "\xe2\x9c\x95 ", outcome_name(r->outcome));
	boots_took(out, r);
	if (b->kept) {
		html_cell_number(out, "%zu", b->kept->n);
		html_cell_data(out, b->kept->median, html_time(b->kept->median, false).s);
		html_cell_data(out, b->kept->avg, html_time(b->kept->avg, false).s);
		html_cell_data(out, b->kept->sd, html_share(b->kept->sd, fabs(b->kept->avg)).s);
	} else {
		for (int i = 0; i < 4; i++)
			html_cell_number(out, "-");
	}
	boots_remarks(out, b->boot);
	buf_adds(out, "</tr>\n");
}

void html_boots(struct buf *out, const struct html_view *v)
{
	static const char *const heads[] = {"boot", "mode", "outcome", "#took", "#kept samples",
		"#median", "#mean", "#sd", "remarks"};

	if (!v->n_boots)
		return;
	buf_adds(out, "<section id=\"boots\" aria-labelledby=\"h-boots\">\n"
		      "<h2 id=\"h-boots\">Boots</h2>\n"
		      "<p>In the order in which they ran. <code>harness show RUN --console "
		      "NUMBER</code> prints what a boot wrote to its console.</p>\n");
	html_table_open(out, "boot-list", "Every boot, also those that do not count", heads,
		sizeof(heads) / sizeof(heads[0]));
	for (size_t k = 0; k < v->n_boots; k++)
		if (!k || v->boots[k].boot != v->boots[k - 1].boot)
			boots_row(out, v, &v->boots[k]);
	html_table_close(out);
	buf_adds(out, "</section>\n");
}
