/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/unit.h"

#include "harness/base/buf.h"
#include "harness/run_pilot.h"

struct fixture {
	struct run_mode modes[4];
	struct run_info info;
	struct run_pilot pilot;
	struct buf said;
};

/* n modes a, b, …; those in `skipped` are skipped. */
static void begin(struct fixture *f, int n, const char *skipped, struct run_until until)
{
	*f = (struct fixture){.info = {.until = until, .boots = until.pilot}};
	f->info.modes = f->modes;
	f->info.n_modes = (size_t)n;
	for (int i = 0; i < n; i++) {
		f->modes[i].mode[0] = (char)('a' + i);
		f->modes[i].skipped = strchr(skipped, 'a' + i) != NULL;
	}
	run_pilot_init(&f->pilot, &f->info);
	buf_init(&f->said, 4096);
}

static void end(struct fixture *f)
{
	run_pilot_release(&f->pilot);
	run_pilot_release(&f->pilot);
	buf_release(&f->said);
}

/* A boot of two kept samples, whose mean is ms, after one of warm-up that is far away. */
static void boot_as(struct fixture *f, const char *mode, double ms, enum outcome o)
{
	struct sample s[] = {{.ns = 900000000, .warmup = true}, {.ns = (int64_t)(ms * 1e6) - 500},
		{.ns = (int64_t)(ms * 1e6) + 500}};
	struct boot_result r = {.outcome = o, .samples = s, .n_samples = 3};

	snprintf(r.mode, sizeof(r.mode), "%s", mode);
	run_pilot_add(&f->pilot, &r);
}

static void boots_of(struct fixture *f, const char *mode, double middle, double step)
{
	for (int i = -2; i <= 2; i++)
		boot_as(f, mode, middle + i * step, OUTCOME_OK);
}

static void say(void *arg, const char *line)
{
	buf_addf(arg, "%s\n", line);
}

static void expect(struct fixture *f, int wanted, const char *said)
{
	buf_clear(&f->said);
	assert_int_equal(run_pilot_decide(&f->pilot, say, &f->said), wanted);
	assert_string_equal(f->said.data, said);
}

static void means_of_kept_samples_of_good_boots_are_collected(void **state)
{
	struct boot_result nothing = {.mode = "a", .outcome = OUTCOME_OK};
	struct fixture f;

	(void)state;
	begin(&f, 2, "", (struct run_until){.01, 5, 30, 0});
	boot_as(&f, "a", 100, OUTCOME_OK);
	boot_as(&f, "a", 101, OUTCOME_LAB);
	boot_as(&f, "a", 102, OUTCOME_MODE_MISMATCH);
	boot_as(&f, "b", 200, OUTCOME_OK);
	boot_as(&f, "a", 103, OUTCOME_OK);
	boot_as(&f, "unknown", 104, OUTCOME_OK);
	run_pilot_add(&f.pilot, &nothing);
	assert_int_equal(f.pilot.modes[0].n, 2);
	assert_true(f.pilot.modes[0].means[0] == 100e6);
	assert_true(f.pilot.modes[0].means[1] == 103e6);
	assert_int_equal(f.pilot.modes[1].n, 1);
	assert_true(f.pilot.modes[1].means[0] == 200e6);
	end(&f);
}

/* -2 -1 0 1 2 steps: sd = step sqrt(2.5); both sides the same: dof 8, t 2.306, N = 2 t^2 2.5. */
static void widest_comparison_decides(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, 3, "", (struct run_until){.01, 5, 40, 0});
	boots_of(&f, "a", 100, 1);
	boots_of(&f, "b", 300, 1);
	boots_of(&f, "c", 100, .1);
	expect(&f, 27,
		"second stage: 27 boots a mode (pilot of 5: boot means vary by 1.6 %, +-1 % of a "
		"asked for)\n");
	end(&f);
}

static void skipped_modes_are_not_compared(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, 4, "ac", (struct run_until){.01, 5, 40, 0});
	boots_of(&f, "b", 100, 1);
	boots_of(&f, "d", 300, 1);
	expect(&f, 27,
		"second stage: 27 boots a mode (pilot of 5: boot means vary by 1.6 %, +-1 % of b "
		"asked for)\n");
	end(&f);
}

static void pilot_may_be_enough(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, 2, "", (struct run_until){.005, 5, 30, 0});
	boots_of(&f, "a", 100, .1);
	boots_of(&f, "b", 110, .1);
	expect(&f, 5,
		"no second stage: the pilot's 5 boots a mode are enough (boot means vary by 0.16 "
		"%, +-0.5 % of a asked for)\n");
	end(&f);
}

