/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>

#include <cmocka.h>

#include "harness/base/limits.h"

static void set(rlim_t soft, rlim_t hard)
{
	struct rlimit l = {soft, hard};

	assert_int_equal(setrlimit(RLIMIT_NOFILE, &l), 0);
}

static rlim_t soft(void)
{
	struct rlimit l;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &l), 0);
	return l.rlim_cur;
}

/* In this order: a hard limit does not rise again. */
static void limits_files_raises_what_it_may(void **state)
{
	struct err e = ERR_INIT;

	(void)state;
	set(100, 300);
	assert_int_equal(limits_files(40, 50, &e), 0);
	assert_int_equal(soft(), 100);
	assert_int_equal(limits_files(150, 200, &e), 0);
	assert_int_equal(soft(), 200);
	assert_int_equal(limits_files(250, 400, &e), 0);
	assert_int_equal(soft(), 300);
	set(100, 300);
	assert_int_equal(limits_files(301, 400, &e), -ERR_LAB);
	assert_int_equal(soft(), 100);
	assert_string_equal(e.code, "E_FILES");
	assert_string_equal(e.msg,
		"this takes 301 open files at once, and this process may have 300: raise the limit "
		"(ulimit -Hn, LimitNOFILE= of a service), or do less at once");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(limits_files_raises_what_it_may),
	};

	return cmocka_run_group_tests_name("limits", tests, NULL, NULL);
}
