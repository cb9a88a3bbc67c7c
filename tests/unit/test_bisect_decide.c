/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>

#include "harness/bisect/decide.h"
#include "tests/unit/unit.h"

enum { TRIALS = 20000, BOOTS_MAX = 12 };

static struct moments summary(size_t n, double avg, double sd)
{
	return (struct moments){.n = n, .avg = avg, .sd = sd};
}

static void looks_grow_by_half_and_share_the_error_rate(void **state)
{
	const struct {
		size_t first, max, n, looks[6];
	} cases[] = {{3, 12, 4, {3, 5, 8, 12}}, {3, 3, 1, {3}}, {4, 5, 2, {4, 5}},
		{10, 40, 5, {10, 15, 23, 35, 40}}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct decide_plan p;

		decide_plan_init(&p, cases[i].first, cases[i].max, 95, 2);
		assert_int_equal(p.n, cases[i].n);
		for (size_t k = 0; k < p.n; k++)
			assert_int_equal(p.looks[k], cases[i].looks[k]);
		assert_true(fabs((100 - p.conf) * (double)p.n - 5) < 1e-9);
	}
}

static void a_look_comes_with_its_boots(void **state)
{
	const struct {
		size_t boots, look;
	} cases[] = {{0, 0}, {3, 0}, {4, 1}, {5, 1}, {8, 2}, {9, 3}, {12, 3}, {50, 3}};
	struct decide_plan p;

	(void)state;
	decide_plan_init(&p, 3, 12, 95, 2);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(decide_look(&p, cases[i].boots), cases[i].look);
}

static void the_ends_differ_when_the_interval_lies_beyond_the_effect(void **state)
{
	const struct {
		double bad, sd;
		size_t n;
		enum decide_ends_kind kind;
		bool faster;
	} cases[] = {{110, 0.2, 3, DECIDE_DIFFER, false}, {90, 0.2, 3, DECIDE_DIFFER, true},
		{100.1, 0.1, 6, DECIDE_SAME, false}, {101, 0.1, 6, DECIDE_SAME, false},
		{102, 0.5, 6, DECIDE_OPEN, false}, {110, 5, 3, DECIDE_OPEN, false},
		{103, 0, 3, DECIDE_DIFFER, false}, {100, 0, 3, DECIDE_SAME, false}};
	struct decide_plan p;

	(void)state;
	decide_plan_init(&p, 3, 12, 95, 2);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct moments good = summary(cases[i].n, 100, cases[i].sd);
		struct moments bad = summary(cases[i].n, cases[i].bad, cases[i].sd);
		struct err e = ERR_INIT;
		struct decide_ends d;

		assert_int_equal(decide_ends(&d, &p, &good, &bad, &e), 0);
		assert_int_equal(d.kind, cases[i].kind);
		assert_int_equal(d.faster, cases[i].faster);
		assert_true(fabs(d.pct - (cases[i].bad - 100)) < 1e-9);
		assert_true(isfinite(d.t) && isfinite(d.p));
	}
}

/* v: 1/3, 4/12, 9/20; L = 5.  By hand: se = sqrt(67/60), dof = (67/60)^2 / (1/18 + 1/18 + 81/1600).
 */
static void a_commit_is_decided_by_the_contrast_with_the_midpoint(void **state)
{
	struct moments m = summary(3, 110, 1), good = summary(3, 100, 2), bad = summary(5, 110, 3);
	struct err e = ERR_INIT;
	struct decide_plan p;
	struct decide_commit d;

	(void)state;
	decide_plan_init(&p, 3, 12, 95, 2);
	assert_int_equal(decide_commit(&d, &p, &m, &good, &bad, &e), 0);
	assert_true(fabs(d.t - 5 / sqrt(67.0 / 60)) < 1e-12);
	assert_true(
		fabs(d.dof - 67.0 / 60 * 67 / 60 / (1.0 / 18 + 1.0 / 18 + 81.0 / 1600)) < 1e-12);
	assert_true(d.decided);
	assert_int_equal(d.word, WALK_BAD);
	/* Where BAD is the faster one, it is on GOOD's side. */
	assert_int_equal(decide_commit(&d, &p, &m, &bad, &good, &e), 0);
	assert_int_equal(d.word, WALK_GOOD);
	assert_true(d.t < 0);
}

