/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/git/apply_int.h"

/* git mailsplit --mboxrd takes one > away. */
static void add_quoted(const char *text, struct buf *out)
{
	while (*text) {
		size_t n = strcspn(text, "\n");

		if (!strncmp(text + strspn(text, ">"), "From ", 5))
			buf_addc(out, '>');
		buf_add(out, text, n + (text[n] == '\n'));
		text += n + (text[n] == '\n');
	}
}

void apply_mail(const struct series_mail *m, const char *date, const char *text, struct buf *out)
{
	buf_addf(out, "From %040d Mon Sep 17 00:00:00 2001\n", 0);
	buf_addf(out, "From: %s\nDate: %s\nSubject: [PATCH] %s\n", m->from, date ? date : m->date,
		m->title);
	buf_adds(out, "MIME-Version: 1.0\nContent-Type: text/plain; charset=UTF-8\n"
		      "Content-Transfer-Encoding: 8bit\n\n");
	add_quoted(text, out);
}

/* The number of the hunk that begins at this line of the file before the patch; 0: unknown. */
static size_t hunk_at(const struct diff *d, const char *path, size_t n, long line, size_t *of)
{
	for (size_t i = 0; i < d->n; i++) {
		const struct diff_file *f = &d->files[i];

		if (strlen(f->path) != n || strncmp(f->path, path, n) != 0)
			continue;
		*of = f->n_hunks;
		for (size_t k = 0; k < f->n_hunks; k++)
			if (f->hunks[k].old_line == line)
				return k + 1;
	}
	return 0;
}

void apply_why(const struct git_result *r, const struct diff *d, char *out, size_t size)
{
	const char *p = strstr(r->err.data, "error: patch failed: "), *colon;
	size_t n, hunk, of = 0;
	long line;

	snprintf(out, size, "git am failed without a word");
	if (!p) {
		p = strstr(r->err.data, "error: ");
		p = p ? p : strstr(r->err.data, "fatal: ");
		if (p)
			snprintf(out, size, "%.*s", (int)strcspn(p + 7, "\n"), p + 7);
		return;
	}
	p += 21;
	n = strcspn(p, "\n");
	colon = memrchr(p, ':', n);
	if (!colon)
		return;
	line = strtol(colon + 1, NULL, 10);
	n = (size_t)(colon - p);
	hunk = hunk_at(d, p, n, line, &of);
	if (hunk)
		snprintf(out, size, "%.*s, hunk %zu of %zu (line %ld)", (int)n, p, hunk, of, line);
	else
		snprintf(out, size, "%.*s, the hunk at line %ld", (int)n, p, line);
}
