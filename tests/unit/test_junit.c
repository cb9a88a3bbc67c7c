/* SPDX-License-Identifier: GPL-3.0-or-later */
/* JUnit XML: what fails, what is an error.  Goldens: test_formats.c; a parser: tests/e2e/formats.t.
 */
#include "tests/unit/unit.h"

#include "harness/base/buf.h"
#include "harness/base/mem.h"
#include "reports/junit.h"
#include "reports/xml.h"
#include "tests/unit/fixture_formats.h"

enum { BIG = 1 << 20 };

static void xml_takes_any_bytes(void **state)
{
	static const struct {
		const char *in, *text, *attr;
	} list[] = {
		{"", "", " a=\"\""},
		{"a<b>&\"c'", "a&lt;b&gt;&amp;\"c'", " a=\"a&lt;b&gt;&amp;&quot;c'\""},
		{"]]>", "]]&gt;", " a=\"]]&gt;\""},
		{"\r\n\t", "&#13;\n\t", " a=\"&#13;&#10;&#9;\""},
		{"\x01\x1b\x7f", "??\x7f", " a=\"??\x7f\""},
		{"\xff\xc3 (", "?? (", " a=\"?? (\""},
		{"\xed\xa0\x80", "???", " a=\"???\""},
		{"\xef\xbf\xbe\xef\xbf\xbf\xef\xbf\xbd", "??\xef\xbf\xbd", " a=\"??\xef\xbf\xbd\""},
		{"\xf0\x9f\x98\x80\xc3\xa9", "\xf0\x9f\x98\x80\xc3\xa9",
			" a=\"\xf0\x9f\x98\x80\xc3\xa9\""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
		struct buf b;

		buf_init(&b, 100);
		xml_text(&b, list[i].in);
		assert_string_equal(b.data, list[i].text);
		buf_clear(&b);
		xml_attr(&b, "a", list[i].in);
		assert_string_equal(b.data, list[i].attr);
		buf_release(&b);
	}
}

static void expect_in_junit(const struct comparison *c, const char *text)
{
	struct buf b;

	buf_init(&b, BIG);
	report_junit(&b, c);
	if (!strstr(b.data, text))
		fail_msg("not in it: %s\n%s", text, b.data);
	buf_release(&b);
}

/* Slower modes of one run are what the run was made to find. */
static void junit_fails_only_between_sides(void **state)
{
	struct fixture_formats f;

	(void)state;
	assert_true(fixture_formats(&f, "clean"));
	assert_int_equal(f.c.sets[1].verdict.kind, VERDICT_HIGHER);
	expect_in_junit(&f.c, "<testsuites name=\"harness\" tests=\"12\" failures=\"0\"");
	f.c.kind = COMPARISON_SIDES; /* modes of one side: none is the other's past */
	expect_in_junit(&f.c, "<testsuites name=\"harness\" tests=\"12\" failures=\"0\"");
	memcpy(f.c.sets[1].mode, f.c.sets[0].mode, MODE_MAX);
	expect_in_junit(&f.c, "<testsuites name=\"harness\" tests=\"12\" failures=\"1\"");
	expect_in_junit(&f.c, "<failure type=\"regression\"");
	fixture_formats_release(&f);
}

static void junit_knows_whose_fault_a_boot_is(void **state)
{
	(void)state;
	for (int o = OUTCOME_OK; o < OUTCOME_COUNT; o++) {
		enum err_class cls = outcome_class((enum outcome)o);
		struct fixture_formats f;
		char *want;

		assert_true(fixture_formats(&f, "clean"));
		f.m[0].list[4].r.outcome = (enum outcome)o; /* the comparison is made already */
		want = mem_printf("failures=\"%d\" errors=\"%d\"", cls == ERR_MEASURE,
			cls != ERR_MEASURE && cls != ERR_NONE);
		expect_in_junit(&f.c, want);
		free(want);
		want = mem_printf("<%s type=\"%s\"", cls == ERR_MEASURE ? "failure" : "error",
			outcome_name((enum outcome)o));
		if (o != OUTCOME_OK)
			expect_in_junit(&f.c, want);
		free(want);
		fixture_formats_release(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(xml_takes_any_bytes),
		cmocka_unit_test(junit_fails_only_between_sides),
		cmocka_unit_test(junit_knows_whose_fault_a_boot_is),
	};

	return cmocka_run_group_tests_name("junit", tests, NULL, NULL);
}
