/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/unit.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>

#include "harness/stats/stein.h"
#include "harness/stats/ttest.h"

static struct moments summary(size_t n, double avg, double sd)
{
	return (struct moments){
		.n = n, .avg = avg, .sd = sd, .min = avg, .max = avg, .median = avg};
}

/* t from printed tables: 2.306 (8), 2.776 (4), 2.101 (18), 12.706 (1), 4.303 (2) degrees. */
static void boots_are_those_computed_by_hand(void **state)
{
	static const struct {
		struct moments ref, mode; /* mode.n 0: one mean alone */
		double width, dof, t;
		int boots;
	} cases[] = {
		/* 2 * 2.306^2 * 1 / 1 = 10.6 */
		{{.n = 5, .avg = 100, .sd = 1}, {.n = 5, .avg = 200, .sd = 1}, .01, 8, 2.306, 11},
		/* 2 * 2.306^2 * 9 / 4 = 23.9 */
		{{.n = 5, .avg = 200, .sd = 3}, {.n = 5, .avg = 100, .sd = 3}, .01, 8, 2.306, 24},
		/* all the spread on one side: s0^2 = 2, dof 4; 2 * 2.776^2 * 2 / 1 = 30.8 */
		{{.n = 5, .avg = 100, .sd = 0}, {.n = 5, .avg = 100, .sd = 2}, .01, 4, 2.776, 31},
		/* s0^2 = 5, dof = 10^2 / (1/4 + 81/4) = 4.878, t = 2.590: 2 * 6.708 * 5 / 4 */
		{{.n = 5, .avg = 200, .sd = 1}, {.n = 5, .avg = 200, .sd = 3}, .01, 4.878, 2.590,
			17},
		/* one side lost two boots of its pilot: dof = 4 / (1/4 + 1/2) = 5.333 */
		{{.n = 5, .avg = 100, .sd = 1}, {.n = 3, .avg = 100, .sd = 1}, .01, 5.3333, 2.523,
			13},
		/* less than the pilot: the pilot */
		{{.n = 10, .avg = 100, .sd = .1}, {.n = 10, .avg = 100, .sd = .1}, .01, 18, 2.101,
			10},
		/* a mean alone: 2.776^2 * 4 / 1 = 30.8 */
		{{.n = 5, .avg = 100, .sd = 2}, {.n = 0}, .01, 4, 2.776, 31},
		{{.n = 2, .avg = 100, .sd = 1}, {.n = 0}, .02, 1, 12.706, 41},
		/* a negative reference: its size counts */
		{{.n = 3, .avg = -100, .sd = 1}, {.n = 0}, .01, 2, 4.303, 19},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct moments *mode = cases[i].mode.n ? &cases[i].mode : NULL;
		struct err e = ERR_INIT;
		struct stein s;

		assert_int_equal(stein_boots(&s, &cases[i].ref, mode, cases[i].width, &e), 0);
		assert_int_equal(s.sides, mode ? 2 : 1);
		assert_true(fabs(s.dof - cases[i].dof) < 5e-4);
		assert_true(fabs(s.t - cases[i].t) < 1e-3);
		assert_int_equal(s.boots, cases[i].boots);
		assert_false(s.capped);
		assert_true(stein_half(&s, s.boots) <= s.h);
		assert_true(s.boots == (int)cases[i].ref.n || stein_half(&s, s.boots - 1) > s.h);
	}
}

static void no_spread_needs_no_more_than_the_pilot(void **state)
{
	struct moments ref = summary(5, 100, 0), mode = summary(4, 250, 0);
	struct err e = ERR_INIT;
	struct stein s;

	(void)state;
	assert_int_equal(stein_boots(&s, &ref, &mode, 1e-4, &e), 0);
	assert_int_equal(s.boots, 5);
	assert_true(s.dof == 7);
	assert_true(stein_half(&s, 5) == 0);
	assert_int_equal(stein_boots(&s, &mode, &ref, 1e-4, &e), 0);
	assert_int_equal(s.boots, 5);
	assert_int_equal(stein_boots(&s, &ref, NULL, 1e-4, &e), 0);
	assert_int_equal(s.boots, 5);
}

/* Neither an overflow nor a NaN: the most that the rule says. */
static void numbers_past_all_bounds_are_capped(void **state)
{
	static const struct {
		double avg, sd, width;
	} cases[] = {{1, 1e150, 1e-4}, {1e-300, 1e150, 1e-300}, {1e-320, 1e-10, 1e-4},
		{100, 100, 1e-4}, {1e150, 1e150, 1e-9}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct moments ref = summary(5, cases[i].avg, cases[i].sd);
		struct err e = ERR_INIT;
		struct stein s;

		assert_int_equal(stein_boots(&s, &ref, &ref, cases[i].width, &e), 0);
		assert_true(s.capped);
		assert_int_equal(s.boots, STEIN_BOOTS_MAX);
		assert_true(isfinite(s.s0) && isfinite(s.dof) && isfinite(s.h));
	}
}

