/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reports that are written piece by piece. */
#include "tests/unit/unit.h"

#include "harness/base/buf.h"
#include "reports/comparison_json.h"
#include "reports/csv.h"
#include "reports/json_write.h"
#include "tests/unit/fixture_formats.h"

enum { BIG = 16 << 20 };

static void empty_ones_are_short(void **state)
{
	struct json_write w;
	struct buf b;

	(void)state;
	buf_init(&b, BIG);
	json_write_init(&w, &b, 2);
	json_write_open(&w, NULL, '{');
	json_write_open(&w, "a", '[');
	json_write_close(&w, ']');
	json_write_put(&w, "b", json_pack("{s:{}, s:[n, i]}", "c", "d", 1));
	json_write_members(&w, json_object());
	json_write_token(&w, "e", "true");
	json_write_close(&w, '}');
	assert_string_equal(b.data,
		"{\n  \"a\": [],\n  \"b\": {\n    \"c\": {},\n    \"d\": [\n      null,\n"
		"      1\n    ]\n  },\n  \"e\": true\n}");
	buf_release(&b);
}

/* The library that reads it again lays it out in the same way, whatever is in it. */
static void json_is_laid_out_as_jansson_does(void **state)
{
	(void)state;
	for (size_t i = 0; fixture_formats_names[i]; i++) {
		struct fixture_formats f;
		struct buf b;
		json_t *o;
		char *text;

		assert_true(fixture_formats(&f, fixture_formats_names[i]));
		buf_init(&b, BIG);
		comparison_json_write(&b, &f.c);
		o = json_loads(b.data, JSON_REJECT_DUPLICATES, NULL);
		text = json_dumps(o, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
		assert_non_null(text);
		assert_int_equal(strlen(text) + 1, b.len);
		assert_memory_equal(b.data, text, strlen(text));
		free(text);
		json_decref(o);
		buf_release(&b);
		fixture_formats_release(&f);
	}
}

static int spill_into(void *arg, const char *p, size_t n)
{
	return buf_add(arg, p, n);
}

/* Forms that the program hands on in pieces must not look back. */
static void long_forms_are_the_same_in_pieces(void **state)
{
	static void (*const forms[])(struct buf *, const struct comparison *) = {
		comparison_json_write, report_csv};

	(void)state;
	for (size_t i = 0; fixture_formats_names[i]; i++)
		for (size_t k = 0; k < 2; k++) {
			struct fixture_formats f;
			struct buf whole, pieces, all;

			assert_true(fixture_formats(&f, fixture_formats_names[i]));
			buf_init(&whole, BIG);
			buf_init(&all, BIG);
			buf_init_spill(&pieces, BIG, spill_into, &all);
			forms[k](&whole, &f.c);
			forms[k](&pieces, &f.c);
			assert_int_equal(buf_flush(&pieces), 0);
			assert_int_equal(whole.len, all.len);
			assert_memory_equal(whole.data, all.data, all.len);
			buf_release(&pieces);
			buf_release(&all);
			buf_release(&whole);
			fixture_formats_release(&f);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(empty_ones_are_short),
		cmocka_unit_test(json_is_laid_out_as_jansson_does),
		cmocka_unit_test(long_forms_are_the_same_in_pieces),
	};

	return cmocka_run_group_tests_name("json_write", tests, NULL, NULL);
}
