/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/unit.h"

#include "reports/cost.h"
#include "tests/unit/fixture_model.h"

static void way_is_told_by_the_first_stage_that_moves_the_machine(void **state)
{
	static const struct {
		enum stage first, last;
		enum cost_way way;
	} cases[] = {
		{STAGE_POWER_OFF, STAGE_DONE, COST_CYCLE},
		{STAGE_POWER_OFF, STAGE_POWER_OFF, COST_CYCLE},
		{STAGE_BOOT_DEVICE, STAGE_DONE, COST_RESET},
		{STAGE_BOOT_DEVICE, STAGE_BOOT_DEVICE, COST_RESET},
		{STAGE_FIRMWARE, STAGE_DONE, COST_RESTART},
		{STAGE_FIRMWARE, STAGE_FIRMWARE, COST_RESTART},
		{STAGE_ACQUIRE, STAGE_ACQUIRE, COST_UNKNOWN},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct boot_result r = {.index = 0};

		for (int s = (int)cases[i].first; s <= (int)cases[i].last; s++)
			r.stages[s] = (struct stage_time){.reached = true, .ns = 7};
		r.stages[STAGE_ACQUIRE].reached = r.stages[STAGE_DONE].reached = true;
		assert_int_equal(cost_way(&r), cases[i].way);
		assert_int_equal(cost_boot_ns(&r), 7 * (cases[i].last - cases[i].first + 1));
	}
	assert_string_equal(cost_way_name(COST_CYCLE), "cycle");
	assert_string_equal(cost_way_name(COST_RESET), "reset");
	assert_string_equal(cost_way_name(COST_RESTART), "restart");
	assert_null(cost_way_name(COST_UNKNOWN));
}

static void medians_are_of_the_boots_that_count(void **state)
{
	struct model m;
	struct cost c;

	(void)state;
	fixture_restarts(&m);
	cost_init(&c, &m);
	assert_int_equal(c.ways[COST_CYCLE].boots, 2);
	assert_int_equal(c.ways[COST_RESET].boots, 1);
	assert_int_equal(c.ways[COST_RESTART].boots, 3);
	assert_int_equal(c.ways[COST_UNKNOWN].boots, 0);
	/* Hypervisors of 1, 2 and 5 s; and of 13.5 and 4 s, the mean of the middle two. */
	assert_int_equal(c.ways[COST_RESTART].stages_ns[STAGE_HYPERVISOR], 2000000000);
	assert_int_equal(c.ways[COST_CYCLE].stages_ns[STAGE_HYPERVISOR], 8750000000);
	assert_int_equal(c.ways[COST_RESTART].stages_ns[STAGE_POWER_OFF], 0);
	assert_int_equal(c.ways[COST_CYCLE].stages_ns[STAGE_POWER_OFF], 3000000000);
	assert_int_equal(c.ways[COST_RESTART].median_ns, 66500000000);
	assert_int_equal(c.failed, 1);
	assert_int_equal(c.failed_ns, 27000000000);
	model_release(&m);
}

static void lines_are_short(void **state)
{
	struct model m;
	struct buf b;

	(void)state;
	buf_init(&b, 10000);
	fixture_single(&m);
	for (size_t i = 0; i < 2; i++)
		for (int s = 0; s < STAGE_COUNT; s++)
			m.list[i].r.stages[s].ns = s == STAGE_FIRMWARE ? 118000000000
						   : s == STAGE_PROBE  ? 12000000000
								       : 100000000;
	m.list[1].r.outcome = OUTCOME_CRASH;
	m.wall_ns = 270000000000;
	m.machine_ns = 256500000000;
	cost_lines(&b, &m);
	assert_string_equal(b.data,
		"4m30s for 2 boots: machine 95.0 % (firmware to probe, and settling), harness "
		"5.0 %\n"
		"1 boot by cycle, 2m11s: firmware 1m58s, probe 12.0s\n"
		"1 boot that does not count took 2m11s\n");
	buf_clear(&b);
	m.ended = false;
	m.list[0].r.outcome = OUTCOME_CRASH;
	cost_lines(&b, &m);
	assert_string_equal(b.data, "2 boots that do not count took 4m22s\n");
	model_release(&m);
	buf_clear(&b);
	fixture_empty(&m);
	cost_lines(&b, &m);
	assert_string_equal(b.data, "");
	model_release(&m);
	buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(way_is_told_by_the_first_stage_that_moves_the_machine),
		cmocka_unit_test(medians_are_of_the_boots_that_count),
		cmocka_unit_test(lines_are_short),
	};

	return cmocka_run_group_tests_name("cost", tests, NULL, NULL);
}
