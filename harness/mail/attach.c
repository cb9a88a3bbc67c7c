/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/mail/attach.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "harness/base/str.h"

#define ATTACH_BEGIN "harness report of run "
#define ATTACH_END   "end of the harness report"

/* A line of the file: n bytes without its end, all bytes with it. */
struct attach_line {
	const char *p;
	size_t n, all;
};

/* Offsets into the patch: where the mail's body begins and where the message ends.  There is a line
 * "---" when has_line. */
struct attach_places {
	size_t body, message_end;
	bool has_line, ascii, crlf;
};

static struct attach_line attach_line_at(const char *p, size_t n, size_t at)
{
	const char *nl = memchr(p + at, '\n', n - at);
	struct attach_line l = {.p = p + at};

	l.all = nl ? (size_t)(nl - l.p) + 1 : n - at;
	l.n = nl ? l.all - 1 : l.all;
	if (l.n && l.p[l.n - 1] == '\r')
		l.n--;
	return l;
}

static bool attach_begins(const struct attach_line *l, const char *with)
{
	size_t n = strlen(with);

	return l->n >= n && !memcmp(l->p, with, n);
}

static bool attach_is(const struct attach_line *l, const char *text)
{
	return l->n == strlen(text) && attach_begins(l, text);
}

/* "From HASH Mon Sep 17 00:00:00 2001": a time and a year at the end. */
static bool attach_is_from(const struct attach_line *l)
{
	const char *end = l->p + l->n;

	return attach_begins(l, "From ") && l->n > 24 && end[-5] == ' ' && end[-8] == ':' &&
	       end[-11] == ':' && (end[-4] == '1' || end[-4] == '2');
}

/* As git mailinfo decides where the message ends. */
static bool attach_is_patch(const struct attach_line *l)
{
	return attach_begins(l, "diff -") || attach_begins(l, "Index: ") ||
	       (attach_begins(l, "--- ") && l->n > 4 && !isspace((unsigned char)l->p[4]));
}

static bool attach_is_rule(const struct attach_line *l)
{
	return attach_begins(l, "---") && strspn(l->p + 3, " \t") >= l->n - 3;
}

static int attach_header(struct attach_places *x, const struct attach_line *l, struct err *e)
{
	char value[512];

	snprintf(value, sizeof(value), "%.*s", (int)l->n, l->p);
	if (!strncasecmp(value, "Content-Transfer-Encoding:", 26) &&
		(strcasestr(value, "base64") || strcasestr(value, "quoted-printable")))
		return err_set(e, ERR_USAGE, "E_ATTACH",
			"the patch is an encoded mail (%s): give the file that git format-patch "
			"wrote",
			value + 26 + strspn(value + 26, " "));
	if (!strncasecmp(value, "Content-Type:", 13) && strcasestr(value, "multipart/"))
		return err_set(e, ERR_USAGE, "E_ATTACH",
			"the patch is a mail of several parts: give the file that git format-patch "
			"wrote");
	if (!strncasecmp(value, "Content-Type:", 13) && strcasestr(value, "charset=") &&
		!strcasestr(value, "utf-8"))
		x->ascii = true;
	return 0;
}

/* The header fields of one mail, if the file has them. */
static int attach_headers(struct attach_places *x, const char *p, size_t n, struct err *e)
{
	size_t at = 0;

	while (at < n) {
		struct attach_line l = attach_line_at(p, n, at), next;
		const char *colon = memchr(l.p, ':', l.n), *blank = memchr(l.p, ' ', l.n);
		int rc;

		if (!l.n) {
			x->body = at ? at + l.all : 0;
			return 0;
		}
		if (!attach_is_from(&l) && *l.p != ' ' && *l.p != '\t' &&
			(!colon || (blank && blank < colon)))
			return 0; /* text from the first line on */
		/* A charset often stands on a line of its own. */
		next = attach_line_at(p, n, at + l.all);
		if (next.n && strchr(" \t", *next.p))
			l.n = l.all + next.n;
		rc = attach_header(x, &l, e);
		if (rc)
			return rc;
		at += l.all;
	}
	return 0;
}

static int attach_find(struct attach_places *x, const char *p, size_t n, struct err *e)
{
	bool found = false, blank = false;
	int rc = attach_headers(x, p, n, e);

	if (rc)
		return rc;
	for (size_t at = x->body; at < n;) {
		struct attach_line l = attach_line_at(p, n, at);

		if (blank && attach_is_from(&l))
			return err_set(e, ERR_USAGE, "E_ATTACH",
				"the file holds more than one mail: give the file of one patch");
		if (!found && (attach_is_rule(&l) || attach_is_patch(&l))) {
			found = true;
			x->message_end = at;
			x->has_line = attach_is_rule(&l);
			x->crlf = l.all > l.n + 1;
		}
		blank = !l.n;
		at += l.all;
	}
	if (!found)
		return err_set(e, ERR_USAGE, "E_ATTACH",
			"there is no patch in the file, nor a line \"---\" below a message: a "
			"report "
			"goes below that line");
	return 0;
}

/* Append the file without an earlier report and the blank line that came with it. */
static int attach_without(struct buf *out, const char *p, size_t n, struct err *e)
{
	size_t number = 0, begun = 0, before = 0;
	bool drop_blank = false;

	for (size_t at = 0; at < n;) {
		struct attach_line l = attach_line_at(p, n, at);

		number++;
		at += l.all;
		if (begun) {
			if (!attach_is(&l, ATTACH_END))
				continue;
			begun = 0;
			l = attach_line_at(p, n, at);
			drop_blank = at < n && !l.n;
			/* What was put above "---" brought the blank line before it. */
			if (!drop_blank && before)
				out->len -= before;
			out->data[out->len] = '\0';
		} else if (l.n == strlen(ATTACH_BEGIN) + 36 && attach_begins(&l, ATTACH_BEGIN)) {
			begun = number;
		} else if (drop_blank) {
			drop_blank = false;
		} else {
			before = l.n ? 0 : l.all;
			buf_add(out, l.p, l.all);
		}
	}
	if (begun)
		return err_set(e, ERR_USAGE, "E_ATTACH",
			"line %zu begins an earlier report, and no line \"%s\" ends it: take it "
			"out "
			"by hand",
			begun, ATTACH_END);
	return 0;
}

