/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>

#include "harness/base/buf.h"
#include "reports/sides.h"
#include "tests/unit/fixture_model.h"

static const struct verdict_opts usual = VERDICT_OPTS_INIT;

/* Runs of three modes: 7f3a, 8b2c, 9d1e, and 5a5a of mixed and physical without a boot of
 * cluster. */
enum { RUNS = 4 };

struct runs {
	struct model m[RUNS];
	const struct model *at[RUNS];
};

static void runs_init(struct runs *r)
{
	static const char *const ids[RUNS] = {"7f3a", "8b2c", "9d1e", "5a5a"};

	for (int i = 0; i < RUNS; i++) {
		struct model *m = &r->m[i];

		fixture_clean(m);
		snprintf(m->id, sizeof(m->id), "%s", ids[i]);
		memcpy(m->uuid, ids[i], 4);
		m->started_wall_ns += i;
		for (size_t k = 0; k < m->n_list; k++) {
			struct boot_result *b = &m->list[k].r;

			memset(b->image_sha256,
				b->mode[0] == 'm'   ? 'a'
				: b->mode[0] == 'p' ? 'b'
						    : 'c',
				SHA256_HEX);
		}
		r->at[i] = m;
	}
	r->m[3].modes[2].skipped = true;
}

static void runs_release(struct runs *r)
{
	for (int i = 0; i < RUNS; i++)
		model_release(&r->m[i]);
}

static struct side side_of(struct runs *r, int run, const char *mode)
{
	struct side s = {.runs = &r->at[run], .n_runs = 1};

	snprintf(s.name, sizeof(s.name), "%s", r->m[run].id);
	snprintf(s.mode, sizeof(s.mode), "%s", mode);
	return s;
}

/* "0 7f3a mixed | 0 8b2c mixed", or "! " and the error. */
static void lay_out(struct comparison *c, const struct side *sides, size_t n, const char *modes,
	struct buf *out)
{
	struct err e = ERR_INIT;

	buf_clear(out);
	if (sides_compare(c, sides, n, modes, &usual, &e)) {
		assert_int_equal(e.cls, ERR_USAGE);
		buf_addf(out, "! %s", e.msg);
		return;
	}
	assert_int_equal(c->kind, COMPARISON_SIDES);
	for (size_t i = 0; i < c->n_sets; i++)
		buf_addf(out, "%s%zu %s", i ? " | " : "", c->sets[i].block, c->sets[i].name);
}

static void sides_are_laid_out_in_blocks(void **state)
{
	static const struct {
		struct {
			int run;
			const char *mode;
		} sides[3];
		size_t n;
		const char *modes, *layout, *title, *left;
	} cases[] = {
		{{{0, ""}, {1, ""}}, 2, NULL,
			"0 7f3a mixed | 0 8b2c mixed | 1 7f3a physical | 1 8b2c physical | "
			"2 7f3a cluster | 2 8b2c cluster",
			"8b2c against 7f3a", NULL},
		{{{0, ""}, {1, ""}, {2, ""}}, 3, "physical",
			"0 7f3a physical | 0 8b2c physical | 0 9d1e physical",
			"8b2c and 9d1e against 7f3a", NULL},
		{{{0, ""}, {1, ""}}, 2, "cluster,mixed,cluster",
			"0 7f3a cluster | 0 8b2c cluster | 1 7f3a mixed | 1 8b2c mixed",
			"8b2c against 7f3a", NULL},
		{{{0, ""}, {3, ""}}, 2, "all",
			"0 7f3a mixed | 0 5a5a mixed | 1 7f3a physical | 1 5a5a physical",
			"5a5a against 7f3a", "cluster: only in 7f3a\n"},
		{{{3, ""}, {0, ""}, {1, ""}}, 3, "mixed,cluster",
			"0 5a5a mixed | 0 7f3a mixed | 0 8b2c mixed", "7f3a and 8b2c against 5a5a",
			"cluster: only in 7f3a, 8b2c\n"},
		{{{0, "mixed"}, {1, "mixed"}}, 2, NULL, "0 7f3a mixed | 0 8b2c mixed",
			"8b2c mixed against 7f3a mixed", NULL},
		{{{0, "mixed"}, {1, ""}}, 2, NULL, "0 7f3a mixed | 0 8b2c mixed",
			"8b2c against 7f3a mixed", NULL},
		{{{0, "mixed"}, {1, "physical"}}, 2, NULL, "0 7f3a mixed | 0 8b2c physical",
			"8b2c physical against 7f3a mixed", NULL},
		{{{0, "mixed"}, {0, "cluster"}, {1, "mixed"}}, 3, NULL,
			"0 7f3a mixed | 0 7f3a cluster | 0 8b2c mixed",
			"7f3a cluster and 8b2c mixed against 7f3a mixed", NULL},
		{{{0, ""}}, 1, "physical,mixed", "0 physical | 0 mixed",
			"7f3a: mixed against physical", NULL},
		{{{0, ""}}, 1, "all", "0 mixed | 0 physical | 0 cluster",
			"7f3a: physical and cluster against mixed", NULL},
	};
	struct runs r;
	struct buf b;

	(void)state;
	runs_init(&r);
	buf_init(&b, 4096);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct side sides[3];
		struct comparison c;

		for (size_t k = 0; k < cases[i].n; k++)
			sides[k] = side_of(&r, cases[i].sides[k].run, cases[i].sides[k].mode);
		lay_out(&c, sides, cases[i].n, cases[i].modes, &b);
		assert_string_equal(b.data, cases[i].layout);
		assert_string_equal(c.title, cases[i].title);
		assert_string_equal(c.left ? c.left : "", cases[i].left ? cases[i].left : "");
		comparison_release(&c);
	}
	buf_release(&b);
	runs_release(&r);
}

