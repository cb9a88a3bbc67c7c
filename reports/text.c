/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/text.h"

#include <stdio.h>
#include <string.h>

#include "harness/base/clock.h"
#include "reports/differs.h"
#include "reports/text_private.h"

/* What a workload calls, where its name does not say so. */
static const char *text_called(const char *workload)
{
	return strcmp(workload, "flush-all") ? workload : "flush_tlb_all";
}

static void text_emulated(const struct text *t, const struct comparison *c)
{
	bool any = false;

	for (size_t i = 0; i < c->n_runs; i++)
		any = any || c->runs[i]->emulated;
	if (!any)
		return;
	text_styled(t, TEXT_YELLOW, "emulated machine: times say nothing about hardware");
	buf_addc(t->out, '\n');
}

/* What was timed, and by which run or from when to when. */
static void text_head(const struct text *t, const struct comparison *c)
{
	const struct model *m = c->runs[0], *last = c->runs[c->n_runs - 1];
	char when[32], until[32], left[160], right[96];
	int gap;

	clock_iso(m->started_wall_ns, when, sizeof(when));
	clock_iso(last->started_wall_ns, until, sizeof(until));
	when[10] = until[10] = '\0'; /* the day */
	snprintf(left, sizeof(left), "%s, %d call%s a sample, ns", text_called(m->workload),
		m->iterations, m->iterations == 1 ? "" : "s");
	if (c->n_runs == 1)
		snprintf(right, sizeof(right), "run %s, %s UTC", m->id, when);
	else
		snprintf(right, sizeof(right), "%zu runs, %s%s%s UTC", c->n_runs, when,
			strcmp(when, until) ? " .. " : "", strcmp(when, until) ? until : "");
	gap = (int)t->width - (int)strlen(left) - (int)strlen(right);
	if (gap < 2)
		buf_addf(t->out, "%s\n%s\n", left, right);
	else
		buf_addf(t->out, "%s%*s%s\n", left, gap, "", right);
}

static void text_end(const struct text *t, const struct model *m)
{
	struct buf b;

	buf_init(&b, TEXT_LINE_MAX);
	if (!m->ended)
		buf_adds(&b,
			"The run has not ended, or was killed: this is what was stored so far.");
	else if (m->end_err.cls)
		buf_addf(&b, "The run ended early: %s%s%s%s. This is what was stored until then.",
			m->end_err.msg, *m->end_err.code ? " (" : "", m->end_err.code,
			*m->end_err.code ? ")" : "");
	if (b.len)
		text_para(t, "ended", b.data);
	buf_release(&b);
}

/* A block of sets, drawn, described and judged. */
static void text_part(const struct text *t, const struct comparison *c, size_t block)
{
	if (!text_block(t, c, block))
		return;
	buf_addc(t->out, '\n');
	text_variation(t, c, block);
	text_verdict(t, c, block);
}

static void text_run(const struct text *t, const struct comparison *c)
{
	const struct model *m = c->runs[0];
	size_t block = 0;

	text_result(t, c);
	text_about(t, m);
	text_end(t, m);
	text_differs(t, m);
	do {
		buf_addc(t->out, '\n');
		text_part(t, c, block);
	} while (++block < c->n_blocks);
	buf_addc(t->out, '\n');
	text_left_out(t, m);
	text_cost(t, m);
}

static void text_runs(const struct text *t, const struct comparison *c)
{
	text_sides(t, c);
	for (size_t i = 0; i < c->n_blocks; i++) {
		buf_addc(t->out, '\n');
		text_part(t, c, i);
	}
	if (c->left && *c->left) {
		buf_addc(t->out, '\n');
		text_lines(t, "left out", c->left);
	}
}

void text_differs(const struct text *t, const struct model *m)
{
	struct buf b;

	buf_init(&b, TEXT_LINE_MAX);
	differs_lines(&b, m);
	if (b.len)
		text_lines(t, "differs", b.data);
	buf_release(&b);
}

void report_text(struct buf *out, const struct comparison *c, const struct text_opts *o)
{
	const struct text t = {.out = out,
		.width = o->width < TEXT_WIDTH_MAIL ? TEXT_WIDTH_MAIL : o->width,
		.colour = o->colour};

	text_emulated(&t, c);
	if (c->title && *c->title)
		text_flow(&t, 0, 0, c->title);
	text_head(&t, c);
	if (c->of_run)
		text_run(&t, c);
	else
		text_runs(&t, c);
}
