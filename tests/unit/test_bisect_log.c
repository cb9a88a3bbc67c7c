/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "harness/bisect/log.h"
#include "tests/unit/unit.h"

#define ONE "1111111111111111111111111111111111111111"
#define TWO "2222222222222222222222222222222222222222"
#define TEN "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

static void log_of_three(struct bisect_log *l)
{
	*l = (struct bisect_log){.begun_ns = INT64_C(1764543600123456789), .fresh = true};
	snprintf(l->about, sizeof(l->about), "machine m, mode mixed");
	bisect_log_add(l, ONE, WALK_GOOD, "100.0 us, 3 boots, run 7f3a: a subject");
	bisect_log_add(l, TWO, WALK_BAD, "110.0 us");
	bisect_log_add(
		l, TEN, WALK_SKIP, "does not build: x.c:1: \x1b[31merror\ngit bisect good x");
}

static void a_log_reads_as_git_writes_one(void **state)
{
	struct bisect_log l;
	struct buf b;

	(void)state;
	log_of_three(&l);
	bisect_log_end(&l, "first bad commit: [" TWO "] it");
	buf_init(&b, LOG_TEXT_MAX);
	bisect_log_text(&l, &b);
	assert_string_equal(b.data, "# harness bisect 1 begun=1764543600123456789 fresh=1\n"
				    "# machine m, mode mixed\n"
				    "git bisect start\n"
				    "# good: 100.0 us, 3 boots, run 7f3a: a subject\n"
				    "git bisect good " ONE "\n"
				    "# bad: 110.0 us\n"
				    "git bisect bad " TWO "\n"
				    "# skip: does not build: x.c:1: ?[31merror?git bisect good x\n"
				    "git bisect skip " TEN "\n"
				    "# first bad commit: [" TWO "] it\n");
	buf_release(&b);
	bisect_log_release(&l);
}

static void what_was_written_is_read_again(void **state)
{
	struct err e = ERR_INIT;
	struct bisect_log l, got;
	struct buf a, b;

	(void)state;
	buf_init(&a, LOG_TEXT_MAX);
	buf_init(&b, LOG_TEXT_MAX);
	log_of_three(&l);
	for (int ended = 0; ended < 2; ended++) {
		buf_clear(&a);
		buf_clear(&b);
		bisect_log_text(&l, &a);
		assert_int_equal(bisect_log_parse(&got, a.data, "log", &e), 0);
		assert_int_equal(got.n, 3);
		assert_int_equal(bisect_log_find(&got, TEN)->mark.word, WALK_SKIP);
		assert_null(bisect_log_find(&got, "b"));
		bisect_log_text(&got, &b);
		assert_string_equal(a.data, b.data);
		bisect_log_release(&got);
		bisect_log_end(&l, "only skipped commits are left");
	}
	buf_release(&a);
	buf_release(&b);
	bisect_log_release(&l);
}

static void a_log_that_is_not_ours_is_refused(void **state)
{
	static const char *const texts[] = {"", "git bisect start\n",
		"# harness bisect 2 begun=1 fresh=0\n# m\ngit bisect start\n",
		"# harness bisect 1 begun=x fresh=0\n# m\ngit bisect start\n",
		"# harness bisect 1 begun=1 fresh=2\n# m\ngit bisect start\n",
		"# harness bisect 1 begun=1 fresh=0\n# m\n",
		"# harness bisect 1 begun=1 fresh=0\n# m\ngit bisect start\ngit bisect bad " ONE
		"\n",
		"# harness bisect 1 begun=1 fresh=0\n# m\ngit bisect start\n# bad: x\ngit bisect "
		"good " ONE "\n",
		"# harness bisect 1 begun=1 fresh=0\n# m\ngit bisect start\n# bad: x\ngit bisect "
		"bad "
		"--foo\n"};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct err e = ERR_INIT;
		struct bisect_log l;

		assert_int_equal(bisect_log_parse(&l, texts[i], "/s/log", &e), -ERR_LAB);
		assert_string_equal(e.code, "E_STATE");
		assert_non_null(strstr(e.msg, "/s/log"));
		bisect_log_release(&l);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_log_reads_as_git_writes_one),
		cmocka_unit_test(what_was_written_is_read_again),
		cmocka_unit_test(a_log_that_is_not_ours_is_refused),
	};
	return cmocka_run_group_tests_name("bisect_log", tests, NULL, NULL);
}
