/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What programs read: JSON, CSV and JUnit XML.  Numbers and schema: tests/e2e/formats.t. */
#include "tests/unit/unit.h"

#include <math.h>

#include "harness/base/buf.h"
#include "harness/base/mem.h"
#include "harness/base/path.h"
#include "harness/base/str.h"
#include "reports/comparison_json.h"
#include "reports/csv.h"
#include "reports/fields.h"
#include "reports/json.h"
#include "reports/junit.h"
#include "tests/unit/fixture_formats.h"

enum { BIG = 16 << 20 };

typedef void render_fn(struct buf *, const struct comparison *);

/* Libraries differ in the last digits of a number, so the goldens have nine.  The runs are held by
 * other tests. */
static void json_of_sets(struct buf *out, const struct comparison *c)
{
	json_t *o = comparison_json(c);
	char *text;

	text = json_dumps(o, JSON_INDENT(1) | JSON_REAL_PRECISION(9));
	buf_adds(out, text);
	buf_addc(out, '\n');
	free(text);
	json_decref(o);
}

/* No field of the fixtures is quoted. */
static void verdicts_rounded(struct buf *out, const struct comparison *c)
{
	struct buf b;
	char *end;

	buf_init(&b, BIG);
	report_csv_verdicts(&b, c);
	for (const char *p = b.data; *p;) {
		double v = strtod(p, &end);

		if (*p != '\r' && end > p && strchr(",\r", *end)) {
			buf_addf(out, "%.9g", v);
			p = end;
		}
		p += strcspn(end = (char *)p, ",\n");
		p += *p != '\0';
		buf_add(out, end, (size_t)(p - end));
	}
	buf_release(&b);
}

static const struct {
	const char *name;
	const char *suffix;
	render_fn *render;
} golden_formats[] = {
	{"comparison", "json", json_of_sets},
	{"samples", "csv", report_csv},
	{"verdicts", "csv", verdicts_rounded},
	{"junit", "xml", report_junit},
};

static void expect_golden(const struct comparison *c, const char *name, size_t format)
{
	char *path = mem_printf("tests/golden/%s-%s.%s", golden_formats[format].name, name,
		golden_formats[format].suffix);
	char *other = mem_printf("%s.new", path);
	struct buf got, want;
	struct err e = ERR_INIT;

	buf_init(&got, BIG);
	buf_init(&want, BIG);
	golden_formats[format].render(&got, c);
	assert_false(got.failed);
	if (getenv("GOLDEN_NEW"))
		assert_int_equal(path_write(other, got.data, got.len, 0644, &e), 0);
	if (path_read(path, &want, &e))
		fail_msg("%s", e.msg);
	assert_string_equal(got.data, want.data);
	buf_release(&got);
	buf_release(&want);
	free(other);
	free(path);
}

static void formats_of_the_fixtures_are_the_golden_ones(void **state)
{
	static const char *const names[] = {
		"clean", "rough", "empty", "single", "shifted", "builds", "hang"};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct fixture_formats f;

		assert_true(fixture_formats(&f, names[i]));
		for (size_t k = 0; k < sizeof(golden_formats) / sizeof(golden_formats[0]); k++)
			expect_golden(&f.c, names[i], k);
		fixture_formats_release(&f);
	}
}

static void junit_of_sides_says_what_got_slower(void **state)
{
	struct fixture_formats f;

	(void)state;
	assert_true(fixture_formats(&f, "sides"));
	expect_golden(&f.c, "sides", 3);
	fixture_formats_release(&f);
}

static render_fn *const renders[] = {
	comparison_json_write, report_csv, report_csv_verdicts, report_junit};
enum { RENDERS = sizeof(renders) / sizeof(renders[0]) };

