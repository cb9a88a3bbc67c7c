/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/close.h"

#include <float.h>

#include "harness/stats/effect.h"
#include "harness/verdict.h"

#define MANY 40

static const struct verdict_opts usual = VERDICT_OPTS_INIT;

static void finite_interval(const struct verdict *v)
{
	assert_true(isfinite(v->diff) && isfinite(v->se) && v->se >= 0 && isfinite(v->dof));
	assert_true(v->lo <= v->diff && v->diff <= v->hi && isfinite(v->lo) && isfinite(v->hi));
	assert_true(isfinite(v->t) && v->p >= 0 && v->p <= 1 && v->holm >= v->p && v->holm <= 1);
	assert_true(isfinite(v->ref_sd) && isfinite(v->set_sd));
}

static void finite_percents(const struct verdict *v)
{
	assert_true(isfinite(v->pct) && isfinite(v->pct_lo) && isfinite(v->pct_hi));
	assert_true(v->relative || (v->pct == 0 && !v->pct_bounded && v->seen_pct == 0));
	if (v->pct_bounded)
		assert_true(v->pct_lo <= v->pct && v->pct <= v->pct_hi);
	else
		assert_true(v->pct_lo == 0 && v->pct_hi == 0);
}

/* What the header promises of every verdict. */
static void sound(const struct verdict *v, const struct verdict_opts *o)
{
	finite_interval(v);
	finite_percents(v);
	assert_true(isfinite(v->seen) && isfinite(v->seen_pct));
	assert_true(v->seen_known ? v->seen >= 0 : v->seen == 0 && v->seen_pct == 0);
	for (size_t i = 0; i < 2; i++) {
		size_t boots = i ? v->observed_boots : v->effect_boots;

		assert_true(boots == 0 || boots >= VERDICT_BOOTS_MIN);
		assert_true(boots <= EFFECT_BOOTS_MAX + 1);
	}
	if (v->kind == VERDICT_TOO_FEW)
		return;
	assert_true(v->level >= o->conf && v->level < 100);
	assert_int_equal(v->kind != VERDICT_NONE, v->diff != 0 && v->holm <= 1 - o->conf / 100);
	if (v->kind == VERDICT_LOWER)
		assert_true(v->diff < 0);
	if (v->kind == VERDICT_HIGHER)
		assert_true(v->diff > 0);
}

static struct verdict compare(const double *ref, size_t n0, const double *set, size_t n1)
{
	const struct verdict_side a = {ref, n0, 0}, b = {set, n1, 0};
	struct err e = ERR_INIT;
	struct verdict v;

	assert_int_equal(verdict_init(&v, &a, &b, &usual, &e), 0);
	sound(&v, &usual);
	return v;
}

/* n values with exactly this mean and sd, in a shape of their own. */
static void shaped(double *v, size_t n, double mean, double sd)
{
	struct err e = ERR_INIT;
	struct moments m;
	double copy[MANY];

	for (size_t i = 0; i < n; i++)
		copy[i] = v[i] = (double)((i * i * 7 + 3 * i) % 23);
	assert_int_equal(moments_init(&m, copy, n, &e), 0);
	for (size_t i = 0; i < n; i++)
		v[i] = mean + (v[i] - m.avg) * sd / m.sd;
}

/* The published EPYC 9754 table, its 25 and 12 figures taken as boots. */
static void verdict_of_the_published_table_has_the_accepted_values(void **state)
{
	double mixed[25], phys[12], cluster[11];
	struct verdict v;

	(void)state;
	shaped(mixed, 25, 3.5432659e+08, 1566737.4);
	shaped(phys, 12, 1.2357981e+09, 2853892.9);
	shaped(cluster, 11, 3.5415668e+08, 1415071.9);
	v = compare(mixed, 25, phys, 12);
	assert_int_equal(v.kind, VERDICT_HIGHER);
	PRINTED(v.dof, 14.28, 2);
	PRINTED((v.hi - v.lo) / 2 / 1e6, 1.887, 3);
	PRINTED(v.pct, 248.774, 3);
	PRINTED(v.pct_lo, 247.948, 3);
	PRINTED(v.pct_hi, 249.602, 3);
	CLOSE(v.ref_sd, 1566737.4, 1e-9);
	CLOSE(v.set_sd, 2853892.9, 1e-9);
	v = compare(mixed, 25, cluster, 11);
	assert_int_equal(v.kind, VERDICT_NONE);
	assert_true(v.pct_lo < 0 && v.pct_hi > 0);
}

