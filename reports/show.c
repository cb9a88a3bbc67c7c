/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/show.h"

#include <stdio.h>
#include <stdlib.h>

#include "harness/base/clock.h"
#include "harness/stats/moments.h"
#include "reports/cost.h"
#include "reports/text_private.h"

static void show_head(const struct text *t, const struct model *m)
{
	char when[32], wall[32];
	struct buf b;

	clock_iso(m->started_wall_ns, when, sizeof(when));
	clock_human(m->wall_ns, wall, sizeof(wall));
	buf_init(&b, TEXT_LINE_MAX);
	buf_addf(&b, "%s (%s)", m->id, m->uuid);
	text_para(t, "run", b.data);
	buf_clear(&b);
	buf_addf(&b, "%s, started by %s on %s", when, m->user, m->host);
	if (!m->ended)
		buf_adds(&b, "; not ended, or killed");
	else if (m->end_err.cls)
		buf_addf(&b, "; ended after %s: %s", wall, m->end_err.msg);
	else
		buf_addf(&b, "; took %s", wall);
	text_para(t, "time", b.data);
	buf_release(&b);
	text_about(t, m);
	text_differs(t, m);
}

static void show_stages(const struct text *t, const struct boot_result *r)
{
	char text[32];
	struct buf b;

	buf_init(&b, TEXT_LINE_MAX);
	for (int s = 0; s < STAGE_COUNT; s++)
		if (r->stages[s].reached) {
			clock_human(r->stages[s].ns, text, sizeof(text));
			text_item(&b, "%s %s", stage_name((enum stage)s), text);
		}
	if (b.len)
		text_para(t, "", b.data);
	buf_release(&b);
}

static void show_boot(const struct text *t, const struct model_boot *b, int total, bool samples)
{
	const struct boot_result *r = &b->r;
	char took[32], median[32], label[LABEL_MAX];
	struct buf *out = t->out;
	struct err e = ERR_INIT;
	struct moments mo;
	const char *way = cost_way_name(cost_way(r));
	size_t n;
	double *v;

	clock_human(cost_boot_ns(r), took, sizeof(took));
	model_boot_values(b, &v, &n);
	result_label(r->build, r->mode, label);
	buf_addf(out, "boot %3d  place %d/%d  block %d  %s  %s%s  %s%s%s", b->number, r->index + 1,
		total, r->block + 1, label, outcome_name(r->outcome),
		b->will_retry ? " (repeated)" : "", took, way ? " by " : "", way ? way : "");
	if (n && !moments_init(&mo, v, n, &e)) {
		clock_measured(mo.median, median, sizeof(median));
		buf_addf(out, "  median %s", median);
	}
	if (*r->effective)
		buf_addf(out, "  effective %s", r->effective);
	buf_addc(out, '\n');
	free(v);
	show_stages(t, r);
	for (size_t i = 0; samples && i < r->n_samples; i++)
		buf_addf(out, "%*s%3zu  %12lld ns  %14llu cycles%s\n", TEXT_LABEL, "", i,
			(long long)r->samples[i].ns, (unsigned long long)r->samples[i].tsc,
			r->samples[i].warmup ? "  warm-up" : "");
}

void report_show(struct buf *out, const struct model *m, bool samples)
{
	const struct text t = {.out = out, .width = TEXT_WIDTH};

	show_head(&t, m);
	buf_addc(out, '\n');
	for (size_t i = 0; i < m->n_list; i++)
		show_boot(&t, &m->list[i], m->total, samples);
	if (m->n_list)
		buf_addc(out, '\n');
	text_left_out(&t, m);
	text_cost(&t, m);
}

void report_console(struct buf *out, const char *p, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)p[i];

		if (c == '\r' && i + 1 < n && p[i + 1] == '\n')
			continue;
		if (c == '\n' || c == '\t' || (c >= 0x20 && c < 0x7f))
			buf_addc(out, (char)c);
		else if (c < 0x80)
			buf_addf(out, "^%c", c ^ 0x40);
		else
			buf_addf(out, "\\x%02x", c);
	}
}
