/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The text report as a whole: several runs, width, colour, and what is never in it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/path.h"
#include "tests/unit/fixture_comparison.h"
#include "tests/unit/text.h"

static void expect_golden(const struct comparison *c, size_t width, const char *name)
{
	char *path = mem_printf("tests/golden/%s", name), *other = mem_printf("%s.new", path);
	char *got = rendered(c, width, false), *again = rendered(c, width, false);
	struct err e = ERR_INIT;
	struct buf want;

	assert_string_equal(again, got);
	buf_init(&want, BIG);
	if (getenv("GOLDEN_NEW"))
		assert_int_equal(path_write(other, got, strlen(got), 0644, &e), 0);
	if (path_read(path, &want, &e))
		fail_msg("%s", e.msg);
	assert_string_equal(got, want.data);
	buf_release(&want);
	free(path);
	free(other);
	free(got);
	free(again);
}

static void sides_stand_in_blocks(void **state)
{
	struct made d;

	(void)state;
	make_sides(&d);
	expect_golden(&d.c, TEXT_WIDTH, "report-sides.txt");
	made_release(&d);
	make_allowed(&d);
	expect_golden(&d.c, TEXT_WIDTH_MAIL, "report-sides-mail.txt");
	made_release(&d);
}

static void runs_that_differ_among_themselves_are_named(void **state)
{
	struct made d;

	(void)state;
	make_many(&d);
	expect_words(&d.c, "the 7 runs of B differ among themselves by 1.", NULL);
	expect_words(
		&d.c, "): their boots are not independent, and the interval is too narrow", NULL);
	expect_words(&d.c, "... and 4 runs between these 093a,", "053a");
	expect_words(&d.c, "14 runs, 2026-11-30 .. 2026-12-13 UTC", NULL);
	made_release(&d);
	make_sides(&d);
	expect_words(&d.c, "7f3a, 2026-11-30T13:15:05Z, Xen 4.19.1", "among themselves");
	made_release(&d);
}

static size_t columns(const char *line)
{
	size_t n = 0;

	for (; *line; line++)
		n = *line == '\t' ? n / 8 * 8 + 8 : n + 1;
	return n;
}

static void no_line_is_longer_than_the_width(void **state)
{
	static const size_t widths[] = {TEXT_WIDTH_MAIL, TEXT_WIDTH, 100};

	(void)state;
	for (size_t i = 0; i < COUNT(makes); i++)
		for (size_t k = 0; k < COUNT(widths); k++) {
			struct made d;
			char *s, *save;

			makes[i](&d);
			s = rendered(&d.c, widths[k], false);
			for (char *l = strtok_r(s, "\n", &save); l; l = strtok_r(NULL, "\n", &save))
				if (columns(l) > widths[k] && strchr(l + strspn(l, " "), ' '))
					fail_msg("%zu columns: %s", columns(l), l);
			free(s);
			made_release(&d);
		}
}

static void colour_changes_no_text(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(makes); i++) {
		struct made d;
		char *plain, *colour, *to;

		makes[i](&d);
		plain = rendered(&d.c, TEXT_WIDTH, false);
		colour = rendered(&d.c, TEXT_WIDTH, true);
		assert_null(strchr(plain, '\x1b'));
		assert_non_null(strchr(colour, '\x1b'));
		to = colour;
		for (const char *p = colour; *p; p++)
			if (*p == '\x1b')
				p += strcspn(p, "m");
			else
				*to++ = *p;
		*to = '\0';
		assert_string_equal(colour, plain);
		free(plain);
		free(colour);
		made_release(&d);
	}
}

static void colour_tells_slower_from_faster(void **state)
{
	struct made d;
	char *s;

	(void)state;
	make_clean(&d);
	s = rendered(&d.c, TEXT_WIDTH, true);
	assert_non_null(strstr(s, "\x1b[31mslower\x1b[0m than mixed"));
	assert_non_null(strstr(s, "\x1b[33mno difference\x1b[0m from mixed"));
	assert_non_null(strstr(s, "\x1b[2mmachine\x1b[0m"));
	assert_non_null(strstr(s, "\n\x1b[36mx\x1b[0m mixed\n"));
	free(s);
	d.c.sets[1].verdict.kind = VERDICT_LOWER;
	s = rendered(&d.c, TEXT_WIDTH, true);
	assert_non_null(strstr(s, "\x1b[32mfaster\x1b[0m than mixed"));
	free(s);
	made_release(&d);
}

/* A word of letters by itself, whatever its case. */
static bool has_word(const char *s, const char *word)
{
	for (const char *p = s; (p = strcasestr(p, word)); p++)
		if ((p == s || !isalpha((unsigned char)p[-1])) &&
			!isalpha((unsigned char)p[strlen(word)]))
			return true;
	return false;
}

static bool has_minus_zero(const char *s)
{
	for (const char *p = s; (p = strchr(p, '-')); p++) {
		size_t n = strspn(p + 1, "0123456789.");

		if (n && (p == s || strchr(" [\t", p[-1])) && strspn(p + 1, "0.") == n)
			return true;
	}
	return false;
}

static void what_is_no_number_is_never_printed(void **state)
{
	(void)state;
	assert_true(has_word("a NaN%", "nan") && has_minus_zero("[-0.00, 1]"));
	for (size_t i = 0; i < COUNT(makes); i++) {
		struct made d;
		char *s;

		makes[i](&d);
		s = rendered(&d.c, TEXT_WIDTH, false);
		if (has_word(s, "nan") || has_word(s, "inf") || has_minus_zero(s))
			fail_msg("no number in: %s", s);
		free(s);
		made_release(&d);
	}
}

static void a_reference_of_zero_has_no_percentage(void **state)
{
	struct made d;

	(void)state;
	make_zero(&d);
	expect_words(&d.c,
		"cluster slower than mixed by +355.87 ms [+355.15, +356.58], p = 4.4e-07 3 boots "
		"each; no percentage, since the mean of mixed is 0",
		NULL);
	expect_words(&d.c, "physical no difference from mixed: the means are the same", NULL);
	made_release(&d);
}

static void a_name_cannot_send_control_characters(void **state)
{
	struct made d;
	char *s;

	(void)state;
	make_sides(&d);
	snprintf(d.c.sets[1].name, sizeof(d.c.sets[1].name), "b\x1b[31m\x07");
	snprintf(d.c.sets[0].name, sizeof(d.c.sets[0].name), "a\x1b]0;a very long title it is\x07");
	s = rendered(&d.c, TEXT_WIDTH, false);
	for (const char *p = s; *p; p++)
		assert_true((unsigned char)*p >= 0x20 || *p == '\n' || *p == '\t');
	free(s);
	made_release(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sides_stand_in_blocks),
		cmocka_unit_test(runs_that_differ_among_themselves_are_named),
		cmocka_unit_test(no_line_is_longer_than_the_width),
		cmocka_unit_test(colour_changes_no_text),
		cmocka_unit_test(colour_tells_slower_from_faster),
		cmocka_unit_test(what_is_no_number_is_never_printed),
		cmocka_unit_test(a_reference_of_zero_has_no_percentage),
		cmocka_unit_test(a_name_cannot_send_control_characters),
	};
	return cmocka_run_group_tests_name("text", tests, NULL, NULL);
}