static void same_comparison_gives_the_same_bytes(void **state)
{
	(void)state;
	for (size_t i = 0; fixture_formats_names[i]; i++)
		for (size_t k = 0; k < RENDERS; k++) {
			struct fixture_formats f, twin;
			struct buf a, b;

			assert_true(fixture_formats(&f, fixture_formats_names[i]));
			assert_true(fixture_formats(&twin, fixture_formats_names[i]));
			buf_init(&a, BIG);
			buf_init(&b, BIG);
			renders[k](&a, &f.c);
			renders[k](&b, &twin.c);
			assert_false(a.failed);
			assert_int_equal(a.len, b.len);
			assert_memory_equal(a.data, b.data, a.len);
			buf_release(&a);
			buf_release(&b);
			fixture_formats_release(&f);
			fixture_formats_release(&twin);
		}
}

/* What is not finite must not even look like it; words with these letters are not in the fixtures.
 */
static void no_number_is_nan_or_infinite(void **state)
{
	(void)state;
	for (size_t i = 0; fixture_formats_names[i]; i++)
		for (size_t k = 0; k < RENDERS; k++) {
			struct fixture_formats f;
			struct buf b;

			assert_true(fixture_formats(&f, fixture_formats_names[i]));
			buf_init(&b, BIG);
			renders[k](&b, &f.c);
			assert_null(strcasestr(b.data, "nan"));
			for (const char *p = b.data; (p = strcasestr(p, "inf")); p += 3)
				fail_msg("%s: %.40s", fixture_formats_names[i], p);
			buf_release(&b);
			fixture_formats_release(&f);
		}
}

static void report_that_does_not_fit_is_marked(void **state)
{
	struct fixture_formats f;

	(void)state;
	assert_true(fixture_formats(&f, "clean"));
	for (size_t k = 0; k < RENDERS; k++)
		for (size_t max = 10; max < 1000; max *= 3) {
			struct buf b;

			buf_init(&b, max);
			renders[k](&b, &f.c);
			assert_true(b.failed);
			buf_release(&b);
		}
	fixture_formats_release(&f);
}

static void json_holds_the_runs_whole(void **state)
{
	struct fixture_formats f;
	struct buf b;
	json_t *o, *runs;

	(void)state;
	assert_true(fixture_formats(&f, "runs"));
	buf_init(&b, BIG);
	comparison_json_write(&b, &f.c);
	o = json_loads(b.data, JSON_REJECT_DUPLICATES, NULL);
	runs = json_object_get(o, "runs");
	assert_int_equal(json_array_size(runs), 4);
	for (size_t i = 0; i < 4; i++) {
		struct json_write w;
		json_t *run;

		buf_clear(&b);
		json_write_init(&w, &b, 2);
		json_write_open(&w, NULL, '{');
		report_json(&w, &f.m[i]);
		json_write_close(&w, '}');
		run = json_loads(b.data, JSON_REJECT_DUPLICATES, NULL);
		assert_non_null(run);
		assert_true(json_equal(json_array_get(runs, i), run));
		json_decref(run);
	}
	json_decref(o);
	buf_release(&b);
	fixture_formats_release(&f);
}

static void json_begins_with_what_it_is(void **state)
{
	static const char begin[] =
		"{\n \"format\": \"harness-report\",\n \"version\": 1,\n \"kind\": \"run\",\n";
	struct fixture_formats f;
	struct buf b;

	(void)state;
	assert_true(fixture_formats(&f, "single"));
	buf_init(&b, BIG);
	comparison_json_write(&b, &f.c);
	assert_memory_equal(b.data, begin, sizeof(begin) - 1);
	assert_memory_equal(b.data + b.len - 3, "\n}\n", 3);
	buf_release(&b);
	fixture_formats_release(&f);
}

static void json_keeps_the_text_that_is_utf8(void **state)
{
	json_t *v = report_json_text("\xc3\xa9\xff\xed\xa0\x80\xe2\x82\xac\xe2\x82\x01");

	(void)state;
	assert_string_equal(json_string_value(v), "\xc3\xa9????\xe2\x82\xac??\x01");
	json_decref(v);
}

