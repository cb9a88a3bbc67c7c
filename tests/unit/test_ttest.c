/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "harness/stats/ttest.h"
#include "tests/unit/atmwtag.h"

static bool near(double got, double want, double rel)
{
	return fabs(got - want) <= rel * fabs(want);
}

#define CLOSE(a, b, rel) assert_true(near(a, b, rel))

/* The published EPYC 9754 figures, and ns for 10 000 calls. */
static const struct moments mixed = {
	25, 3.5432659e+08, 1566737.4, 3.5131328e+08, 3.5716441e+08, 3.5410987e+08};
static const struct moments phys = {
	12, 1.2357981e+09, 2853892.9, 1.231082e+09, 1.238824e+09, 1.2370528e+09};
static const struct moments cluster = {
	11, 3.5415668e+08, 1415071.9, 3.5099276e+08, 3.5561459e+08, 3.5461234e+08};

static struct moments of(const double *v, size_t n)
{
	struct err e = ERR_INIT;
	struct moments m;
	double copy[100];

	memcpy(copy, v, n * sizeof(*v));
	assert_int_equal(moments_init(&m, copy, n, &e), 0);
	return m;
}

static void ttest_gives_the_known_answers_for_the_sleep_data(void **state)
{
	static const double one[] = {.7, -1.6, -.2, -1.2, -.1, 3.4, 3.7, .8, 0, 2};
	static const double two[] = {1.9, .8, 1.1, .1, -.1, 4.4, 5.5, 1.6, 4.6, 3.4};
	struct moments a = of(one, 10), b = of(two, 10);
	struct err e = ERR_INIT;
	struct ttest t;

	(void)state;
	assert_int_equal(ttest_student(&t, &b, &a, 95, &e), 0);
	CLOSE(t.t, -1.8608135, 5e-8);
	CLOSE(t.p, .07918671, 5e-7);
	CLOSE(t.lo, -3.363874, 5e-7);
	CLOSE(t.hi, .203874, 5e-6);
	assert_true(t.dof == 18);
	assert_int_equal(ttest_welch(&t, &b, &a, 95, &e), 0);
	CLOSE(t.t, -1.8608135, 5e-8);
	CLOSE(t.dof, 17.77647, 5e-7);
	CLOSE(t.p, .07939414, 5e-7);
	CLOSE(t.lo, -3.365483, 5e-7);
	CLOSE(t.hi, .2054832, 5e-7);
	assert_true(isnan(t.pooled));
}

static void ttest_squares_to_the_certified_f_of_atmwtag(void **state)
{
	struct moments a = of(atmwtag[0], 24), b = of(atmwtag[1], 24);
	struct err e = ERR_INIT;
	struct ttest t;

	(void)state;
	assert_int_equal(ttest_student(&t, &a, &b, 95, &e), 0);
	assert_true(t.dof == 46);
	CLOSE(t.t * t.t, 15.9467335677930, 5e-9);
	CLOSE(t.pooled, 1.51048314446410e-05, 5e-9);
}

/* Dyestuff: the means of its six batches, as boots of one series. */
static void ttest_quantile_gives_the_dyestuff_interval(void **state)
{
	static const double batch[] = {1505, 1528, 1564, 1498, 1600, 1470};
	struct moments m = of(batch, 6);

	(void)state;
	CLOSE(m.avg, 1527.5, 1e-15);
	CLOSE(ttest_quantile(95, 5) * m.sd / sqrt(6), 49.82665, 5e-7);
}

static void ttest_reproduces_the_published_comparison(void **state)
{
	struct ttest_ministat d;
	struct err e = ERR_INIT;
	struct ttest t;

	(void)state;
	assert_int_equal(ttest_ministat(&d, &mixed, &phys, 95, TTEST_RELATIVE_NEW, &e), 0);
	assert_true(d.proven);
	CLOSE(d.diff, 8.81472e+08, 1e-6);
	CLOSE(d.err, 1.46849e+06, 4e-6);
	CLOSE(d.pct, 248.774, 2e-6);
	CLOSE(d.pct_err, .96566, 6e-6);
	CLOSE(d.pooled, 2.05985e+06, 3e-6);
	assert_int_equal(ttest_ministat(&d, &mixed, &phys, 95, TTEST_RELATIVE_OLD, &e), 0);
	CLOSE(d.pct_err, .414445, 2e-6);
	assert_int_equal(ttest_ministat(&d, &mixed, &cluster, 95, TTEST_RELATIVE_NEW, &e), 0);
	assert_false(d.proven);

	assert_int_equal(ttest_student(&t, &mixed, &phys, 95, &e), 0);
	CLOSE(t.half, 1.46857e+06, 4e-6);
	assert_int_equal(ttest_student(&t, &mixed, &cluster, 95, &e), 0);
	CLOSE(t.t, -.3082, 2e-4);
	CLOSE(t.p, .7598, 1e-4);
	assert_int_equal(ttest_welch(&t, &mixed, &phys, 95, &e), 0);
	CLOSE(t.dof, 14.28, 4e-4);
	CLOSE(t.half, 1.887e6, 3e-4);
	assert_true(t.p < 1e-12);
}

