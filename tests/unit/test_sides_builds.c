/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs with builds as sides of other comparisons. */
#include "tests/unit/unit.h"

#include "harness/base/buf.h"
#include "reports/alike.h"
#include "reports/sides.h"
#include "reports/text.h"
#include "tests/unit/fixture_model.h"
#include "tests/unit/layout.h"

enum { TEXT_MAX = 1 << 20, WIDE = 1000 }; /* columns: no line is wrapped */

static const struct verdict_opts usual = VERDICT_OPTS_INIT;

/* c0de of base and patched, 7f3a without builds, and what chooses them. */
struct two {
	struct model m[2];
	const struct model *at[2];
	struct side sides[3];
};

static void two_init(struct two *t)
{
	fixture_builds(&t->m[0]);
	fixture_clean(&t->m[1]);
	for (size_t i = 0; i < t->m[1].n_list; i++)
		memset(t->m[1].list[i].r.image_sha256, '9', SHA256_HEX);
	t->at[0] = &t->m[0];
	t->at[1] = &t->m[1];
}

static void two_release(struct two *t)
{
	model_release(&t->m[0]);
	model_release(&t->m[1]);
}

/* "c0de", "7f3a", "day" of both, "image" of patched mixed; behind a slash what the word had. */
static struct side two_side(struct two *t, const char *word)
{
	char text[64], *save = NULL, *what, *one, *two;
	struct side s = {.n_runs = 1};

	snprintf(text, sizeof(text), "%s", word);
	what = strtok_r(text, "/", &save);
	one = strtok_r(NULL, "/", &save);
	two = strtok_r(NULL, "/", &save);
	snprintf(s.name, sizeof(s.name), "%s", what);
	s.runs = &t->at[!strcmp(what, "7f3a")];
	s.days = !strcmp(what, "day");
	if (s.days || !strcmp(what, "image"))
		s.n_runs = 2;
	if (!strcmp(what, "image"))
		memset(s.image, 'd', SHA256_HEX);
	if (two)
		snprintf(s.build, sizeof(s.build), "%s", one);
	if (one)
		snprintf(s.mode, sizeof(s.mode), "%s", two ? two : one);
	return s;
}

/* Words with blanks between; what it says, or "! " and the error. */
static void two_compare(
	struct two *t, const char *words, const char *modes, struct comparison *c, struct buf *b)
{
	char text[128], *save = NULL;
	struct err e = ERR_INIT;
	size_t n = 0;

	snprintf(text, sizeof(text), "%s", words);
	for (char *w = strtok_r(text, " ", &save); w; w = strtok_r(NULL, " ", &save))
		t->sides[n++] = two_side(t, w);
	sides_name_images(t->sides, n);
	sides_name_builds(t->sides, n);
	if (sides_compare(c, t->sides, n, modes, &usual, &e)) {
		assert_int_equal(e.cls, ERR_USAGE);
		buf_clear(b);
		buf_addf(b, "! %s", e.msg);
		return;
	}
	assert_int_equal(comparison_judge(c, &e), 0);
	laid_out(b, c);
}

static void a_side_names_a_build(void **state)
{
	static const struct {
		const char *words, *modes, *says, *title, *left;
	} cases[] = {
		{"c0de/base c0de/patched", NULL,
			"0 c0de base mixed | 0 c0de patched mixed <c0de base mixed | "
			"1 c0de base physical | 1 c0de patched physical <c0de base physical",
			"c0de patched against c0de base", NULL},
		{"7f3a c0de/patched/mixed", NULL, "0 7f3a mixed | 0 c0de patched mixed <7f3a mixed",
			"c0de patched mixed against 7f3a", NULL},
		{"7f3a/mixed c0de/base/mixed", NULL, "0 7f3a mixed | 0 c0de base mixed <7f3a mixed",
			"c0de base mixed against 7f3a mixed", NULL},
		{"c0de/patched", "physical,mixed", "0 physical | 0 mixed <physical",
			"c0de patched: mixed against physical", NULL},
		{"day c0de/base", "mixed", "0 day mixed | 0 c0de base mixed <day mixed",
			"c0de base against day",
			"day: run c0de compares builds (base, patched), and none is named\n"},
		{"7f3a day/patched", "mixed", "0 7f3a mixed | 0 day patched mixed <7f3a mixed",
			"day patched against 7f3a", "day patched: run 7f3a has no build patched\n"},
		{"7f3a/mixed image", NULL, "0 7f3a mixed | 0 image dddddddd mixed <7f3a mixed",
			"image dddddddd against 7f3a mixed", NULL},
	};
	struct two t;
	struct buf b;

	(void)state;
	two_init(&t);
	buf_init(&b, TEXT_MAX);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct comparison c;

		two_compare(&t, cases[i].words, cases[i].modes, &c, &b);
		assert_string_equal(b.data, cases[i].says);
		assert_string_equal(c.title, cases[i].title);
		if (cases[i].left && (!c.left || !strstr(c.left, cases[i].left)))
			fail_msg("%s leaves: %s", cases[i].words, c.left);
		for (size_t k = 0; k < c.n_sets; k++) {
			assert_int_equal(c.sets[k].n_boots, 3);
			assert_int_equal(c.sets[k].planned, 3 * (1 + c.sets[k].any_build));
			for (size_t j = 1; j < 3; j++)
				assert_string_equal(c.sets[k].boots[j].boot->r.build,
					c.sets[k].boots[0].boot->r.build);
		}
		comparison_release(&c);
	}
	buf_release(&b);
	two_release(&t);
}