static void boots_without_spread_are_decided_all_the_same(void **state)
{
	struct moments m = summary(3, 100, 0), good = summary(3, 100, 0), bad = summary(3, 110, 0);
	struct err e = ERR_INIT;
	struct decide_plan p;
	struct decide_commit d;

	(void)state;
	decide_plan_init(&p, 3, 12, 95, 2);
	assert_int_equal(decide_commit(&d, &p, &m, &good, &bad, &e), 0);
	assert_true(d.exact && d.decided && d.word == WALK_GOOD && isfinite(d.t));
	m.avg = 105;
	assert_int_equal(decide_commit(&d, &p, &m, &good, &bad, &e), 0);
	assert_true(d.exact && !d.decided);
	m.n = 1;
	assert_int_equal(decide_commit(&d, &p, &m, &good, &bad, &e), -ERR_MEASURE);
}

struct counts {
	int good, bad, open;
};

/* Whole bisect steps: ends of three boots, a commit at `at`, looks as planned. */
static struct counts simulate(gsl_rng *g, double at, double gap, double sd)
{
	struct counts c = {0, 0, 0};
	struct err e = ERR_INIT;
	struct decide_plan p;

	decide_plan_init(&p, 3, BOOTS_MAX, 95, 2);
	for (int i = 0; i < TRIALS; i++) {
		double v[3][BOOTS_MAX];
		struct decide_commit d = {.decided = false};
		struct moments m, good, bad;

		for (int k = 0; k < BOOTS_MAX; k++) {
			v[0][k] = 100 + gsl_ran_gaussian(g, sd);
			v[1][k] = 100 + gap + gsl_ran_gaussian(g, sd);
			v[2][k] = at + gsl_ran_gaussian(g, sd);
		}
		assert_int_equal(moments_init_copy(&good, v[0], 3, &e), 0);
		assert_int_equal(moments_init_copy(&bad, v[1], 3, &e), 0);
		for (size_t k = 0; k < p.n && !d.decided; k++) {
			assert_int_equal(moments_init_copy(&m, v[2], p.looks[k], &e), 0);
			assert_int_equal(decide_commit(&d, &p, &m, &good, &bad, &e), 0);
		}
		c.open += !d.decided;
		c.good += d.decided && d.word == WALK_GOOD;
		c.bad += d.decided && d.word == WALK_BAD;
	}
	return c;
}

static void over_all_looks_the_error_rate_holds(void **state)
{
	gsl_rng *g = gsl_rng_alloc(gsl_rng_mt19937);

	(void)state;
	gsl_rng_set(g, 20261130);
	for (double sd = 0.1; sd < 2; sd *= 2) {
		/* The midpoint itself: decided in 5 % at most, the same on both sides. */
		struct counts mid = simulate(g, 102.5, 5, sd);
		struct counts good = simulate(g, 100, 5, sd), bad = simulate(g, 105, 5, sd);

		print_message(
			"# sd %g: midpoint %d good, %d bad of %d; good %d wrong, %d open; bad "
			"%d wrong, %d open\n",
			sd, mid.good, mid.bad, TRIALS, good.bad, good.open, bad.good, bad.open);
		assert_true(mid.good + mid.bad < TRIALS * 5 / 100);
		assert_true(good.bad < TRIALS * 5 / 200 && bad.good < TRIALS * 5 / 200);
		/* And where boots tell, they do. */
		if (sd < 0.5)
			assert_true(good.good > TRIALS * 99 / 100 && bad.bad > TRIALS * 99 / 100);
	}
	gsl_rng_free(g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(looks_grow_by_half_and_share_the_error_rate),
		cmocka_unit_test(a_look_comes_with_its_boots),
		cmocka_unit_test(the_ends_differ_when_the_interval_lies_beyond_the_effect),
		cmocka_unit_test(a_commit_is_decided_by_the_contrast_with_the_midpoint),
		cmocka_unit_test(boots_without_spread_are_decided_all_the_same),
		cmocka_unit_test(over_all_looks_the_error_rate_holds),
	};
	return cmocka_run_group_tests_name("bisect_decide", tests, NULL, NULL);
}
