/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/unit.h"

#include "harness/base/mem.h"
#include "harness/base/path.h"
#include "harness/quarantine.h"

static void it_says_since_when_by_whom_and_why_until_it_is_lifted(void **state)
{
	char *dir = unit_tmpdir();
	struct err e = ERR_INIT;
	struct quarantine q;

	(void)state;
	assert_int_equal(quarantine_check(dir, "lab3", &e), 0);
	assert_int_equal(quarantine_lift(dir, "lab3", &e), 0);
	assert_int_equal(quarantine_put(dir, "lab3", "run 1", "two\nlines \033[1m", &e), 0);
	assert_int_equal(quarantine_get(dir, "lab3", &q, &e), 0);
	assert_true(q.on);
	assert_string_equal(q.by, "run 1");
	assert_string_equal(q.why, "two?lines ?[1m");
	assert_int_equal(strlen(q.since), strlen("2026-11-30T13:15:05Z"));
	assert_int_equal(quarantine_check(dir, "lab3", &e), -ERR_LAB);
	assert_string_equal(e.code, "E_QUARANTINE");
	assert_non_null(strstr(e.msg, "two?lines"));
	assert_non_null(strstr(e.msg, "harness machine recover lab3"));
	assert_int_equal(quarantine_check(dir, "lab4", &e), 0);
	assert_int_equal(quarantine_lift(dir, "lab3", &e), 0);
	assert_int_equal(quarantine_get(dir, "lab3", &q, &e), 0);
	assert_false(q.on);
	unit_rmdir(dir);
}

static void a_file_of_any_other_content_keeps_the_machine_there(void **state)
{
	char *dir = unit_tmpdir(), *folder = mem_printf("%s/quarantine", dir);
	char *file = mem_printf("%s/lab3", folder), big[4096];
	struct err e = ERR_INIT;
	struct quarantine q;

	(void)state;
	memset(big, 'x', sizeof(big));
	assert_int_equal(path_mkdirs(folder, &e), 0);
	for (size_t n = 0; n < 3; n++) {
		assert_int_equal(path_write(file, big, n ? 2048 * n - 2040 : 0, 0600, &e), 0);
		assert_int_not_equal(quarantine_check(dir, "lab3", &e), 0);
		(void)!quarantine_get(dir, "lab3", &q, &e);
		assert_true(q.on);
	}
	assert_int_equal(quarantine_lift(dir, "lab3", &e), 0);
	free(file);
	free(folder);
	unit_rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_says_since_when_by_whom_and_why_until_it_is_lifted),
		cmocka_unit_test(a_file_of_any_other_content_keeps_the_machine_there),
	};
	return cmocka_run_group_tests_name("quarantine", tests, NULL, NULL);
}
