/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the text report says about each kind of verdict, and about the rule of a run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "harness/stats/effect.h"
#include "tests/unit/fixture_comparison.h"
#include "tests/unit/text.h"

static void verdicts_are_in_plain_words(void **state)
{
	static const struct {
		const char *what;
		struct verdict v; /* of physical against mixed; three boots each */
		const char *want, *never;
	} cases[] = {
		{"slower",
			{.kind = VERDICT_HIGHER,
				.diff = 8.8e8,
				.lo = 8.7e8,
				.hi = 8.9e8,
				.p = 1e-300,
				.holm = 2e-300,
				.relative = true,
				.pct = 248.774,
				.pct_bounded = true,
				.pct_lo = 247.948,
				.pct_hi = 249.602},
			"physical slower than mixed by 248.77 % [247.95, 249.60], p < 1e-12 "
			"+880 ms [+870, +890] a sample, 3 boots each",
			"e-300"},
		{"faster",
			{.kind = VERDICT_LOWER,
				.diff = -1234,
				.lo = -1300,
				.hi = -1168,
				.p = 0.0012,
				.holm = 0.0012,
				.relative = true,
				.pct = -12,
				.pct_bounded = true,
				.pct_lo = -12.7,
				.pct_hi = -11.4},
			"physical faster than mixed by 12.00 % [11.40, 12.70], p = 0.0012 "
			"-1.234 us [-1.300, -1.168] a sample",
			NULL},
		{"not proven",
			{.kind = VERDICT_NONE,
				.diff = -150e3,
				.lo = -2e6,
				.hi = 1.7e6,
				.p = 0.7598,
				.holm = 0.7598,
				.relative = true,
				.pct = -0.048,
				.pct_bounded = true,
				.pct_lo = -0.58,
				.pct_hi = 0.49,
				.seen_known = true,
				.seen = 3e6,
				.seen_pct = 2.1,
				.observed_boots = 1234,
				.effect_boots = 19},
			"physical no difference from mixed proven: -0.05 % [-0.58, +0.49], p = "
			"0.76 "
			"-0.1 ms [-2.0, +1.7] a sample, 3 boots each a difference of 2.1 % "
			"would have been seen (80 % power) to settle it: about 1300 boots a mode "
			"if "
			"it is as large as found, 19 boots (16 more) to find one of 1 %",
			"Holm)"},
		{"a difference that matters would have been seen",
			{.kind = VERDICT_NONE,
				.relative = true,
				.pct_bounded = true,
				.pct_lo = -.3,
				.pct_hi = .3,
				.p = 1,
				.holm = 1,
				.seen_known = true,
				.seen = 1,
				.seen_pct = 0.42,
				.observed_boots = 11},
			"a difference of 0.42 % would have been seen (80 % power) to settle it: 11 "
			"boots a mode (8 more) if it is as large as found",
			"-0.00"},
		{"no number of boots",
			{.kind = VERDICT_NONE,
				.relative = true,
				.pct_bounded = true,
				.seen_known = true,
				.seen_pct = 1234.5,
				.observed_boots = EFFECT_BOOTS_MAX + 1,
				.effect_boots = EFFECT_BOOTS_MAX + 1},
			"a difference of 1234 % would have been seen (80 % power) to settle it: "
			"more than 100000 boots a mode if it is as small as found, more than "
			"100000 "
			"boots to find one of 1 %",
			"more)"},
		{"Holm decides against an interval",
			{.kind = VERDICT_NONE,
				.diff = 2,
				.lo = 1,
				.hi = 3,
				.p = 0.031,
				.holm = 0.062},
			"its interval by itself leaves out 0; but among 2 comparisons p = 0.031 "
			"counts as 0.062 (Holm)",
			NULL},
		{"no interval in percent",
			{.kind = VERDICT_NONE,
				.diff = 5,
				.lo = -3,
				.hi = 13,
				.p = 0.4,
				.holm = 0.4,
				.relative = true,
				.pct = 52.1},
			"proven: +52.1 % (the mean of mixed is too uncertain for bounds in "
			"percent), p = 0.4 +5.0 ns [-3.0, +13.0] a sample",
			NULL},
		{"no percentage",
			{.kind = VERDICT_HIGHER,
				.diff = 5e9,
				.lo = 4e9,
				.hi = 6e9,
				.p = 0.004,
				.holm = 0.004,
				.seen_known = true,
				.seen = 2.5e6},
			"slower than mixed by +5.0 s [+4.0, +6.0], p = 0.004 3 boots each; no "
			"percentage, since the mean of mixed is 0 a difference of "
			"2.50 ms would have been seen (80 % power)",
			NULL},
		{"exact, and the same",
			{.kind = VERDICT_NONE, .exact = true, .p = 1, .holm = 1, .relative = true},
			"no difference from mixed: the means are the same, and no boot differs "
			"from "
			"another 3 boots each",
			"p ="},
		{"exact, and not the same",
			{.kind = VERDICT_HIGHER,
				.exact = true,
				.diff = 3e6,
				.lo = 3e6,
				.hi = 3e6,
				.relative = true,
				.pct = 1,
				.pct_bounded = true,
				.pct_lo = 1,
				.pct_hi = 1},
			"slower than mixed by 1.000 % (exact: boots of neither side differ at "
			"all) +3.00 ms a sample, 3 boots each",
			"p <"},
		{"ranks would prove it",
			{.kind = VERDICT_NONE,
				.rank_known = true,
				.rank_contradicts = true,
				.rank_p = 0.0043},
			"ranks of the boot means would prove one (Mann-Whitney, p = 0.0043): look "
			"for boots that stand apart",
			NULL},
		{"ranks do not prove it",
			{.kind = VERDICT_LOWER,
				.diff = -1,
				.rank_known = true,
				.rank_contradicts = true,
				.rank_p = 0.21},
			"ranks of the boot means do not prove it (Mann-Whitney, p = 0.21)", NULL},
		{"ranks agree", {.kind = VERDICT_NONE, .rank_known = true, .rank_p = 0.21},
			"no difference from mixed proven", "ranks of the boot means"},
	};
	struct made d;

	(void)state;
	make_clean(&d);
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct verdict *v = &d.c.sets[1].verdict;

		*v = cases[i].v;
		v->ref_boots = v->set_boots = 3;
		d.c.sets[2].verdict = d.c.sets[1].verdict; /* nothing of its own to be found */
		expect_words(&d.c, cases[i].want, cases[i].never);
	}
	made_release(&d);
}

