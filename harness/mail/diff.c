/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/mail/diff.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/mem.h"

void diff_lines_init(struct diff_lines *l, const char *text)
{
	size_t n = 0;

	for (const char *p = text; *p; p++)
		n += *p == '\n';
	*l = (struct diff_lines){.v = mem_array(n + 1, sizeof(*l->v))};
	while (*text) {
		size_t len = strcspn(text, "\n");

		l->v[l->n++] = (struct diff_line){text, len};
		l->open_end = !text[len];
		text += len + !l->open_end;
	}
}

void diff_lines_release(struct diff_lines *l)
{
	free(l->v);
	*l = (struct diff_lines){0};
}

bool diff_begins(struct diff_line l, const char *word)
{
	size_t n = strlen(word);

	return l.n >= n && !memcmp(l.p, word, n);
}

/* A number of lines that a patch of MESSAGE_MAX bytes could have. */
static bool number(const char **p, const char *end, long *out)
{
	const char *from = *p;

	for (*out = 0; *p < end && **p >= '0' && **p <= '9'; ++*p)
		if ((*out = *out * 10 + (**p - '0')) > INT32_MAX)
			return false;
	return *p > from;
}

static bool range(const char **p, const char *end, char sign, long *line, long *n)
{
	if (*p >= end || *(*p)++ != sign || !number(p, end, line))
		return false;
	*n = 1;
	if (*p < end && **p == ',') {
		++*p;
		return number(p, end, n);
	}
	return true;
}

bool diff_hunk_parse(struct diff_line l, struct diff_hunk *h)
{
	const char *p = l.p + 3, *end = l.p + l.n;

	if (!diff_begins(l, "@@ ") || !range(&p, end, '-', &h->old_line, &h->old_n) || p >= end ||
		*p++ != ' ' || !range(&p, end, '+', &h->new_line, &h->new_n))
		return false;
	return end - p >= 3 && !memcmp(p, " @@", 3);
}

bool diff_file_at(const struct diff_lines *l, size_t i)
{
	struct diff_hunk h;

	if (diff_begins(l->v[i], "diff --git "))
		return true;
	return i + 2 < l->n && diff_begins(l->v[i], "--- ") && diff_begins(l->v[i + 1], "+++ ") &&
	       diff_hunk_parse(l->v[i + 2], &h);
}

static void set(char *to, size_t size, const char *p, size_t n)
{
	snprintf(to, size, "%.*s", n < size ? (int)n : (int)size - 1, p);
}

/* "index 1234..5678[ 100644]" */
static void ids(struct diff_file *f, struct diff_line l)
{
	static const char hex[] = "0123456789abcdef";
	const char *p = l.p + 6;
	size_t old, new;

	/* The text ends in a NUL byte, if not in a line end. */
	old = strspn(p, hex);
	if (old < 4 || old >= DIFF_ID_MAX || strncmp(p + old, "..", 2))
		return;
	new = strspn(p + old + 2, hex);
	if (new < 4 || new >= DIFF_ID_MAX)
		return;
	set(f->old_id, sizeof(f->old_id), p, old);
	set(f->new_id, sizeof(f->new_id), p + old + 2, new);
}

/* "--- a/path" or "+++ b/path", a tab and a date perhaps after it. */
static void path_of(struct diff_file *f, struct diff_line l)
{
	const char *tab = memchr(l.p, '\t', l.n);
	size_t n = tab ? (size_t)(tab - l.p) : l.n;

	if (n <= 6 || !strncmp(l.p + 4, "/dev/null", 9))
		return;
	set(f->path, sizeof(f->path), l.p + 6, n - 6);
}

/* "diff --git a/x b/x": for a file without "--- " lines, if both names are the same. */
static void path_of_git(struct diff_file *f, struct diff_line l)
{
	const char *names = l.p + 11;
	size_t n = l.n - 11, half = n / 2;

	if (n > 5 && n % 2 && !memcmp(names + 2, names + half + 3, half - 2))
		set(f->path, sizeof(f->path), names + 2, half - 2);
}

static struct diff_file *add_file(struct diff *d)
{
	d->files = mem_grow(d->files, d->n + 1, sizeof(*d->files));
	d->files[d->n] = (struct diff_file){0};
	return &d->files[d->n++];
}

/* The lines of a hunk after its first; where it ends. */
static size_t hunk_end(const struct diff_lines *l, size_t i, const struct diff_hunk *h)
{
	long old = h->old_n, new = h->new_n;

	for (; i < l->n && (old > 0 || new > 0); i++) {
		char c = l->v[i].n ? l->v[i].p[0] : ' ';

		if (c == '\\')
			continue;
		old -= c != '+';
		new -= c != '-';
	}
	return i + (i < l->n && diff_begins(l->v[i], "\\"));
}

/* A file of the patch from line i on; where it ends. */
static size_t parse_file(struct diff *d, const struct diff_lines *l, size_t i)
{
	struct diff_file *f = add_file(d);

	if (diff_begins(l->v[i], "diff --git "))
		path_of_git(f, l->v[i++]);
	while (i < l->n && !diff_begins(l->v[i], "diff --git ")) {
		struct diff_hunk h;

		if ((f->n_hunks || f->binary) && diff_file_at(l, i))
			break;
		if (diff_hunk_parse(l->v[i], &h)) {
			f->hunks = mem_grow(f->hunks, f->n_hunks + 1, sizeof(*f->hunks));
			f->hunks[f->n_hunks++] = h;
			i = hunk_end(l, i + 1, &h);
			continue;
		}
		if (f->n_hunks)
			return i;
		if (diff_begins(l->v[i], "index "))
			ids(f, l->v[i]);
		else if (diff_begins(l->v[i], "--- ") || diff_begins(l->v[i], "+++ "))
			path_of(f, l->v[i]);
		else if (diff_begins(l->v[i], "rename to "))
			set(f->path, sizeof(f->path), l->v[i].p + 10, l->v[i].n - 10);
		else if (diff_begins(l->v[i], "copy to "))
			set(f->path, sizeof(f->path), l->v[i].p + 8, l->v[i].n - 8);
		else if (diff_begins(l->v[i], "GIT binary patch") ||
			 diff_begins(l->v[i], "Binary files "))
			f->binary = true;
		i++;
	}
	return i;
}

void diff_parse(struct diff *d, const char *text)
{
	struct diff_lines l;

	*d = (struct diff){0};
	diff_lines_init(&l, text);
	for (size_t i = 0; i < l.n;)
		i = diff_file_at(&l, i) ? parse_file(d, &l, i) : i + 1;
	diff_lines_release(&l);
}

void diff_release(struct diff *d)
{
	for (size_t i = 0; i < d->n; i++)
		free(d->files[i].hunks);
	free(d->files);
	*d = (struct diff){0};
}
