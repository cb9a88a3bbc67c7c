/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdint.h>
#include <string.h>

#include "harness/mail/mend_int.h"

enum { WIDTH_MIN = 60, TAB = 8, MANY = 2 };

static size_t columns(const char *p, size_t n)
{
	size_t c = 0;

	for (size_t i = 0; i < n; i++)
		c = p[i] == '\t' ? c / TAB * TAB + TAB : c + 1;
	return c;
}

static size_t first_word(struct diff_line l)
{
	size_t n = 0;

	while (n < l.n && l.p[n] != ' ' && l.p[n] != '\t')
		n++;
	return n;
}

/* Is there a place where a mailer would have wrapped it? */
static bool has_blank(struct diff_line l)
{
	size_t i = 1;

	while (i < l.n && (l.p[i] == ' ' || l.p[i] == '\t'))
		i++;
	for (; i < l.n; i++)
		if (l.p[i] == ' ')
			return true;
	return false;
}

struct mend_width mend_width(const struct diff_lines *l)
{
	struct mend_width w = {0};
	size_t i = 0;

	while (i < l->n && !diff_file_at(l, i))
		i++;
	for (; i < l->n; i++) {
		size_t c = columns(l->v[i].p, l->v[i].n);

		if (!has_blank(l->v[i]))
			continue;
		w.bytes = l->v[i].n > w.bytes ? l->v[i].n : w.bytes;
		w.columns = c > w.columns ? c : w.columns;
	}
	return w;
}

/* Had the first word of line i no room on the line before it? */
static bool no_room(const struct diff_lines *l, size_t i, const struct mend_width *w)
{
	struct diff_line before = l->v[i - 1];
	size_t word = first_word(l->v[i]), c = columns(before.p, before.n);

	if (!before.n || c + word < WIDTH_MIN)
		return false;
	return !w || before.n + word >= w->bytes || c + word >= w->columns;
}

static bool is_one_of_a_hunk(struct diff_line l)
{
	return !l.n || strchr(" +-\\", *l.p);
}

static bool is_signature(const struct diff_lines *l, size_t i)
{
	struct diff_line s = l->v[i];

	if (s.n == 3 && !memcmp(s.p, "-- ", 3))
		return true;
	return s.n == 2 && !memcmp(s.p, "--", 2) &&
	       (i + 1 == l->n || (l->v[i + 1].n && strchr("0123456789", *l->v[i + 1].p)));
}

/* Does something else begin here for certain? */
static bool is_end(const struct diff_lines *l, size_t i)
{
	struct diff_hunk h;

	return i >= l->n || diff_hunk_parse(l->v[i], &h) || diff_file_at(l, i);
}

/* Lines that are as the hunk says, and something else after them. */
static bool hunk_is_whole(
	const struct diff_lines *l, size_t i, const struct diff_hunk *h, size_t *end)
{
	long old = h->old_n, new = h->new_n;

	for (; old > 0 || new > 0; i++) {
		char c;

		if (is_end(l, i) || !is_one_of_a_hunk(l->v[i]))
			return false;
		c = l->v[i].n ? *l->v[i].p : ' ';
		if (c == '\\')
			continue;
		old -= c != '+';
		new -= c != '-';
		if (old < 0 || new < 0)
			return false;
	}
	if (i < l->n && diff_begins(l->v[i], "\\"))
		i++;
	*end = i;
	return is_end(l, i) || !l->v[i].n || is_signature(l, i) ||
	       diff_begins(l->v[i], "Index: ") ||
	       (!strchr(" +-", *l->v[i].p) && !no_room(l, i, NULL));
}

/* n over k, as 0, 1 or MANY. */
static int ways(long n, long k)
{
	return k < 0 || k > n ? 0 : k == 0 || k == n ? 1 : MANY;
}

/* What a hunk's lines are, by kind: 0 context, 1 removed, 2 added. */
static int kind(struct diff_line l)
{
	return !l.n || *l.p == ' ' ? 0 : *l.p == '-' ? 1 : 2;
}

/* How many of the candidates of each kind go: with one way only, all of a kind or none. */
static int choose(const long candidates[3], long old, long new, bool all[3])
{
	int total = 0;

	for (long x = 0; x <= candidates[0] && total < MANY; x++) {
		int a = ways(candidates[0], x), b = ways(candidates[1], old - x);
		int c = ways(candidates[2], new - x);

		if (!a || !b || !c)
			continue;
		total += a == MANY || b == MANY || c == MANY ? MANY : 1;
		all[0] = x > 0;
		all[1] = old - x > 0;
		all[2] = new - x > 0;
	}
	return total;
}

/* Where the lines end that can belong to the hunk. */
static size_t hunk_reach(const struct diff_lines *l, size_t i)
{
	while (!is_end(l, i) && !is_signature(l, i) &&
		(is_one_of_a_hunk(l->v[i]) || no_room(l, i, NULL)))
		i++;
	return i;
}

static int hunk_join(const struct diff_lines *l, size_t i, const struct diff_hunk *h,
	const struct mend_width *w, bool *joins, size_t *end, const char **why)
{
	long candidates[3] = {0}, old = -h->old_n, new = -h->new_n, empty = 0;
	size_t to = hunk_reach(l, i);
	bool all[3] = {false};
	int n;

	/* Empty lines at the end are context without its blank, or none of the hunk's. */
	while (to > i && !l->v[to - 1].n) {
		to--;
		empty++;
	}
	for (size_t k = i; k < to; k++) {
		if (!is_one_of_a_hunk(l->v[k])) {
			joins[k] = true;
			continue;
		}
		if (l->v[k].n && *l->v[k].p == '\\')
			continue;
		old += kind(l->v[k]) != 2;
		new += kind(l->v[k]) != 1;
		candidates[kind(l->v[k])] += l->v[k].n && no_room(l, k, w);
	}
	while (empty && (old < 0 || new < 0)) {
		old++;
		new ++;
		to++;
		empty--;
	}
	*why = old < 0 || new < 0 ? "lines are missing" : "it has more lines than it says";
	if (old < 0 || new < 0)
		return -1;
	n = choose(candidates, old, new, all);
	if (n > 1)
		*why = "it has more lines than it says, and several could continue the one before";
	if (n != 1)
		return -1;
	for (size_t k = i; k < to; k++)
		if (l->v[k].n && is_one_of_a_hunk(l->v[k]) && *l->v[k].p != '\\' &&
			all[kind(l->v[k])] && no_room(l, k, w))
			joins[k] = true;
	*end = to;
	return 0;
}

int mend_hunk(const struct diff_lines *l, size_t i, const struct diff_hunk *h,
	const struct mend_width *w, bool *joins, size_t *end, const char **why)
{
	if (hunk_is_whole(l, i, h, end))
		return 0;
	return hunk_join(l, i, h, w, joins, end, why);
}
