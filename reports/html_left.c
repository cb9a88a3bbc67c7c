/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is not in the numbers and why; and what should have stayed the same, and did not. */
#include "reports/html_private.h"

#include <string.h>

#include "reports/differs.h"

/* A list item, up to its text. */
static void left_item(struct buf *list, const struct html_view *v, const struct model *m)
{
	buf_adds(list, "<li>");
	if (v->c->n_runs > 1)
		html_escf(list, "run %s: ", m->id);
}

static void left_skipped(struct buf *list, const struct html_view *v, const struct model *m)
{
	for (size_t i = 0; i < m->n_modes; i++) {
		if (!m->modes[i].skipped)
			continue;
		left_item(list, v, m);
		buf_adds(list, "<strong>SKIPPED</strong> ");
		html_escf(list, "%s: %s", html_name_of(m->modes[i].build, m->modes[i].mode).s,
			m->modes[i].reason);
		buf_adds(list, "</li>\n");
	}
}

/* The boot that repeats this one, or NULL. */
static const struct model_boot *left_repetition(const struct model *m, const struct model_boot *b)
{
	for (const struct model_boot *o = b + 1; o < m->list + m->n_list; o++)
		if (o->r.index == b->r.index)
			return o;
	return NULL;
}

static void left_boot(struct buf *list, const struct html_view *v, const struct html_boot *b)
{
	const struct boot_result *r = &b->boot->r;
	const struct model_boot *again = left_repetition(b->run, b->boot);

	left_item(list, v, b->run);
	html_escf(list, "boot %d, %s%s: %s in stage %s: %s%s%s%s", b->boot->number,
		html_name_of(r->build, r->mode).s, r->attempt ? " (repetition)" : "",
		outcome_name(r->outcome), stage_name(r->stage),
		*r->err.msg ? r->err.msg : "no reason given", *r->err.code ? " (" : "", r->err.code,
		*r->err.code ? ")" : "");
	if (again)
		buf_addf(list, "; repeated as boot %d", again->number);
	else
		buf_adds(list,
			b->boot->will_retry ? "; to be repeated, but was not" : "; not repeated");
	buf_adds(list, "</li>\n");
}

/* Places of the plan where no boot was even tried. */
static void left_not_run(struct buf *list, const struct html_view *v, const struct model *m)
{
	int left = m->total;

	for (size_t i = 0; i < m->n_list; i++)
		left -= m->list[i].last_attempt;
	if (left <= 0)
		return;
	left_item(list, v, m);
	buf_addf(list, "%d boot%s of the plan %s not run</li>\n", left, left == 1 ? "" : "s",
		left == 1 ? "was" : "were");
}

/* What it means for the verdict. */
static void left_meaning(struct buf *list, const struct comparison *c, size_t lost)
{
	size_t short_of = 0;

	for (size_t i = 0; i < c->n_sets; i++) {
		const struct comparison_set *s = &c->sets[i];

		if (s->planned < 0 || s->n_boots >= (size_t)s->planned || comparison_again(c, i))
			continue;
		short_of++;
		buf_adds(list, "<li>");
		html_escf(list, "so %s rests on %zu boot%s instead of %d", s->name, s->n_boots,
			s->n_boots == 1 ? "" : "s", s->planned);
		buf_adds(list, "</li>\n");
	}
	if (lost && !short_of)
		buf_addf(list, "<li>repetitions made up for it: every %s has all its boots</li>\n",
			c->kind == COMPARISON_RUN ? "mode"
			: c->of_run		  ? "mode of every build"
						  : "side");
}

/* Each line of a text as an item. */
static void left_lines(struct buf *list, const char *text, const char *prefix)
{
	while (text && *text) {
		size_t n = strcspn(text, "\n");

		if (n) {
			buf_adds(list, "<li>");
			html_escf(list, "%s%.*s", prefix, (int)n, text);
			buf_adds(list, "</li>\n");
		}
		text += n + (text[n] == '\n');
	}
}

static void left_section(struct buf *out, const char *id, const char *head, const char *intro,
	const struct buf *list)
{
	if (!list->len)
		return;
	buf_addf(out,
		"<section id=\"%s\" aria-labelledby=\"h-%s\">\n<h2 id=\"h-%s\">%s</h2>\n%s<ul>\n",
		id, id, id, head, intro);
	buf_add(out, list->data, list->len);
	buf_adds(out, "</ul>\n</section>\n");
}

static void left_differs(struct buf *out, const struct html_view *v)
{
	struct buf list, lines, prefix;

	buf_init(&list, out->max);
	buf_init(&lines, HTML_TEXT_MAX);
	buf_init(&prefix, HTML_TEXT_MAX);
	left_lines(&list, v->c->differs, "");
	for (size_t i = 0; i < v->c->n_runs; i++) {
		buf_clear(&lines);
		buf_clear(&prefix);
		differs_lines(&lines, v->c->runs[i]);
		if (v->c->n_runs > 1)
			buf_addf(&prefix, "within run %s: ", v->c->runs[i]->id);
		left_lines(&list, lines.data, prefix.data);
	}
	left_section(out, "differs", "Differs",
		"<p>This should be the same in all boots that are compared, and is not.</p>\n",
		&list);
	buf_release(&list);
	buf_release(&lines);
	buf_release(&prefix);
}

void html_left(struct buf *out, const struct html_view *v)
{
	struct buf list;
	size_t lost = 0;

	buf_init(&list, out->max);
	for (size_t i = 0; i < v->c->n_runs; i++)
		left_skipped(&list, v, v->c->runs[i]);
	for (size_t k = 0; k < v->n_boots; k++) {
		if (v->boots[k].boot->r.outcome == OUTCOME_OK)
			continue;
		left_boot(&list, v, &v->boots[k]);
		lost++;
	}
	for (size_t i = 0; i < v->c->n_runs; i++)
		left_not_run(&list, v, v->c->runs[i]);
	left_lines(&list, v->c->left, "");
	left_meaning(&list, v->c, lost);
	left_section(out, "left-out", "Left out", "", &list);
	buf_release(&list);
	left_differs(out, v);
}