/* 2.306 sqrt(2.5) sqrt(2 / 20) = 1.153 */
static void rule_may_ask_for_more_than_is_allowed(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, 2, "", (struct run_until){.01, 5, 20, 0});
	boots_of(&f, "a", 100, 1);
	boots_of(&f, "b", 100, 1);
	expect(&f, 27,
		"second stage: 20 boots a mode, the most allowed; the interval will be about "
		"+-1.2 %, as +-1 % of a would take 27 (pilot of 5: boot means vary by 1.6 %)\n");
	f.info.until.max = 5;
	expect(&f, 27,
		"no second stage: the pilot's 5 boots a mode are the most allowed; the interval "
		"will be about +-2.3 %, as +-1 % of a would take 27 (boot means vary by 1.6 %)\n");
	boots_of(&f, "b", 100, 49);
	f.info.until = (struct run_until){.0001, 5, 30, 0};
	expect(&f, 1000000,
		"second stage: 30 boots a mode, the most allowed; the interval will be about +-21 "
		"%, as +-0.01 % of a would take more than 1000000 (pilot of 5: boot means vary by "
		"37 %)\n");
	end(&f);
}

/* dof 4, t 2.776: N = 2.776^2 2.5 */
static void one_mode_alone_has_the_interval_of_its_mean(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, 2, "b", (struct run_until){.01, 5, 30, 0});
	boots_of(&f, "a", 100, 1);
	expect(&f, 20,
		"second stage: 20 boots a mode (pilot of 5: boot means vary by 1.6 %, +-1 % of a "
		"asked for)\n");
	end(&f);
}

static void mode_with_too_few_good_boots_takes_no_part(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, 4, "", (struct run_until){.01, 5, 30, 0});
	boots_of(&f, "a", 100, 1);
	boots_of(&f, "b", 300, 1);
	boots_of(&f, "c", 300, 90);
	boot_as(&f, "d", 100, OUTCOME_OK);
	boot_as(&f, "d", 500, OUTCOME_OK);
	boot_as(&f, "d", 900, OUTCOME_CRASH);
	run_pilot_give_up(&f.pilot, 2);
	expect(&f, 27,
		"mode c takes no part in the second stage's rule: it cannot be had here\n"
		"mode d takes no part in the second stage's rule: it has 2 good boots of the 3 "
		"that are needed\n"
		"second stage: 27 boots a mode (pilot of 5: boot means vary by 1.6 %, +-1 % of a "
		"asked for)\n");
	end(&f);
}

/* dof = 3.5^2 / (2.5^2 / 4 + 1 / 2) = 5.94, t = 2.452: N = 2 t^2 (2.5 + 1) / 2. */
static void lost_boots_cost_degrees_of_freedom(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, 2, "", (struct run_until){.01, 5, 40, 0});
	boots_of(&f, "a", 100, 1);
	for (int i = -1; i <= 1; i++)
		boot_as(&f, "b", 300 + i, OUTCOME_OK);
	/* 22 by the rule of each side; the 2 that mode b has lost come on top. */
	expect(&f, 24,
		"second stage: 24 boots a mode (pilot of 5: boot means vary by 1.3 %, +-1 % of a "
		"asked for)\n");
	end(&f);
}

static void nothing_left_to_compare_ends_the_run(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, 2, "", (struct run_until){.01, 5, 30, 0});
	boots_of(&f, "a", 100, 1);
	run_pilot_give_up(&f.pilot, 1);
	expect(&f, 0,
		"mode b takes no part in the second stage's rule: it cannot be had here\n"
		"no second stage: no mode is left to compare with a\n");
	end(&f);

	begin(&f, 2, "", (struct run_until){.01, 5, 30, 0});
	boots_of(&f, "b", 100, 1);
	boot_as(&f, "a", 100, OUTCOME_OK);
	expect(&f, 0,
		"no second stage: mode a is the reference, and it has 1 good boot of the 3 that "
		"are needed\n");
	run_pilot_give_up(&f.pilot, 0);
	expect(&f, 0, "no second stage: mode a is the reference, and it cannot be had here\n");
	end(&f);
}

/* Names the first n modes: "base a", "base b", "patched a", …; the first build is the reference. */
static const struct run_build builds[] = {{"base", ""}, {"patched", ""}};
static void begin_builds(struct fixture *f, const char *skipped)
{
	begin(f, 4, skipped, (struct run_until){.01, 5, 40, 0});
	f->info.builds = builds;
	f->info.n_builds = 2;
	for (int i = 0; i < 4; i++) {
		memcpy(f->modes[i].build, builds[i / 2].name, sizeof(f->modes[i].build));
		f->modes[i].mode[0] = (char)('a' + i % 2);
	}
}