static void verdict_needs_three_boots_a_side(void **state)
{
	static const double x[] = {5, 6, 7};

	(void)state;
	for (size_t n0 = 0; n0 <= 3; n0++) {
		for (size_t n1 = 0; n1 <= 3; n1++) {
			struct verdict v = compare(n0 ? x : NULL, n0, n1 ? x : NULL, n1);
			size_t least = n0 < n1 ? n0 : n1;

			assert_int_equal(v.needed, 3 - least);
			assert_int_equal(v.ref_boots, n0);
			assert_int_equal(v.set_boots, n1);
			assert_int_equal(v.kind, least < 3 ? VERDICT_TOO_FEW : VERDICT_NONE);
		}
	}
}

static void verdict_turns_round_with_a_negative_reference(void **state)
{
	static const double a[] = {100, 103, 98, 101}, b[] = {120, 118, 123, 119, 125};
	static const double c[] = {-100, -103, -98, -101}, d[] = {-120, -118, -123, -119, -125};
	struct verdict up = compare(a, 4, b, 5), down = compare(c, 4, d, 5);

	(void)state;
	assert_int_equal(up.kind, VERDICT_HIGHER);
	assert_int_equal(down.kind, VERDICT_LOWER);
	assert_true(down.relative && down.pct_bounded);
	CLOSE(down.pct, -up.pct, 1e-13);
	CLOSE(down.pct_lo, -up.pct_hi, 1e-12);
	CLOSE(down.pct_hi, -up.pct_lo, 1e-12);
	CLOSE(down.seen_pct, up.seen_pct, 1e-13);
	assert_int_equal(down.effect_boots, up.effect_boots);
	up = compare(c, 4, b, 5);
	assert_true(up.kind == VERDICT_HIGHER && up.pct > 200 && up.pct_lo > 200);
}

static void verdict_without_a_reference_has_no_percents(void **state)
{
	static const double zero[] = {-1, 0, 1}, none[] = {0, 0, 0}, five[] = {5, 5.1, 4.9};
	struct verdict v = compare(zero, 3, five, 3);

	(void)state;
	assert_true(v.kind == VERDICT_HIGHER && !v.relative && v.pct == 0 && v.effect_boots == 0);
	assert_true(v.seen_known && v.seen > 0);
	v = compare(none, 3, five, 3);
	assert_true(v.kind == VERDICT_HIGHER && !v.relative);
	v = compare(none, 3, none, 3);
	assert_true(v.kind == VERDICT_NONE && v.exact && v.p == 1);
	/* known, but it may be 0 */
	v = compare((const double[]){-1, .5, 1}, 3, five, 3);
	assert_true(v.relative && !v.pct_bounded);
}

static void verdict_without_spread_is_exact(void **state)
{
	static const double a[] = {5, 5, 5}, b[] = {6, 6, 6, 6}, c[] = {5.9, 6.1, 6, 6};
	struct verdict v = compare(a, 3, b, 4);

	(void)state;
	assert_true(v.kind == VERDICT_HIGHER && v.exact && v.t == 0 && v.p == 0);
	assert_true(v.pct == 20 && !v.seen_known);
	CLOSE(v.pct_lo, 20, 1e-14);
	CLOSE(v.pct_hi, 20, 1e-14);
	v = compare(a, 3, a, 3);
	assert_true(v.kind == VERDICT_NONE && v.exact && v.p == 1 && v.pct == 0);
	/* Spread on one side alone is a t test with its degrees of freedom. */
	v = compare(a, 3, c, 4);
	assert_true(v.kind == VERDICT_HIGHER && !v.exact && v.dof == 3);
}

/* Means of equal samples, added up in another order, differ in their last bits: that is no finding.
 */
static void verdict_takes_rounding_for_nothing(void **state)
{
	const double x = 354326590.1, y = nextafter(x, 1e9), z = nextafter(y, 1e9);
	const double a[] = {x, x, x, x}, b[] = {y, y, y, y}, c[] = {y, y, z, y};
	struct verdict v = compare(a, 4, b, 4);

	(void)state;
	assert_true(v.kind == VERDICT_NONE && v.diff == 0 && v.pct == 0);
	v = compare(a, 4, c, 4);
	assert_true(v.kind == VERDICT_NONE && v.exact);
}

