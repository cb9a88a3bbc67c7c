/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The answer first: a sentence for each comparison, then what it rests on. */
#include "reports/html_private.h"
#include "reports/words.h"

#include <math.h>
#include <string.h>

/* With more comparisons than this the plot, which is short, comes before them. */
enum { VERDICT_CARDS = 4 };

static const struct comparison_set *verdict_ref(const struct comparison *c, size_t i)
{
	return &c->sets[c->sets[i].ref];
}

static bool verdict_stands(const struct comparison *c, size_t i)
{
	return c->sets[i].ref != i;
}

/* Half the width of the interval in percent; 0 when it has none. */
static double verdict_half(const struct verdict *d)
{
	return d->relative && d->pct_bounded ? (d->pct_hi - d->pct_lo) / 2 : 0;
}

/* "248.8 %" or "881.5 ms", without a sign where `size` is asked for. */
static struct html_word verdict_amount(const struct verdict *d, bool size)
{
	struct html_word w;

	if (!d->relative)
		return html_time(size ? fabs(d->diff) : d->diff, !size);
	w = html_percent(size ? fabs(d->pct) : d->pct, verdict_half(d));
	if (size && w.s[0] == '+')
		memmove(w.s, w.s + 1, strlen(w.s));
	return w;
}

void html_finding(struct buf *plain, const struct comparison *c, size_t set)
{
	const struct comparison_set *s = &c->sets[set], *r = verdict_ref(c, set);
	const struct verdict *d = &s->verdict;

	switch (d->kind) {
	case VERDICT_HIGHER:
	case VERDICT_LOWER:
		buf_addf(plain, "%s is %s than %s by %s", s->name,
			d->kind == VERDICT_HIGHER ? "slower" : "faster", r->name,
			verdict_amount(d, true).s);
		break;
	case VERDICT_NONE:
		buf_addf(plain, "no difference between %s and %s is proven", s->name, r->name);
		break;
	case VERDICT_TOO_FEW:
		buf_addf(plain, "too few boots to compare %s with %s: %zu more %s needed", s->name,
			r->name, d->needed, d->needed == 1 ? "is" : "are");
		break;
	}
}

/* A badge that does not speak by colour alone. */
static const char *verdict_badge(enum verdict_kind k)
{
	static const char *const badges[] = {
		[VERDICT_TOO_FEW] = "? too few boots",
		[VERDICT_NONE] = "~ not proven",
		[VERDICT_LOWER] = "\xe2\x96\xbc faster",
		[VERDICT_HIGHER] = "\xe2\x96\xb2 slower",
	};

	return badges[k];
}

static void verdict_interval(struct buf *out, const struct comparison *c, const struct verdict *d)
{
	double half = verdict_half(d);

	buf_adds(out, "<dt>difference</dt><dd>");
	if (d->relative) {
		buf_adds(out, "<data class=\"pct\" value=\"");
		html_number(out, d->pct);
		buf_addf(out, "\">%s</data> ", html_percent(d->pct, half).s);
	}
	if (d->relative && d->pct_bounded)
		buf_addf(out, "[%s, %s]", html_bound(d->pct_lo, half).s,
			html_bound(d->pct_hi, half).s);
	else if (d->relative)
		buf_adds(out, "(its interval has no bounds: the reference may be 0)");
	else
		buf_adds(out, "no percentage, since the reference's mean is 0");
	buf_addf(out, "<br>%s<br>at %g %% confidence</dd>\n",
		html_time_interval(d->diff, d->lo, d->hi).s, c->opts.conf);
}

static void verdict_test(struct buf *out, const struct verdict *d)
{
	buf_adds(out, "<dt>test</dt><dd>");
	if (d->exact) {
		buf_adds(out, "the boots of a side do not differ at all: Welch's t says nothing");
	} else {
		html_escf(out, "p %s", html_p(d->holm).s);
		if (d->holm > d->p)
			html_escf(out, " after Holm (%s alone)", html_p(d->p).s);
		buf_addf(out, "<br>Welch's t = %.4g, %.4g degrees of freedom", d->t, d->dof);
	}
	if (d->pilot)
		buf_adds(out, "<br>variance of the pilot, as Stein's two stages ask");
	if (d->rank_known) {
		buf_adds(out, "<br>Mann-Whitney, which knows no normal distribution: ");
		html_escf(out, "p %s", html_p(d->rank_p).s);
	}
	if (d->rank_known && d->rank_contradicts)
		buf_adds(out, "; <strong>it contradicts: look at the boots</strong>");
	buf_adds(out, "</dd>\n");
}

