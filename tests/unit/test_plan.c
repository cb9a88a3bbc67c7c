/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/unit.h"

#include "harness/plan.h"

static void every_block_boots_every_mode_once(void **state)
{
	struct plan p;

	(void)state;
	plan_init(&p, 3, 50, 41);
	assert_int_equal(p.n, 150);
	for (int b = 0; b < 50; b++) {
		int seen = 0;

		for (int m = 0; m < 3; m++) {
			assert_int_equal(p.items[b * 3 + m].block, b);
			seen |= 1 << p.items[b * 3 + m].mode;
		}
		assert_int_equal(seen, 7);
	}
	plan_release(&p);
	plan_release(&p);
}

static void the_same_seed_gives_the_same_plan_for_ever(void **state)
{
	/* Stored runs name their seed: this order must never change. */
	static const int order[] = {2, 1, 0, 1, 2, 0, 1, 0, 2, 2, 1, 0};
	struct plan p;

	(void)state;
	plan_init(&p, 3, 4, 41);
	for (size_t i = 0; i < p.n; i++)
		assert_int_equal(p.items[i].mode, order[i]);
	plan_release(&p);
}

static void another_seed_gives_another_plan(void **state)
{
	struct plan a, b;
	int differ = 0;

	(void)state;
	plan_init(&a, 3, 20, 1);
	plan_init(&b, 3, 20, 2);
	for (size_t i = 0; i < a.n; i++)
		differ += a.items[i].mode != b.items[i].mode;
	assert_true(differ > 0);
	plan_release(&a);
	plan_release(&b);
}

static void every_order_of_a_block_is_about_equally_frequent(void **state)
{
	int count[27] = {0}, found = 0;
	struct plan p;

	(void)state;
	plan_init(&p, 3, 6000, 7);
	for (int b = 0; b < 6000; b++)
		count[p.items[b * 3].mode * 9 + p.items[b * 3 + 1].mode * 3 +
			p.items[b * 3 + 2].mode]++;
	for (int i = 0; i < 27; i++) {
		if (!count[i])
			continue;
		found++;
		assert_in_range(count[i], 880, 1120); /* 1000 +- 4 sd */
	}
	assert_int_equal(found, 6);
	plan_release(&p);
}

/* A run that goes on after its pilot keeps the order of what it has booted. */
static void a_longer_plan_begins_with_the_shorter_one(void **state)
{
	(void)state;
	for (int modes = 1; modes <= 5; modes++) {
		struct plan shorter, longer;

		plan_init(&longer, modes, 40, 41);
		for (int boots = 1; boots <= 40; boots++) {
			plan_init(&shorter, modes, boots, 41);
			assert_int_equal(shorter.n, modes * boots);
			for (size_t i = 0; i < shorter.n; i++) {
				assert_int_equal(shorter.items[i].mode, longer.items[i].mode);
				assert_int_equal(shorter.items[i].block, longer.items[i].block);
			}
			plan_release(&shorter);
		}
		plan_release(&longer);
	}
}

static void one_mode_and_one_boot_are_a_plan(void **state)
{
	struct plan p;

	(void)state;
	plan_init(&p, 1, 1, 4294967295u);
	assert_int_equal(p.n, 1);
	assert_int_equal(p.items[0].mode, 0);
	plan_release(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_block_boots_every_mode_once),
		cmocka_unit_test(the_same_seed_gives_the_same_plan_for_ever),
		cmocka_unit_test(another_seed_gives_another_plan),
		cmocka_unit_test(every_order_of_a_block_is_about_equally_frequent),
		cmocka_unit_test(a_longer_plan_begins_with_the_shorter_one),
		cmocka_unit_test(one_mode_and_one_boot_are_a_plan),
	};
	return cmocka_run_group_tests_name("plan", tests, NULL, NULL);
}