static void what_cannot_be_answered_is_refused(void **state)
{
	struct moments five = summary(5, 100, 1), one = summary(1, 100, NAN),
		       zero = summary(5, 0, 1);
	const struct {
		const struct moments *ref, *mode;
		double width;
		int cls;
	} cases[] = {{&one, &five, .01, ERR_MEASURE}, {&five, &one, .01, ERR_MEASURE},
		{&one, NULL, .01, ERR_MEASURE}, {&zero, &five, .01, ERR_MEASURE},
		{&five, &five, 0, ERR_USAGE}, {&five, &five, -1, ERR_USAGE},
		{&five, &five, NAN, ERR_USAGE}, {&five, &five, INFINITY, ERR_USAGE}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct err e = ERR_INIT;
		struct stein s;

		assert_int_equal(stein_boots(&s, cases[i].ref, cases[i].mode, cases[i].width, &e),
			-cases[i].cls);
		assert_true(e.msg[0]);
	}
	assert_int_equal(stein_boots(&(struct stein){0}, &five, &zero, .01, &(struct err)ERR_INIT),
		0); /* only the reference must not be 0 */
}

enum { SIM_RUNS = 20000, SIM_MAX = 400, SIM_PILOT_MAX = 20 };

struct sim {
	int pilot;
	double sd_ref, sd_mode, width;
	unsigned long seed;
};

static void sim_draw(gsl_rng *rng, double avg, double sd, double *v, int n)
{
	for (int i = 0; i < n; i++)
		v[i] = avg + gsl_ran_gaussian_ziggurat(rng, sd);
}

static double sim_mean(gsl_rng *rng, double avg, double sd, const double *pilot, int n, int all)
{
	double sum = 0;

	for (int i = 0; i < all; i++)
		sum += i < n ? pilot[i] : avg + gsl_ran_gaussian_ziggurat(rng, sd);
	return sum / all;
}

/* Share of the runs whose interval covers the true difference, percent.  Every run that may take
 * all that it wants is as narrow as asked. */
static double sim_coverage(const struct sim *c, double *mean_boots)
{
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	double a[SIM_PILOT_MAX] = {0}, b[SIM_PILOT_MAX] = {0}, copy[SIM_PILOT_MAX];
	int covered = 0, within = 0;
	double boots = 0;

	gsl_rng_set(rng, c->seed);
	for (int run = 0; run < SIM_RUNS; run++) {
		struct moments ref, mode;
		struct err e = ERR_INIT;
		struct stein s;
		double diff, half;
		int all;

		sim_draw(rng, 1000, c->sd_ref, a, c->pilot);
		sim_draw(rng, 1030, c->sd_mode, b, c->pilot);
		memcpy(copy, a, sizeof(copy));
		assert_int_equal(moments_init(&ref, copy, (size_t)c->pilot, &e), 0);
		memcpy(copy, b, sizeof(copy));
		assert_int_equal(moments_init(&mode, copy, (size_t)c->pilot, &e), 0);
		assert_int_equal(stein_boots(&s, &ref, &mode, c->width, &e), 0);
		all = s.boots < SIM_MAX ? s.boots : SIM_MAX;
		diff = sim_mean(rng, 1030, c->sd_mode, b, c->pilot, all) -
		       sim_mean(rng, 1000, c->sd_ref, a, c->pilot, all);
		half = stein_half(&s, all);
		covered += fabs(diff - 30) <= half;
		if (s.boots <= SIM_MAX) {
			assert_true(half <= s.h);
			within++;
		}
		boots += all;
	}
	gsl_rng_free(rng);
	assert_true(within > SIM_RUNS * 9 / 10);
	*mean_boots = boots / SIM_RUNS;
	return 100.0 * covered / SIM_RUNS;
}

static void interval_keeps_its_confidence_and_its_width(void **state)
{
	static const struct sim cases[] = {
		{5, 10, 10, .01, 19450401}, /* a spread of as much as the width */
		{10, 10, 10, .01, 19450402},
		{10, 3, 3, .01, 19450403}, /* the pilot is often enough */
		{5, 4, 12, .01, 19450404}, /* one mode noisier than the other */
		{20, 20, 15, .01, 19450405},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		double boots, c = sim_coverage(&cases[i], &boots);

		print_message("# pilot %d, sd %g and %g: covers %.2f %%, %.1f boots\n",
			cases[i].pilot, cases[i].sd_ref, cases[i].sd_mode, c, boots);
		if (fabs(c - 95) > .7)
			fail_msg("case %zu covers %.2f %%", i, c);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(boots_are_those_computed_by_hand),
		cmocka_unit_test(no_spread_needs_no_more_than_the_pilot),
		cmocka_unit_test(numbers_past_all_bounds_are_capped),
		cmocka_unit_test(what_cannot_be_answered_is_refused),
		cmocka_unit_test(interval_keeps_its_confidence_and_its_width),
	};
	return cmocka_run_group_tests_name("stein", tests, NULL, NULL);
}