/* Whatever finite numbers come in, finite and consistent numbers go out. */
static void verdict_is_finite_for_every_input(void **state)
{
	static const double mean[] = {0, 1, -1, 1e-300, -1e-160, 3e8, 9e149, -9e149};
	static const double sd[] = {0, 1e-320, 1e-170, 1e-9, 1, 1e7, 1e148};
	static const struct verdict_opts opts[] = {
		VERDICT_OPTS_INIT, {50, 50, 1000}, {99.999, 99.999, 1e-300}, {50, 99.999, 5}};
	static const size_t size[][2] = {{3, 3}, {3, MANY}, {7, 4}};
	double a[MANY], b[MANY];
	size_t n = COUNT(mean) * COUNT(sd);

	(void)state;
	for (size_t i = 0; i < n; i++) {
		for (size_t j = 0; j < n; j++) {
			const size_t *k = size[(i + j) % COUNT(size)];
			const struct verdict_opts *o = &opts[(i + 3 * j) % COUNT(opts)];
			const struct verdict_side ref = {a, k[0], j % 5}, set = {b, k[1], i % 4};
			struct err e = ERR_INIT;
			struct verdict v;

			shaped(a, k[0], mean[i % COUNT(mean)], sd[i / COUNT(mean)]);
			shaped(b, k[1], mean[j % COUNT(mean)], sd[j / COUNT(mean)]);
			assert_int_equal(verdict_init(&v, &ref, &set, o, &e), 0);
			sound(&v, o);
		}
	}
}

static void verdict_refuses_what_is_no_number(void **state)
{
	static const double bad[] = {NAN, INFINITY, -INFINITY, 1e151};

	(void)state;
	for (size_t i = 0; i < COUNT(bad); i++) {
		const double a[] = {1, 2, 3}, b[] = {1, 2, bad[i]};
		const struct verdict_side good = {a, 3, 0}, wrong = {b, 3, 0};
		struct err e = ERR_INIT;
		struct verdict v;

		assert_int_equal(verdict_init(&v, &good, &wrong, &usual, &e), -ERR_MEASURE);
		assert_int_equal(verdict_init(&v, &wrong, &good, &usual, &e), -ERR_MEASURE);
	}
}

/* Two stages: all boots make the mean, the pilot makes the spread. */
static void verdict_keeps_the_spread_of_the_pilot(void **state)
{
	static const double a[] = {10, 12, 14, 13, 9, 30, 2, 14},
			    b[] = {20, 21, 25, 22, 18, 26, 22};
	const struct verdict_side ref = {a, 8, 3}, set = {b, 7, 4};
	double va = 4. / 8, vb = 14. / 3 / 7; /* of 10 12 14 and of 20 21 25 22 */
	struct err e = ERR_INIT;
	struct verdict v;

	(void)state;
	assert_int_equal(verdict_init(&v, &ref, &set, &usual, &e), 0);
	sound(&v, &usual);
	assert_true(v.pilot);
	CLOSE(v.diff, 22 - 13, 1e-14);
	CLOSE(v.se, sqrt(va + vb), 1e-14);
	CLOSE(v.dof, (va + vb) * (va + vb) / (va * va / 2 + vb * vb / 3), 1e-13);
	CLOSE(v.ref_sd, 2, 1e-14);
}

static void verdict_needs_a_pilot_worth_the_name(void **state)
{
	static const double a[] = {10, 10, 10, 13, 9}, b[] = {11, 12, 10, 13, 11};
	static const size_t pilot[] = {1, 2, 3, 5, 9}; /* too small, without spread, all */
	struct verdict one = compare(a, 5, b, 5);

	(void)state;
	for (size_t i = 0; i < COUNT(pilot); i++) {
		const struct verdict_side ref = {a, 5, pilot[i]}, set = {b, 5, 0};
		struct err e = ERR_INIT;
		struct verdict v;

		assert_int_equal(verdict_init(&v, &ref, &set, &usual, &e), 0);
		assert_true(!v.pilot && v.se == one.se && v.dof == one.dof && v.p == one.p);
	}
}

