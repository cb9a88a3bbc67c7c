/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "reports/comparison.h"
#include "tests/unit/fixture_model.h"

static const struct verdict_opts usual = VERDICT_OPTS_INIT;

static void a_run_is_compared_with_its_first_mode(void **state)
{
	struct comparison c;
	struct err e = ERR_INIT;
	struct model m;

	(void)state;
	fixture_clean(&m);
	assert_int_equal(comparison_of_run(&c, &m, &usual, &e), 0);
	assert_int_equal(c.n_sets, 3);
	assert_int_equal(c.n_runs, 1);
	assert_int_equal(c.n_compared, 2);
	assert_int_equal(c.sets[0].ref, 0);
	assert_int_equal(c.sets[1].ref, 0);
	assert_int_equal(c.sets[1].verdict.kind, VERDICT_HIGHER);
	assert_true(c.sets[1].verdict.pct > 240 && c.sets[1].verdict.pct < 260);
	assert_true(c.sets[1].verdict.factor == 2 && c.sets[2].verdict.factor == 1);
	assert_int_equal(c.sets[2].verdict.kind, VERDICT_NONE);
	assert_int_equal(c.sets[0].n_values, 3 * (FIXTURE_SAMPLES - 2));
	assert_false(comparison_regressed(&c)); /* modes of one run are no before and after */
	comparison_release(&c);
	comparison_release(&c);
	model_release(&m);
}

static void only_boots_that_count_are_taken(void **state)
{
	struct comparison c;
	struct err e = ERR_INIT;
	struct model m;

	(void)state;
	fixture_rough(&m);
	assert_int_equal(comparison_of_run(&c, &m, &usual, &e), 0);
	assert_int_equal(c.n_sets, 2); /* cluster was skipped */
	assert_int_equal(c.sets[0].n_boots, 2);
	assert_int_equal(c.sets[1].n_boots, 1);
	assert_int_equal(c.sets[1].verdict.kind, VERDICT_TOO_FEW);
	assert_int_equal(c.sets[1].verdict.needed, 2);
	assert_int_equal(c.n_compared, 0);
	comparison_release(&c);
	model_release(&m);
}

static void another_reference_steps_in(void **state)
{
	struct comparison c;
	struct err e = ERR_INIT;
	struct model m;

	(void)state;
	fixture_shifted(&m);
	assert_int_equal(comparison_of_run(&c, &m, &usual, &e), 0);
	assert_false(c.sets[0].usable);
	assert_int_equal(c.sets[1].ref, 1);
	assert_int_equal(c.sets[2].ref, 1);
	comparison_release(&c);
	model_release(&m);
	fixture_empty(&m);
	assert_int_equal(comparison_of_run(&c, &m, &usual, &e), 0);
	assert_int_equal(c.n_sets, 2);
	assert_false(c.sets[0].usable || c.sets[1].usable);
	comparison_release(&c);
	model_release(&m);
}

/* Two runs, the second 3 % slower in each mode. */
static void a_later_side_that_is_slower_is_a_regression(void **state)
{
	struct comparison c;
	struct err e = ERR_INIT;
	struct model a, b;
	const struct model *before = &a, *after = &b;
	const char *const modes[] = {"mixed", "physical"};

	(void)state;
	fixture_clean(&a);
	fixture_clean(&b);
	b.uuid[0] = '8';
	for (size_t i = 0; i < b.n_list; i++)
		for (size_t k = 0; k < b.list[i].r.n_samples; k++)
			b.list[i].r.samples[k].ns += b.list[i].r.samples[k].ns * 3 / 100;
	comparison_init(&c, COMPARISON_SIDES, &usual);
	for (size_t i = 0; i < 2; i++) {
		struct comparison_pick p = {.name = "a",
			.mode = modes[i],
			.image = "",
			.runs = &before,
			.n_runs = 1,
			.block = i};

		assert_int_equal(comparison_add(&c, &p, &e), 0);
		p.runs = &after;
		p.name = "b";
		assert_int_equal(comparison_add(&c, &p, &e), 0);
	}
	assert_int_equal(comparison_judge(&c, &e), 0);
	assert_int_equal(c.n_blocks, 2);
	assert_int_equal(c.n_runs, 2);
	assert_int_equal(c.sets[1].ref, 0);
	assert_int_equal(c.sets[3].ref, 2);
	assert_int_equal(c.sets[1].verdict.kind, VERDICT_HIGHER);
	assert_true(fabs(c.sets[3].verdict.pct - 3) < 0.1);
	assert_true(comparison_regressed(&c));
	comparison_release(&c);
	model_release(&a);
	model_release(&b);
}

