/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/close.h"

#include "harness/stats/fieller.h"
#include "harness/stats/ttest.h"

static struct fieller ratio(double num, double num_se, double den, double den_se, double t)
{
	struct err e = ERR_INIT;
	struct fieller f;

	assert_int_equal(fieller_ratio(&f, num, num_se, den, den_se, t, &e), 0);
	assert_true(isfinite(f.ratio) && isfinite(f.lo) && isfinite(f.hi));
	if (f.bounded)
		assert_true(f.lo <= f.ratio && f.ratio <= f.hi);
	else
		assert_true(f.lo == 0 && f.hi == 0);
	return f;
}

/* By definition: at its ends, num - r den is just t of its standard errors away from 0. */
static void fieller_ends_are_just_not_rejected(void **state)
{
	static const struct {
		double num, num_se, den, den_se, t;
	} row[] = {
		{1.2357981e9, 823847.9, 3.5432659e8, 313347.48, 2.1407},
		{3, .1, 2, .2, 1.96},
		{-3, .1, 2, .2, 1.96},
		{3, .1, -2, .2, 1.96},
		{-3, .1, -2, .2, 1.96},
		{0, .1, 2, .2, 1.96},
		{.01, 5, 2, .2, 4.3},
		{3e149, 1e148, 2e149, 1e148, 3},
		{3e-200, 1e-201, 2e-200, 1e-201, 3},
		{3e-150, 1e-151, 2e100, 1e99, 3},
		{1, 1e-12, 3, 1e-12, 2},
		{1, 0, 3, .5, 2},
		{1, .5, 3, 0, 2},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(row); i++) {
		struct fieller f = ratio(
			row[i].num, row[i].num_se, row[i].den, row[i].den_se, row[i].t);
		double end[] = {f.lo, f.hi};

		assert_true(f.bounded);
		for (size_t k = 0; k < 2; k++) {
			double away = fabs(row[i].num - end[k] * row[i].den);
			double se = hypot(row[i].num_se, end[k] * row[i].den_se);

			CLOSE_ABS(away / (row[i].t * se), 1, 1e-4);
		}
	}
}

static void fieller_of_exact_means_is_the_ratio(void **state)
{
	struct fieller f = ratio(6, 0, 2, 0, 2.5);

	(void)state;
	assert_true(f.bounded && f.lo == 3 && f.hi == 3);
	f = ratio(6, .2, 2, .3, 0);
	assert_true(f.bounded && f.lo == 3 && f.hi == 3);
}

/* An exact reference leaves the numerator's own interval, however large the ratio. */
static void fieller_keeps_its_range(void **state)
{
	struct fieller f = ratio(1e150, 1e148, 1e-100, 0, 2);

	(void)state;
	assert_true(f.bounded);
	CLOSE(f.lo, .98e250, 1e-12);
	CLOSE(f.hi, 1.02e250, 1e-12);
	f = ratio(1e150, 1e140, 1e-100, 1e-110, 2);
	assert_true(f.bounded);
	CLOSE(f.hi, 1e250, 1e-9);
}

/* A denominator that may be 0 leaves no finite interval. */
static void fieller_has_no_interval_for_a_doubtful_reference(void **state)
{
	(void)state;
	assert_false(ratio(5, .1, 1, .5, 2).bounded);
	assert_false(ratio(5, .1, 1, .6, 2).bounded);
	assert_false(ratio(5, .1, -1e-9, 1, 2).bounded);
	assert_false(ratio(0, 1, 1e-200, 1e149, 2).bounded);
	assert_false(ratio(1e149, 1e149, 1e-150, 1e-150, 2).bounded);
	assert_true(ratio(5, .1, 1, .49, 2).bounded);
}

/* At each end, Welch's test of num - r den is just at its limit; and so it is at 1 with the test of
 * the difference. */
static void fieller_welch_takes_its_own_degrees_of_freedom(void **state)
{
	static const struct {
		struct fieller_mean num, den;
	} row[] = {
		{{5000, 40, 24}, {1000, 11.5, 2}},
		{{-5000, 40, 24}, {1000, 11.5, 2}},
		{{1000, 11.5, 2}, {5000, 40, 24}},
		{{2000, 41, 5}, {1000, 61, 5}},
		{{1030, 9, 3}, {1000, 12, 9}},
		{{0, 9, 3}, {1000, 12, 9}},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(row); i++) {
		const struct fieller_mean *num = &row[i].num, *den = &row[i].den;
		struct err e = ERR_INIT;
		struct fieller f;
		struct ttest one, at;

		assert_int_equal(fieller_welch(&f, num, den, 95, &e), 0);
		assert_true(f.bounded && f.lo <= f.ratio && f.ratio <= f.hi);
		ttest_errors(&one, 0, den->se, den->dof, num->se, num->dof, 95);
		for (size_t k = 0; k < 2; k++) {
			double r = k ? f.hi : f.lo, se = hypot(num->se, r * den->se);

			ttest_errors(&at, 0, fabs(r) * den->se, den->dof, num->se, num->dof, 95);
			CLOSE(fabs(num->avg - r * den->avg),
				se * ttest_quantile(95, fmin(one.dof, at.dof)), 1e-9);
		}
	}
}