static void verdict_corrects_what_is_compared_together(void **state)
{
	/* p of 4, 4 boots apart by a multiple of their standard error */
	static const double shift[] = {0, 2.1, 2.6, 40};
	double ref[4], set[4];
	struct verdict list[5];
	struct err e = ERR_INIT;

	(void)state;
	shaped(ref, 4, 100, 1);
	for (size_t i = 0; i < 4; i++) {
		const struct verdict_side a = {ref, 4, 0}, b = {set, 4, 0};

		shaped(set, 4, 100 + shift[i], 1);
		assert_int_equal(verdict_init(&list[i], &a, &b, &usual, &e), 0);
	}
	list[4] = compare(ref, 4, ref, 2);
	assert_int_equal(list[1].kind, VERDICT_HIGHER); /* by itself */
	verdict_together(list, 5, &usual);
	for (size_t i = 0; i < 5; i++)
		sound(&list[i], &usual);
	assert_int_equal(list[3].kind, VERDICT_HIGHER);
	assert_int_equal(list[2].kind, VERDICT_HIGHER);
	assert_int_equal(list[1].kind, VERDICT_HIGHER);
	assert_int_equal(list[0].kind, VERDICT_NONE);
	assert_int_equal(list[4].kind, VERDICT_TOO_FEW);
	assert_true(list[3].factor == 4 && list[2].factor == 3 && list[1].factor == 2);
	CLOSE(list[2].holm, 3 * list[2].p, 1e-14);
	/* All others are rejected, so the last is tested at the level as given. */
	CLOSE(list[0].level, 95, 1e-14);
	CLOSE(list[1].level, 97.5, 1e-14);
}

/* While nothing is proven, a test of any of three needs a third of the level, whatever its rank;
 * that is what could have been seen. */
static void verdict_says_what_would_have_been_seen_together(void **state)
{
	static const double shift[] = {0, .5, 1};
	double ref[6], set[6];
	struct verdict list[3];
	struct err e = ERR_INIT;

	(void)state;
	shaped(ref, 6, 100, 1);
	for (size_t i = 0; i < 3; i++) {
		const struct verdict_side a = {ref, 6, 0}, b = {set, 6, 0};

		shaped(set, 6, 100 + shift[i], 1);
		assert_int_equal(verdict_init(&list[i], &a, &b, &usual, &e), 0);
		CLOSE(list[i].seen, effect_smallest_sd(6, 95, 80), 1e-9);
	}
	verdict_together(list, 3, &usual);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(list[i].kind, VERDICT_NONE);
		CLOSE(list[i].level, 100 - 5. / 3, 1e-13);
		CLOSE(list[i].seen, effect_smallest_sd(6, 100 - 5. / 3, 80), 1e-9);
	}
}

static void verdict_together_takes_nothing(void **state)
{
	(void)state;
	verdict_together(NULL, 0, &usual);
}

/* What these boots could not see takes more of them, however unlike the sides are. */
static void verdict_asks_for_more_boots_than_there_were(void **state)
{
	static const double sd[] = {.01, 1, 2, 30};
	static const size_t n[] = {3, 4, 9, 20};
	double a[20], b[20];

	(void)state;
	for (size_t i = 0; i < COUNT(sd) * COUNT(n); i++) {
		struct verdict v;
		size_t k = n[i / COUNT(sd)];
		struct verdict_opts o = usual;
		const struct verdict_side ref = {a, k, 0}, set = {b, k, 0};
		struct err e = ERR_INIT;

		shaped(a, k, 1000, 1);
		shaped(b, k, 1000, sd[i % COUNT(sd)]);
		v = compare(a, k, b, k);
		o.effect = v.seen_pct * .999;
		assert_int_equal(verdict_init(&v, &ref, &set, &o, &e), 0);
		sound(&v, &o);
		assert_int_equal(v.effect_boots, k + 1);
		o.effect = v.seen_pct * 1.001;
		assert_int_equal(verdict_init(&v, &ref, &set, &o, &e), 0);
		assert_int_equal(v.effect_boots, 0);
		/* What is not proven had less than even chances. */
		if (v.kind == VERDICT_NONE && v.diff != 0)
			assert_true(v.observed_boots > k);
		else
			assert_int_equal(v.observed_boots, 0);
	}
}