static void what_cannot_be_laid_out_is_one_line(void **state)
{
	static const struct {
		struct {
			int run;
			const char *mode;
		} sides[8];
		size_t n;
		const char *modes, *says;
	} cases[] = {
		{{{0, ""}, {0, ""}}, 2, NULL,
			"! \"7f3a mixed\" is on two sides: a run compared with itself proves "
			"nothing"},
		{{{0, ""}, {0, "physical"}}, 2, NULL, "\"7f3a physical\" is on two sides"},
		{{{0, ""}, {1, ""}, {0, ""}}, 3, NULL, "\"7f3a mixed\" is on two sides"},
		{{{0, "mixd"}, {1, ""}}, 2, NULL,
			"! 7f3a has no mode \"mixd\" (did you mean \"mixed\"?)"},
		{{{0, ""}, {3, "cluster"}}, 2, NULL,
			"! 5a5a has no mode \"cluster\"; there is: mixed, physical"},
		{{{0, ""}, {1, ""}}, 2, "mixed,phsical",
			"! the sides have no mode \"phsical\" (did you mean \"physical\"?)"},
		{{{0, ""}, {1, ""}}, 2, ",", "! --modes names no mode"},
		{{{0, ""}, {3, ""}}, 2, "cluster",
			"! the sides have no mode in common (7f3a: cluster; 5a5a: none); to "
			"compare"},
		{{{0, "mixed"}, {1, ""}}, 2, "cluster,physical", "no mode in common (7f3a: none;"},
		{{{0, ""}}, 1, "mixed",
			"! one side alone is compared mode by mode, and that takes two modes"},
		{{{0, "mixed"}}, 1, "mixed,physical", "takes two modes; 7f3a has: mixed, physical"},
		{{{0, ""}, {1, ""}, {2, ""}, {3, ""}, {0, ""}, {1, ""}, {2, ""}, {3, ""}}, 8, NULL,
			"! at most 7 sets can be compared with each other, not 8"},
	};
	struct runs r;
	struct buf b;

	(void)state;
	runs_init(&r);
	buf_init(&b, 4096);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct side sides[8];
		struct comparison c;

		for (size_t k = 0; k < cases[i].n; k++)
			sides[k] = side_of(&r, cases[i].sides[k].run, cases[i].sides[k].mode);
		lay_out(&c, sides, cases[i].n, cases[i].modes, &b);
		if (!strstr(b.data, cases[i].says) || strchr(b.data, '\n'))
			fail_msg("case %zu says: %s", i, b.data);
		comparison_release(&c);
	}
	buf_release(&b);
	runs_release(&r);
}

static void a_boot_in_two_selections_is_refused(void **state)
{
	struct runs r;
	struct side sides[2];
	struct comparison c;
	struct buf b;

	(void)state;
	runs_init(&r);
	buf_init(&b, 4096);
	sides[0] = side_of(&r, 0, "");
	sides[0].n_runs = 2; /* 7f3a and 8b2c */
	snprintf(sides[0].name, sizeof(sides[0].name), "2026-11-30");
	sides[1] = side_of(&r, 1, "");
	sides[1].n_runs = 2; /* 8b2c and 9d1e */
	snprintf(sides[1].name, sizeof(sides[1].name), "2026-12-01");
	lay_out(&c, sides, 2, NULL, &b);
	assert_non_null(strstr(b.data, "boot 2 of run 8b2c is on two sides, \"2026-11-30 mixed\" "
				       "and \"2026-12-01 mixed\""));
	comparison_release(&c);
	sides[1] = side_of(&r, 2, "");
	lay_out(&c, sides, 2, "mixed", &b);
	assert_string_equal(b.data, "0 2026-11-30 mixed | 0 9d1e mixed");
	assert_int_equal(c.sets[0].n_boots, 6);
	comparison_release(&c);
	buf_release(&b);
	runs_release(&r);
}

