/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/close.h"

#include "harness/stats/ttest.h"
#include "harness/stats/variance.h"
#include "tests/unit/atmwtag.h"

static struct moments of(const double *v, size_t n)
{
	struct err e = ERR_INIT;
	struct moments m;
	double copy[64];

	memcpy(copy, v, n * sizeof(*v));
	assert_int_equal(moments_init(&m, copy, n, &e), 0);
	return m;
}

static struct variance components(const struct moments *boots, size_t n)
{
	struct err e = ERR_INIT;
	struct variance v;

	assert_int_equal(variance_init(&v, boots, n, &e), 0);
	assert_true(isfinite(v.mean) && isfinite(v.s1_sq) && isfinite(v.s2_sq));
	assert_true(isfinite(v.within) && isfinite(v.between) && v.icc >= 0 && v.icc <= 1);
	assert_true(isfinite(v.dof1) && v.dof2 == (double)n - 1);
	if (v.within > 0)
		assert_true(isfinite(v.f) && v.f >= 0 && v.p >= 0 && v.p <= 1);
	else
		assert_true(isnan(v.f) && isnan(v.p));
	return v;
}

static const double dyestuff[6][5] = {
	{1545, 1440, 1440, 1520, 1580},
	{1540, 1555, 1490, 1560, 1495},
	{1595, 1550, 1605, 1510, 1560},
	{1445, 1440, 1595, 1465, 1545},
	{1595, 1630, 1515, 1635, 1625},
	{1520, 1455, 1450, 1480, 1445},
};

/* Davies and Goldsmith's six batches of dyestuff, five yields each, grams. */
static void variance_of_dyestuff_has_the_accepted_values(void **state)
{
	struct moments boots[6], all;
	struct variance v;
	double flat[30];

	(void)state;
	for (size_t i = 0; i < 6; i++)
		boots[i] = of(dyestuff[i], 5);
	v = components(boots, 6);
	CLOSE(v.mean, 1527.5, 1e-15);
	CLOSE(v.s1_sq, 2451.25, 1e-13);
	CLOSE(v.within * v.within, 2451.25, 1e-13);
	CLOSE(v.between * v.between, 1764.05, 1e-13);
	CLOSE(v.s2_sq, 1764.05 + 2451.25 / 5, 1e-13);
	CLOSE(v.icc, 1764.05 / (1764.05 + 2451.25), 1e-13);
	PRINTED(v.f, 4.59827, 5);
	PRINTED(v.p, .00439753, 8);
	assert_true(v.dof1 == 24 && v.dof2 == 5 && v.boots == 6 && v.samples == 30);
	/* The interval of the mean, and what it would be if all yields were independent. */
	PRINTED(ttest_quantile(95, v.dof2) * sqrt(v.s2_sq / 6), 49.82665, 5);
	memcpy(flat, dyestuff, sizeof(flat));
	all = of(flat, 30);
	PRINTED(ttest_quantile(95, 29) * all.sd / sqrt(30), 23.53, 2);
}

/* Eight digits are equal in all samples, and seven of spread are left in a double. */
static void variance_of_atmwtag_has_the_certified_values(void **state)
{
	const struct moments boots[] = {of(atmwtag[0], 24), of(atmwtag[1], 24)};
	struct variance v = components(boots, 2);

	(void)state;
	CLOSE(v.f, 15.9467335677930, 5e-9);
	CLOSE(v.s2_sq * 24, 3.63834187500000e-09, 5e-9);
	CLOSE(v.s1_sq * 46, 1.04951729166667e-08, 5e-9);
	assert_true(v.dof1 == 46 && v.dof2 == 1);
}

/* Boots of 5, 2, 1 and 3 samples; sums done by hand. */
static void variance_of_unequal_boots_weighs_them_alike(void **state)
{
	static const double a[] = {1, 2, 3, 4, 5}, b[] = {7, 9}, c[] = {6}, d[] = {2, 2, 5};
	const struct moments boots[] = {of(a, 5), of(b, 2), of(c, 1), of(d, 3)};
	struct variance v = components(boots, 4);
	double w = (1. / 5 + 1. / 2 + 1 + 1. / 3) / 4;

	(void)state;
	CLOSE(v.mean, 5, 1e-15);
	CLOSE(v.s1_sq, (10 + 2 + 6) / 7., 1e-14); /* sums of squares over 4 + 1 + 2 */
	CLOSE(v.s2_sq, (4 + 9 + 1 + 4) / 3., 1e-14);
	CLOSE(v.samples_inv, w, 1e-14);
	CLOSE(v.between * v.between, 6 - w * 18 / 7, 1e-13);
	CLOSE(v.f, 6 / (w * 18 / 7), 1e-13);
	assert_true(v.dof1 == 7 && v.samples == 11);
}

