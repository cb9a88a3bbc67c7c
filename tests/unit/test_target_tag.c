/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "harness/base/buf.h"
#include "harness/base/log.h"
#include "harness/base/mem.h"
#include "harness/base/path.h"
#include "targets/target_keys.h"

static void tags_are_names_kept_with_one_blank_between(void **state)
{
	static const struct {
		const char *value, *want; /* want NULL: refused */
	} rows[] = {
		{"lab1", "lab1"},
		{"  lab1   fast ", "lab1 fast"},
		{"a a.b a-b a_b 0", "a a.b a-b a_b 0"},
		{"lab1 lab1", NULL},
		{"lab1 fast lab1", NULL},
		{"Lab1", NULL},
		{"lab1,fast", NULL},
		{"-x", NULL},
		{" ", NULL},
		{"", NULL},
	};
	const struct target_key *k = target_key_find("machine", "tags");
	static struct target t;
	struct buf why;

	(void)state;
	buf_init(&why, 200);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		buf_clear(&why);
		if (rows[i].want) {
			assert_int_equal(target_key_set(&t, k, rows[i].value, &why), 0);
			assert_string_equal(t.tags, rows[i].want);
		} else {
			assert_int_equal(target_key_set(&t, k, rows[i].value, &why), -1);
			assert_string_equal(
				why.data, "names of a-z, 0-9 and ._-, separated by blanks");
		}
	}
	buf_release(&why);
}

static void a_tag_is_a_whole_word(void **state)
{
	static struct target t = {.tags = "lab10 fast lab1"};
	static struct target none;

	(void)state;
	assert_true(target_has_tag(&t, "lab10"));
	assert_true(target_has_tag(&t, "fast"));
	assert_true(target_has_tag(&t, "lab1"));
	assert_false(target_has_tag(&t, "lab"));
	assert_false(target_has_tag(&t, "ast"));
	assert_false(target_has_tag(&t, "lab100"));
	assert_false(target_has_tag(&t, ""));
	assert_false(target_has_tag(&none, "lab1"));
}

static void put(const char *dir, const char *name, const char *text)
{
	char *file = mem_printf("%s/%s.ini", dir, name);
	struct err e = ERR_INIT;

	assert_int_equal(path_write(file, text, strlen(text), 0600, &e), 0);
	free(file);
}

#define LAB "mac = 02:00:00:00:00:01\n[lab]\ncpus = 1\n"

static void machines_are_found_by_tag(void **state)
{
	char dir[] = "/tmp/harness-tag-XXXXXX", **names;
	struct err e = ERR_INIT;
	size_t n;

	(void)state;
	log_set_level(LOG_ERROR);
	assert_non_null(mkdtemp(dir));
	put(dir, "b", "[machine]\ntags = odd x\n" LAB);
	put(dir, "a", "[machine]\ntags = x\n" LAB);
	put(dir, "c", "[machine]\n" LAB);
	put(dir, "broken", "[machine]\nmac = 3\n");
	assert_int_equal(target_tagged(dir, "x", &names, &n, &e), 0);
	assert_int_equal(n, 2);
	assert_string_equal(names[0], "a");
	assert_string_equal(names[1], "b");
	target_names_free(names, n);
	assert_int_equal(target_tagged(dir, "od", &names, &n, &e), -ERR_USAGE);
	assert_int_equal(n, 0);
	assert_string_equal(
		e.msg, "no machine has the tag \"od\": did you mean odd? (tags: x, odd)");
	/* A machine that seems to be meant is not left out in silence. */
	put(dir, "broken", "[machine]\ntags = x\nmac = 3\n");
	e = (struct err)ERR_INIT;
	assert_int_equal(target_tagged(dir, "x", &names, &n, &e), -ERR_USAGE);
	assert_null(names);
	assert_non_null(strstr(e.msg, "broken.ini:3: bad value"));
	assert_int_equal(path_remove(dir, &e), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tags_are_names_kept_with_one_blank_between),
		cmocka_unit_test(a_tag_is_a_whole_word),
		cmocka_unit_test(machines_are_found_by_tag),
	};

	return cmocka_run_group_tests_name("target tags", tests, NULL, NULL);
}
