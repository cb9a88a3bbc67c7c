/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/unit.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdbool.h>

#include "harness/stats/changes.h"
#include "harness/stats/split.h"
#include "harness/stats/ttest.h"

enum { LONGEST = 600 };

static const struct changes_options usual = CHANGES_OPTIONS;

static bool near(double got, double want, double rel)
{
	return fabs(got - want) <= rel * fabs(want);
}

static size_t find(struct changes *c, const double *v, size_t n)
{
	struct err e = ERR_INIT;

	assert_int_equal(changes_find(c, v, n, &usual, &e), 0);
	return c->n;
}

/* How many changes, and no more. */
static size_t count(const double *v, size_t n)
{
	struct changes c;

	find(&c, v, n);
	n = c.n;
	changes_release(&c);
	return n;
}

/* Independent noise around 1000. */
static gsl_rng *noise(double *v, size_t n, double sd, unsigned long seed)
{
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);

	gsl_rng_set(rng, seed);
	for (size_t i = 0; i < n; i++)
		v[i] = 1000 + gsl_ran_gaussian(rng, sd);
	return rng;
}

/* Q of one split, term by term. */
static double plain_q(const double *v, size_t n, size_t at)
{
	double x = (double)at, y = (double)(n - at), across = 0, left = 0, right = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t k = i + 1; k < n; k++) {
			double d = fabs(v[i] - v[k]);

			if (k < at)
				left += d;
			else if (i >= at)
				right += d;
			else
				across += d;
		}
	return x * y / (x + y) *
	       (2 / (x * y) * across - 2 / (x * (x - 1)) * left - 2 / (y * (y - 1)) * right);
}

/* Flow of the Nile at Aswan, 1871 to 1970, 1e8 m^3 a year. */
static const double nile[] = {1120, 1160, 963, 1210, 1160, 1160, 813, 1230, 1370, 1140, 995, 935,
	1110, 994, 1020, 960, 1180, 799, 958, 1140, 1100, 1210, 1150, 1250, 1260, 1220, 1030, 1100,
	774, 840, 874, 694, 940, 833, 701, 916, 692, 1020, 1050, 969, 831, 726, 456, 824, 702, 1120,
	1100, 832, 764, 821, 768, 845, 864, 862, 698, 845, 744, 796, 1040, 759, 781, 865, 845, 944,
	984, 897, 822, 1010, 771, 676, 649, 846, 812, 742, 801, 1040, 860, 874, 848, 890, 744, 749,
	838, 1050, 918, 986, 797, 923, 975, 815, 1020, 906, 901, 1170, 912, 746, 919, 718, 714,
	740};

static void changes_find_the_one_of_the_nile(void **state)
{
	struct moments before, after;
	struct err e = ERR_INIT;
	struct changes c;
	double copy[100];
	struct ttest t;

	(void)state;
	assert_int_equal(find(&c, nile, 100), 1);
	assert_int_equal(c.list[0].at, 28);
	assert_true(fabs(c.list[0].q - 4807.521315) < 5e-7);
	assert_true(near(c.list[0].q, plain_q(nile, 100, 28), 1e-13));
	assert_true(c.list[0].p == .001);
	assert_true(c.list[0].mean_before == 1097.75);
	assert_true(near(c.list[0].mean_after, 849.9722, 5e-8));
	assert_true(near(c.list[0].effect, 61198. / 72 / 1097.75 - 1, 1e-12));
	changes_release(&c);
	changes_release(&c);

	memcpy(copy, nile, sizeof(copy));
	assert_int_equal(moments_init(&before, copy, 28, &e), 0);
	assert_int_equal(moments_init(&after, copy + 28, 72, &e), 0);
	assert_int_equal(ttest_welch(&t, &after, &before, 95, &e), 0);
	assert_true(near(t.t, 8.4145164, 5e-9));
	assert_true(near(t.dof, 45.99057, 5e-8));
}

/* The best cut of a row, Y of any length, term by term. */
static size_t plain_cut(const double *v, size_t n)
{
	double best = 0;
	size_t at = 0;

	for (size_t t = 3; t + 3 <= n; t++)
		for (size_t end = t + 3; end <= n; end++) {
			double q = plain_q(v, end, t);

			if (q > best * (1 + 1e-9)) {
				best = q;
				at = t;
			}
		}
	return at;
}

/* Rows of noise alone, with and without ties, and far from zero, where the best cut may lie
 * anywhere; and its Q. */
static void split_takes_the_best_cut_by_the_definition(void **state)
{
	double v[44], centred[44];

	(void)state;
	for (unsigned long seed = 1; seed <= 60; seed++) {
		size_t n = 6 + seed % 39;
		struct segment g;
		struct split s;
		double mean = 0;

		gsl_rng_free(noise(v, n, 10, seed));
		for (size_t i = 0; i < n; i++) {
			if (seed % 3 == 0)
				v[i] = floor(v[i] / 10);
			if (seed % 3 == 1)
				v[i] = v[i] * 1e-6 + 1000;
			mean += v[i] / (double)n;
		}
		for (size_t i = 0; i < n; i++)
			centred[i] = v[i] - mean;
		split_init(&s, centred, n, 3);
		split_segment(&s, &g, 0, n);
		assert_int_equal(g.at, plain_cut(v, n));
		for (size_t k = 3; k + 3 <= n; k++)
			assert_true(near(split_q(v, n, k), plain_q(v, n, k), 1e-12));
		split_release(&s);
	}
}

