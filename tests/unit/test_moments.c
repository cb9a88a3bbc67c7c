/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "harness/stats/moments.h"

static bool near(double got, double want, double rel)
{
	return fabs(got - want) <= rel * fabs(want);
}

#define CLOSE(a, b, rel) assert_true(near(a, b, rel))

/* NIST StRD: sd is certified; one-pass variance loses all its digits on 3 and 4. */
static void moments_keep_the_digits_of_numacc(void **state)
{
	/* first value, then n / 2 times below and above */
	static const struct {
		double first, below, above;
		size_t n;
		double avg, sd, rel;
	} set[] = {
		{10000001, 10000003, 10000002, 3, 10000002, 1, 0},
		{1.2, 1.1, 1.3, 1001, 1.2, .1, 1e-13},
		{1000000.2, 1000000.1, 1000000.3, 1001, 1000000.2, .1, 1e-8},
		{10000000.2, 10000000.1, 10000000.3, 1001, 10000000.2, .1, 1e-7},
	};
	double v[1001];

	(void)state;
	for (size_t k = 0; k < sizeof(set) / sizeof(set[0]); k++) {
		struct err e = ERR_INIT;
		struct moments m;

		v[0] = set[k].first;
		for (size_t i = 1; i < set[k].n; i++)
			v[i] = i % 2 ? set[k].below : set[k].above;
		assert_int_equal(moments_init(&m, v, set[k].n, &e), 0);
		CLOSE(m.avg, set[k].avg, 1e-14);
		CLOSE(m.sd, set[k].sd, set[k].rel);
		assert_true(m.min == fmin(set[k].first, set[k].below));
		assert_true(m.max == fmax(set[k].below, set[k].above));
		assert_true(m.median == (k ? set[k].first : set[k].above));
	}
}

static int order(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Fill v by a pattern; the generator is fixed. */
static void fill(double *v, size_t n, int pattern, uint64_t *seed)
{
	for (size_t i = 0; i < n; i++) {
		*seed = *seed * 6364136223846793005u + 1442695040888963407u;
		switch (pattern) {
		case 0:
			v[i] = (double)(*seed >> 40);
			break;
		case 1: /* many ties */
			v[i] = (double)(*seed >> 62);
			break;
		case 2:
			v[i] = (double)i;
			break;
		case 3:
			v[i] = (double)(n - i);
			break;
		case 4: /* organ pipe */
			v[i] = (double)(i < n / 2 ? i : n - i);
			break;
		default:
			v[i] = -7;
		}
	}
}

static void moments_find_the_median_of_any_order(void **state)
{
	double v[600], sorted[600];
	uint64_t seed = 1;

	(void)state;
	for (size_t n = 1; n <= 600; n += n < 40 ? 1 : 37) {
		for (int pattern = 0; pattern < 6; pattern++) {
			struct err e = ERR_INIT;
			struct moments m;
			double want;

			fill(v, n, pattern, &seed);
			memcpy(sorted, v, n * sizeof(*v));
			qsort(sorted, n, sizeof(*sorted), order);
			want = n % 2 ? sorted[n / 2] : (sorted[n / 2] + sorted[n / 2 - 1]) / 2;
			assert_int_equal(moments_init(&m, v, n, &e), 0);
			assert_true(m.median == want);
			assert_true(m.min == sorted[0] && m.max == sorted[n - 1]);
			/* Reordered, but the same values. */
			qsort(v, n, sizeof(*v), order);
			assert_memory_equal(v, sorted, n * sizeof(*v));
		}
	}
}

static void moments_of_equal_values_have_no_spread(void **state)
{
	double v[] = {.1, .1, .1, .1, .1, .1, .1};
	struct err e = ERR_INIT;
	struct moments m;

	(void)state;
	assert_int_equal(moments_init(&m, v, 7, &e), 0);
	assert_true(m.avg == .1 && m.sd == 0);
}

static void moments_of_one_value_have_no_deviation(void **state)
{
	double v[] = {4};
	struct err e = ERR_INIT;
	struct moments m;

	(void)state;
	assert_int_equal(moments_init(&m, v, 1, &e), 0);
	assert_true(m.avg == 4 && m.median == 4 && isnan(m.sd));
}

static void moments_refuse_what_cannot_be_averaged(void **state)
{
	const double bad[] = {NAN, INFINITY, -INFINITY, 1e151, -1e300};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		double v[] = {3, 2, bad[i], 1};
		struct err e = ERR_INIT;
		struct moments m;

		assert_int_equal(moments_init(&m, v, 4, &e), -ERR_MEASURE);
		assert_non_null(strstr(e.msg, "value 3 is "));
		assert_true(v[0] == 3 && v[3] == 1);
	}
}