/* A paragraph's lines: trailers, and what is none; has one of those that git itself writes. */
struct attach_paragraph {
	size_t at, trailers, others;
	bool of_git, in_trailer;
};

static bool attach_is_of_git(const struct attach_line *l)
{
	return attach_begins(l, "Signed-off-by: ") ||
	       attach_begins(l, "(cherry picked from commit ");
}

/* "Fixes: 0123 (…)": a word of letters, digits and dashes, and a colon. */
static bool attach_is_trailer(const struct attach_line *l)
{
	size_t n = 0;

	while (n < l->n && (isalnum((unsigned char)l->p[n]) || l->p[n] == '-'))
		n++;
	if (!n)
		return false;
	while (n < l->n && strchr(" \t", l->p[n]))
		n++;
	return n < l->n && l->p[n] == ':';
}

static void attach_count(struct attach_paragraph *x, const struct attach_line *l)
{
	if (*l->p == '#')
		return;
	if (attach_is_of_git(l) || attach_is_trailer(l)) {
		x->of_git |= attach_is_of_git(l);
		x->in_trailer = true;
		x->trailers++;
	} else if (!x->in_trailer || !isspace((unsigned char)*l->p)) {
		x->in_trailer = false;
		x->others++;
	}
}

/* Above the last paragraph when that is trailers, as git-interpret-trailers(1) decides it: all of
 * its lines are, or one is git's own and a quarter of them are.  Else at the end. */
static size_t attach_above_trailers(const char *p, size_t body, size_t end)
{
	struct attach_paragraph x = {.at = end};
	bool blank = true;

	for (size_t at = body; at < end;) {
		struct attach_line l = attach_line_at(p, end, at);
		bool text = strspn(l.p, " \t") < l.n;

		if (text && blank)
			x = (struct attach_paragraph){.at = at};
		if (text)
			attach_count(&x, &l);
		blank = !text;
		at += l.all;
	}
	if (x.of_git ? x.trailers * 3 >= x.others : x.trailers && !x.others)
		return x.at;
	return end;
}

static bool attach_misread(const char *line)
{
	static const char *const heads[] = {"diff -", "Index: ", "---", "+++ ", "@@ ", "-- ",
		"From ", ">From ", "#", ATTACH_BEGIN, ATTACH_END};

	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++)
		if (!strncmp(line, heads[i], strlen(heads[i])))
			return true;
	return false;
}

static void attach_text(struct buf *out, const char *line, size_t n, bool ascii)
{
	for (size_t i = 0; i < n;) {
		size_t len = str_utf8(line + i);

		if (ascii && len > 1) {
			buf_addc(out, '?');
		} else {
			len = len ? len : 1;
			buf_add(out, line + i, len);
		}
		i += len;
	}
}

static void attach_block(struct buf *out, const struct attach *a, const struct attach_places *x)
{
	const char *end = x->crlf ? "\r\n" : "\n";

	buf_addf(out, "%s%s%s", ATTACH_BEGIN, a->run, end);
	for (const char *line = a->report; *line;) {
		size_t n = strcspn(line, "\n"), kept = n;
		char first[80];

		snprintf(first, sizeof(first), "%.*s", (int)n, line);
		while (kept && strchr(" \t", line[kept - 1]))
			kept--;
		if (attach_misread(first))
			buf_addc(out, ' ');
		attach_text(out, line, kept, x->ascii);
		buf_adds(out, end);
		line += n + (line[n] == '\n');
	}
	buf_addf(out, "%s%s", ATTACH_END, end);
}

static bool attach_blank_before(const char *p, size_t at)
{
	if (!at)
		return true;
	for (at--; at && (p[at - 1] == '\r'); at--)
		;
	return !at || p[at - 1] == '\n';
}

static void attach_put(struct buf *out, const struct buf *plain, const struct attach *a,
	const struct attach_places *x)
{
	const char *end = x->crlf ? "\r\n" : "\n";
	size_t at = x->message_end;
	bool before = false;

	if (a->in_message) {
		at = attach_above_trailers(plain->data, x->body, x->message_end);
		before = !attach_blank_before(plain->data, at);
	} else if (x->has_line) {
		at += attach_line_at(plain->data, plain->len, at).all;
	}
	buf_add(out, plain->data, at);
	if (!a->in_message && !x->has_line)
		buf_addf(out, "---%s", end);
	if (before)
		buf_adds(out, end);
	attach_block(out, a, x);
	if (!before)
		buf_adds(out, end);
	buf_add(out, plain->data + at, plain->len - at);
}

int attach_patch(
	struct buf *out, const char *patch, size_t n, const struct attach *a, struct err *e)
{
	struct attach_places x = {.body = 0};
	struct buf plain;
	int rc;

	buf_init(&plain, n);
	rc = attach_without(&plain, patch, n, e);
	if (!rc)
		rc = attach_find(&x, plain.data, plain.len, e);
	if (!rc) {
		attach_put(out, &plain, a, &x);
		if (out->failed)
			rc = err_set(e, ERR_USAGE, "E_ATTACH",
				"the patch with its report is larger than %zu bytes", out->max);
	}
	buf_release(&plain);
	return rc;
}
