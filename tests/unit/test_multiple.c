/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/close.h"

#include "harness/stats/multiple.h"

#define N 9

static void multiple_methods_have_the_accepted_values(void **state)
{
	static const double p[] = {.01, .02, .03, .04, .05};
	static const double holm[] = {.05, .08, .09, .09, .09};
	double got[5];

	(void)state;
	multiple_holm(p, got, 5);
	for (size_t i = 0; i < 5; i++)
		CLOSE(got[i], holm[i], 1e-15);
	multiple_bh(p, got, 5);
	for (size_t i = 0; i < 5; i++)
		CLOSE(got[i], .05, 1e-15);
}

static void multiple_order_does_not_matter(void **state)
{
	static const double p[] = {.04, .01, .05, .03, .02};
	static const double holm[] = {.09, .05, .09, .09, .08};
	static const double bh_of[] = {.2, .001, .8, .04, .9};
	static const double bh[] = {1. / 3, .005, .9, .1, .9};
	size_t factor[5], want[] = {2, 5, 1, 3, 4};
	double got[5];

	(void)state;
	multiple_holm(p, got, 5);
	multiple_holm_factors(p, factor, 5);
	for (size_t i = 0; i < 5; i++) {
		CLOSE(got[i], holm[i], 1e-15);
		assert_int_equal(factor[i], want[i]);
	}
	multiple_bh(bh_of, got, 5);
	for (size_t i = 0; i < 5; i++)
		CLOSE(got[i], bh[i], 1e-15);
}

static void multiple_works_in_place_and_on_little(void **state)
{
	double p[] = {.03, .01, 1, 0, .01}, one[] = {.2}, copy[5];

	(void)state;
	multiple_holm(p, copy, 5);
	multiple_holm(p, p, 5);
	assert_memory_equal(p, copy, sizeof(p));
	assert_true(p[3] == 0 && p[2] == 1);
	multiple_bh(copy, copy, 5);
	multiple_holm(one, one, 1);
	assert_true(one[0] == .2);
	multiple_bh(one, one, 1);
	assert_true(one[0] == .2);
	multiple_holm(one, one, 0);
	multiple_bh(one, one, 0);
	multiple_holm_factors(one, NULL, 0);
	multiple_holm_divisors(one, .05, NULL, 0);
}

/* What is no probability must prove nothing, and leave the others their order. */
static void multiple_takes_nan_for_1(void **state)
{
	double p[] = {NAN, .001, NAN, .04, NAN, .002, .03}, got[7];
	double clean[] = {1, .001, 1, .04, 1, .002, .03}, want[7];
	size_t f[7], g[7];

	(void)state;
	multiple_holm(p, got, 7);
	multiple_holm(clean, want, 7);
	assert_memory_equal(got, want, sizeof(got));
	multiple_bh(p, got, 7);
	multiple_bh(clean, want, 7);
	assert_memory_equal(got, want, sizeof(got));
	multiple_holm_factors(p, f, 7);
	multiple_holm_factors(clean, g, 7);
	assert_memory_equal(f, g, sizeof(f));
	multiple_holm_divisors(p, .05, f, 7);
	multiple_holm_divisors(clean, .05, g, 7);
	assert_memory_equal(f, g, sizeof(f));
}

/* By its definition: the p of one is moved and all are corrected again. */
static void multiple_divisors_say_where_a_test_would_be_rejected(void **state)
{
	uint64_t seed = 7;
	size_t divisor[N];
	double p[N], q[N];

	(void)state;
	for (int round = 0; round < 2000; round++) {
		size_t n = 1 + (size_t)round % N;

		for (size_t i = 0; i < n; i++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			p[i] = (double)(seed >> 40) / (1 << 24) * (round % 2 ? .05 : .3);
		}
		multiple_holm_divisors(p, .05, divisor, n);
		for (size_t i = 0; i < n; i++) {
			double keep = p[i];

			assert_in_range(divisor[i], 1, n);
			p[i] = .05 / (double)divisor[i] * (1 - 1e-9);
			multiple_holm(p, q, n);
			assert_true(q[i] <= .05);
			p[i] = .05 / (double)divisor[i] * (1 + 1e-9);
			multiple_holm(p, q, n);
			assert_true(q[i] > .05);
			p[i] = keep;
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(multiple_methods_have_the_accepted_values),
		cmocka_unit_test(multiple_order_does_not_matter),
		cmocka_unit_test(multiple_works_in_place_and_on_little),
		cmocka_unit_test(multiple_takes_nan_for_1),
		cmocka_unit_test(multiple_divisors_say_where_a_test_would_be_rejected),
	};
	return cmocka_run_group_tests_name("multiple", tests, NULL, NULL);
}
