/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/mail/mbox.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

/* Length of a line with its end. */
static size_t line_len(const char *p, const char *end)
{
	const char *nl = memchr(p, '\n', (size_t)(end - p));

	return nl ? (size_t)(nl - p) + 1 : (size_t)(end - p);
}

/* Bytes of a From_ line. */
enum { FROM_MAX = 512 };

static bool is_digits(const char *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!isdigit((unsigned char)p[i]))
			return false;
	return true;
}

/* "…:12:34 2026", perhaps with a zone and the end of the line after it. */
static bool has_date(const char *p, size_t n)
{
	if (n > FROM_MAX)
		return false;
	for (size_t i = 0; i + 8 <= n; i++)
		if (p[i] == ':' && is_digits(p + i + 1, 2))
			for (size_t k = i + 3; k + 5 <= n; k++)
				if (p[k] == ' ' && is_digits(p + k + 1, 4))
					return true;
	return false;
}

static bool is_field(const char *p, const char *end)
{
	const char *at = p;

	while (at < end && (isalnum((unsigned char)*at) || *at == '-' || *at == '_'))
		at++;
	return at > p && at < end && *at == ':';
}

static bool is_from(const char *p, const char *end)
{
	size_t n = line_len(p, end);

	/* Some mailers leave ">From " as the second line. */
	return n > 5 && !strncmp(p, "From ", 5) && has_date(p, n) &&
	       (is_field(p + n, end) || (end - p - n > 6 && !strncmp(p + n, ">From ", 6)));
}

/* From the line at p to the next From_ line or the end. */
static const char *next_from(const char *p, const char *end)
{
	while (p < end && !is_from(p, end))
		p += line_len(p, end);
	return p;
}

/* A line that would have been quoted, had anybody quoted. */
static bool has_plain_from(const char *p, const char *end)
{
	for (; p < end; p += line_len(p, end))
		if (end - p >= 5 && !strncmp(p, "From ", 5))
			return true;
	return false;
}

static void unquote(const char *p, const char *end, struct buf *out)
{
	bool quoted = !has_plain_from(p, end);

	while (p < end) {
		size_t n = line_len(p, end), marks = 0;

		while (marks < n && p[marks] == '>')
			marks++;
		if (quoted && marks && n - marks >= 5 && !strncmp(p + marks, "From ", 5)) {
			p++;
			n--;
		}
		buf_add(out, p, n);
		p += n;
	}
}

static int read_one(
	const char *p, const char *end, size_t nth, mbox_message_fn *fn, void *arg, struct err *e)
{
	struct buf b;
	int rc;

	buf_init(&b, MBOX_MAX);
	p += line_len(p, end);
	if (end - p > 6 && !strncmp(p, ">From ", 6))
		p += line_len(p, end);
	unquote(p, end, &b);
	rc = fn(arg, nth, b.data, b.len, e);
	buf_release(&b);
	return rc;
}

int mbox_read(const char *p, size_t n, mbox_message_fn *fn, void *arg, struct err *e)
{
	const char *end = p + n, *at;

	/* A byte order mark says nothing here. */
	if (n >= 3 && !memcmp(p, "\xef\xbb\xbf", 3))
		p += 3;
	while (p < end && strchr("\r\n", *p) && *p)
		p++;
	if (p == end)
		return err_set(e, ERR_USAGE, "E_MAIL", "the file is empty");
	if (n > MBOX_MAX)
		return err_set(
			e, ERR_USAGE, "E_MAIL", "the file is larger than %d MiB", MBOX_MAX >> 20);
	/* What stands before the first such line is a mail, too. */
	at = next_from(p, end);
	if (at == end || at != p) {
		int rc = fn(arg, 1, p, (size_t)(at - p), e);

		if (rc || at == end)
			return rc;
	}
	for (size_t nth = at == p ? 1 : 2; at < end; nth++) {
		const char *to = next_from(at + line_len(at, end), end);
		int rc;

		if (nth > MBOX_MESSAGES_MAX)
			return err_set(e, ERR_USAGE, "E_MAIL", "the file has more than %d mails",
				MBOX_MESSAGES_MAX);
		rc = read_one(at, to, nth, fn, arg, e);
		if (rc)
			return rc;
		at = to;
	}
	return 0;
}
