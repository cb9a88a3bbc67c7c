/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/unit.h"

#include "harness/build_step.h"
#include "harness/build_view.h"

static void errors_are_told_from_other_lines(void **state)
{
	static const struct {
		const char *line;
		bool error;
	} cases[] = {
		{"arch/x86/smp.c:12:3: error: 'foo' undeclared", true},
		{"x.c:1:10: fatal error: nope.h: No such file or directory", true},
		{"entry.S:7: Error: no such instruction: `foo'", true},
		{"ld: smp.o: in function `f': smp.c:(.text+0x1): undefined reference to `g'", true},
		{"cc1: write error: No space left on device", true},
		{"make: *** [Rules.mk:1: smp.o] Error 1", false},
		{"smp.c:12:3: warning: unused variable 'x'", false},
		{"  CC      common/error.o", false},
		{"", false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(build_line_is_error(cases[i].line), cases[i].error);
}

static void objects_are_counted_by_their_lines(void **state)
{
	(void)state;
	assert_true(build_line_is_object("  CC      common/smp.o"));
	assert_true(build_line_is_object("  AS      arch/x86/boot/head.o"));
	assert_false(build_line_is_object("CC x.o"));
	assert_false(build_line_is_object("  CCX     x.o"));
	assert_false(build_line_is_object("  LD      xen"));
}

static void the_progress_line_says_how_far_it_is(void **state)
{
	static const struct {
		struct build_progress p;
		const char *want;
	} cases[] = {
		{{.recipe = "xen",
			 .step = "cluster",
			 .mode = 2,
			 .n_modes = 3,
			 .objects = 412,
			 .total = 980,
			 .step_ns = 31000000000},
			"xen cluster 2/3  412/980 objects  42 %  31.0s"},
		/* After the last object, and when there are more than expected. */
		{{.recipe = "xen",
			 .step = "cluster",
			 .mode = 2,
			 .n_modes = 3,
			 .objects = 1000,
			 .total = 980,
			 .step_ns = 91000000000},
			"xen cluster 2/3  1000 objects, linking  1m31s"},
		{{.recipe = "xen", .step = "mixed", .mode = 1, .n_modes = 1, .step_ns = 1000000},
			"xen mixed 1/1  configuration and headers  1ms"},
		{{.recipe = "xen",
			 .step = "mixed",
			 .mode = 1,
			 .n_modes = 1,
			 .objects = 980,
			 .total = 990,
			 .step_ns = 2000000000,
			 .ends = true},
			"xen mixed 1/1  980 objects  2.0s"},
		{{.recipe = "xen", .step = "preparing the source", .step_ns = 500000000},
			"xen preparing the source  500ms"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char got[192];

		build_view_line(&cases[i].p, got, sizeof(got));
		assert_string_equal(got, cases[i].want);
	}
}

static void the_table_has_a_line_a_mode(void **state)
{
	struct build_result r = {.version = "4.20.0",
		.n_modes = 3,
		.modes = {{.mode = "mixed",
				  .version = "4.20.0",
				  .sha256 = "0123456789abcdef",
				  .size = 2411724,
				  .ns = 31000000000},
			{.mode = "physical",
				.version = "4.20.0",
				.sha256 = "fedcba9876543210",
				.size = 2048,
				.status = BUILD_UP_TO_DATE},
			{.mode = "cluster",
				.version = "4.20.0",
				.status = BUILD_SKIPPED,
				.reason = "Xen 4.20.0 has no CONFIG_X2APIC_CLUSTER"}}};
	struct buf out;

	(void)state;
	buf_init(&out, 4096);
	build_view_table(&r, &out);
	assert_string_equal(out.data,
		"mode      version      sha256             size  result\n"
		"mixed     4.20.0       0123456789ab    2.3 MiB  built in 31.0s\n"
		"physical  4.20.0       fedcba987654    2.0 KiB  up to date\n"
		"cluster   4.20.0       -                     -  SKIPPED: Xen 4.20.0 has no "
		"CONFIG_X2APIC_CLUSTER\n");
	buf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(errors_are_told_from_other_lines),
		cmocka_unit_test(objects_are_counted_by_their_lines),
		cmocka_unit_test(the_progress_line_says_how_far_it_is),
		cmocka_unit_test(the_table_has_a_line_a_mode),
	};
	return cmocka_run_group_tests_name("build", tests, NULL, NULL);
}
