/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/text.h"

#include <stdio.h>
#include <string.h>

#include "harness/base/clock.h"
#include "reports/text_private.h"

static size_t text_word(const char *s, bool shell)
{
	bool quoted = false;
	size_t n = 0;

	for (; s[n] && (quoted || s[n] != ' '); n++)
		if (shell && s[n] == '\'')
			quoted = !quoted;
	return n;
}

static void text_wrapped(struct buf *out, const char *label, const char *text, bool shell)
{
	size_t limit = TEXT_WIDTH - (shell ? 2 : 0), col = TEXT_LABEL;
	bool first = true;

	buf_addf(out, "%-*s", TEXT_LABEL, label);
	while (*text) {
		size_t n = text_word(text, shell);

		if (!n) {
			text++;
			continue;
		}
		if (!first && col + 1 + n > limit) {
			buf_addf(out, "%s\n%*s", shell ? " \\" : "", TEXT_LABEL, "");
			col = TEXT_LABEL;
		} else if (!first) {
			buf_addc(out, ' ');
			col++;
		}
		for (size_t i = 0; i < n; i++)
			buf_addc(out,
				(unsigned char)text[i] < 0x20 || text[i] == 0x7f ? '?' : text[i]);
		col += n;
		text += n;
		first = false;
	}
	buf_addc(out, '\n');
}

void text_para(struct buf *out, const char *label, const char *text)
{
	text_wrapped(out, label, text, false);
}

void text_command(struct buf *out, const char *label, const char *text)
{
	text_wrapped(out, label, text, true);
}

void text_item(struct buf *list, const char *fmt, ...)
{
	va_list ap;

	if (list->len)
		buf_adds(list, ", ");
	va_start(ap, fmt);
	buf_vaddf(list, fmt, ap);
	va_end(ap);
}

void text_ranges(struct buf *out, const int *v, size_t n)
{
	for (size_t i = 0, j; i < n; i = j) {
		for (j = i + 1; j < n && v[j] == v[j - 1] + 1; j++)
			;
		buf_addf(out, i ? ", %d" : "%d", v[i]);
		if (j - i > 1)
			buf_addf(out, j - i > 2 ? "-%d" : ", %d", v[j - 1]);
	}
}

/* What a workload calls, where its name does not say so. */
static const char *text_called(const char *workload)
{
	return strcmp(workload, "flush-all") ? workload : "flush_tlb_all";
}

static void text_head(struct buf *out, const struct model *m)
{
	char when[32], left[160], right[96];
	int gap;

	clock_iso(m->started_wall_ns, when, sizeof(when));
	when[10] = '\0'; /* the day */
	snprintf(left, sizeof(left), "%s, %d call%s a sample, ns", text_called(m->workload),
		m->iterations, m->iterations == 1 ? "" : "s");
	snprintf(right, sizeof(right), "run %s, %s UTC", m->id, when);
	gap = TEXT_WIDTH - (int)strlen(left) - (int)strlen(right);
	if (m->emulated)
		buf_adds(out, "emulated machine: times say nothing about hardware\n");
	buf_addf(out, "%s%*s%s\n", left, gap < 2 ? 2 : gap, "", right);
}

static void text_end(struct buf *out, const struct model *m)
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
		text_para(out, "ended", b.data);
	buf_release(&b);
}

void report_text(struct buf *out, const struct model *m)
{
	text_head(out, m);
	text_about(out, m);
	text_end(out, m);
	text_differs(out, m);
	buf_addc(out, '\n');
	text_values(out, m);
	buf_addc(out, '\n');
	text_left_out(out, m);
	text_time(out, m);
}