static void schema_is_in_the_binary(void **state)
{
	json_t *o = json_loads(report_schema(), JSON_REJECT_DUPLICATES, NULL);

	(void)state;
	assert_non_null(o);
	assert_string_equal(json_string_value(json_object_get(o, "$schema")),
		"https://json-schema.org/draft/2020-12/schema");
	assert_non_null(json_object_get(json_object_get(o, "$defs"), "run"));
	json_decref(o);
}

static const struct field *field_of(const struct field *list, const char *name)
{
	for (size_t i = 0; i < FIELDS_VERDICT; i++)
		if (!strcmp(list[i].name, name))
			return &list[i];
	fail_msg("no field %s", name);
	return NULL;
}

/* Each flag takes the type of the numbers that it rules out, and of no other. */
static void fields_leave_out_what_a_flag_rules_out(void **state)
{
	static const struct verdict all = {.kind = VERDICT_NONE,
		.factor = 1,
		.relative = true,
		.pct_bounded = true,
		.seen_known = true,
		.observed_boots = 12,
		.effect_boots = 14,
		.rank_known = true};
	struct verdict v;
	struct field list[FIELDS_VERDICT];
	size_t known = 0;

	(void)state;
	fields_verdict(list, &all);
	for (size_t i = 0; i < FIELDS_VERDICT; i++)
		assert_true(list[i].type != FIELD_NONE);

	v = all;
	v.exact = true;
	fields_verdict(list, &v);
	assert_int_equal(field_of(list, "t")->type, FIELD_NONE);
	assert_int_equal(field_of(list, "p")->type, FIELD_REAL);

	v = all;
	v.pct_bounded = false;
	fields_verdict(list, &v);
	assert_int_equal(field_of(list, "difference_pct")->type, FIELD_REAL);
	assert_int_equal(field_of(list, "difference_low_pct")->type, FIELD_NONE);
	assert_int_equal(field_of(list, "difference_high_pct")->type, FIELD_NONE);

	v = all;
	v.relative = false;
	fields_verdict(list, &v);
	assert_int_equal(field_of(list, "difference_pct")->type, FIELD_NONE);
	assert_int_equal(field_of(list, "seen_pct")->type, FIELD_NONE);
	assert_int_equal(field_of(list, "seen_ns")->type, FIELD_REAL);

	v = all;
	v.observed_boots = 100001;
	v.effect_boots = 0;
	fields_verdict(list, &v);
	assert_int_equal(field_of(list, "observed_boots")->type, FIELD_NONE);
	assert_true(field_of(list, "observed_hopeless")->yes);
	assert_int_equal(field_of(list, "effect_boots")->type, FIELD_NONE);
	assert_int_equal(field_of(list, "effect_hopeless")->type, FIELD_NONE);

	v = all;
	v.diff = NAN;
	v.lo = -INFINITY;
	fields_verdict(list, &v);
	assert_int_equal(field_of(list, "difference_ns")->type, FIELD_NONE);
	assert_int_equal(field_of(list, "difference_low_ns")->type, FIELD_NONE);

	v = all;
	v.kind = VERDICT_TOO_FEW;
	fields_verdict(list, &v);
	for (size_t i = 0; i < FIELDS_VERDICT; i++)
		known += list[i].type != FIELD_NONE;
	assert_int_equal(known, 3); /* the counts of boots */
}

