/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/bisect/walk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/mem.h"

enum { WALK_LIST_MAX = 256 << 20 };

const char *walk_word_name(enum walk_word w)
{
	static const char *const names[] = {"good", "bad", "skip"};

	return names[w];
}

void walk_release(struct walk *w)
{
	free(w->list);
	w->list = NULL;
	w->n = 0;
}

int walk_check(const char *repo, const char *good, const char *bad, struct err *e)
{
	struct git g = {.dir = repo};
	struct git_result r;
	int rc, status;

	if (!strcmp(good, bad))
		return err_set(e, ERR_USAGE, NULL,
			"GOOD and BAD are the same commit, %.12s: there is nothing between them",
			good);
	rc = git_run(&g, (const char *[]){"merge-base", "--is-ancestor", good, bad, NULL}, NULL,
		4096, &r, e);
	if (rc)
		return rc;
	status = r.status;
	git_result_release(&r);
	if (status)
		return err_set(e, ERR_USAGE, NULL,
			"GOOD (%.12s) is not an ancestor of BAD (%.12s): give an older commit that "
			"both have (git merge-base %.12s %.12s)",
			good, bad, good, bad);
	return 0;
}

static bool walk_skipped(const struct walk_marks *m, const char *commit)
{
	for (size_t i = 0; i < m->n; i++)
		if (m->v[i].word == WALK_SKIP && !strcmp(m->v[i].commit, commit))
			return true;
	return false;
}

static const char *walk_bad(const struct walk_marks *m)
{
	const char *bad = "";

	for (size_t i = 0; i < m->n; i++)
		if (m->v[i].word == WALK_BAD)
			bad = m->v[i].commit;
	return bad;
}

/* The n-th number of van der Corput's sequence in base 2: its bits from the other end. */
static double walk_corput(size_t n)
{
	double v = 0, bit = 0.5;

	for (; n; n >>= 1, bit /= 2)
		v += n & 1 ? bit : 0;
	return v;
}

static int walk_steps(size_t n)
{
	int steps = 0;

	for (; n > 1; n = (n + 1) / 2)
		steps++;
	return steps;
}

void walk_choose(struct walk *w, const char *text, const struct walk_marks *m)
{
	const char *bad = walk_bad(m);
	size_t *open = NULL, n_open = 0, skipped = 0, at = 0;
	bool best_skipped = false;

	*w = (struct walk){.kind = WALK_FOUND};
	for (const char *p = text; *p; p += strcspn(p, "\n"), p += *p == '\n') {
		size_t n = strcspn(p, " \n");

		if (!n || n >= GIT_HASH_MAX || (!strncmp(p, bad, n) && !bad[n]))
			continue;
		w->list = mem_grow(w->list, w->n + 1, sizeof(*w->list));
		snprintf(w->list[w->n], GIT_HASH_MAX, "%.*s", (int)n, p);
		if (walk_skipped(m, w->list[w->n])) {
			best_skipped |= !w->n;
			skipped++;
		} else {
			open = mem_grow(open, n_open + 1, sizeof(*open));
			open[n_open++] = w->n;
		}
		w->n++;
	}
	if (n_open) {
		if (best_skipped)
			at = (size_t)((double)n_open * walk_corput(skipped));
		w->kind = WALK_NEXT;
		snprintf(w->commit, sizeof(w->commit), "%s", w->list[open[at]]);
	} else {
		w->kind = w->n ? WALK_STUCK : WALK_FOUND;
		snprintf(w->commit, sizeof(w->commit), "%s", bad);
	}
	w->list = mem_grow(w->list, w->n + 1, sizeof(*w->list));
	snprintf(w->list[w->n++], GIT_HASH_MAX, "%s", bad);
	w->steps = walk_steps(n_open + 1);
	free(open);
}

int walk_at(const char *repo, const struct walk_marks *m, struct walk *w, struct err *e)
{
	struct git g = {.dir = repo};
	struct git_result r;
	struct buf in;
	int rc;

	*w = (struct walk){.list = NULL};
	buf_init(&in, 1 << 20);
	buf_addf(&in, "%s\n", walk_bad(m));
	for (size_t i = 0; i < m->n; i++)
		if (m->v[i].word == WALK_GOOD)
			buf_addf(&in, "^%s\n", m->v[i].commit);
	rc = git_run(&g, (const char *[]){"rev-list", "--bisect-all", "--stdin", NULL}, in.data,
		WALK_LIST_MAX, &r, e);
	buf_release(&in);
	if (rc)
		return rc;
	if (r.status) {
		char words[256];

		git_last_words(&r, words, sizeof(words));
		rc = err_set(e, ERR_LAB, "E_GIT", "%s: git rev-list: %s", repo, words);
	} else {
		walk_choose(w, r.out.data, m);
	}
	git_result_release(&r);
	return rc;
}