static void images_have_the_modes_that_they_were_booted_for(void **state)
{
	struct runs r;
	struct side sides[2];
	struct comparison c;
	struct buf b;

	(void)state;
	runs_init(&r);
	buf_init(&b, 4096);
	for (int i = 0; i < 2; i++) {
		sides[i] = side_of(&r, 0, "");
		memset(sides[i].image, i ? 'b' : 'a', SHA256_HEX);
	}
	sides_name_images(sides, 2);
	lay_out(&c, sides, 2, NULL, &b);
	assert_string_equal(b.data, "0 image aaaaaaaa mixed | 0 image bbbbbbbb physical");
	assert_int_equal(c.sets[0].n_boots, 3);
	comparison_release(&c);
	memset(sides[1].image, 'f', SHA256_HEX);
	lay_out(&c, sides, 2, NULL, &b);
	assert_non_null(strstr(b.data, "no mode in common (image aaaaaaaa: mixed; "));
	comparison_release(&c);
	buf_release(&b);
	runs_release(&r);
}

static void names_of_images_are_as_long_as_it_takes(void **state)
{
	struct side s[3] = {{.name = "7f3a"}, {.image = ""}, {.image = ""}};

	(void)state;
	memset(s[1].image, 'a', SHA256_HEX);
	memset(s[2].image, 'a', SHA256_HEX);
	s[2].image[9] = 'b';
	sides_name_images(s, 3);
	assert_string_equal(s[0].name, "7f3a");
	assert_string_equal(s[1].name, "image aaaaaaaaaa");
	assert_string_equal(s[2].name, "image aaaaaaaaab");
	s[2].image[9] = 'a';
	s[2].image[SHA256_HEX - 1] = 'b';
	sides_name_images(s, 3);
	assert_int_equal(strlen(s[2].name), 6 + SHA256_HEX);
}

static void boots_that_failed_are_counted_as_left(void **state)
{
	struct runs r;
	struct side sides[2];
	struct comparison c;
	struct buf b;

	(void)state;
	runs_init(&r);
	buf_init(&b, 4096);
	sides[0] = side_of(&r, 0, "");
	sides[1] = side_of(&r, 1, "");
	r.m[1].list[1].r.outcome = OUTCOME_LAB; /* mixed */
	r.m[1].list[0].r.outcome = OUTCOME_LAB; /* cluster */
	r.m[0].ended = false;			/* its boots take part: nothing is left out */
	lay_out(&c, sides, 2, NULL, &b);
	assert_string_equal(c.left, "8b2c: 2 of 9 boots failed, see harness show 8b2c\n");
	comparison_release(&c);
	lay_out(&c, sides, 2, "mixed", &b);
	assert_string_equal(c.left, "8b2c: 1 of 3 boots failed, see harness show 8b2c\n");
	comparison_release(&c);
	lay_out(&c, sides, 2, "physical", &b);
	assert_true(!c.left || !strstr(c.left, "8b2c"));
	comparison_release(&c);
	buf_release(&b);
	runs_release(&r);
}

static void nothing_usable_is_one_line(void **state)
{
	struct runs r;
	struct side sides[2];
	struct comparison c;
	struct buf b;

	(void)state;
	runs_init(&r);
	buf_init(&b, 4096);
	sides[0] = side_of(&r, 0, "");
	sides[1] = side_of(&r, 1, "");
	for (size_t i = 0; i < r.m[1].n_list; i++)
		if (strcmp(r.m[1].list[i].r.mode, "cluster") != 0)
			r.m[1].list[i].r.outcome = OUTCOME_CRASH;
	lay_out(&c, sides, 2, NULL, &b);
	assert_true(b.data[0] == '0'); /* cluster is left */
	comparison_release(&c);
	lay_out(&c, sides, 2, "mixed,physical", &b);
	assert_non_null(strstr(b.data, "! nothing to compare, for want of boots that count: "
				       "\"8b2c mixed\" has 0, \"8b2c physical\" has 0; "));
	comparison_release(&c);
	buf_release(&b);
	runs_release(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sides_are_laid_out_in_blocks),
		cmocka_unit_test(what_cannot_be_laid_out_is_one_line),
		cmocka_unit_test(a_boot_in_two_selections_is_refused),
		cmocka_unit_test(images_have_the_modes_that_they_were_booted_for),
		cmocka_unit_test(names_of_images_are_as_long_as_it_takes),
		cmocka_unit_test(boots_that_failed_are_counted_as_left),
		cmocka_unit_test(nothing_usable_is_one_line),
	};

	return cmocka_run_group_tests_name("sides", tests, NULL, NULL);
}