static void ttest_table_is_ministats(void **state)
{
	static const struct {
		double conf;
		size_t dof;
		double t;
	} cell[] = {
		{80, 1, 3.078},
		{90, 1, 6.314},
		{95, 1, 12.706},
		{98, 1, 31.821},
		{99, 1, 63.657},
		{99.5, 1, 318.313},
		{95, 35, 2.03},
		{95, 100, 1.984},
		{95, 101, 1.96},
		{80, 101, 1.282},
		{90, 1000000, 1.645},
		{98, 101, 2.326},
		{99, 101, 2.576},
		{99.5, 101, 3.09},
		/* not the rounded quantile */
		{99.5, 6, 5.208},
		{99.5, 7, 4.782},
		{99.5, 8, 4.499},
		{99.5, 9, 4.296},
		{99.5, 10, 4.143},
		{99.5, 11, 4.024},
		{99.5, 12, 3.929},
		{99.5, 13, 3.852},
		{99.5, 100, 3.174},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cell) / sizeof(cell[0]); i++)
		assert_true(ttest_ministat_quantile(cell[i].conf, cell[i].dof) == cell[i].t);
	assert_true(ttest_ministat_knows(99.5));
	assert_false(ttest_ministat_knows(97));
}

static void ttest_other_levels_are_exact(void **state)
{
	(void)state;
	for (double conf = .5; conf < 100; conf += .5) {
		double q = ttest_quantile(conf, 7.5);

		CLOSE(1 - 2 * gsl_cdf_tdist_Q(q, 7.5), conf / 100, 1e-12);
		if (!ttest_ministat_knows(conf))
			assert_true(ttest_ministat_quantile(conf, 9) == ttest_quantile(conf, 9));
	}
	/* The level is what it says, also where ministat's is not. */
	CLOSE(ttest_quantile(99.5, 1e9), 2.807033768, 1e-8);
}

static void ttest_without_spread_is_certain(void **state)
{
	const struct moments five = {3, 5, 0, 5, 5, 5}, six = {4, 6, 0, 6, 6, 6};
	struct ttest_ministat d;
	struct err e = ERR_INIT;
	struct ttest t;

	(void)state;
	assert_int_equal(ttest_welch(&t, &six, &five, 95, &e), 0);
	assert_true(t.t == -INFINITY && t.p == 0 && t.lo == -1 && t.hi == -1 && t.dof == 5);
	assert_int_equal(ttest_student(&t, &five, &five, 95, &e), 0);
	assert_true(t.t == 0 && t.p == 1 && t.half == 0);
	assert_int_equal(ttest_ministat(&d, &five, &six, 95, TTEST_RELATIVE_NEW, &e), 0);
	assert_true(d.proven && d.err == 0 && d.pct == 20 && d.pct_err == 0);
	assert_int_equal(ttest_ministat(&d, &five, &five, 95, TTEST_RELATIVE_NEW, &e), 0);
	assert_false(d.proven);
}

static void ttest_welch_keeps_its_range(void **state)
{
	const struct moments big = {5, 0, 1e149, -1e149, 1e149, 0};
	const struct moments tiny = {7, 0, 1e-200, -1e-200, 1e-200, 0};
	struct err e = ERR_INIT;
	struct ttest t;

	(void)state;
	assert_int_equal(ttest_welch(&t, &big, &tiny, 95, &e), 0);
	assert_true(t.dof == 4 && isfinite(t.se) && t.p == 1);
	assert_int_equal(ttest_welch(&t, &tiny, &tiny, 95, &e), 0);
	CLOSE(t.dof, 12, 1e-12);
	CLOSE(t.se, 1e-200 * sqrt(2. / 7), 1e-12);
}

/* The sleep data, scaled: t, p and percent do not notice. */
static void ttest_has_no_scale(void **state)
{
	static const double scale[] = {1e149, -1e149, 1e-100, 1e-160, 1e-300};
	static const double one[] = {.7, -1.6, -.2, -1.2, -.1, 3.4, 3.7, .8, 0, 2};
	static const double two[] = {1.9, .8, 1.1, .1, -.1, 4.4, 5.5, 1.6, 4.6, 3.4};

	(void)state;
	for (size_t k = 0; k < sizeof(scale) / sizeof(scale[0]); k++) {
		double a[10], b[10], s = scale[k];
		struct moments m1, m0;
		struct ttest_ministat d;
		struct err e = ERR_INIT;
		struct ttest t;

		for (size_t i = 0; i < 10; i++) {
			a[i] = one[i] * s;
			b[i] = two[i] * s;
		}
		m1 = of(a, 10);
		m0 = of(b, 10);
		assert_int_equal(ttest_student(&t, &m0, &m1, 95, &e), 0);
		CLOSE(t.t, s < 0 ? 1.8608135 : -1.8608135, 5e-8);
		CLOSE(t.p, .07918671, 5e-7);
		assert_int_equal(ttest_welch(&t, &m0, &m1, 95, &e), 0);
		CLOSE(t.dof, 17.77647, 5e-7);
		assert_int_equal(ttest_ministat(&d, &m0, &m1, 95, TTEST_RELATIVE_NEW, &e), 0);
		assert_false(d.proven);
		CLOSE(d.pct, -67.81115879828326, 1e-12);
		CLOSE(fabs(d.pct_err), 54.22262502507907, 1e-10);
		CLOSE(d.pooled, sqrt(3.6047777777777776) * fabs(s), 1e-10);
	}
}

