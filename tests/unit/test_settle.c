/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/unit.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>

#include "harness/stats/settle.h"

enum { BOOTS = 10000, LONGEST = 40 };

static struct settle of(const double *v, size_t n)
{
	struct err e = ERR_INIT;
	struct settle s;

	assert_int_equal(settle_check(&s, v, n, &e), 0);
	return s;
}

/* How many of BOOTS boots of n timings are flagged: mean 354.6 ms, sd in percent of it, growing by
 * `drift` percent from the first to the last, and by `step` from the second half on. */
static int flagged(gsl_rng *rng, size_t n, double sd, double drift, double step)
{
	double v[LONGEST];
	int found = 0;

	for (int k = 0; k < BOOTS; k++) {
		for (size_t i = 0; i < n; i++)
			v[i] = 3.546e6 * (100 + gsl_ran_gaussian(rng, sd) +
						 drift * (double)i / ((double)n - 1) +
						 (i >= n / 2 ? step : 0));
		found += of(v, n).state == SETTLE_NEVER;
	}
	return found;
}

/* The rule's level is 0.1 %: 10 of these boots; 3 sd more is 19.  With little spread, no medians
 * are a percent apart. */
static void settle_seldom_flags_noise(void **state)
{
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);

	(void)state;
	gsl_rng_set(rng, 3);
	assert_in_range(flagged(rng, 14, 20, 0, 0), 0, 19);
	assert_in_range(flagged(rng, 25, 3, 0, 0), 0, 19);
	assert_in_range(flagged(rng, 40, 20, 0, 0), 0, 19);
	assert_int_equal(flagged(rng, 25, .3, 0, 0), 0);
	gsl_rng_free(rng);
}

static void settle_finds_a_drift_and_a_step(void **state)
{
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);

	(void)state;
	gsl_rng_set(rng, 4);
	assert_true(flagged(rng, 25, .5, 3, 0) > .9 * BOOTS);
	assert_true(flagged(rng, 25, .5, -3, 0) > .9 * BOOTS);
	assert_true(flagged(rng, 25, .5, 0, 3) > .999 * BOOTS);
	assert_true(flagged(rng, 25, .5, 0, -3) > .999 * BOOTS);
	gsl_rng_free(rng);
}

static void settle_keeps_quiet_about_a_small_step(void **state)
{
	double v[24];
	struct settle s;

	(void)state;
	for (int i = 0; i < 24; i++)
		v[i] = (i < 12 ? 1000 : 1009) + i * .01;
	s = of(v, 24);
	assert_true(s.state == SETTLE_YES && s.p < 1e-5);
	for (int i = 12; i < 24; i++)
		v[i] += 2;
	assert_int_equal(of(v, 24).state, SETTLE_NEVER);
}

static void settle_says_what_it_saw(void **state)
{
	double v[15];
	struct settle s;

	(void)state;
	for (int i = 0; i < 15; i++)
		v[i] = i < 7 ? 350 + i : 371 + i / 100.;
	s = of(v, 15);
	assert_int_equal(s.state, SETTLE_NEVER);
	assert_true(s.first == 353 && fabs(s.second - 371.105) < 1e-9);
	/* 7 and 8 values, the most extreme order and its mirror: 2 of C(15, 7) */
	assert_true(fabs(s.p - 2 / 6435.) < 1e-15);
}

static void settle_cannot_tell_from_few(void **state)
{
	double v[14];

	(void)state;
	for (int i = 0; i < 14; i++)
		v[i] = i < 6 ? 1 + i : 1000 + i;
	for (size_t n = 0; n < SETTLE_MIN; n++)
		assert_int_equal(of(v, n).state, SETTLE_UNKNOWN);
	v[6] = 7;
	assert_int_equal(of(v, SETTLE_MIN).state, SETTLE_NEVER);
	for (int i = 0; i < 14; i++)
		v[i] = 5;
	assert_int_equal(of(v, 14).state, SETTLE_YES);
}

static void settle_refuses_what_is_no_number(void **state)
{
	double v[14] = {0};
	struct err e = ERR_INIT;
	struct settle s;

	(void)state;
	v[13] = NAN;
	assert_int_equal(settle_check(&s, v, 14, &e), -ERR_MEASURE);
	v[13] = INFINITY;
	assert_int_equal(settle_check(&s, v, 14, &e), -ERR_MEASURE);
}

static void settle_rule_fits_where_it_is_stored(void **state)
{
	char rule[SETTLE_RULE + 32];

	(void)state;
	settle_rule(rule, sizeof(rule), 3);
	assert_string_equal(rule,
		"after 3; flagged if halves differ (Mann-Whitney at 0.001, medians by "
		"over 1 %)");
	settle_rule(rule, sizeof(rule), INT32_MAX);
	assert_true(strlen(rule) < SETTLE_RULE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(settle_seldom_flags_noise),
		cmocka_unit_test(settle_finds_a_drift_and_a_step),
		cmocka_unit_test(settle_keeps_quiet_about_a_small_step),
		cmocka_unit_test(settle_says_what_it_saw),
		cmocka_unit_test(settle_cannot_tell_from_few),
		cmocka_unit_test(settle_refuses_what_is_no_number),
		cmocka_unit_test(settle_rule_fits_where_it_is_stored),
	};
	return cmocka_run_group_tests_name("settle", tests, NULL, NULL);
}
