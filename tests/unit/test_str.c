/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/unit.h"

#include "harness/base/clock.h"
#include "harness/base/str.h"

static void numbers_are_whole_and_in_range(void **state)
{
	static const struct {
		const char *text;
		int rc;
		int64_t value;
	} cases[] = {{"0", 0, 0}, {"12", 0, 12}, {"-3", 0, -3}, {"100", 0, 100}, {"101", -1, 0},
		{"-6", -1, 0}, {"", -1, 0}, {" 1", -1, 0}, {"1 ", -1, 0}, {"+1", -1, 0},
		{"1x", -1, 0}, {"0x1", -1, 0}, {"1e1", -1, 0}, {"-", -1, 0},
		{"99999999999999999999", -1, 0}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int64_t v = 77;

		assert_int_equal(str_int(cases[i].text, -5, 100, &v), cases[i].rc);
		assert_int_equal(v, cases[i].rc ? 77 : cases[i].value);
	}
}

static void text_from_outside_is_cleaned(void **state)
{
	static const struct {
		const char *in, *out;
	} cases[] = {
		{"", ""},
		{"plain ~", "plain ~"},
		{"a\x1b[2Jb\nc\x7f", "a?[2Jb?c?"},
		{"\xc3\xa4 \xe2\x80\xa6 \xf0\x9f\x98\x80",
			"\xc3\xa4 \xe2\x80\xa6 \xf0\x9f\x98\x80"},
		{"\xc2\x9b[J \xc2\x80 \xc2\xa0", "?[J ? \xc2\xa0"},
		{"\x9b[J", "?[J"},
		{"cut \xe2\x80", "cut ??"},
		{"\xc3", "?"},
		{"\xc3(", "?("},
		{"\xf0\x9f\x98", "???"},
		{"\xc0\xaf \xe0\x80\xaf \xf0\x80\x80\xaf", "?? ??? ????"}, /* overlong */
		{"\xed\xa0\x80 \xf4\x90\x80\x80 \xff", "??? ???? ?"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct err e = ERR_INIT;
		char text[32];

		snprintf(text, sizeof(text), "%s", cases[i].in);
		str_clean(text);
		assert_string_equal(text, cases[i].out);
		err_set(&e, ERR_LAB, NULL, "%s", cases[i].in);
		assert_string_equal(e.msg, cases[i].out);
	}
}

static void durations_have_units(void **state)
{
	static const struct {
		const char *text;
		int rc;
		int64_t ms;
	} cases[] = {{"5", 0, 5000}, {"5s", 0, 5000}, {"250ms", 0, 250}, {"2m", 0, 120000},
		{"1h", 0, 3600000}, {"2h", -1, 0}, {"-1", -1, 0}, {"1.5s", -1, 0}, {"5 s", -1, 0},
		{"s", -1, 0}, {"9223372036854775807h", -1, 0}, {"5d", -1, 0}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int64_t ms = 77;

		assert_int_equal(str_duration_ms(cases[i].text, 3600000, &ms), cases[i].rc);
		assert_int_equal(ms, cases[i].rc ? 77 : cases[i].ms);
	}
}

static void the_nearest_name_is_near(void **state)
{
	static const char *const names[] = {"epyc9754", "vlab", "password_file"};

	(void)state;
	assert_string_equal(str_nearest("epyc975", names, 3), "epyc9754");
	assert_string_equal(
		str_nearest("vlba", names, 3) ? str_nearest("vlba", names, 3) : "-", "-");
	assert_string_equal(str_nearest("vlob", names, 3), "vlab");
	assert_string_equal(str_nearest("pasword_file", names, 3), "password_file");
	assert_null(str_nearest("frobnicate", names, 3));
	assert_null(str_nearest("x", names, 0));
}

static void names_are_safe_in_paths_and_urls(void **state)
{
	(void)state;
	assert_true(str_is_name("epyc9754"));
	assert_true(str_is_name("lab-3.rack_2"));
	assert_false(str_is_name(""));
	assert_false(str_is_name("../x"));
	assert_false(str_is_name(".x"));
	assert_false(str_is_name("a/b"));
	assert_false(str_is_name("A"));
	assert_false(str_is_name("a b"));
	assert_false(
		str_is_name("0123456789012345678901234567890123456789012345678901234567890123"));
}

static void random_hex_differs_and_is_hex(void **state)
{
	char a[65], b[65];

	(void)state;
	str_random_hex(32, a);
	str_random_hex(32, b);
	assert_int_equal(strlen(a), 64);
	assert_int_equal(strspn(a, "0123456789abcdef"), 64);
	assert_string_not_equal(a, b);
}

static void times_read_well(void **state)
{
	static const struct {
		int64_t ns;
		const char *text;
	} cases[] = {{0, "0ms"}, {350000000, "350ms"}, {7900000000, "7.9s"}, {59960000000, "1m00s"},
		{161000000000, "2m41s"}, {3720000000000, "1h02m"}};
	char out[32];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		clock_human(cases[i].ns, out, sizeof(out));
		assert_string_equal(out, cases[i].text);
	}
	clock_iso(1796044505000000000, out, sizeof(out));
	assert_string_equal(out, "2026-11-30T13:15:05Z");
}

static void shares_have_a_percent_sign(void **state)
{
	static const struct {
		const char *text;
		double share; /* 0: refused */
	} cases[] = {{"1%", .01}, {"0.5%", .005}, {".5%", .005}, {"2.%", .02}, {"100%", 1},
		{"0.01%", .0001}, {"0.009%", 0}, {"100.1%", 0}, {"1", 0}, {"%", 0}, {".%", 0},
		{"", 0}, {"1 %", 0}, {" 1%", 0}, {"+1%", 0}, {"-1%", 0}, {"1e1%", 0}, {"0x1%", 0},
		{"1,5%", 0}, {"1.5.2%", 0}, {"nan%", 0}, {"inf%", 0}, {"1%%", 0}, {"0%", 0}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		double v = 7;

		assert_int_equal(
			str_percent(cases[i].text, .01, 100, &v), cases[i].share > 0 ? 0 : -1);
		assert_true(v == (cases[i].share > 0 ? cases[i].share : 7));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_whole_and_in_range),
		cmocka_unit_test(text_from_outside_is_cleaned),
		cmocka_unit_test(durations_have_units),
		cmocka_unit_test(shares_have_a_percent_sign),
		cmocka_unit_test(the_nearest_name_is_near),
		cmocka_unit_test(names_are_safe_in_paths_and_urls),
		cmocka_unit_test(random_hex_differs_and_is_hex),
		cmocka_unit_test(times_read_well),
	};
	return cmocka_run_group_tests_name("str", tests, NULL, NULL);
}