/* Past the longest window only a Y up to the end counts: a step in a long row. */
static void changes_have_the_q_of_the_definition(void **state)
{
	double v[400];

	(void)state;
	for (unsigned long seed = 1; seed <= 6; seed++) {
		size_t step = 20 + seed * 50;
		struct changes c;

		gsl_rng_free(noise(v, 400, 10, seed));
		for (size_t i = step; i < 400; i++)
			v[i] += seed % 2 ? 100 : -100;
		assert_int_equal(find(&c, v, 400), 1);
		assert_int_equal(c.list[0].at, step);
		assert_true(near(c.list[0].q, plain_q(v, 400, step), 1e-12));
		changes_release(&c);
	}
}

/* A rise that was mended later, far from both ends. */
static void changes_find_a_passing_one(void **state)
{
	struct changes c;
	double v[400];

	(void)state;
	for (size_t width = 6; width <= 24; width += 6) {
		gsl_rng_free(noise(v, 400, 10, width));
		for (size_t i = 200; i < 200 + width; i++)
			v[i] += 100;
		assert_int_equal(find(&c, v, 400), 2);
		assert_int_equal(c.list[0].at, 200);
		assert_int_equal(c.list[1].at, 200 + width);
		changes_release(&c);
	}
}

static void changes_are_found_one_by_one_and_told_in_time_order(void **state)
{
	/* Where a level begins, and by how much it lies above the first. */
	static const struct {
		size_t at;
		double by;
	} level[] = {{60, 50}, {90, -40}, {150, 0}, {156, 300}, {170, 0}};
	struct changes c;
	double v[240];

	(void)state;
	gsl_rng_free(noise(v, 240, 4, 7));
	for (size_t k = 0; k < 5; k++)
		for (size_t i = level[k].at; i < (k < 4 ? level[k + 1].at : 240); i++)
			v[i] += level[k].by;
	assert_int_equal(find(&c, v, 240), 5);
	for (size_t k = 0; k < 5; k++) {
		double before = 1000 + (k ? level[k - 1].by : 0), after = 1000 + level[k].by;

		assert_int_equal(c.list[k].at, level[k].at);
		assert_true(near(c.list[k].mean_before, before, .003));
		assert_true(near(c.list[k].mean_after, after, .003));
		assert_true(fabs(c.list[k].effect - (after / before - 1)) < .005);
		assert_true(c.list[k].p == .001);
	}
	changes_release(&c);
}

/* At 0.1 % a row, 1.5 of 1500 rows are expected; more than 7 come once in 6000 times. */
static void changes_are_not_in_noise(void **state)
{
	size_t found = 0;
	double v[60];

	(void)state;
	for (unsigned long seed = 1; seed <= 1500; seed++) {
		struct changes c;

		gsl_rng_free(noise(v, 60, 100, seed));
		assert_int_equal(changes_find(&c, v, 60,
					 &(struct changes_options){seed + 5000, 999, 3, .001, 0},
					 &(struct err)ERR_INIT),
			0);
		found += c.n > 0;
		changes_release(&c);
	}
	assert_in_range(found, 0, 7);
}

/* One value, however far off, at every place. */
static void changes_do_not_count_one_spike(void **state)
{
	static double v[LONGEST];

	(void)state;
	for (size_t at = 0; at < 40; at++)
		for (int up = 0; up < 2; up++) {
			gsl_rng_free(noise(v, 40, 1, at));
			v[at] = up ? 1e6 : 1;
			assert_int_equal(count(v, 40), 0);
		}
	for (size_t i = 0; i < LONGEST; i++)
		v[i] = 1000;
	v[LONGEST - 2] = 2000;
	assert_int_equal(count(v, LONGEST), 0);
}

/* A change that is proven, and too small but for one value on either side of it, and one that is
 * not. */
static void changes_need_more_than_one_value_for_their_effect(void **state)
{
	double v[100];

	(void)state;
	for (size_t at = 10; at < 100; at += 40)
		for (int up = 0; up < 2; up++) {
			double by = (up ? 1 : -1) * (at < 50 ? -1 : 1);

			gsl_rng_free(noise(v, 100, .5, at));
			for (int i = 50; i < 100; i++)
				v[i] += up ? 6 : -6;
			v[at] += by * 900;
			assert_int_equal(count(v, 100), 0);
			for (int i = 50; i < 100; i++)
				v[i] += up ? 6 : -6;
			assert_int_equal(count(v, 100), 1);
		}
}

