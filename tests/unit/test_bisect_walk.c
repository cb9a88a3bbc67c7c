/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "harness/base/mem.h"
#include "harness/bisect/walk.h"
#include "tests/unit/unit.h"

enum { LINE_MAX_COMMITS = 512 };

/* Commit i of a line, the oldest is 1. */
static void hash_of(int i, char out[GIT_HASH_MAX])
{
	snprintf(out, GIT_HASH_MAX, "%040x", (unsigned)i);
}

static int index_of(const char *hash)
{
	return (int)strtol(hash + 32, NULL, 16);
}

static void mark(struct walk_marks *m, int i, enum walk_word word)
{
	m->v = mem_grow(m->v, m->n + 1, sizeof(*m->v));
	hash_of(i, m->v[m->n].commit);
	m->v[m->n++].word = word;
}

/* What rev-list --bisect-all says of a line: commits after good up to bad, best halving first. */
static void line_text(int good, int bad, struct buf *out)
{
	int n = bad - good;

	buf_clear(out);
	for (int dist = n / 2; dist >= 0; dist--)
		for (int i = good + 1; i <= bad; i++) {
			int reach = i - good, d = reach < n - reach ? reach : n - reach;
			char hash[GIT_HASH_MAX];

			hash_of(i, hash);
			if (d == dist)
				buf_addf(out, "%s (dist=%d)\n", hash, d);
		}
}

struct played {
	int looks, found, stuck;
	struct walk_marks m;
};

/* Bisect a line of n commits whose first bad one is `bad`; skip[i]: commit i cannot be told. */
static void play(struct played *p, int n, int bad, const char *skip)
{
	int low = 0, high = n;
	struct buf text;
	struct walk w;

	*p = (struct played){.looks = 0};
	buf_init(&text, 1 << 20);
	mark(&p->m, 0, WALK_GOOD);
	mark(&p->m, n, WALK_BAD);
	for (;;) {
		int i;

		line_text(low, high, &text);
		walk_choose(&w, text.data, &p->m);
		if (w.kind != WALK_NEXT)
			break;
		i = index_of(w.commit);
		assert_true(i > low && i < high);
		assert_true(++p->looks <= n);
		if (skip && skip[i]) {
			mark(&p->m, i, WALK_SKIP);
		} else if (i >= bad) {
			mark(&p->m, i, WALK_BAD);
			high = i;
		} else {
			mark(&p->m, i, WALK_GOOD);
			low = i;
		}
		walk_release(&w);
	}
	p->found = w.kind == WALK_FOUND ? index_of(w.commit) : 0;
	p->stuck = w.kind == WALK_STUCK ? (int)w.n : 0;
	walk_release(&w);
	buf_release(&text);
	free(p->m.v);
}

static void every_first_bad_commit_of_a_line_is_found_in_log2_looks(void **state)
{
	(void)state;
	for (int bad = 1; bad <= 32; bad++) {
		struct played p;

		play(&p, 32, bad, NULL);
		assert_int_equal(p.found, bad);
		assert_int_equal(p.looks, 5);
	}
}

static void a_skipped_commit_costs_about_one_look(void **state)
{
	char skip[65];

	(void)state;
	for (int bad = 1; bad <= 32; bad++)
		for (int s = 1; s < 32; s++) {
			struct played p;

			memset(skip, 0, sizeof(skip));
			skip[s] = 1;
			play(&p, 32, bad, skip);
			assert_true(p.looks <= 8);
			if (s != bad && s != bad - 1)
				assert_int_equal(p.found, bad);
			else
				assert_true(p.stuck == 2 || p.found == bad);
		}
}

static void a_block_of_skipped_ones_in_the_middle_is_jumped_over(void **state)
{
	char skip[257];
	struct played p;

	(void)state;
	memset(skip, 0, sizeof(skip));
	for (int i = 96; i <= 160; i++)
		skip[i] = 1;
	for (int bad = 20; bad <= 240; bad += 20) {
		play(&p, 256, bad, skip);
		if (bad > 161 || bad < 96)
			assert_int_equal(p.found, bad);
		else
			assert_int_equal(p.stuck, 66);
		/* Without going away from them it would be all 65. */
		if (bad > 161 || bad < 96)
			assert_true(p.looks <= 14);
	}
}

static void only_skipped_ones_left_are_listed_with_the_bad_one_last(void **state)
{
	struct walk_marks m = {.v = NULL};
	struct buf text;
	struct walk w;

	(void)state;
	buf_init(&text, 4096);
	mark(&m, 0, WALK_GOOD);
	mark(&m, 3, WALK_BAD);
	mark(&m, 1, WALK_SKIP);
	mark(&m, 2, WALK_SKIP);
	line_text(0, 3, &text);
	walk_choose(&w, text.data, &m);
	assert_int_equal(w.kind, WALK_STUCK);
	assert_int_equal(w.n, 3);
	assert_int_equal(index_of(w.list[2]), 3);
	walk_release(&w);
	walk_release(&w);
	buf_release(&text);
	free(m.v);
}

static void steps_left_are_those_of_halving(void **state)
{
	const struct {
		int n, steps;
	} cases[] = {{1, 0}, {2, 1}, {3, 2}, {4, 2}, {5, 3}, {32, 5}, {33, 6}};
	struct walk_marks m = {.v = NULL};
	struct buf text;

	(void)state;
	buf_init(&text, 65536);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct walk w;

		m.n = 0;
		mark(&m, 0, WALK_GOOD);
		mark(&m, cases[i].n, WALK_BAD);
		line_text(0, cases[i].n, &text);
		walk_choose(&w, text.data, &m);
		assert_int_equal(w.steps, cases[i].steps);
		walk_release(&w);
	}
	buf_release(&text);
	free(m.v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_first_bad_commit_of_a_line_is_found_in_log2_looks),
		cmocka_unit_test(a_skipped_commit_costs_about_one_look),
		cmocka_unit_test(a_block_of_skipped_ones_in_the_middle_is_jumped_over),
		cmocka_unit_test(only_skipped_ones_left_are_listed_with_the_bad_one_last),
		cmocka_unit_test(steps_left_are_those_of_halving),
	};
	return cmocka_run_group_tests_name("bisect_walk", tests, NULL, NULL);
}
