/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/unit.h"

#include "harness/base/clock.h"
#include "reports/side.h"

#define DAY(n) ((n)*CLOCK_DAY_NS)

static void real_days_only(void **state)
{
	static const struct {
		const char *text;
		int64_t day; /* -1: refused */
	} cases[] = {
		{"1970-01-01", 0},
		{"1970-12-31", 364},
		{"1972-02-29", 789},
		{"2000-02-29", 11016},
		{"2026-11-30", 20787},
		{"2261-12-31", 106650},
		{"2026-02-29", -1},
		{"2100-02-29", -1},
		{"2026-04-31", -1},
		{"2026-00-10", -1},
		{"2026-13-01", -1},
		{"2026-01-00", -1},
		{"2026-01-32", -1},
		{"1969-12-31", -1},
		{"2262-01-01", -1},
		{"2026-1-01", -1},
		{"2026-01-1", -1},
		{"2026-01-011", -1},
		{"2026/01/01", -1},
		{"2026-+1-01", -1},
		{" 026-01-01", -1},
		{"", -1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int64_t ns = 7;
		int rc = clock_day(cases[i].text, strlen(cases[i].text), &ns);

		if (rc != (cases[i].day < 0 ? -1 : 0) || ns != (rc ? 7 : DAY(cases[i].day)))
			fail_msg("%s: %d, %lld", cases[i].text, rc, (long long)ns);
	}
}

static void a_side_is_a_run_an_image_or_days(void **state)
{
	static const struct {
		const char *text;
		enum side_kind kind;
		const char *what, *mode;
		bool maybe_image;
		int64_t from, to; /* days; -1 and 0: open */
	} cases[] = {
		{"last", SIDE_RUN, "last", "", false, 0, 0},
		{"last~1", SIDE_RUN, "last~1", "", false, 0, 0},
		{"last/mixed", SIDE_RUN, "last", "mixed", false, 0, 0},
		{"7f3a", SIDE_RUN, "7f3a", "", true, 0, 0},
		{"7F3A/physical", SIDE_RUN, "7f3a", "physical", true, 0, 0},
		{"7f3", SIDE_RUN, "7f3", "", false, 0, 0},
		{"20261130", SIDE_RUN, "20261130", "", true, 0, 0},
		{"7f3a90c2-1b2d", SIDE_RUN, "7f3a90c2-1b2d", "", false, 0, 0},
		{"12345678-1b2d", SIDE_RUN, "12345678-1b2d", "", false, 0, 0},
		{"image:58eee895", SIDE_IMAGE, "58eee895", "", false, 0, 0},
		{"image:58EE/cluster", SIDE_IMAGE, "58ee", "cluster", false, 0, 0},
		{"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", SIDE_RUN,
			"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", "",
			true, 0, 0},
		{"1970-01-03", SIDE_DATES, "", "", false, 2, 3},
		{"1970-01-03/mixed", SIDE_DATES, "", "mixed", false, 2, 3},
		{"1970-01-03..1970-01-03", SIDE_DATES, "", "", false, 2, 3},
		{"1970-01-03..1970-02-01/mixed", SIDE_DATES, "", "mixed", false, 2, 32},
		{"1970-01-03..", SIDE_DATES, "", "", false, 2, 0},
		{"..1970-01-03", SIDE_DATES, "", "", false, -1, 3},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct err e = ERR_INIT;
		struct side_word w;

		if (side_parse(&w, cases[i].text, &e))
			fail_msg("%s: %s", cases[i].text, e.msg);
		assert_int_equal(w.kind, cases[i].kind);
		assert_string_equal(w.what, cases[i].what);
		assert_string_equal(w.mode, cases[i].mode);
		assert_int_equal(w.maybe_image, cases[i].maybe_image);
		if (w.kind != SIDE_DATES)
			continue;
		assert_true(w.from_ns == (cases[i].from < 0 ? INT64_MIN : DAY(cases[i].from)));
		assert_true(w.to_ns == (!cases[i].to ? INT64_MAX : DAY(cases[i].to)));
	}
}

static void a_side_may_name_a_build(void **state)
{
	static const struct {
		const char *text;
		enum side_kind kind;
		const char *what, *build, *mode;
	} cases[] = {
		{"7f3a/patched", SIDE_RUN, "7f3a", "", "patched"}, /* or a mode: a run tells */
		{"7f3a/patched/mixed", SIDE_RUN, "7f3a", "patched", "mixed"},
		{"last~1/base/physical", SIDE_RUN, "last~1", "base", "physical"},
		{"image:58eee895/base/mixed", SIDE_IMAGE, "58eee895", "base", "mixed"},
		{"1970-01-03../v2/mixed", SIDE_DATES, "", "v2", "mixed"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct err e = ERR_INIT;
		struct side_word w;

		if (side_parse(&w, cases[i].text, &e))
			fail_msg("%s: %s", cases[i].text, e.msg);
		assert_int_equal(w.kind, cases[i].kind);
		assert_string_equal(w.what, cases[i].what);
		assert_string_equal(w.build, cases[i].build);
		assert_string_equal(w.mode, cases[i].mode);
	}
}

static void what_is_no_side_is_one_line(void **state)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
		{"", "\"\" is no run, image or day"},
		{"foo", "\"foo\" is no run, image or day"},
		{"last~", "is no run"},
		{"last~-1", "is no run"},
		{"last~x", "is no run"},
		{"7f3g", "is no run"},
		{"7f3a ", "is no run"},
		{"/mixed", "is no run"},
		{"7f3a/", "after the slash stands a mode"},
		{"7f3a/Mixed", "after the slash stands a mode"},
		{"7f3a/a-mode-of-twenty-four-by", "after the slash stands a mode"},
		{"7f3a//mixed", "after the slash stands a mode"},
		{"7f3a/patched/", "after the slash stands a mode"},
		{"7f3a/a/b/c", "after the slash stands a mode"},
		{"7f3a/a-build-of-twenty-four-b/mixed", "or a build, as in 7f3a/patched"},
		{"image:", "4 to 64 digits"},
		{"image:58e", "4 to 64 digits"},
		{"image:xyzw", "4 to 64 digits"},
		{"image:58eee895-1", "4 to 64 digits"},
		{"image:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0",
			"4 to 64 digits"},
		{"2026-02-29", "\"2026-02-29\" in \"2026-02-29\" is not a day"},
		{"2026-11", "is not a day"},
		{"2026-11-30..2026-11", "\"2026-11\" in"},
		{"..", "has no day"},
		{"2026-11-30..2026-11-29", "ends before it begins"},
		{"2026-11-30...", "is not a day"},
		{"7f3a..", "is not a day"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct err e = ERR_INIT;
		struct side_word w;

		if (side_parse(&w, cases[i].text, &e) != -ERR_USAGE)
			fail_msg("\"%s\" was taken", cases[i].text);
		if (!strstr(e.msg, cases[i].says) || strchr(e.msg, '\n'))
			fail_msg("\"%s\" says: %s", cases[i].text, e.msg);
	}
}

static void days_are_written_as_they_are_read(void **state)
{
	static const char *const texts[] = {
		"1970-01-01", "2026-11-30", "2026-02-28..2026-03-01", "1970-01-01..2261-12-31"};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct err e = ERR_INIT;
		struct side_word w;
		char out[23];

		assert_int_equal(side_parse(&w, texts[i], &e), 0);
		side_days(w.from_ns, w.to_ns, out, sizeof(out));
		assert_string_equal(out, texts[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(real_days_only),
		cmocka_unit_test(a_side_is_a_run_an_image_or_days),
		cmocka_unit_test(a_side_may_name_a_build),
		cmocka_unit_test(what_is_no_side_is_one_line),
		cmocka_unit_test(days_are_written_as_they_are_read),
	};

	return cmocka_run_group_tests_name("side", tests, NULL, NULL);
}