static void too_few_boots_are_counted_and_nothing_more(void **state)
{
	struct made d;

	(void)state;
	make_rough(&d);
	expect_words(&d.c,
		"verdict physical too few boots for a verdict against mixed: 1 boot, and 2 of "
		"mixed; 3 are needed of each (2 more)",
		"p =");
	made_release(&d);
}

static void sides_of_different_sizes_are_told_apart(void **state)
{
	struct made d;
	struct verdict *v;

	(void)state;
	make_clean(&d);
	v = &d.c.sets[1].verdict;
	*v = (struct verdict){.kind = VERDICT_NONE,
		.ref_boots = 5,
		.set_boots = 3,
		.relative = true,
		.pct_bounded = true,
		.seen_known = true,
		.seen_pct = 2,
		.effect_boots = 9};
	expect_words(&d.c, "3 boots, and 5 of mixed", NULL);
	expect_words(&d.c, "to settle it: 9 boots a mode to find one of 1 %", NULL);
	made_release(&d);
}

static void a_rule_that_asks_for_too_much_is_named(void **state)
{
	struct made d;

	(void)state;
	make_stages(&d);
	expect_words(&d.c, "6 boots by the rule, at most 30 ", "wider");
	expect_words(&d.c, "; variances and degrees of freedom of the pilot's 3 boots)", NULL);
	d.m[0].until.wanted = 44;
	expect_words(&d.c,
		"+-1 % of mixed at 95 % asked for, 44 boots by the rule, at most 30: the interval "
		"is wider than asked for",
		NULL);
	d.m[0].until.wanted = 0;
	expect_words(&d.c, "at most 30; no second stage was planned", "by the rule");
	d.c.sets[1].pilot = 2;
	expect_words(&d.c, "of the pilot's boots)", NULL);
	made_release(&d);
}

static void best_samples_are_named_when_far_from_what_was_used(void **state)
{
	struct made d;

	(void)state;
	make_stages(&d);
	expect_words(&d.c, NULL, "samples a boot would prove most");
	for (size_t i = 0; i < d.m[0].n_list; i++)
		d.m[0].list[i].r.stages[STAGE_FIRMWARE].ns = 600000000000;
	expect_words(&d.c, "samples a boot would prove most in a given time", NULL);
	made_release(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(verdicts_are_in_plain_words),
		cmocka_unit_test(too_few_boots_are_counted_and_nothing_more),
		cmocka_unit_test(sides_of_different_sizes_are_told_apart),
		cmocka_unit_test(a_rule_that_asks_for_too_much_is_named),
		cmocka_unit_test(best_samples_are_named_when_far_from_what_was_used),
	};
	return cmocka_run_group_tests_name("text_told", tests, NULL, NULL);
}
