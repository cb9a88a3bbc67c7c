/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "harness/mail/diff.h"
#include "harness/mail/mend.h"

#define HEAD "t\n---\ndiff --git a/d/f b/d/f\nindex 1234567..89abcde 100644\n--- a/d/f\n+++ b/d/f\n"
/* 64 columns, so that the next word had no room. */
#define LONG "long long long long long long long long long long long long long"

static void wrapped_lines_are_joined_where_counts_tell(void **state)
{
	static const struct {
		const char *in, *out; /* after HEAD; out NULL: an error, which says `why` */
		size_t joined;
		bool blank;
		const char *why;
	} cases[] = {
		{"@@ -1,2 +1,2 @@\n a\n-b\n+c\n-- \n2.39\n", NULL, 0, false, ""},
		/* A line that is none of a hunk. */
		{"@@ -1 +1 @@\n-a\n+" LONG "\nword\n-- \n2.39\n",
			"@@ -1 +1 @@\n-a\n+" LONG "word\n-- \n2.39\n", 1, false, ""},
		{"@@ -1 +1 @@\n-a\n+" LONG "\nword\n", "@@ -1 +1 @@\n-a\n+" LONG " word\n", 1, true,
			""},
		{"@@ -1 +1 @@\n-a\n+" LONG " \nword\n", "@@ -1 +1 @@\n-a\n+" LONG " word\n", 1,
			true, ""},
		/* In the middle, in two, and the hunk's own line. */
		{"@@ -1,2 +1,2 @@ " LONG "\nword\n a\n-" LONG "\n" LONG "\nword\n+b\n",
			"@@ -1,2 +1,2 @@ " LONG "word\n a\n-" LONG LONG "word\n+b\n", 3, false, ""},
		/* A line that could be one of the hunk, and is one too many. */
		{"@@ -1,2 +1,2 @@\n a\n-b\n+" LONG "\n+ word\n\n",
			"@@ -1,2 +1,2 @@\n a\n-b\n+" LONG "+ word\n\n", 1, false, ""},
		/* Two of them could be: it is not known which. */
		{"@@ -1,2 +1,4 @@\n a\n-b\n+" LONG "\n+" LONG "\n+word\n+x\n", "", 0, false,
			"several could"},
		/* Context without its blank, also at the end. */
		{"@@ -1,3 +1,3 @@\n\n-b\n+c\n\n-- \n2.39\n", NULL, 0, false, ""},
		/* Too short for a mailer to wrap it. */
		{"@@ -1 +1 @@\n-a\n+b\nword\n", NULL, 0, false, ""},
		{"@@ -1,2 +1,2 @@\n-a\n+b\nword\n c\n", "", 0, false, "lines are missing"},
		{"@@ -1,3 +1,3 @@\n-a\n+b\n c\n", "", 0, false, "lines are missing"},
		{"@@ -1 +1 @@\n-a\n+b\n+c\n", "", 0, false, "more lines than it says"},
		/* No end of the file, in the file and in the mail. */
		{"@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of "
		 "file\n@@ -5 +5 @@\n-c\n+d\n",
			NULL, 0, false, ""},
		{"@@ -1 +1 @@\n-a\n+b", "@@ -1 +1 @@\n-a\n+b\n", 0, false, ""},
		/* Removed and added lines that look like names of files, or a signature. */
		{"@@ -1,3 +1,3 @@\n--- a\n-- \n+++ b\n+-- \n c\n", NULL, 0, false, ""},
		{"@@ -0,0 +1 @@\n+a\n", NULL, 0, false, ""},
		{"@@ -99999999999 +1 @@\n-a\n+a\n", NULL, 0, false, ""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct mend_how how = {.blank = cases[i].blank};
		const char *want = cases[i].out ? cases[i].out : cases[i].in;
		struct mends mends = {0};
		struct err e = ERR_INIT;
		struct buf in, out;
		size_t joined;
		int rc;

		buf_init(&in, 10000);
		buf_init(&out, 10000);
		buf_addf(&in, "%s%s", HEAD, cases[i].in);
		rc = mend_patch(in.data, &how, &out, &mends, &joined, &e);
		if (*cases[i].why) {
			if (rc != -ERR_IMAGE)
				fail_msg("case %zu: %s", i, out.data);
			assert_non_null(strstr(e.msg, "d/f, hunk 1 (line 7 of the mail's text)"));
			assert_non_null(strstr(e.msg, cases[i].why));
		} else {
			if (rc)
				fail_msg("case %zu: %s", i, e.msg);
			assert_string_equal(out.data + strlen(HEAD), want);
			assert_int_equal(joined, cases[i].joined);
		}
		mends_release(&mends);
		buf_release(&out);
		buf_release(&in);
	}
}

static void mends_name_the_line(void **state)
{
	static const char text[] = HEAD "@@ -1 +1 @@\n-a\n+" LONG "\nword";
	struct mends mends = {0};
	struct err e = ERR_INIT;
	struct buf out;
	size_t joined;

	(void)state;
	buf_init(&out, 10000);
	assert_int_equal(mend_patch(text, &(struct mend_how){0}, &out, &mends, &joined, &e), 0);
	assert_int_equal(mends.n, 2);
	assert_string_equal(mends.line[0], "line 9: a wrapped line was joined");
	assert_string_equal(mends.line[1], "line 10: the last line had no end");
	mends_release(&mends);
	buf_release(&out);
}

/* Of context and removed lines the file tells whether there was a blank. */
static void joined_lines_are_in_doubt_where_they_are_added(void **state)
{
	static const struct {
		const char *hunk;
		size_t line; /* 0: no doubt */
	} cases[] = {
		{"@@ -1 +1 @@\n-a\n+" LONG "\nword\n", 9},
		{"@@ -1 +1,2 @@\n a\n+" LONG "\n" LONG " \nword\n", 9},
		{"@@ -1 +1,2 @@\n a\n+" LONG " \n" LONG "\nword\n", 10},
		{"@@ -1 +1 @@\n-a\n+" LONG " \nword\n", 0},
		{"@@ -1 +1,2 @@\n-a\n+b\n+" LONG "\n word\n", 0},
		{"@@ -1,2 +1,2 @@\n " LONG "\nword\n-" LONG "\nword\n+b\n", 0},
		{"@@ -1 +1 @@ " LONG "\nword\n-a\n+b\n", 0},
		{"@@ -1 +1 @@\n-a\n+b\n", 0},
	};

	(void)state;
	for (size_t i = 0; i < 2 * sizeof(cases) / sizeof(cases[0]); i++) {
		struct mend_how how = {.blank = i % 2};
		struct mends mends = {0};
		struct err e = ERR_INIT;
		struct buf in, out;
		size_t joined, line;

		buf_init(&in, 10000);
		buf_init(&out, 10000);
		buf_addf(&in, "%s%s", HEAD, cases[i / 2].hunk);
		if (mend_patch(in.data, &how, &out, &mends, &joined, &e))
			fail_msg("case %zu: %s", i / 2, e.msg);
		line = mends.n_doubts ? mends.doubts[0].line : 0;
		if (line != cases[i / 2].line)
			fail_msg("case %zu: line %zu", i / 2, line);
		if (line)
			assert_string_equal(mends.doubts[0].path, "d/f");
		mends_release(&mends);
		assert_int_equal(mends.n_doubts, 0);
		buf_release(&out);
		buf_release(&in);
	}
}

static void each_file_has_its_doubt(void **state)
{
	static const char text[] = "t\n--- a/e\t2026\n+++ b/e\t2026\n@@ -1 +1,2 @@\n-a\n+" LONG
				   "\nword\n+" LONG
				   "\nword\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+" LONG "\nword\n";
	struct mends mends = {0};
	struct err e = ERR_INIT;
	struct buf out;
	size_t joined;

	(void)state;
	buf_init(&out, 10000);
	assert_int_equal(mend_patch(text, &(struct mend_how){0}, &out, &mends, &joined, &e), 0);
	assert_int_equal(joined, 3);
	assert_int_equal(mends.n_doubts, 2);
	assert_string_equal(mends.doubts[0].path, "e");
	assert_int_equal(mends.doubts[0].line, 6);
	assert_string_equal(mends.doubts[1].path, "f");
	assert_int_equal(mends.doubts[1].line, 14);
	mends_release(&mends);
	buf_release(&out);
}

static void names_that_were_torn_are_joined(void **state)
{
	static const char text[] = "t\ndiff --git a/d/f\nb/d/f\nold mode 100644\nnew mode 100755\n";
	struct mends mends = {0};
	struct err e = ERR_INIT;
	struct buf out;
	size_t joined;

	(void)state;
	buf_init(&out, 10000);
	assert_int_equal(mend_patch(text, &(struct mend_how){0}, &out, &mends, &joined, &e), 0);
	assert_non_null(strstr(out.data, "diff --git a/d/f b/d/f\nold mode"));
	mends_release(&mends);
	buf_release(&out);
}

static void blanks_of_added_lines_become_tabs(void **state)
{
	static const struct {
		enum mend_tabs tabs;
		const char *in, *out;
	} cases[] = {
		{MEND_TABS_LINE, "+       x", "+\tx"},
		{MEND_TABS_LINE, "+               x       y", "+\t\tx       y"},
		{MEND_TABS_LINE, "+    x", "+    x"},
		{MEND_TABS_LINE, "+          x", "+\t   x"},
		{MEND_TABS_TEXT, "+        x", "+\tx"},
		{MEND_TABS_TEXT, "+       x", "+       x"},
		{MEND_TABS_LINE_ALL, "+       a = 1;  b", "+\ta = 1;\tb"},
		{MEND_TABS_LINE_ALL, "+ a", "+ a"},
		{MEND_TABS_TEXT_ALL, "+abcdef  b  c", "+abcdef\tb  c"},
		{MEND_TABS_NONE, "+        x", "+        x"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct mends mends = {0};
		struct err e = ERR_INIT;
		struct buf in, out, want;
		size_t joined;

		buf_init(&in, 10000);
		buf_init(&out, 10000);
		buf_init(&want, 10000);
		buf_addf(&in, "%s@@ -1 +1 @@\n-        x\n%s\n", HEAD, cases[i].in);
		buf_addf(&want, "%s@@ -1 +1 @@\n-        x\n%s\n", HEAD, cases[i].out);
		assert_int_equal(mend_patch(in.data, &(struct mend_how){.tabs = cases[i].tabs},
					 &out, &mends, &joined, &e),
			0);
		assert_string_equal(out.data, want.data);
		assert_int_equal(mends.n, strcmp(cases[i].in, cases[i].out) != 0);
		mends_release(&mends);
		buf_release(&want);
		buf_release(&out);
		buf_release(&in);
	}
}

static void a_patch_names_its_files(void **state)
{
	static const char text[] =
		"t\nindex 1..2\n---\n d/f | 2 +-\n\n"
		"diff --git a/d/f b/d/f\nindex 1234567..89abcde 100644\n--- a/d/f\n+++ b/d/f\n"
		"@@ -3,2 +3,2 @@\n c\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end "
		"of "
		"file\n@@ -9 +9 @@ x\n-a\n+b\n"
		"diff --git a/old b/new\nsimilarity index 100%\nrename from old\nrename to new\n"
		"diff --git a/m b/m\nold mode 100644\nnew mode 100755\n"
		"diff --git a/gone b/gone\ndeleted file mode 100644\nindex 89abcde..0000000\n"
		"--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n"
		"diff --git a/bin b/bin\nindex 1234..5678 100644\nGIT binary patch\nliteral "
		"1\nIcmZP\n\n"
		"--- a/plain\t2026-11-30\n+++ b/plain\t2026-11-30\n@@ -1 +1 @@\n-a\n+b\n-- "
		"\n2.39\n";
	static const struct {
		const char *path, *old, *new;
		size_t hunks;
		bool binary;
	} want[] = {
		{"d/f", "1234567", "89abcde", 2, false},
		{"new", "", "", 0, false},
		{"m", "", "", 0, false},
		{"gone", "89abcde", "0000000", 1, false},
		{"bin", "1234", "5678", 0, true},
		{"plain", "", "", 1, false},
	};
	struct diff d;

	(void)state;
	diff_parse(&d, text);
	assert_int_equal(d.n, sizeof(want) / sizeof(want[0]));
	for (size_t i = 0; i < d.n; i++) {
		assert_string_equal(d.files[i].path, want[i].path);
		assert_string_equal(d.files[i].old_id, want[i].old);
		assert_string_equal(d.files[i].new_id, want[i].new);
		assert_int_equal(d.files[i].n_hunks, want[i].hunks);
		assert_int_equal(d.files[i].binary, want[i].binary);
	}
	assert_int_equal(d.files[0].hunks[1].old_line, 9);
	diff_release(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wrapped_lines_are_joined_where_counts_tell),
		cmocka_unit_test(mends_name_the_line),
		cmocka_unit_test(joined_lines_are_in_doubt_where_they_are_added),
		cmocka_unit_test(each_file_has_its_doubt),
		cmocka_unit_test(names_that_were_torn_are_joined),
		cmocka_unit_test(blanks_of_added_lines_become_tabs),
		cmocka_unit_test(a_patch_names_its_files),
	};

	return cmocka_run_group_tests_name("mend", tests, NULL, NULL);
}