static void changes_below_the_smallest_effect_are_left_out(void **state)
{
	struct changes_options o = usual;
	struct err e = ERR_INIT;
	struct changes c;
	double v[100];

	(void)state;
	gsl_rng_free(noise(v, 100, .5, 11));
	for (int i = 50; i < 100; i++)
		v[i] += 8;
	assert_int_equal(count(v, 100), 0);
	o.min_effect = .005;
	assert_int_equal(changes_find(&c, v, 100, &o, &e), 0);
	assert_int_equal(c.n, 1);
	assert_int_equal(c.list[0].at, 50);
	changes_release(&c);
	/* Two steps too small each, and not together: one is reported, with the whole of it. */
	for (int i = 75; i < 100; i++)
		v[i] += 8;
	assert_int_equal(find(&c, v, 100), 1);
	assert_true(c.list[0].at == 50 || c.list[0].at == 75);
	assert_true(c.list[0].effect > .0115);
	changes_release(&c);
}

static void changes_need_values_that_differ(void **state)
{
	double v[50];

	(void)state;
	for (int i = 0; i < 50; i++)
		v[i] = .1;
	for (size_t n = 0; n <= 50; n++)
		assert_int_equal(count(v, n), 0);
	for (size_t n = 0; n < 6; n++)
		assert_int_equal(count(nile, n), 0);
}

static void changes_find_a_step_wherever_it_is(void **state)
{
	struct changes c;
	double v[60];

	(void)state;
	for (size_t at = 6; at <= 54; at++) {
		for (size_t i = 0; i < 60; i++)
			v[i] = i < at ? -100 : -50;
		assert_int_equal(find(&c, v, 60), 1);
		assert_int_equal(c.list[0].at, at);
		assert_true(c.list[0].mean_before == -100 && c.list[0].effect == .5);
		changes_release(&c);
	}
	/* From zero no part can be named. */
	for (size_t i = 0; i < 60; i++)
		v[i] = i < 30 ? 0 : -1;
	assert_int_equal(find(&c, v, 60), 1);
	assert_true(c.list[0].effect == -INFINITY && c.list[0].mean_after == -1);
	changes_release(&c);
}

static void changes_are_the_same_for_a_seed(void **state)
{
	double v[600];
	struct changes one, two;

	(void)state;
	gsl_rng_free(noise(v, 600, 8, 5));
	for (size_t i = 200; i < 600; i++)
		v[i] *= 1.015;
	for (size_t i = 450; i < 600; i++)
		v[i] *= .98;
	assert_int_equal(find(&one, v, 600), 2);
	find(&two, v, 600);
	assert_int_equal(two.n, 2);
	assert_memory_equal(one.list, two.list, 2 * sizeof(*one.list));
	assert_in_range(one.list[0].at, 190, 210);
	assert_in_range(one.list[1].at, 440, 460);
	changes_release(&one);
	changes_release(&two);
}

static void changes_refuse_what_they_cannot_use(void **state)
{
	static const struct changes_options bad[] = {{1, 998, 3, .01, 0}, {1, 1000001, 3, .01, 0},
		{1, 999, 1, .01, 0}, {1, 999, 3, .0009, 0}, {1, 999, 3, 1.1, 0},
		{1, 999, 3, NAN, 0}, {1, 999, 3, .001, -1}, {1, 999, 3, .001, NAN},
		{1, 999, 3, .001, INFINITY}};
	const double odd[] = {NAN, INFINITY, -INFINITY, 1e151};
	double v[20] = {0};
	struct err e = ERR_INIT;
	struct changes c;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(changes_find(&c, v, 20, &bad[i], &e), -ERR_USAGE);
	for (size_t i = 0; i < 4; i++) {
		v[2] = odd[i];
		assert_int_equal(changes_find(&c, v, 20, &usual, &e), -ERR_MEASURE);
		assert_int_equal(changes_find(&c, v, 3, &usual, &e), -ERR_MEASURE);
		assert_non_null(strstr(e.msg, "value 3 is "));
		assert_null(c.list);
		changes_release(&c);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(changes_find_the_one_of_the_nile),
		cmocka_unit_test(split_takes_the_best_cut_by_the_definition),
		cmocka_unit_test(changes_have_the_q_of_the_definition),
		cmocka_unit_test(changes_find_a_passing_one),
		cmocka_unit_test(changes_are_found_one_by_one_and_told_in_time_order),
		cmocka_unit_test(changes_are_not_in_noise),
		cmocka_unit_test(changes_do_not_count_one_spike),
		cmocka_unit_test(changes_need_more_than_one_value_for_their_effect),
		cmocka_unit_test(changes_below_the_smallest_effect_are_left_out),
		cmocka_unit_test(changes_need_values_that_differ),
		cmocka_unit_test(changes_find_a_step_wherever_it_is),
		cmocka_unit_test(changes_are_the_same_for_a_seed),
		cmocka_unit_test(changes_refuse_what_they_cannot_use),
	};
	return cmocka_run_group_tests_name("changes", tests, NULL, NULL);
}