/* Two modes side by side: the slower one is no regression of the other. */
static void a_slower_mode_is_no_regression(void **state)
{
	struct comparison c;
	struct err e = ERR_INIT;
	struct model m;
	const struct model *run = &m;
	struct comparison_pick p = {
		.name = "mixed", .mode = "mixed", .image = "", .runs = &run, .n_runs = 1};

	(void)state;
	fixture_clean(&m);
	comparison_init(&c, COMPARISON_SIDES, &usual);
	assert_int_equal(comparison_add(&c, &p, &e), 0);
	p.name = p.mode = "physical";
	assert_int_equal(comparison_add(&c, &p, &e), 0);
	assert_int_equal(comparison_judge(&c, &e), 0);
	assert_int_equal(c.sets[1].verdict.kind, VERDICT_HIGHER);
	assert_false(comparison_regressed(&c));
	comparison_release(&c);
	model_release(&m);
}

static void an_image_picks_its_boots(void **state)
{
	struct comparison c;
	struct err e = ERR_INIT;
	struct model m;
	const struct model *run = &m;
	struct comparison_pick p = {
		.name = "old", .mode = "mixed", .image = "aa", .runs = &run, .n_runs = 1};

	(void)state;
	fixture_clean(&m);
	for (size_t i = 0; i < m.n_list; i++)
		memset(m.list[i].r.image_sha256, i < 4 ? 'a' : 'b', SHA256_HEX);
	comparison_init(&c, COMPARISON_SIDES, &usual);
	assert_int_equal(comparison_add(&c, &p, &e), 0);
	p.image = "";
	assert_int_equal(comparison_add(&c, &p, &e), 0);
	assert_int_equal(c.sets[0].n_boots, 1);
	assert_int_equal(c.sets[1].n_boots, 3);
	comparison_release(&c);
	model_release(&m);
}

static void a_pilot_keeps_its_variance(void **state)
{
	struct comparison c;
	struct err e = ERR_INIT;
	struct model m;

	(void)state;
	fixture_clean(&m);
	m.list = mem_grow(m.list, 18, sizeof(*m.list));
	for (int i = 9; i < 18; i++)
		fixture_boot(&m, i, 0, m.modes[i % 3].mode, 354000000);
	m.boots = 6;
	m.until = (struct run_until){.width = 0.01, .pilot = 3, .max = 30, .wanted = 6};
	assert_int_equal(comparison_of_run(&c, &m, &usual, &e), 0);
	assert_int_equal(c.sets[0].n_boots, 6);
	assert_int_equal(c.sets[0].pilot, 3);
	assert_true(c.sets[2].verdict.pilot);
	assert_true(c.sets[2].verdict.dof <= 4.0001);
	comparison_release(&c);
	model_release(&m);
}

/* Two stages, and beside it a run that was killed before its first boot. */
static void a_run_without_boots_does_not_hide_a_pilot(void **state)
{
	struct comparison c;
	struct err e = ERR_INIT;
	struct model m, none, more;
	const struct model *const runs[] = {&none, &m}, *const several[] = {&m, &more};
	struct comparison_pick p = {
		.name = "a", .mode = "mixed", .image = "", .runs = runs, .n_runs = 2};

	(void)state;
	fixture_two_stages(&m);
	fixture_empty(&none);
	none.uuid[0] = '8';
	fixture_clean(&more);
	more.uuid[0] = '9';
	comparison_init(&c, COMPARISON_SIDES, &usual);
	assert_int_equal(comparison_add(&c, &p, &e), 0);
	assert_int_equal(c.sets[0].pilot, m.until.pilot);
	p.runs = several;
	assert_int_equal(comparison_add(&c, &p, &e), 0);
	assert_int_equal(c.sets[1].pilot, 0);
	comparison_release(&c);
	model_release(&m);
	model_release(&none);
	model_release(&more);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_run_is_compared_with_its_first_mode),
		cmocka_unit_test(only_boots_that_count_are_taken),
		cmocka_unit_test(another_reference_steps_in),
		cmocka_unit_test(a_later_side_that_is_slower_is_a_regression),
		cmocka_unit_test(a_slower_mode_is_no_regression),
		cmocka_unit_test(an_image_picks_its_boots),
		cmocka_unit_test(a_pilot_keeps_its_variance),
		cmocka_unit_test(a_run_without_boots_does_not_hide_a_pilot),
	};

	return cmocka_run_group_tests_name("comparison", tests, NULL, NULL);
}