static void fieller_welch_agrees_with_the_test_of_the_difference(void **state)
{
	const struct fieller_mean den = {1000, 12, 4};
	struct ttest t;

	(void)state;
	/* Move the numerator to where the difference is just rejected, and not. */
	ttest_errors(&t, 0, den.se, den.dof, 30, 7, 95);
	for (int i = 0; i < 4; i++) {
		double off = t.half * (i < 2 ? 1 : -1) * (i % 2 ? 1 + 1e-9 : 1 - 1e-9);
		const struct fieller_mean num = {1000 + off, 30, 7};
		struct err e = ERR_INIT;
		struct fieller f;

		assert_int_equal(fieller_welch(&f, &num, &den, 95, &e), 0);
		assert_true(f.bounded);
		assert_int_equal(f.lo <= 1 && 1 <= f.hi, i % 2 == 0);
	}
}

static void fieller_welch_may_have_no_interval(void **state)
{
	/* 3 boots cannot tell it from 0 (t 4.3), though Welch's test of the difference, with the
	 * many of the other side, would (t 2). */
	const struct fieller_mean num = {1000, 50, 50}, den = {30, 10, 2}, none = {0, 10, 2};
	struct err e = ERR_INIT;
	struct fieller f;

	(void)state;
	assert_int_equal(fieller_welch(&f, &num, &den, 95, &e), 0);
	assert_true(!f.bounded && f.lo == 0 && f.hi == 0);
	assert_int_equal(fieller_welch(&f, &num, &none, 95, &e), -ERR_MEASURE);
}

static void fieller_refuses_what_is_no_ratio(void **state)
{
	static const double bad[] = {NAN, INFINITY, -INFINITY};
	struct err e = ERR_INIT;
	struct fieller f;

	(void)state;
	assert_int_equal(fieller_ratio(&f, 1, 1, 0, 1, 2, &e), -ERR_MEASURE);
	assert_string_equal(e.msg, "no ratio: the reference's mean is 0");
	assert_int_equal(fieller_ratio(&f, 0, 1, 0, 1, 2, &e), -ERR_MEASURE);
	assert_int_equal(fieller_ratio(&f, 1e150, 1, 1e-200, 1, 2, &e), -ERR_MEASURE);
	assert_int_equal(fieller_ratio(&f, 1, -1, 2, 1, 2, &e), -ERR_MEASURE);
	assert_int_equal(fieller_ratio(&f, 1, 1, 2, -1, 2, &e), -ERR_MEASURE);
	assert_int_equal(fieller_ratio(&f, 1, 1, 2, 1, -2, &e), -ERR_MEASURE);
	for (size_t i = 0; i < COUNT(bad); i++) {
		double b = bad[i];

		assert_int_equal(fieller_ratio(&f, b, 1, 2, 1, 2, &e), -ERR_MEASURE);
		assert_int_equal(fieller_ratio(&f, 1, b, 2, 1, 2, &e), -ERR_MEASURE);
		assert_int_equal(fieller_ratio(&f, 1, 1, b, 1, 2, &e), -ERR_MEASURE);
		assert_int_equal(fieller_ratio(&f, 1, 1, 2, b, 2, &e), -ERR_MEASURE);
		assert_int_equal(fieller_ratio(&f, 1, 1, 2, 1, b, &e), -ERR_MEASURE);
	}
}

/* Noisy boots: the degrees of freedom change fast from the ratio to the end.  Ends by bisection in
 * another program; 0: none. */
static void fieller_welch_finds_the_ends_of_noisy_means(void **state)
{
	static const struct {
		struct fieller_mean num, den;
		double conf, lo, hi;
	} row[] = {
		{{.02, .00787567860945899, 2}, {1, .07294263731335576, 9}, 99, -.03878, 0},
		{{1, .7180443294066402, 29}, {1, .10721309927091664, 2}, 99, 0, 0},
		{{.9, .185387, 2}, {1, .303658, 4}, 95, .1732, 5.641},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(row); i++) {
		struct err e = ERR_INIT;
		struct fieller f;

		assert_int_equal(fieller_welch(&f, &row[i].num, &row[i].den, row[i].conf, &e), 0);
		assert_int_equal(f.bounded, row[i].lo != 0);
		if (row[i].lo != 0)
			CLOSE(f.lo, row[i].lo, 5e-4);
		if (row[i].hi != 0)
			CLOSE(f.hi, row[i].hi, 5e-3);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fieller_ends_are_just_not_rejected),
		cmocka_unit_test(fieller_of_exact_means_is_the_ratio),
		cmocka_unit_test(fieller_keeps_its_range),
		cmocka_unit_test(fieller_has_no_interval_for_a_doubtful_reference),
		cmocka_unit_test(fieller_welch_takes_its_own_degrees_of_freedom),
		cmocka_unit_test(fieller_welch_agrees_with_the_test_of_the_difference),
		cmocka_unit_test(fieller_welch_may_have_no_interval),
		cmocka_unit_test(fieller_welch_finds_the_ends_of_noisy_means),
		cmocka_unit_test(fieller_refuses_what_is_no_ratio),
	};
	return cmocka_run_group_tests_name("fieller", tests, NULL, NULL);
}
