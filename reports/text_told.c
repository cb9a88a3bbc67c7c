/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One comparison in words. */
#include "reports/text_private.h"

#include <math.h>
#include <string.h>

#include "reports/words.h"

#define TOLD_SURE  0.001 /* smaller p need no second figure */
#define TOLD_WIDER 1.5	 /* an interval in percent so much wider than that in ns needs a word */

struct told {
	const struct text *t;
	const struct comparison *c;
	const struct comparison_set *ref;
	const struct verdict *v;
	size_t indent;
};

static bool told_proven(const struct verdict *v)
{
	return v->kind == VERDICT_LOWER || v->kind == VERDICT_HIGHER;
}

/* The interval by itself leaves out 0, and Holm calls it not proven all the same. */
static bool told_overruled(const struct verdict *v)
{
	return !told_proven(v) && !v->exact && (v->lo > 0 || v->hi < 0);
}

static void told_line(const struct told *d, struct buf *b)
{
	if (b->len) {
		buf_addf(d->t->out, "%*s", (int)d->indent, "");
		text_flow(d->t, d->indent, d->indent, b->data);
	}
	buf_clear(b);
}

static struct text_range told_time(const struct told *d)
{
	return (struct text_range){d->v->diff, d->v->lo, d->v->hi, !d->v->exact};
}

/* The difference in percent: of a proven one how much it is, of another one with signs. */
static void told_percent(const struct told *d, struct buf *b)
{
	const struct verdict *v = d->v;
	struct text_range r = {v->pct, v->pct_lo, v->pct_hi, v->pct_bounded && !v->exact};

	if (v->kind == VERDICT_LOWER)
		r = (struct text_range){-v->pct, -v->pct_hi, -v->pct_lo, r.bounded};
	text_percent(b, &r, !told_proven(v));
	if (!v->pct_bounded && !v->exact)
		buf_addf(b, " (the mean of %s is too uncertain for bounds in percent)",
			d->ref->name);
}

static void told_amount(const struct told *d, struct buf *b)
{
	struct text_range r = told_time(d);

	if (d->v->relative)
		told_percent(d, b);
	else
		text_time_range(b, &r, true);
}

/* What follows the word that says it. */
static void told_claim(const struct told *d, struct buf *b)
{
	const struct verdict *v = d->v;

	if (v->kind == VERDICT_TOO_FEW) {
		buf_addf(b, "for a verdict against %s: ", d->ref->name);
		if (v->set_boots == v->ref_boots)
			buf_addf(b, "%zu boot%s each", v->set_boots, v->set_boots == 1 ? "" : "s");
		else
			buf_addf(b, "%zu boot%s, and %zu of %s", v->set_boots,
				v->set_boots == 1 ? "" : "s", v->ref_boots, d->ref->name);
		buf_addf(b, "; %d are needed of each (%zu more)", VERDICT_BOOTS_MIN, v->needed);
		return;
	}
	if (v->exact && !told_proven(v)) {
		buf_addf(b, "from %s: the means are the same, and no boot differs from another",
			d->ref->name);
		return;
	}
	if (told_proven(v))
		buf_addf(b, "than %s by ", d->ref->name);
	else
		buf_addf(b, "from %s proven: ", d->ref->name);
	told_amount(d, b);
	if (v->exact) {
		buf_adds(b, " (exact: boots of neither side differ at all)");
		return;
	}
	buf_adds(b, ", ");
	text_p(b, v->holm);
	/* Where Holm decides against the interval a line of its own says so. */
	if (v->holm > v->p && v->holm > TOLD_SURE && !told_overruled(v)) {
		buf_adds(b, " (");
		text_p(b, v->p);
		buf_adds(b, " alone)");
	}
}

/* Fieller's interval is that of a ratio: where the reference is uncertain, or the ratio large, it
 * is wider than the difference's. */
static bool told_wider(const struct verdict *v)
{
	double ns = 100 * (v->hi - v->lo) / fabs(v->ref_mean);

	return v->relative && v->pct_bounded && v->pct_hi - v->pct_lo > TOLD_WIDER * ns;
}