static void verdict_reach(struct buf *out, const struct comparison *c, const struct verdict *d)
{
	struct buf settle;

	buf_addf(out, "<dt>boots</dt><dd>%zu against %zu", d->set_boots, d->ref_boots);
	buf_init(&settle, HTML_TEXT_MAX);
	words_settle(&settle, c, d, "\xc2\xa0");
	if (settle.len)
		buf_addf(out, "<br>to settle it: %s", settle.data);
	buf_release(&settle);
	buf_adds(out, "</dd>\n");
	if (!d->seen_known)
		return;
	buf_adds(out, "<dt>would have seen</dt><dd>");
	if (d->relative)
		buf_addf(out, "%s %% or more, %s", html_rough(d->seen_pct).s,
			html_time(d->seen, false).s);
	else
		buf_addf(out, "%s or more", html_time(d->seen, false).s);
	buf_addf(out, "<br>(with %g %% power)</dd>\n", c->opts.power);
}

static void verdict_few(struct buf *out, const struct verdict *d)
{
	buf_addf(out,
		"<dt>boots</dt><dd>%zu against %zu: below %d a side no answer is given, since a "
		"spread between boots cannot be judged</dd>\n"
		"<dt>needed</dt><dd>%zu more, on the side that has fewest</dd>\n",
		d->set_boots, d->ref_boots, VERDICT_BOOTS_MIN, d->needed);
}

static void verdict_one(struct buf *out, const struct html_view *v, size_t i)
{
	const struct verdict *d = &v->c->sets[i].verdict;
	struct buf plain;

	buf_init(&plain, HTML_TEXT_MAX);
	html_finding(&plain, v->c, i);
	if (plain.data[0] == 'n' && d->kind == VERDICT_NONE)
		plain.data[0] = 'N';
	if (plain.data[0] == 't' && d->kind == VERDICT_TOO_FEW)
		plain.data[0] = 'T';
	buf_addf(out, "<article class=\"verdict %s\" data-verdict=\"%s\" data-set=\"",
		verdict_name(d->kind), verdict_name(d->kind));
	html_esc(out, v->c->sets[i].name);
	buf_adds(out, "\" data-ref=\"");
	html_esc(out, verdict_ref(v->c, i)->name);
	buf_addf(out, "\">\n<p class=\"badge\">%s</p>\n<h3>", verdict_badge(d->kind));
	html_esc(out, plain.data);
	buf_adds(out, "</h3>\n<dl>\n");
	if (d->kind == VERDICT_TOO_FEW) {
		verdict_few(out, d);
	} else {
		verdict_interval(out, v->c, d);
		verdict_test(out, d);
		verdict_reach(out, v->c, d);
	}
	buf_adds(out, "</dl>\n</article>\n");
	buf_release(&plain);
}

/* Sets that take no part, and a reference that is not the one asked for. */
static void verdict_missing(struct buf *out, const struct comparison *c)
{
	for (size_t b = 0; b < c->n_blocks; b++) {
		size_t first, end = html_block(c, b, &first), usable = 0, ref = first;
		char name[2 * LABEL_MAX];

		for (size_t i = end; i-- > first;)
			if (c->sets[i].usable) {
				usable++;
				ref = i;
			}
		for (size_t i = first; i < end; i++) {
			const struct comparison_set *s = &c->sets[i];

			if (s->usable || comparison_again(c, i))
				continue;
			buf_adds(out, "<p class=\"missing\">");
			if (*s->build && !s->n_boots)
				html_escf(out, "%s: no boot counts.", s->name);
			else
				html_escf(out,
					"%s is not compared: it has %zu sample%s, and %d are "
					"needed.",
					s->name, s->n_values, s->n_values == 1 ? "" : "s",
					COMPARISON_SAMPLES_MIN);
			buf_adds(out, "</p>\n");
		}
		if (usable > 1 && ref == first)
			continue;
		comparison_block_name(c, b, name, sizeof(name));
		buf_adds(out, "<p class=\"missing\">");
		if (!usable && c->of_run && c->kind == COMPARISON_SIDES)
			html_escf(out, "%s: nothing has samples enough to be compared.", name);
		else if (!usable)
			html_escf(out, "%s has samples enough: there is nothing to compare.",
				c->n_blocks > 1		    ? "Neither side"
				: c->kind == COMPARISON_RUN ? "No mode"
							    : "No side");
		else if (usable == 1)
			html_escf(out,
				"Only %s has samples enough: there is nothing to compare it with.",
				c->sets[ref].name);
		else
			html_escf(out, "The reference is %s, since %s is missing.",
				c->sets[ref].name, c->sets[first].name);
		buf_adds(out, "</p>\n");
	}
}

