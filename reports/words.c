/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/words.h"

#include <math.h>

#include "harness/stats/effect.h"

enum { WORDS_EXACT = 100 }; /* boots from which on a number estimated from a few has 2 digits */

static void words_boots(struct buf *out, size_t n, size_t had, const char *unit)
{
	double tens;

	if (n > EFFECT_BOOTS_MAX) {
		buf_addf(out, "more than %d boots%s", EFFECT_BOOTS_MAX, unit);
	} else if (n >= WORDS_EXACT) {
		tens = pow(10, floor(log10((double)n)) - 1);
		buf_addf(out, "about %.0f boots%s", ceil((double)n / tens) * tens, unit);
	} else {
		buf_addf(out, "%zu boots%s", n, unit);
		if (had && n > had)
			buf_addf(out, " (%zu more)", n - had);
	}
}

void words_settle(
	struct buf *out, const struct comparison *c, const struct verdict *v, const char *space)
{
	const char *unit = c->kind == COMPARISON_RUN ? " a mode" : " a side";
	/* A run of two stages had its boots for another question. */
	size_t had = v->ref_boots == v->set_boots && !v->pilot ? v->set_boots : 0;

	if (v->kind != VERDICT_NONE || !(v->observed_boots || v->effect_boots))
		return;
	if (v->observed_boots) {
		words_boots(out, v->observed_boots, had, unit);
		buf_addf(out, " if it is as %s as found",
			v->observed_boots > EFFECT_BOOTS_MAX ? "small" : "large");
	}
	if (!v->effect_boots)
		return;
	if (v->observed_boots)
		buf_adds(out, ", ");
	words_boots(out, v->effect_boots, had, v->observed_boots ? "" : unit);
	buf_addf(out, " to find one of %.6g%s%%", c->opts.effect, space);
}