/* Time, boots; why there is no percentage. */
static void told_measured(const struct told *d, struct buf *b)
{
	const struct verdict *v = d->v;
	struct text_range r = told_time(d);

	if (v->relative && !(v->exact && !told_proven(v))) {
		text_time_range(b, &r, true);
		buf_adds(b, " a sample, ");
	}
	if (v->set_boots == v->ref_boots)
		buf_addf(b, "%zu boots each", v->set_boots);
	else
		buf_addf(b, "%zu boots, and %zu of %s", v->set_boots, v->ref_boots, d->ref->name);
	if (!v->relative)
		buf_addf(b, "; no percentage, since the mean of %s is %s", d->ref->name,
			v->ref_mean == 0 ? "0" : "too near to 0");
	else if (told_wider(v))
		buf_addf(b, "; the percentage also counts the error of %s's mean", d->ref->name);
	told_line(d, b);
}

static void told_holm(const struct told *d, struct buf *b)
{
	const struct verdict *v = d->v;

	if (!told_overruled(v))
		return;
	buf_adds(b, "its interval by itself leaves out 0; but among ");
	buf_addf(b, "%zu comparisons ", d->c->n_compared);
	text_p(b, v->p);
	buf_addf(b, " counts as %.2g (Holm)", v->holm);
	told_line(d, b);
}

static void told_reach(const struct told *d, struct buf *b)
{
	const struct verdict *v = d->v;
	struct text_range seen = {.v = v->seen};

	if (!v->seen_known)
		return;
	buf_adds(b, "a difference of ");
	if (v->relative) {
		text_about_number(b, v->seen_pct);
		buf_adds(b, TEXT_GLUE "%");
	} else {
		text_time_range(b, &seen, false);
	}
	buf_addf(b, " would have been seen (%.6g" TEXT_GLUE "%% power)", d->c->opts.power);
	told_line(d, b);
}

static void told_settle(const struct told *d, struct buf *b)
{
	struct buf boots;

	buf_init(&boots, TEXT_LINE_MAX);
	words_settle(&boots, d->c, d->v, TEXT_GLUE);
	if (boots.len)
		buf_addf(b,
			d->v->pilot ? "a run of one stage would settle it with %s"
				    : "to settle it: %s",
			boots.data);
	buf_release(&boots);
	told_line(d, b);
}

static void told_ranks(const struct told *d, struct buf *b)
{
	const struct verdict *v = d->v;

	if (!v->rank_known || !v->rank_contradicts)
		return;
	buf_adds(b, told_proven(v) ? "ranks of the boot means do not prove it (Mann-Whitney, "
				   : "ranks of the boot means would prove one (Mann-Whitney, ");
	text_p(b, v->rank_p);
	buf_adds(b, "): look for boots that stand apart");
	told_line(d, b);
}

void text_told(const struct text *t, const struct comparison *c, const struct comparison_set *s,
	size_t indent)
{
	const struct told told = {t, c, &c->sets[s->ref], &s->verdict, indent}, *d = &told;
	const struct verdict *v = d->v;
	const char *word = "no difference";
	enum text_style style = TEXT_YELLOW;
	struct buf b;

	if (v->kind == VERDICT_TOO_FEW)
		word = "too few boots";
	if (v->kind == VERDICT_LOWER) {
		word = "faster";
		style = TEXT_GREEN;
	}
	if (v->kind == VERDICT_HIGHER) {
		word = "slower";
		style = TEXT_RED;
	}
	buf_init(&b, TEXT_LINE_MAX);
	text_styled(d->t, style, word);
	told_claim(d, &b);
	text_flow(d->t, d->indent, d->indent + strlen(word), b.data);
	buf_clear(&b);
	if (v->kind != VERDICT_TOO_FEW) {
		told_measured(d, &b);
		told_holm(d, &b);
		told_reach(d, &b);
		told_settle(d, &b);
		told_ranks(d, &b);
	}
	buf_release(&b);
}