static void boots_of_build(
	struct fixture *f, const char *build, const char *mode, double middle, double step)
{
	for (int i = -2; i <= 2; i++) {
		struct sample s = {.ns = (int64_t)((middle + i * step) * 1e6)};
		struct boot_result r = {.outcome = OUTCOME_OK, .samples = &s, .n_samples = 1};

		snprintf(r.build, sizeof(r.build), "%s", build);
		snprintf(r.mode, sizeof(r.mode), "%s", mode);
		run_pilot_add(&f->pilot, &r);
	}
}

/* As in widest_comparison_decides; were base b compared with base a, too, it would decide. */
static void builds_are_compared_within_each_mode(void **state)
{
	struct fixture f;

	(void)state;
	begin_builds(&f, "");
	boots_of_build(&f, "base", "a", 300, .1);
	boots_of_build(&f, "base", "b", 100, 1);
	boots_of_build(&f, "patched", "a", 320, .1);
	boots_of_build(&f, "patched", "b", 300, 1);
	expect(&f, 27,
		"second stage: 27 boots a mode (pilot of 5: boot means vary by 1.6 %, +-1 % of "
		"base b asked for)\n");
	run_pilot_give_up(&f.pilot, 1);
	expect(&f, 5,
		"patched b takes no part in the second stage's rule: it is compared with base b, "
		"which cannot be had here\n"
		"no second stage: the pilot's 5 boots a mode are enough (boot means vary by 0.053 "
		"%, +-1 % of base a asked for)\n");
	run_pilot_give_up(&f.pilot, 2);
	expect(&f, 0,
		"patched a takes no part in the second stage's rule: it cannot be had here\n"
		"patched b takes no part in the second stage's rule: it is compared with base b, "
		"which cannot be had here\n"
		"no second stage: no mode is left to compare with base\n");
	end(&f);
}

static void mode_that_the_first_build_lacks_is_compared_in_its_own(void **state)
{
	struct fixture f;

	(void)state;
	begin_builds(&f, "b");
	boots_of_build(&f, "base", "a", 900, .1);
	boots_of_build(&f, "patched", "a", 100, 1);
	boots_of_build(&f, "patched", "b", 300, 1);
	expect(&f, 27,
		"second stage: 27 boots a mode (pilot of 5: boot means vary by 1.6 %, +-1 % of "
		"patched a asked for)\n");
	end(&f);

	/* Nothing of the other build: as a run without builds. */
	begin_builds(&f, "cd");
	boots_of_build(&f, "base", "a", 100, 1);
	boots_of_build(&f, "base", "b", 300, 1);
	expect(&f, 27,
		"second stage: 27 boots a mode (pilot of 5: boot means vary by 1.6 %, +-1 % of "
		"base a asked for)\n");
	end(&f);
}

static void times_of_zero_are_no_reference(void **state)
{
	struct sample zero = {.ns = 0};
	struct boot_result r = {
		.mode = "a", .outcome = OUTCOME_OK, .samples = &zero, .n_samples = 1};
	struct fixture f;

	(void)state;
	begin(&f, 1, "", (struct run_until){.01, 5, 30, 0});
	for (int i = 0; i < 5; i++)
		run_pilot_add(&f.pilot, &r);
	expect(&f, 0, "no second stage: the reference mean is 0: no width is relative to it\n");
	end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(means_of_kept_samples_of_good_boots_are_collected),
		cmocka_unit_test(widest_comparison_decides),
		cmocka_unit_test(skipped_modes_are_not_compared),
		cmocka_unit_test(pilot_may_be_enough),
		cmocka_unit_test(rule_may_ask_for_more_than_is_allowed),
		cmocka_unit_test(one_mode_alone_has_the_interval_of_its_mean),
		cmocka_unit_test(mode_with_too_few_good_boots_takes_no_part),
		cmocka_unit_test(lost_boots_cost_degrees_of_freedom),
		cmocka_unit_test(nothing_left_to_compare_ends_the_run),
		cmocka_unit_test(builds_are_compared_within_each_mode),
		cmocka_unit_test(mode_that_the_first_build_lacks_is_compared_in_its_own),
		cmocka_unit_test(times_of_zero_are_no_reference),
	};
	return cmocka_run_group_tests_name("run_pilot", tests, NULL, NULL);
}
