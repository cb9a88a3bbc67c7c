/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the report says that base and patched are. */
#include "tests/unit/unit.h"

#include "harness/base/str.h"
#include "harness/patch_build.h"

#define BASE "1111111111111111111111111111111111111111"
#define HEAD "2222222222222222222222222222222222222222"

/* A series of two patches by one author, without a cover letter. */
static struct series_mail mails[2];
static struct apply_patch patches[2];

static void fill(struct patch *p, struct patch_build *b)
{
	memset(mails, 0, sizeof(mails));
	memset(patches, 0, sizeof(patches));
	*p = (struct patch)PATCH_INIT;
	*b = (struct patch_build){0};
	for (size_t i = 0; i < 2; i++) {
		mails[i].title = (char *)(i ? "x86: second" : "x86: first");
		mails[i].message_id = (char *)(i ? "<2@x>" : "<1@x>");
		snprintf(patches[i].author, sizeof(patches[i].author), "Änn <ann@x>");
	}
	p->series.mails = mails;
	p->series.n = 2;
	p->series.version = 1;
	p->apply.patches = patches;
	p->apply.n = 2;
	p->from = PATCH_BASE_HEAD;
	snprintf(p->apply.base, sizeof(p->apply.base), BASE);
	snprintf(p->apply.head, sizeof(p->apply.head), HEAD);
	snprintf(b->result[0].version, sizeof(b->result[0].version), "4.19.0");
	snprintf(b->result[1].version, sizeof(b->result[1].version), "4.19.1");
}

static void both_sides_say_what_they_are(void **state)
{
	struct patch_build b;
	struct patch p;

	(void)state;
	fill(&p, &b);
	patch_build_text(&p, NULL, &b);
	assert_string_equal(b.build[0].name, "base");
	assert_string_equal(b.build[0].text, "4.19.0, commit 111111111111, HEAD\n");
	assert_string_equal(b.build[1].name, "patched");
	assert_string_equal(b.build[1].text,
		"4.19.1, commit 222222222222: base + 2 patches of Änn <ann@x>\n"
		"\"x86: first\"\nMessage-ID <1@x>\n");
}

static void base_says_where_it_is_from(void **state)
{
	static const struct {
		enum patch_base from;
		const char *given, *text;
	} rows[] = {{PATCH_BASE_MAIL, NULL,
			    "4.19.0, commit 111111111111, the base-commit of the series\n"},
		{PATCH_BASE_GIVEN, "stable-4.19", "4.19.0, commit 111111111111, stable-4.19\n"},
		{PATCH_BASE_GIVEN, "1111111", "4.19.0, commit 111111111111\n"},
		{PATCH_BASE_GIVEN, BASE, "4.19.0, commit 111111111111\n"}};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct patch_build b;
		struct patch p;

		fill(&p, &b);
		p.from = rows[i].from;
		patch_build_text(&p, rows[i].given, &b);
		assert_string_equal(b.build[0].text, rows[i].text);
	}
}

static void what_was_done_to_patches_is_told(void **state)
{
	static struct apply_file file = {"arch/\033[1mflush.c", APPLY_DIFFERS};
	struct patch_build b;
	struct patch p;

	(void)state;
	fill(&p, &b);
	p.series.has_cover = true;
	p.series.cover.title = (char *)"x86: all of it";
	p.series.cover.message_id = (char *)"";
	p.series.version = 3;
	snprintf(patches[1].author, sizeof(patches[1].author), "Bob <bob@x>");
	mends_add(&p.series.notes, "left out: 1 reply");
	mends_add(&patches[0].mends, "line 14: a wrapped line was joined");
	patches[1].three_way = true;
	patches[1].files = &file;
	patches[1].n_files = 1;
	patch_build_text(&p, NULL, &b);
	assert_string_equal(b.build[1].text,
		"4.19.1, commit 222222222222: base + 2 patches of Änn <ann@x> and others\n"
		"\"x86: all of it\" (v3)\n"
		"left out: 1 reply\n"
		"patch 1/2 mended: line 14: a wrapped line was joined\n"
		"patch 2/2 applied by a three-way merge\n"
		"patch 2/2: not the author's file, by its blob id: arch/?[1mflush.c\n");
	mends_release(&p.series.notes);
	mends_release(&patches[0].mends);
}

static bool is_utf8(const char *s)
{
	size_t n;

	while ((n = str_utf8(s)))
		s += n;
	return !*s;
}

static void what_has_no_room_is_counted(void **state)
{
	char title[1000] = "a";
	struct patch_build b;
	struct patch p;

	(void)state;
	fill(&p, &b);
	for (size_t i = 0; i < 300; i++)
		memcpy(title + 1 + 2 * i, "ü", 2);
	mails[0].title = title;
	for (int i = 0; i < 50; i++)
		mends_add(&patches[0].mends, "line %d: tabs were made tabs again", i);
	patch_build_text(&p, NULL, &b);
	assert_true(is_utf8(b.build[1].text));
	assert_non_null(strstr(b.build[1].text, "üü\nMessage-ID <1@x>\npatch 1/2 mended: line 0:"));
	assert_non_null(strstr(b.build[1].text, " more lines; harness patch --check shows them\n"));
	assert_true(strlen(b.build[1].text) < sizeof(b.build[1].text) - 1);
	mends_release(&patches[0].mends);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(both_sides_say_what_they_are),
		cmocka_unit_test(base_says_where_it_is_from),
		cmocka_unit_test(what_was_done_to_patches_is_told),
		cmocka_unit_test(what_has_no_room_is_counted)};

	return cmocka_run_group_tests_name("patch_build", tests, NULL, NULL);
}