/* One sample a boot: all the spread is seen between boots, and nothing can be told apart. */
static void variance_of_single_samples_cannot_be_split(void **state)
{
	static const double x[] = {3, 5, 10};
	const struct moments boots[] = {of(x, 1), of(x + 1, 1), of(x + 2, 1)};
	struct variance v = components(boots, 3);

	(void)state;
	assert_true(v.dof1 == 0 && v.s1_sq == 0 && v.within == 0 && v.icc == 0);
	CLOSE(v.between * v.between, 13, 1e-14);
}

static void variance_never_goes_below_zero(void **state)
{
	/* Means nearer to each other than samples within a boot would explain. */
	static const double a[] = {0, 10}, b[] = {1, 9}, c[] = {2, 8.1};
	const struct moments boots[] = {of(a, 2), of(b, 2), of(c, 2)};
	struct variance v = components(boots, 3);

	(void)state;
	assert_true(v.between == 0 && v.icc == 0 && v.f < 1 && v.p > .5);
	assert_true(isinf(variance_best_samples(&v, 60, 1)));
}

static void variance_takes_the_least_and_no_spread(void **state)
{
	static const double a[] = {4, 4, 4}, b[] = {5, 5, 5}, c[] = {3, 4, 5};
	const struct moments same[] = {of(a, 3), of(a, 3)}, apart[] = {of(a, 3), of(b, 3)};
	const struct moments alike[] = {of(a, 3), of(c, 3)};
	struct variance v = components(same, 2);

	(void)state;
	assert_true(v.within == 0 && v.between == 0 && v.icc == 0);
	v = components(apart, 2);
	assert_true(v.within == 0 && v.icc == 1);
	CLOSE(v.between, sqrt(.5), 1e-15);
	assert_true(variance_best_samples(&v, 60, 1) == 1);
	v = components(alike, 2);
	assert_true(v.f == 0 && v.p == 1 && v.between == 0 && v.within > 0);
}

static void variance_has_no_scale(void **state)
{
	static const double scale[] = {1e149, -1e149, 1e-100, 1e-170, 1e-300};

	(void)state;
	for (size_t k = 0; k < COUNT(scale); k++) {
		struct moments boots[6];
		struct variance v;

		for (size_t i = 0; i < 6; i++) {
			double x[5];

			for (size_t j = 0; j < 5; j++)
				x[j] = dyestuff[i][j] * scale[k] / 1000;
			boots[i] = of(x, 5);
		}
		v = components(boots, 6);
		PRINTED(v.f, 4.59827, 5);
		PRINTED(v.p, .00439753, 8);
		CLOSE(v.icc, 1764.05 / (1764.05 + 2451.25), 1e-9);
		CLOSE(v.within, sqrt(2451.25) * fabs(scale[k]) / 1000, 1e-9);
	}
}

static void variance_of_the_widest_contrast_is_finite(void **state)
{
	static const double a[] = {1e150, 1e150}, b[] = {0, 1e-300}, c[] = {-1e150, -1e150};
	const struct moments boots[] = {of(a, 2), of(b, 2), of(c, 2)};
	struct variance v = components(boots, 3);

	(void)state;
	assert_true(v.icc == 1 && v.s2_sq > 9e299);
}

static void variance_needs_two_boots(void **state)
{
	static const double a[] = {4, 4, 4};
	const struct moments boots[] = {of(a, 3)};
	struct err e = ERR_INIT;
	struct variance v;

	(void)state;
	assert_int_equal(variance_init(&v, boots, 1, &e), -ERR_MEASURE);
	assert_string_equal(e.msg, "variation between boots needs 2 boots");
	assert_int_equal(variance_init(&v, boots, 0, &e), -ERR_MEASURE);
}

static void variance_tells_the_best_samples_a_boot(void **state)
{
	struct variance v = {.within = 3, .between = 2};

	(void)state;
	CLOSE(variance_best_samples(&v, 100, 1), 15, 1e-15);
	assert_true(variance_best_samples(&v, 1, 100) == 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(variance_of_dyestuff_has_the_accepted_values),
		cmocka_unit_test(variance_of_atmwtag_has_the_certified_values),
		cmocka_unit_test(variance_of_unequal_boots_weighs_them_alike),
		cmocka_unit_test(variance_of_single_samples_cannot_be_split),
		cmocka_unit_test(variance_never_goes_below_zero),
		cmocka_unit_test(variance_takes_the_least_and_no_spread),
		cmocka_unit_test(variance_has_no_scale),
		cmocka_unit_test(variance_of_the_widest_contrast_is_finite),
		cmocka_unit_test(variance_needs_two_boots),
		cmocka_unit_test(variance_tells_the_best_samples_a_boot),
	};
	return cmocka_run_group_tests_name("variance", tests, NULL, NULL);
}
