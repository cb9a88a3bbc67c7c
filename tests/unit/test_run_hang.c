/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/unit.h"

#include <stdio.h>

#include "harness/run_hang.h"

enum { BASE_MIXED, BASE_PHYSICAL, PATCHED_MIXED, PATCHED_PHYSICAL, PAIRS };

static const struct run_mode modes[PAIRS] = {{.build = "base", .mode = "mixed"},
	{.build = "base", .mode = "physical"}, {.build = "patched", .mode = "mixed"},
	{.build = "patched", .mode = "physical"}};
static const struct target box = {.name = "box"};
static const struct run_info info = {.target = &box, .modes = modes, .n_modes = PAIRS};

static struct boot_result failed(int pair, enum stage stage, const char *code)
{
	struct boot_result r = {.outcome = OUTCOME_LAB, .stage = stage};

	memcpy(r.build, modes[pair].build, sizeof(r.build));
	memcpy(r.mode, modes[pair].mode, sizeof(r.mode));
	err_set(&r.err, ERR_LAB, code, "box: stage %s: nothing more within 1s: it is silent",
		stage_name(stage));
	return r;
}

static bool takes(struct run_hang *h, int pair)
{
	struct boot_result r = failed(pair, STAGE_HYPERVISOR, "E_TIMEOUT");

	return run_hang_takes(h, (size_t)pair, &r);
}

static void build_that_hangs_while_another_boots_is_a_measurement(void **state)
{
	struct err e = ERR_INIT;
	struct run_hang h;

	(void)state;
	run_hang_init(&h, &info);
	assert_true(takes(&h, PATCHED_MIXED));
	run_hang_good(&h, BASE_PHYSICAL);
	run_hang_tell(&h, &e);
	assert_int_equal(e.cls, ERR_NONE); /* another mode says nothing */
	run_hang_good(&h, BASE_MIXED);
	run_hang_tell(&h, &e);
	assert_int_equal(e.cls, ERR_MEASURE);
	assert_string_equal(e.code, "E_HANG");
	assert_string_equal(e.msg,
		"box: patched mixed: does not get through stage hypervisor, base does: nothing "
		"more within 1s: it is silent");
	run_hang_release(&h);
	run_hang_release(&h);
}

static void mode_that_hangs_in_all_builds_is_of_the_lab(void **state)
{
	struct err e = ERR_INIT;
	struct run_hang h;

	(void)state;
	run_hang_init(&h, &info);
	run_hang_good(&h, BASE_MIXED);
	assert_true(takes(&h, PATCHED_MIXED));
	run_hang_good(&h, PATCHED_PHYSICAL);
	assert_true(takes(&h, BASE_MIXED)); /* it did well once, and does not now */
	run_hang_tell(&h, &e);
	assert_int_equal(e.cls, ERR_NONE);
	run_hang_release(&h);
}

static void two_builds_that_hang_on_end_are_the_machine(void **state)
{
	struct run_hang h;

	(void)state;
	run_hang_init(&h, &info);
	run_hang_good(&h, BASE_MIXED);
	assert_true(takes(&h, PATCHED_MIXED));
	assert_true(takes(&h, PATCHED_PHYSICAL));
	assert_false(takes(&h, BASE_MIXED));
	run_hang_good(&h, BASE_PHYSICAL);
	assert_true(takes(&h, BASE_MIXED));
	run_hang_release(&h);
}

static void other_failures_are_no_hangs(void **state)
{
	static const struct run_mode plain[] = {{.mode = "mixed"}};
	struct run_info without = info;
	struct boot_result r;
	struct run_hang h;

	(void)state;
	run_hang_init(&h, &info);
	r = failed(PATCHED_MIXED, STAGE_LOAD, "E_TIMEOUT");
	assert_false(run_hang_takes(&h, PATCHED_MIXED, &r));
	r = failed(PATCHED_MIXED, STAGE_HYPERVISOR, "E_CONSOLE");
	assert_false(run_hang_takes(&h, PATCHED_MIXED, &r));
	r = failed(PATCHED_MIXED, STAGE_PROBE, "E_GAP");
	assert_false(run_hang_takes(&h, PATCHED_MIXED, &r));
	r = failed(PATCHED_MIXED, STAGE_PROBE, "E_TIMEOUT");
	r.outcome = OUTCOME_CRASH;
	assert_false(run_hang_takes(&h, PATCHED_MIXED, &r));
	r = failed(PATCHED_MIXED, STAGE_HYPERVISOR, "E_SILENT");
	assert_true(run_hang_takes(&h, PATCHED_MIXED, &r));
	run_hang_release(&h);

	without.modes = plain;
	without.n_modes = 1;
	run_hang_init(&h, &without);
	r = failed(PATCHED_MIXED, STAGE_HYPERVISOR, "E_TIMEOUT");
	assert_false(run_hang_takes(&h, 0, &r));
	run_hang_release(&h);
}

static void errors_of_boots_name_their_build(void **state)
{
	struct boot_result r = failed(PATCHED_MIXED, STAGE_LOAD, "E_TIMEOUT");
	struct err e = ERR_INIT;
	struct run_hang h;

	(void)state;
	run_hang_init(&h, &info);
	run_hang_boot_err(&h, &r, &e);
	assert_int_equal(e.cls, ERR_LAB);
	assert_string_equal(e.code, "E_TIMEOUT");
	assert_string_equal(
		e.msg, "box: patched mixed: stage load: nothing more within 1s: it is silent");
	r.build[0] = '\0';
	r.outcome = OUTCOME_CRASH;
	run_hang_boot_err(&h, &r, &e);
	assert_int_equal(e.cls, ERR_MEASURE);
	assert_string_equal(e.msg, r.err.msg);
	run_hang_release(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(build_that_hangs_while_another_boots_is_a_measurement),
		cmocka_unit_test(mode_that_hangs_in_all_builds_is_of_the_lab),
		cmocka_unit_test(two_builds_that_hang_on_end_are_the_machine),
		cmocka_unit_test(other_failures_are_no_hangs),
		cmocka_unit_test(errors_of_boots_name_their_build),
	};
	return cmocka_run_group_tests_name("run_hang", tests, NULL, NULL);
}
