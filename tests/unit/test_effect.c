/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/close.h"

#include <gsl/gsl_cdf.h>

#include "harness/stats/effect.h"
#include "harness/stats/ttest.h"

static void effect_without_noncentrality_is_the_t_distribution(void **state)
{
	static const double dof[] = {
		1, 1.5, 2, 3, 4, 7.3, 10, 29.9, 30, 46, 71, 72, 100, 199, 200, 1e3, 1e4, 1e6};
	static const double t[] = {0, 1e-3, .3, 1, 1.96, 2.7, 5, 12.7, 63.7, 1e3};

	(void)state;
	for (size_t i = 0; i < COUNT(dof); i++) {
		for (size_t k = 0; k < COUNT(t); k++) {
			double want = gsl_cdf_tdist_P(t[k], dof[i]);

			CLOSE_ABS(effect_noncentral(t[k], dof[i], 0), want, 1e-10);
			CLOSE_ABS(effect_noncentral(-t[k], dof[i], 0), 1 - want, 1e-10);
		}
	}
}

/* Integrated with 30 digits by other means (adaptive tanh-sinh over the chi density). */
static void effect_noncentral_t_is_right_far_and_near(void **state)
{
	static const struct {
		double t, dof, noncentrality, p;
	} row[] = {
		{2, 4, 1, 0.76456745382432427},
		{3, 5, 2, 0.73110984350837896},
		{1, 1, 0.5, 0.59274773644002936},
		{0, 7, 1.5, 0.066807201268858066},
		{-1, 4, -0.5, 0.3392394859743181},
		{-2.306, 8, 1, 0.0021652386114293639},
		{-3, 3, 2, 0.00023942058610668395},
		{.01, 3, .005, 0.50168079499227648},
		{2.5, 14.28, 3.1, 0.27918074727737955},
		{2.0244, 38, 3.16227766016838, 0.13104843432593029},
		{2.776, 4, 4.5, 0.087961571262550544},
		{1.96, 1000, 2.8, 0.20054274129423172},
		{1.96, 1e6, 2.8, 0.20045428205517964},
		{5, 1e6, 9, 3.1674420431280632e-05},
		{100, 1e5, 100.2, 0.42252905655834127},
		/* few degrees of freedom and a large effect */
		{12.706, 1, 60, 2.5062435596468985e-06},
		{50, 2, 80, 0.077432129308430533},
		{318.3, 1, 1000, 0.0016798454481780559},
		{63657, 1, 2e5, 0.0016789073512569865},
		{4.303, 2, 25, 5.5878476845402548e-14},
		{6, 2.2, 40, 0},
		{100, 30, 100, 0.465806469196743},
		{1000, 60, 1010, 0.43244355909645685},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(row); i++)
		CLOSE_ABS(effect_noncentral(row[i].t, row[i].dof, row[i].noncentrality), row[i].p,
			1e-10);
}

static void effect_noncentral_ends_are_0_and_1(void **state)
{
	static const double dof[] = {1, 2, 30, 1e6};

	(void)state;
	for (size_t i = 0; i < COUNT(dof); i++) {
		CLOSE_ABS(effect_noncentral(2, dof[i], 1e300), 0, 1e-12);
		CLOSE_ABS(effect_noncentral(2, dof[i], -1e300), 1, 1e-12);
		CLOSE_ABS(effect_noncentral(2, dof[i], INFINITY), 0, 1e-12);
		CLOSE_ABS(effect_noncentral(0, dof[i], 1e5), 0, 1e-12);
		CLOSE_ABS(effect_noncentral(1e300, dof[i], 3), 1, 1e-12);
		CLOSE_ABS(effect_noncentral(-1e300, dof[i], 3), 0, 1e-12);
	}
}

static void effect_power_without_an_effect_is_the_level(void **state)
{
	static const double conf[] = {50, 80, 95, 99, 99.999};

	(void)state;
	for (size_t i = 0; i < COUNT(conf); i++)
		for (double dof = 1; dof < 2e6; dof *= 1.3)
			CLOSE_ABS(effect_power(0, dof, conf[i]), 100 - conf[i], 1e-8);
}

static void effect_power_counts_both_tails(void **state)
{
	(void)state;
	/* two sets of 20, a difference of one sd */
	PRINTED(effect_power(sqrt(10), 38, 95) / 100, .8689530, 7);
	assert_true(effect_power(-2, 9, 95) == effect_power(2, 9, 95));
}