static void ttest_stays_finite_where_a_ratio_does_not(void **state)
{
	const struct moments ref = {5, 1e-200, 0, 1e-200, 1e-200, 1e-200};
	const struct moments wild = {5, 1e-200, 1e-201, 0, 2e-200, 1e-200};
	const struct moments one = {5, 1, 1e-200, 1, 1, 1}, big = {5, 1e150, 5e-324, 0, 1e150, 1};
	struct ttest_ministat d;
	struct err e = ERR_INIT;
	struct ttest t;

	(void)state;
	assert_int_equal(ttest_ministat(&d, &ref, &one, 95, TTEST_RELATIVE_NEW, &e), 0);
	assert_true(isfinite(d.pct) && isfinite(d.pct_err) && d.proven);
	assert_int_equal(ttest_ministat(&d, &wild, &one, 95, TTEST_RELATIVE_NEW, &e), 0);
	assert_true(isfinite(d.pct) && isfinite(d.pct_err) && d.proven);
	assert_int_equal(ttest_welch(&t, &ref, &big, 95, &e), 0);
	assert_true(t.p == 0 && t.t > 0 && isfinite(t.lo) && isfinite(t.hi));
}

/* The quantile is the inverse of the distribution, wherever a comparison may ask. */
static void ttest_quantile_inverts_at_any_dof(void **state)
{
	static const double conf[] = {1e-3, 50, 80, 95, 99, 99.9, 99.999, 99.99999};

	(void)state;
	for (size_t i = 0; i < sizeof(conf) / sizeof(conf[0]); i++)
		for (double dof = 1; dof < 1e9; dof *= 1.37) {
			double q = ttest_quantile(conf[i], dof), tail = (1 - conf[i] / 100) / 2;

			assert_true(isfinite(q) && q > 0);
			CLOSE(gsl_cdf_tdist_Q(q, dof), tail, 1e-9);
		}
}

static void ttest_refuses_what_has_no_answer(void **state)
{
	const double level[] = {0, -5, 100, 101, NAN, INFINITY};
	struct moments one = mixed;
	struct ttest_ministat d;
	struct err e = ERR_INIT;
	struct ttest t;

	(void)state;
	for (size_t i = 0; i < sizeof(level) / sizeof(level[0]); i++) {
		assert_int_equal(ttest_student(&t, &mixed, &phys, level[i], &e), -ERR_USAGE);
		assert_int_equal(ttest_welch(&t, &mixed, &phys, level[i], &e), -ERR_USAGE);
		assert_int_equal(
			ttest_ministat(&d, &mixed, &phys, level[i], TTEST_RELATIVE_NEW, &e),
			-ERR_USAGE);
		assert_non_null(strstr(e.msg, "80 90 95 98 99 99.5"));
	}
	one.n = 1;
	assert_int_equal(ttest_welch(&t, &mixed, &one, 95, &e), -ERR_MEASURE);
	assert_int_equal(ttest_student(&t, &one, &mixed, 95, &e), -ERR_MEASURE);
	assert_string_equal(e.msg, "a t test needs 2 values a side, not 1 and 25");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ttest_gives_the_known_answers_for_the_sleep_data),
		cmocka_unit_test(ttest_squares_to_the_certified_f_of_atmwtag),
		cmocka_unit_test(ttest_quantile_gives_the_dyestuff_interval),
		cmocka_unit_test(ttest_reproduces_the_published_comparison),
		cmocka_unit_test(ttest_table_is_ministats),
		cmocka_unit_test(ttest_other_levels_are_exact),
		cmocka_unit_test(ttest_without_spread_is_certain),
		cmocka_unit_test(ttest_welch_keeps_its_range),
		cmocka_unit_test(ttest_has_no_scale),
		cmocka_unit_test(ttest_stays_finite_where_a_ratio_does_not),
		cmocka_unit_test(ttest_quantile_inverts_at_any_dof),
		cmocka_unit_test(ttest_refuses_what_has_no_answer),
	};
	return cmocka_run_group_tests_name("ttest", tests, NULL, NULL);
}