static void boots_of_two_builds_are_never_one_side(void **state)
{
	static const struct {
		const char *words, *modes, *says;
	} cases[] = {
		{"7f3a c0de", NULL,
			"! run c0de has several builds (base, patched): name one, as in "
			"c0de/patched"},
		{"7f3a/mixed c0de/mixed", NULL, "name one, as in c0de/patched/mixed"},
		{"c0de", "mixed,physical", "name one, as in c0de/patched"},
		{"c0de/base c0de/patchd", NULL,
			"! run c0de has no build \"patchd\" (did you mean \"patched\"?)"},
		{"c0de/base c0de/zzz/mixed", NULL,
			"! run c0de has no build \"zzz\"; there is: base, patched"},
		{"c0de/base 7f3a/patched/mixed", NULL,
			"! run 7f3a compares no builds: it has no \"patched\""},
		{"c0de/base 7f3a/patched", NULL, "7f3a has no mode \"patched\""},
		{"c0de/base day/zzz/mixed", NULL, "! day zzz: no run has a build of that name"},
		{"c0de/base c0de/base", NULL, "\"c0de base mixed\" is on two sides"},
		{"c0de/base c0de/patched", "cluster", "the sides have no mode \"cluster\""},
		{"c0de/patched image", NULL, "is on two sides"},
	};
	struct two t;
	struct buf b;

	(void)state;
	two_init(&t);
	buf_init(&b, TEXT_MAX);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct comparison c;

		two_compare(&t, cases[i].words, cases[i].modes, &c, &b);
		if (*b.data != '!' || !strstr(b.data, cases[i].says) || strchr(b.data, '\n'))
			fail_msg("%s says: %s", cases[i].words, b.data);
		comparison_release(&c);
	}
	t.at[1] = t.at[0]; /* both runs of the day compare builds */
	for (size_t i = 0; i < 2; i++) {
		struct comparison c;

		two_compare(&t, i ? "day/base day/patched" : "day", "mixed", &c, &b);
		if (!i)
			assert_non_null(strstr(b.data, "! day: all its runs compare builds: name"));
		comparison_release(&c);
	}
	buf_release(&b);
	two_release(&t);
}

static void builds_of_one_run_are_held_to_be_alike(void **state)
{
	const struct text_opts o = {.width = WIDE};
	struct err e = ERR_INIT;
	struct comparison c;
	struct two t;
	struct buf b;

	(void)state;
	two_init(&t);
	buf_init(&b, TEXT_MAX);
	for (size_t i = 0; i < t.m[0].n_modes; i++)
		if (i > 1)
			snprintf(t.m[0].modes[i].compiler, sizeof(t.m[0].modes[i].compiler),
				"gcc 14.2.0");
	two_compare(&t, "c0de/base/mixed c0de/patched/mixed", NULL, &c, &b);
	buf_clear(&b);
	assert_int_equal(alike_check(&c, 0, &b, &e), 0);
	assert_string_equal(b.data,
		"compiler: gcc (Debian 12.2.0-14) 12.2.0 in c0de base (3 boots); "
		"gcc 14.2.0 in c0de patched (3 boots)\n");
	buf_clear(&b);
	report_text(&b, &c, &o);
	assert_non_null(strstr(b.data, "base mixed: 3 of 3 boots, image aaaaaaaaaaaa, "));
	assert_non_null(strstr(b.data, "patched mixed: 3 of 3 boots"));
	comparison_release(&c);
	/* A plain run's side does not make the other run's builds take part. */
	t.m[0].list[1].r.outcome = OUTCOME_LAB; /* base mixed */
	two_compare(&t, "7f3a c0de/patched", "mixed", &c, &b);
	assert_null(c.left);
	buf_clear(&b);
	report_text(&b, &c, &o);
	assert_null(strstr(b.data, "base mixed:"));
	assert_non_null(strstr(b.data, "patched mixed: 3 of 3 boots"));
	comparison_release(&c);
	buf_release(&b);
	two_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_side_names_a_build),
		cmocka_unit_test(boots_of_two_builds_are_never_one_side),
		cmocka_unit_test(builds_of_one_run_are_held_to_be_alike),
	};

	return cmocka_run_group_tests_name("sides_builds", tests, NULL, NULL);
}
