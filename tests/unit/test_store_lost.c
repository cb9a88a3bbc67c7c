/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What must not be lost on the way into the store: the file itself, and the rest of a bad text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <unistd.h>

#include "tests/unit/fixture_run.h"

/* A file that is gone from its name would take with it what is written. */
static void removed_or_replaced_file_fails_the_run(void **state)
{
	(void)state;
	for (int way = 0; way < 6; way++) {
		bool replaced = way & 1, at_end = way & 2, at_replan = way & 4;
		struct err e = ERR_INIT;
		struct boot_result r;
		struct run_sink k;
		struct fixture f;
		struct store *s;
		char *file;
		int rc;

		fixture_init(&f);
		s = fixture_open(&f);
		k = store_sink(s);
		file = fixture_file(&f);
		fixture_begin(s, &f);
		r = fixture_boot(&f, 0, 0);
		fixture_store_boot(s, &r, false);
		assert_int_equal(unlink(file), 0);
		if (replaced)
			assert_int_equal(path_write(file, "", 0, 0600, &e), 0);
		rc = at_replan ? k.replan(k.arg, &f.info, &e)
		     : at_end  ? k.end(k.arg, &f.totals, &e)
			       : k.boot(k.arg, &r, false, &e);
		assert_int_equal(rc, -ERR_LAB);
		assert_string_equal(e.code, "E_STORE");
		assert_non_null(strstr(e.msg, "was removed or replaced while the run"));
		store_close(s);
		free(file);
		fixture_remove(&f);
	}
}

static void text_is_stored_as_utf8(void **state)
{
	struct err e = ERR_INIT;
	struct boot_result r;
	struct fixture f;
	struct store *s;
	struct model m;

	(void)state;
	fixture_init(&f);
	s = fixture_open(&f);
	fixture_begin(s, &f);
	r = fixture_boot(&f, 0, 0);
	r.outcome = OUTCOME_CRASH;
	r.err.cls = ERR_MEASURE;
	snprintf(r.err.msg, sizeof(r.err.msg), "a\xff\xc3\xa4\xe2\x80 b");
	r.flags = "\x80";
	fixture_store_boot(s, &r, false);
	assert_int_equal(store_load(s, FIXTURE_UUID, &m, &e), 0);
	assert_string_equal(m.list[0].r.err.msg, "a?\xc3\xa4?? b");
	assert_string_equal(m.list[0].r.flags, "?");
	model_release(&m);
	store_close(s);
	fixture_remove(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(removed_or_replaced_file_fails_the_run),
		cmocka_unit_test(text_is_stored_as_utf8),
	};
	return cmocka_run_group_tests_name("store_lost", tests, NULL, NULL);
}