static void verdict_options_are_checked(void **state)
{
	static const struct {
		struct verdict_opts o;
		int rc;
		const char *msg;
	} row[] = {
		{{95, 80, 1}, 0, ""},
		{{50, 50, 1000}, 0, ""},
		{{99.999, 99.999, 1e-9}, 0, ""},
		{{49, 80, 1}, -ERR_USAGE, "confidence is from 50 to 99.999 %, not 49"},
		{{100, 80, 1}, -ERR_USAGE, "confidence is from 50 to 99.999 %, not 100"},
		{{95, 100, 1}, -ERR_USAGE, "power is from 50 to 99.999 %, not 100"},
		{{95, 80, 0}, -ERR_USAGE,
			"the effect that matters is above 0 and at most 1000 %, not 0"},
		{{95, 80, 1001}, -ERR_USAGE,
			"the effect that matters is above 0 and at most 1000 %, not 1001"},
	};
	const struct verdict_opts nan[] = {{NAN, 80, 1}, {95, NAN, 1}, {95, 80, NAN}};

	(void)state;
	for (size_t i = 0; i < COUNT(row); i++) {
		struct err e = ERR_INIT;

		assert_int_equal(verdict_opts_check(&row[i].o, &e), row[i].rc);
		assert_string_equal(e.msg, row[i].msg);
	}
	for (size_t i = 0; i < COUNT(nan); i++) {
		struct err e = ERR_INIT;

		assert_int_equal(verdict_opts_check(&nan[i], &e), -ERR_USAGE);
	}
}

static void verdict_kinds_have_stable_words(void **state)
{
	(void)state;
	assert_string_equal(verdict_name(VERDICT_TOO_FEW), "too-few");
	assert_string_equal(verdict_name(VERDICT_NONE), "none");
	assert_string_equal(verdict_name(VERDICT_LOWER), "lower");
	assert_string_equal(verdict_name(VERDICT_HIGHER), "higher");
}

static void verdict_is_cross_checked_by_ranks(void **state)
{
	double ref[10], set[10];
	struct verdict v;

	(void)state;
	for (size_t i = 0; i < COUNT(ref); i++) {
		ref[i] = 100 + (double)i / 10;
		set[i] = 105 + (double)i / 10;
	}
	v = compare(ref, 10, set, 10);
	assert_int_equal(v.kind, VERDICT_HIGHER);
	assert_true(v.rank_known && !v.rank_contradicts && v.rank_p < 1e-4);
	/* One wild boot: the means no longer tell, the ranks still do (U = 90 of 100). */
	set[9] = -1000;
	v = compare(ref, 10, set, 10);
	assert_int_equal(v.kind, VERDICT_NONE);
	assert_true(v.rank_known && v.rank_contradicts && v.rank_p < 0.01);
	/* Of 3 and 3 boots the rarest order has p = 0.1, of 4 and 4 0.029. */
	v = compare(ref, 3, set, 3);
	assert_true(!v.rank_known && !v.rank_contradicts);
	v = compare(ref, 4, set, 4);
	assert_true(v.rank_known && !v.rank_contradicts);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(verdict_of_the_published_table_has_the_accepted_values),
		cmocka_unit_test(verdict_needs_three_boots_a_side),
		cmocka_unit_test(verdict_turns_round_with_a_negative_reference),
		cmocka_unit_test(verdict_without_a_reference_has_no_percents),
		cmocka_unit_test(verdict_without_spread_is_exact),
		cmocka_unit_test(verdict_takes_rounding_for_nothing),
		cmocka_unit_test(verdict_is_finite_for_every_input),
		cmocka_unit_test(verdict_refuses_what_is_no_number),
		cmocka_unit_test(verdict_keeps_the_spread_of_the_pilot),
		cmocka_unit_test(verdict_needs_a_pilot_worth_the_name),
		cmocka_unit_test(verdict_corrects_what_is_compared_together),
		cmocka_unit_test(verdict_says_what_would_have_been_seen_together),
		cmocka_unit_test(verdict_together_takes_nothing),
		cmocka_unit_test(verdict_asks_for_more_boots_than_there_were),
		cmocka_unit_test(verdict_options_are_checked),
		cmocka_unit_test(verdict_kinds_have_stable_words),
		cmocka_unit_test(verdict_is_cross_checked_by_ranks),
	};
	return cmocka_run_group_tests_name("verdict", tests, NULL, NULL);
}
