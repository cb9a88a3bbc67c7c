/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/unit.h"

#include <stdio.h>

#include "harness/streak.h"

/* What boots did, in order: "BUILD:WHAT", with h a hang, l another failure of the lab, p a wrong
 * password, c a crash, i interrupted, o good; and the failures on end that there are then. */
static const struct {
	const char *boots;
	int failures;
} cases[] = {
	{":l :l", 2},
	{":h :h", 2},
	{":l :o :l", 1},
	{":l :c :l", 1},
	{":l :i", 1},
	{":l :p", 0},
	{"base:o patched:h patched:h", 0},
	{"base:o patched:h patched:l", 1},
	{"base:o patched:o patched:h patched:h", 0},
	{"patched:o patched:h patched:h", 2},
	{"patched:h patched:h", 2},
	{"patched:h patched:h base:o", 0},
	{"base:o patched:h patched:h base:h base:h", 2},
	{"base:o patched:h patched:h base:o patched:h", 0},
	{"base:o patched:o patched:h base:l base:l", 2},
};

static void machines_failures_are_counted_and_a_builds_are_not(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct streak s = {.failures = 0};

		for (const char *p = cases[i].boots; *p; p += *p == ' ') {
			struct boot_result r = {.stage = STAGE_HYPERVISOR};
			size_t n = strcspn(p, ":");
			char what = p[n + 1];

			snprintf(r.build, sizeof(r.build), "%.*s", (int)n, p);
			r.outcome = what == 'o'	  ? OUTCOME_OK
				    : what == 'c' ? OUTCOME_CRASH
				    : what == 'i' ? OUTCOME_INTERRUPTED
						  : OUTCOME_LAB;
			snprintf(r.err.code, sizeof(r.err.code), "%s",
				what == 'h'   ? "E_TIMEOUT"
				: what == 'p' ? "E_AUTH"
					      : "E_CONSOLE");
			streak_add(&s, &r);
			p += n + 2;
		}
		if (s.failures != cases[i].failures)
			fail_msg("%s: %d failures, not %d", cases[i].boots, s.failures,
				cases[i].failures);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(machines_failures_are_counted_and_a_builds_are_not),
	};
	return cmocka_run_group_tests_name("streak", tests, NULL, NULL);
}