static void effect_smallest_has_the_accepted_values(void **state)
{
	static const struct {
		size_t n;
		double sd;
		int digits;
	} row[] = {{3, 3.07, 2}, {5, 2.02, 2}, {10, 1.32, 2}, {12, 1.20, 2}, {20, .909, 3},
		{25, .809, 3}, {30, .736, 3}};

	(void)state;
	for (size_t i = 0; i < COUNT(row); i++)
		PRINTED(effect_smallest_sd(row[i].n, 95, 80), row[i].sd, row[i].digits);
}

static void effect_smallest_is_found_with_its_power(void **state)
{
	static const double power[] = {50.001, 80, 90, 99, 99.999};
	static const double conf[] = {50, 80, 95, 99.9, 99.999, 99.99999};

	(void)state;
	for (size_t i = 0; i < COUNT(power); i++) {
		for (size_t k = 0; k < COUNT(conf); k++) {
			for (double dof = 1; dof < 2e6; dof *= 1.9) {
				double d = effect_smallest(dof, conf[k], power[i]);

				assert_true(isfinite(d) && d > 0);
				CLOSE_ABS(effect_power(d, dof, conf[k]), power[i], 1e-6);
			}
		}
	}
}

/* A power that chance alone reaches needs no effect. */
static void effect_smallest_of_no_ambition_is_nothing(void **state)
{
	double d = effect_smallest(4, 50, 50);

	(void)state;
	assert_true(d == 0);
}

static void effect_boots_are_the_fewest(void **state)
{
	static const double conf[] = {80, 95, 99}, power[] = {51, 80, 99};

	(void)state;
	for (size_t i = 0; i < 9; i++) {
		for (double effect = .03; effect < 9; effect *= 1.7) {
			size_t n = effect_boots(effect, conf[i / 3], power[i % 3]);

			assert_in_range(n, 3, EFFECT_BOOTS_MAX);
			assert_true(effect_smallest_sd(n, conf[i / 3], power[i % 3]) <=
				    effect * (1 + 1e-9));
			if (n > 3)
				assert_true(effect_smallest_sd(n - 1, conf[i / 3], power[i % 3]) >
					    effect * (1 - 1e-9));
		}
	}
}

static void effect_boots_have_both_ends(void **state)
{
	(void)state;
	assert_int_equal(effect_boots(1e9, 95, 80), 3);
	assert_int_equal(effect_boots(INFINITY, 95, 80), 3);
	assert_int_equal(effect_boots(1e-4, 95, 80), EFFECT_BOOTS_MAX + 1);
	assert_int_equal(effect_boots(1e-300, 95, 80), EFFECT_BOOTS_MAX + 1);
	/* n about 2 (1.96 + .842)^2 / effect^2 */
	assert_int_equal(effect_boots(sqrt(2 * 7.8488 / 99000), 95, 80) / 100, 990);
}

/* Very different spreads leave the degrees of freedom of one side, and need more boots. */
static void effect_boots_grow_as_degrees_of_freedom_shrink(void **state)
{
	(void)state;
	for (double effect = .1; effect < 9; effect *= 1.7) {
		size_t equal = effect_boots_unequal(effect, 2, 95, 80);
		size_t one = effect_boots_unequal(effect, 1, 95, 80);

		assert_int_equal(equal, effect_boots(effect, 95, 80));
		assert_true(one >= equal);
		assert_true(
			effect_power(effect * sqrt((double)one / 2), (double)one - 1, 95) >= 80);
		if (one > 3)
			assert_true(effect_power(effect * sqrt((double)(one - 1) / 2),
					    (double)one - 2, 95) < 80);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(effect_without_noncentrality_is_the_t_distribution),
		cmocka_unit_test(effect_noncentral_t_is_right_far_and_near),
		cmocka_unit_test(effect_noncentral_ends_are_0_and_1),
		cmocka_unit_test(effect_power_without_an_effect_is_the_level),
		cmocka_unit_test(effect_power_counts_both_tails),
		cmocka_unit_test(effect_smallest_has_the_accepted_values),
		cmocka_unit_test(effect_smallest_is_found_with_its_power),
		cmocka_unit_test(effect_smallest_of_no_ambition_is_nothing),
		cmocka_unit_test(effect_boots_are_the_fewest),
		cmocka_unit_test(effect_boots_have_both_ends),
		cmocka_unit_test(effect_boots_grow_as_degrees_of_freedom_shrink),
	};
	return cmocka_run_group_tests_name("effect", tests, NULL, NULL);
}