static void csv_text_is_quoted_and_no_formula(void **state)
{
	static const struct {
		const char *in, *out;
	} list[] = {
		{"", ""},
		{"mixed", "mixed"},
		{"a b=c", "a b=c"},
		{"a,b", "\"a,b\""},
		{"a\"b", "\"a\"\"b\""},
		{"=1+2", "'=1+2"},
		{"+1", "'+1"},
		{"-1", "'-1"},
		{"@x", "'@x"},
		{"'x", "''x"},
		{"=a,\"b\"", "\"'=a,\"\"b\"\"\""},
		{"a\r\nb\tc", "a??b?c"},
		{"\t=1", "?=1"},
		{"\xff\x01\xc3\xa9", "??\xc3\xa9"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
		struct buf b;

		buf_init(&b, 100);
		report_csv_text(&b, list[i].in);
		assert_string_equal(b.data, list[i].out);
		buf_release(&b);
	}
}

/* A boot may be in two sets: then its samples have a row in each. */
static void csv_has_a_row_for_each_set_of_a_boot(void **state)
{
	static const struct verdict_opts opts = VERDICT_OPTS_INIT;
	struct comparison c;
	struct err e = ERR_INIT;
	struct model m;
	const struct model *run = &m;
	struct comparison_pick p = {
		.name = "one", .mode = "mixed", .image = "aa", .runs = &run, .n_runs = 1};
	struct buf b;
	size_t one = 0, two = 0, none = 0, rows = 0;

	(void)state;
	fixture_clean(&m);
	for (size_t i = 0; i < m.n_list; i++)
		memset(m.list[i].r.image_sha256, i < 4 ? 'a' : 'b', SHA256_HEX);
	comparison_init(&c, COMPARISON_SIDES, &opts);
	assert_int_equal(comparison_add(&c, &p, &e), 0);
	p.name = "two";
	p.image = "";
	assert_int_equal(comparison_add(&c, &p, &e), 0);
	buf_init(&b, BIG);
	report_csv(&b, &c);
	for (const char *line = b.data; (line = strstr(line, "\r\n")) && line[2]; line += 2) {
		const char *end = strstr(line + 2, "\r\n");
		size_t n = (size_t)(end - line);

		rows++;
		one += memmem(line, n, ",one,", 5) != NULL;
		two += memmem(line, n, ",two,", 5) != NULL;
		if (memmem(line, n, "flush-all,,", 11)) {
			none++;
			assert_memory_equal(end - 9, ",0,cycle,", 9); /* not used */
		}
	}
	assert_int_equal(rows, (9 + 1) * FIXTURE_SAMPLES);
	assert_int_equal(one, FIXTURE_SAMPLES);
	assert_int_equal(two, 3 * FIXTURE_SAMPLES);
	assert_int_equal(none, 6 * FIXTURE_SAMPLES);
	buf_release(&b);
	comparison_release(&c);
	model_release(&m);
}

/* Parsers look closer (formats.t); here under the sanitizers. */
static void hostile_strings_leave_text_that_is_clean(void **state)
{
	struct fixture_formats f;

	(void)state;
	assert_true(fixture_formats(&f, "hostile"));
	for (size_t k = 0; k < RENDERS; k++) {
		struct buf b;

		buf_init(&b, BIG);
		renders[k](&b, &f.c);
		assert_false(b.failed);
		assert_int_equal(strlen(b.data), b.len);
		for (const char *p = b.data; *p;) {
			size_t n = str_utf8(p);

			assert_true(n > 0);
			assert_true((unsigned char)*p >= 0x20 || strchr("\n\r\t", *p));
			assert_true(memcmp(p, "\xef\xbf\xbf", 3) || renders[k] != report_junit);
			p += n;
		}
		assert_null(strstr(b.data, renders[k] == report_junit ? "]]>" : "\n=1+2"));
		buf_release(&b);
	}
	fixture_formats_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(formats_of_the_fixtures_are_the_golden_ones),
		cmocka_unit_test(junit_of_sides_says_what_got_slower),
		cmocka_unit_test(same_comparison_gives_the_same_bytes),
		cmocka_unit_test(no_number_is_nan_or_infinite),
		cmocka_unit_test(report_that_does_not_fit_is_marked),
		cmocka_unit_test(json_holds_the_runs_whole),
		cmocka_unit_test(json_begins_with_what_it_is),
		cmocka_unit_test(json_keeps_the_text_that_is_utf8),
		cmocka_unit_test(schema_is_in_the_binary),
		cmocka_unit_test(fields_leave_out_what_a_flag_rules_out),
		cmocka_unit_test(csv_text_is_quoted_and_no_formula),
		cmocka_unit_test(csv_has_a_row_for_each_set_of_a_boot),
		cmocka_unit_test(hostile_strings_leave_text_that_is_clean),
	};

	return cmocka_run_group_tests_name("formats", tests, NULL, NULL);
}
