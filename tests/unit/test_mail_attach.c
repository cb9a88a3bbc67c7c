/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "harness/mail/attach.h"

#define UUID  "7f3a0000-0000-4000-8000-000000000000"
#define OTHER "8b2c0000-0000-4000-8000-000000000000"
#define HEAD  "From 0123 Mon Sep 17 00:00:00 2001\nFrom: A <a@b.c>\nSubject: [PATCH] x\n\n"
#define STAT  " f | 2 +-\n\n"
#define DIFF  "diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n-From x\n+---\n-- \n2.39.5\n\n"
#define BLOCK "harness report of run " UUID "\nslower\nend of the harness report\n"

static const struct {
	const char *name;
	bool in_message;
	const char *before, *after;
} cases[] = {
	{"below the line", false, HEAD "why\n\nSigned-off-by: A <a@b.c>\n---\n" STAT DIFF,
		HEAD "why\n\nSigned-off-by: A <a@b.c>\n---\n" BLOCK "\n" STAT DIFF},
	{"a note of the author stays below it", false, HEAD "why\n---\nv2: better\n\n" STAT DIFF,
		HEAD "why\n---\n" BLOCK "\nv2: better\n\n" STAT DIFF},
	{"no line: it gets one", false, HEAD "why\n\n" DIFF, HEAD "why\n\n---\n" BLOCK "\n" DIFF},
	{"a diff alone", false, DIFF, "---\n" BLOCK "\n" DIFF},
	{"CRLF stays", false, "Subject: x\r\n\r\nwhy\r\n---\r\n f\r\n",
		"Subject: x\r\n\r\nwhy\r\n---\r\nharness report of run " UUID
		"\r\nslower\r\nend of the harness report\r\n\r\n f\r\n"},
	{"above the trailers", true,
		HEAD "why: because\n\nFixes: 0123 (\"y\")\nSigned-off-by: A <a@b.c>\n---\n" DIFF,
		HEAD "why: because\n\n" BLOCK
		     "\nFixes: 0123 (\"y\")\nSigned-off-by: A <a@b.c>\n---\n" DIFF},
	{"a message without trailers", true, HEAD "note this\n---\n" DIFF,
		HEAD "note this\n\n" BLOCK "---\n" DIFF},
	{"a message with a table that looks like a line", true,
		HEAD "why\n\n---   old table   ---\n---\tnew\n\nLink: x\n---\n" DIFF,
		HEAD "why\n\n---   old table   ---\n---\tnew\n\n" BLOCK "\nLink: x\n---\n" DIFF},
	{"no line, names of a diff", false, HEAD "why\n\n--- a/f\n+++ b/f\n",
		HEAD "why\n\n---\n" BLOCK "\n--- a/f\n+++ b/f\n"},
	{"no message at all", true, HEAD "---\n" DIFF, HEAD BLOCK "\n---\n" DIFF},
	{"a message that ends in a blank line", true, HEAD "why\n\n---\n" DIFF,
		HEAD "why\n\n" BLOCK "\n---\n" DIFF},
	{"no line, in the message", true, HEAD "why\n\n" DIFF, HEAD "why\n\n" BLOCK "\n" DIFF},
};

/* The last paragraph of a message, and whether git takes it for trailers. */
static const struct {
	const char *text;
	bool trailers;
} paragraphs[] = {
	{"Fixes: 0123 (\"y\")\n", true},
	{"Reviewed-by: A <a@b.c>\nRelease2: yes\nlower : x\n", true},
	{"Tested-by: A <a@b.c>,\n B <b@b.c>\n", true},
	{"Signed-off-by: A <a@b.c>\n[jb: adjusted the subject]\nSigned-off-by: B <b@b.c>\n", true},
	{"master commit: 0123\nmaster date: today\nSigned-off-by: A <a@b.c>\n", true},
	{"(cherry picked from commit 0123)\nand\nmore\nwords\n", true},
	{"(cherry picked from commit 0123)\nand\nmore\nmore\nwords\n", false},
	{"words\n and\n  more\nwords\nSigned-off-by: A <a@b.c>\n", false},
	{"# x\n# y\n# z\n# words\nSigned-off-by: A <a@b.c>\n", true},
	{"Acked-by: A <a@b.c>\n[jb: adjusted the subject]\n", false},
	{" Acked-by: A <a@b.c>\n", false},
	{"see http://a/b\n", false},
	{": x\n", false},
	{"words\n", false},
};

static char *attached(const char *patch, const char *run, const char *report, bool in_message)
{
	struct attach a = {.run = run, .report = report, .in_message = in_message};
	struct err e = ERR_INIT;
	struct buf out;

	buf_init(&out, 1 << 20);
	assert_int_equal(attach_patch(&out, patch, strlen(patch), &a, &e), 0);
	return buf_detach(&out);
}

static void report_goes_to_its_place(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *once = attached(cases[i].before, UUID, "slower\n", cases[i].in_message),
		     *twice;

		if (strcmp(once, cases[i].after) != 0)
			fail_msg("%s:\n%s", cases[i].name, once);
		twice = attached(once, UUID, "slower\n", cases[i].in_message);
		if (strcmp(twice, once) != 0)
			fail_msg("%s, twice:\n%s", cases[i].name, twice);
		free(twice);
		free(once);
	}
}