static void moments_refuse_nothing_at_all(void **state)
{
	struct err e = ERR_INIT;
	struct moments m;

	(void)state;
	assert_int_equal(moments_init(&m, NULL, 0, &e), -ERR_MEASURE);
	assert_string_equal(e.msg, "no values");
}

static void moments_stay_finite_at_the_limit(void **state)
{
	double v[] = {-MOMENTS_LIMIT, MOMENTS_LIMIT, 0};
	struct err e = ERR_INIT;
	struct moments m;

	(void)state;
	assert_int_equal(moments_init(&m, v, 3, &e), 0);
	CLOSE(m.sd, MOMENTS_LIMIT, 1e-15);
}

/* Squares of these leave the range of a double, on either side. */
static void moments_have_no_scale(void **state)
{
	static const double scale[] = {1e149, 1e-140, 1e-154, 1e-170, 1e-300};

	(void)state;
	for (size_t i = 0; i < sizeof(scale) / sizeof(scale[0]); i++) {
		double s = scale[i], v[] = {1 * s, 2 * s, 4 * s, 9 * s};
		struct err e = ERR_INIT;
		struct moments m;

		assert_int_equal(moments_init(&m, v, 4, &e), 0);
		CLOSE(m.sd, sqrt(38. / 3) * s, 1e-14);
	}
}

static void moments_keep_a_spread_whose_squares_vanish(void **state)
{
	double v[] = {1e-200, 3e-200, 2e-200}, least[] = {0, 5e-324, 1e-323};
	struct err e = ERR_INIT;
	struct moments m;

	(void)state;
	assert_int_equal(moments_init(&m, v, 3, &e), 0);
	CLOSE(m.sd, 1e-200, 1e-15);
	assert_int_equal(moments_init(&m, least, 3, &e), 0);
	assert_true(m.sd == 5e-324);
}

static void moments_take_a_summary_as_it_is(void **state)
{
	const struct moments given = {
		25, 3.5432659e+08, 1566737.4, 3.5131328e+08, 3.5716441e+08, 3.5410987e+08};
	struct err e = ERR_INIT;
	struct moments m;

	(void)state;
	assert_int_equal(moments_init_summary(&m, &given, &e), 0);
	assert_int_equal(m.n, 25);
	assert_true(m.avg == given.avg && m.sd == given.sd && m.median == given.median);
}

static void moments_name_the_wrong_field_of_a_summary(void **state)
{
	static const struct {
		struct moments given; /* n avg sd min max median */
		const char *msg;
	} row[] = {
		{{1, 2, 0, 2, 2, 2}, "a summary needs n >= 2, not 1"},
		{{5, NAN, 1, 1, 3, 2}, "summary field avg is nan, not a finite number"},
		{{5, 2, INFINITY, 1, 3, 2}, "summary field sd is inf, not a finite number"},
		{{5, 2, -1, 1, 3, 2}, "summary field sd is -1, below zero"},
		{{5, 4, 1, 1, 3, 2}, "summary field avg is 4, outside min 1 .. max 3"},
		{{5, 2, 1, 1, 3, .5}, "summary field median is 0.5, outside min 1 .. max 3"},
		{{5, 2, 1, 3, 1, 2}, "summary field median is 2, outside min 3 .. max 1"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		struct err e = ERR_INIT;
		struct moments m;

		assert_int_equal(moments_init_summary(&m, &row[i].given, &e), -ERR_MEASURE);
		assert_string_equal(e.msg, row[i].msg);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(moments_keep_the_digits_of_numacc),
		cmocka_unit_test(moments_find_the_median_of_any_order),
		cmocka_unit_test(moments_of_equal_values_have_no_spread),
		cmocka_unit_test(moments_of_one_value_have_no_deviation),
		cmocka_unit_test(moments_refuse_what_cannot_be_averaged),
		cmocka_unit_test(moments_refuse_nothing_at_all),
		cmocka_unit_test(moments_stay_finite_at_the_limit),
		cmocka_unit_test(moments_have_no_scale),
		cmocka_unit_test(moments_keep_a_spread_whose_squares_vanish),
		cmocka_unit_test(moments_take_a_summary_as_it_is),
		cmocka_unit_test(moments_name_the_wrong_field_of_a_summary),
	};
	return cmocka_run_group_tests_name("moments", tests, NULL, NULL);
}