static void verdict_rule(struct buf *out, const struct comparison *c)
{
	if (!c->n_compared)
		return;
	buf_addf(out,
		"<p class=\"rule\">Welch's t on boot means at %g %%, since the samples of one boot "
		"are not independent",
		c->opts.conf);
	if (c->n_compared > 1)
		buf_addf(out, "; Holm's correction over %zu comparisons", c->n_compared);
	buf_addf(out,
		"; percents are of the reference's mean, in Fieller's interval. Boots are counted "
		"for a difference as large as found, and for one of %g %%.</p>\n",
		c->opts.effect);
}

/* What is proven, in one line above all. */
static void verdict_lead(struct buf *out, const struct comparison *c, size_t n)
{
	struct buf plain;
	size_t proven = 0, judged = 0;

	for (size_t i = 0; i < c->n_sets; i++)
		judged += comparison_judged(c, i) && c->sets[i].verdict.kind != VERDICT_TOO_FEW;
	if (judged)
		buf_adds(out, comparison_regressed(c)
				      ? "<p class=\"lead bad\">A regression is proven.</p>\n"
				      : "<p class=\"lead\">No regression is proven.</p>\n");
	if (n < 2)
		return;
	buf_init(&plain, HTML_TEXT_MAX);
	for (size_t i = 0; i < c->n_sets; i++) {
		enum verdict_kind kind = c->sets[i].verdict.kind;

		if (!verdict_stands(c, i) || (kind != VERDICT_LOWER && kind != VERDICT_HIGHER))
			continue;
		buf_adds(&plain, proven++ ? "; " : ": ");
		html_finding(&plain, c, i);
	}
	buf_addf(out, "<p class=\"lead\">Of %zu comparisons ", n);
	if (proven)
		buf_addf(out, "%zu prove%s a difference", proven, proven == 1 ? "s" : "");
	else
		buf_adds(out, "none proves a difference");
	html_esc(out, plain.data);
	buf_adds(out, ".</p>\n");
	buf_release(&plain);
}

/* Boots of one run may be no more independent than samples of one boot. */
static void verdict_runs(struct buf *out, const struct comparison *c)
{
	for (size_t i = 0; i < c->n_sets; i++) {
		const struct comparison_set *s = &c->sets[i];

		if (!s->has_runs || !(s->runs.p <= (100 - c->opts.conf) / 100))
			continue;
		buf_adds(out, "<p class=\"missing\">");
		html_escf(out,
			"The runs of %s differ by more than their boots explain (p %s): boots of "
			"one run are not independent, and the verdict is surer than it should be.",
			s->name, html_p(s->runs.p).s);
		buf_adds(out, "</p>\n");
	}
}

void html_verdicts(struct buf *out, const struct html_view *v)
{
	const struct comparison *c = v->c;
	size_t n = 0;

	for (size_t i = 0; i < c->n_sets; i++)
		n += verdict_stands(c, i);
	buf_adds(out, "<section id=\"verdict\" aria-labelledby=\"h-verdict\">\n"
		      "<h2 id=\"h-verdict\">Verdict</h2>\n");
	verdict_lead(out, c, n);
	verdict_runs(out, c);
	if (n > VERDICT_CARDS)
		html_effects(out, v);
	if (n)
		buf_adds(out, "<div class=\"verdicts\">\n");
	for (size_t i = 0; i < c->n_sets; i++)
		if (verdict_stands(c, i))
			verdict_one(out, v, i);
	if (n)
		buf_adds(out, "</div>\n");
	verdict_missing(out, c);
	verdict_rule(out, c);
	if (n <= VERDICT_CARDS)
		html_effects(out, v);
	buf_adds(out, "</section>\n");
}