static void trailers_are_what_git_takes_for_them(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(paragraphs) / sizeof(paragraphs[0]); i++)
		for (int blanks = 0; blanks < 2; blanks++) {
			const char *text = paragraphs[i].text, *gap = blanks ? " \n" : "\n";
			struct buf patch;
			char *out, *report, *last;

			buf_init(&patch, 10000);
			buf_addf(&patch, "%swhy\n%s%s---\n%s", HEAD, gap, text, DIFF);
			out = attached(patch.data, UUID, "slower\n", true);
			report = strstr(out, BLOCK);
			last = strstr(out, text);
			if (!report || !last || (report < last) != paragraphs[i].trailers)
				fail_msg("%s\n%s", text, out);
			free(out);
			buf_release(&patch);
		}
}

/* Of another run, with more in it, and from the one place to the other. */
static void earlier_report_is_replaced(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *old, *moved, *back;

		if (strstr(cases[i].name, "no line") || !strcmp(cases[i].name, "a diff alone"))
			continue;
		old = attached(cases[i].before, OTHER, "a\n\n\nb", cases[i].in_message);
		moved = attached(old, OTHER, "c\n", !cases[i].in_message);
		back = attached(moved, UUID, "slower", cases[i].in_message);
		assert_non_null(strstr(old, OTHER));
		if (strcmp(back, cases[i].after) != 0)
			fail_msg("%s:\n%s", cases[i].name, back);
		free(old);
		free(moved);
		free(back);
	}
}

static void nothing_of_a_report_is_taken_for_a_patch_or_a_comment(void **state)
{
	static const char report[] = "diff --git a b\n--- a\n+++ b\n@@ -1 +1 @@\n# x\nFrom x\n---\n"
				     "Index: f\nend of the harness report\n+ physical\nblanks \t\n";
	char *out;

	(void)state;
	out = attached(HEAD "---\n" DIFF, UUID, report, true);
	assert_string_equal(out, HEAD
		"harness report of run " UUID "\n diff --git a b\n --- a\n +++ b\n @@ -1 +1 @@\n"
		" # x\n From x\n ---\n Index: f\n end of the harness report\n+ physical\n"
		"blanks\nend of the harness report\n\n---\n" DIFF);
	free(out);
}

static void other_character_set_gets_ascii(void **state)
{
	static const char patch[] =
		"Subject: x\nContent-Type: text/plain;\n charset=iso-8859-1\n\n\xe4\n---\n" DIFF;
	char *out;

	(void)state;
	out = attached(patch, UUID, "\xc3\xa4 \xe2\x82\xac\n", false);
	assert_non_null(strstr(out, "\n? ?\n"));
	assert_non_null(strstr(out, "\n\xe4\n---\n"));
	free(out);
	out = attached(HEAD "---\n" DIFF, UUID, "\xc3\xa4\n", false);
	assert_non_null(strstr(out, "\n\xc3\xa4\n"));
	free(out);
}

static const struct {
	const char *patch, *why;
} refused[] = {
	{"", "no patch in the file"},
	{"Subject: x\n\nonly words\n", "no patch in the file"},
	{HEAD "why\n---\n" DIFF HEAD "why\n---\n" DIFF, "more than one mail"},
	{"Subject: x\nContent-Transfer-Encoding: base64\n\nLS0t\n", "encoded mail (base64)"},
	{"Subject: x\ncontent-transfer-encoding: Quoted-Printable\n\n---\n", "encoded mail"},
	{"Subject: x\nContent-Type: multipart/mixed;\n boundary=x\n\n---\n", "several parts"},
	{HEAD "why\n---\nharness report of run " UUID "\nslower\n" DIFF,
		"line 7 begins an earlier report"},
};

static void patch_without_a_place_is_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		struct attach a = {.run = UUID, .report = "slower\n"};
		struct err e = ERR_INIT;
		struct buf out;

		buf_init(&out, 1 << 20);
		assert_int_equal(
			attach_patch(&out, refused[i].patch, strlen(refused[i].patch), &a, &e),
			-ERR_USAGE);
		assert_string_equal(e.code, "E_ATTACH");
		if (!strstr(e.msg, refused[i].why))
			fail_msg("%zu: %s", i, e.msg);
		assert_int_equal(out.len, 0);
		buf_release(&out);
	}
}

/* Cut anywhere it is a result or an error, and nothing is read past the end. */
static void patch_cut_anywhere_is_no_trouble(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		for (size_t n = 0; n <= strlen(cases[i].after); n++) {
			struct attach a = {.run = UUID,
				.report = "slower\n",
				.in_message = cases[i].in_message};
			char *patch = malloc(n ? n : 1);
			struct err e = ERR_INIT;
			struct buf out;

			memcpy(patch, cases[i].after, n);
			buf_init(&out, 1 << 20);
			if (attach_patch(&out, patch, n, &a, &e))
				assert_string_equal(e.code, "E_ATTACH");
			else
				assert_non_null(
					strstr(out.data, BLOCK) ?: strstr(out.data, "\r\n"));
			buf_release(&out);
			free(patch);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(report_goes_to_its_place),
		cmocka_unit_test(trailers_are_what_git_takes_for_them),
		cmocka_unit_test(earlier_report_is_replaced),
		cmocka_unit_test(nothing_of_a_report_is_taken_for_a_patch_or_a_comment),
		cmocka_unit_test(other_character_set_gets_ascii),
		cmocka_unit_test(patch_without_a_place_is_refused),
		cmocka_unit_test(patch_cut_anywhere_is_no_trouble),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
