/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/mail/mend.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/mem.h"
#include "harness/mail/mend_int.h"

struct mend {
	const struct mend_how *how;
	struct diff_lines lines;
	struct mend_width width;
	bool *joins; /* of lines: it continues the one before */
	struct buf *out;
	struct mends *mends;
	size_t joined, tabbed;
	char path[DIFF_PATH_MAX]; /* of the file, "" before the first */
	int hunk;
};

static void mend_put(struct mend *m, size_t i)
{
	struct diff_line l = m->lines.v[i];

	if (m->how->tabs && l.n && *l.p == '+')
		m->tabbed += mend_tab_line(l.p, l.n, m->how->tabs, m->out);
	else
		buf_add(m->out, l.p, l.n);
}

static void mend_join(struct mend *m, size_t i, const char *with)
{
	struct diff_line l = m->lines.v[i];

	buf_adds(m->out, with);
	buf_add(m->out, l.p, l.n);
	m->joined++;
	mends_add(m->mends, "line %zu: a wrapped line was joined", i);
}

static const char *mend_between(const struct mend *m, size_t i)
{
	struct diff_line a = m->lines.v[i - 1], b = m->lines.v[i];

	if (!m->how->blank || !a.n || !b.n || strchr(" \t", a.p[a.n - 1]) || strchr(" \t", *b.p))
		return "";
	return " ";
}

/* Whether there was a blank is lost with it: in an added line no file tells it. */
static bool mend_is_doubt(const struct mend *m, size_t i)
{
	struct diff_line a = m->lines.v[i - 1], b = m->lines.v[i], added;

	if (!a.n || !b.n || strchr(" \t", a.p[a.n - 1]) || strchr(" \t", *b.p))
		return false;
	while (m->joins[i])
		i--;
	added = m->lines.v[i];
	return added.n && *added.p == '+';
}

/* "diff --git a/x" and "b/x" on the next line: here it is certain that there was a blank. */
static bool mend_is_torn_name(const struct mend *m, size_t i)
{
	struct diff_line l = m->lines.v[i];

	if (!diff_begins(l, "diff --git a/") || i + 1 == m->lines.n ||
		!diff_begins(m->lines.v[i + 1], "b/"))
		return false;
	for (size_t k = 13; k + 3 <= l.n; k++)
		if (!memcmp(l.p + k, " b/", 3))
			return false;
	return true;
}

static void mend_set_path(struct mend *m, struct diff_line l)
{
	const char *p = l.p + 6;
	size_t n = l.n < 6 ? 0 : l.n - 6;

	if (diff_begins(l, "diff --git a/")) {
		p = l.p + 13;
		n = 0;
		while (p + n < l.p + l.n && p[n] != ' ')
			n++;
	} else if (n && memchr(p, '\t', n)) {
		n = (size_t)((const char *)memchr(p, '\t', n) - p);
	}
	if (n && strncmp(l.p, "+++ /dev/null", 13) != 0)
		snprintf(m->path, sizeof(m->path), "%.*s",
			n < DIFF_PATH_MAX ? (int)n : DIFF_PATH_MAX - 1, p);
}

/* The hunk at line i; where it ends. */
static int mend_one(struct mend *m, size_t i, const struct diff_hunk *h, size_t *end, struct err *e)
{
	const char *why = "";

	m->hunk++;
	if (mend_hunk(&m->lines, i + 1, h, &m->width, m->joins, end, &why))
		return err_set(e, ERR_IMAGE, "E_APPLY",
			"%s, hunk %d (line %zu of the mail's text): the mail is damaged: %s",
			m->path, m->hunk, i + 1, why);
	mend_put(m, i);
	for (size_t k = i + 1; k < *end; k++) {
		if (m->joins[k]) {
			if (mend_is_doubt(m, k))
				mends_doubt(m->mends, m->path, k);
			mend_join(m, k, mend_between(m, k));
			continue;
		}
		buf_addc(m->out, '\n');
		mend_put(m, k);
	}
	buf_addc(m->out, '\n');
	return 0;
}

static int mend_lines(struct mend *m, struct err *e)
{
	for (size_t i = 0; i < m->lines.n;) {
		struct diff_hunk h;
		int rc;

		if (*m->path && diff_hunk_parse(m->lines.v[i], &h)) {
			rc = mend_one(m, i, &h, &i, e);
			if (rc)
				return rc;
			continue;
		}
		if (diff_file_at(&m->lines, i)) {
			m->hunk = 0;
			snprintf(m->path, sizeof(m->path), "?");
			mend_set_path(m, m->lines.v[i]);
		} else if (!m->hunk && diff_begins(m->lines.v[i], "+++ ")) {
			mend_set_path(m, m->lines.v[i]);
		}
		buf_add(m->out, m->lines.v[i].p, m->lines.v[i].n);
		if (mend_is_torn_name(m, i))
			mend_join(m, ++i, " ");
		buf_addc(m->out, '\n');
		i++;
	}
	return 0;
}

int mend_patch(const char *text, const struct mend_how *how, struct buf *out, struct mends *mends,
	size_t *joined, struct err *e)
{
	struct mend m = {.how = how, .out = out, .mends = mends};
	int rc;

	diff_lines_init(&m.lines, text);
	m.width = mend_width(&m.lines);
	m.joins = mem_array(m.lines.n + 1, sizeof(*m.joins));
	rc = mend_lines(&m, e);
	if (m.tabbed)
		mends_add(mends, "blanks of %zu added lines were made tabs again", m.tabbed);
	if (m.lines.open_end)
		mends_add(mends, "line %zu: the last line had no end", m.lines.n);
	if (!rc && out->failed)
		rc = err_set(e, ERR_USAGE, "E_MAIL", "the patch is too large");
	*joined = m.joined;
	free(m.joins);
	diff_lines_release(&m.lines);
	return rc;
}
