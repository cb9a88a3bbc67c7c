/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/mail/message_body.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "harness/base/mem.h"
#include "harness/mail/encoding.h"

enum { DEPTH_MAX = 8, PARTS_MAX = 200, VALUE_MAX = 200 };

/* A parameter of a field: `charset="x"` or `charset=x`; "" when there is none. */
static void body_param(const char *field, const char *name, char out[VALUE_MAX])
{
	size_t len = strlen(name), n;

	*out = '\0';
	for (const char *p = field ? strchr(field, ';') : NULL; p; p = strchr(p, ';')) {
		p += 1 + strspn(p + 1, " \t");
		if (strncasecmp(p, name, len) != 0 || p[len] != '=')
			continue;
		p += len + 1;
		n = *p == '"' ? strcspn(p + 1, "\"") : strcspn(p, "; \t");
		p += *p == '"';
		snprintf(out, VALUE_MAX, "%.*s", n < VALUE_MAX ? (int)n : VALUE_MAX - 1, p);
		return;
	}
}

/* "text/plain", in lower case; that is also what a mail without the field is. */
static void body_type(const struct message *m, char out[VALUE_MAX])
{
	const char *v = message_get(m, "Content-Type");
	size_t n = v ? strcspn(v, "; \t") : 0;

	snprintf(out, VALUE_MAX, "%.*s", n < VALUE_MAX ? (int)n : VALUE_MAX - 1,
		n ? v : "text/plain");
	if (!n)
		snprintf(out, VALUE_MAX, "text/plain");
	for (char *p = out; *p; p++)
		*p = (char)tolower((unsigned char)*p);
}

static bool ends_in(const char *s, const char *end)
{
	size_t n = strlen(s), k = strlen(end);

	return n >= k && !strcasecmp(s + n - k, end);
}

static bool body_is_text(const struct message *m, const char *type)
{
	char name[VALUE_MAX];

	if (!strcmp(type, "text/plain") || !strcmp(type, "text/x-patch") ||
		!strcmp(type, "text/x-diff") || !strcmp(type, "application/x-patch"))
		return true;
	body_param(message_get(m, "Content-Disposition"), "filename", name);
	if (!*name)
		body_param(message_get(m, "Content-Type"), "name", name);
	return ends_in(name, ".patch") || ends_in(name, ".diff");
}

/* Before the patch it is a person's text; from there on it is bytes of files. */
static void body_convert(const struct message *m, const struct buf *b, struct buf *text)
{
	const char *diff = message_diff(text->data) ? b->data : message_diff(b->data);
	char charset[VALUE_MAX];
	size_t n;

	body_param(message_get(m, "Content-Type"), "charset", charset);
	/* No byte of these is what it looks like. */
	if (!strncasecmp(charset, "utf-16", 6) || !strncasecmp(charset, "utf-32", 6))
		diff = NULL;
	n = diff ? (size_t)(diff - b->data) : b->len;
	encoding_utf8(charset, b->data, n, text);
	buf_add(text, b->data + n, b->len - n);
}

static void body_text(const struct message *m, const char *p, size_t n, struct buf *text)
{
	const char *how = message_get(m, "Content-Transfer-Encoding");
	struct buf b;

	buf_init(&b, MESSAGE_MAX);
	if (how && !strncasecmp(how, "quoted-printable", 16))
		encoding_qp(p, n, false, &b);
	else if (how && !strncasecmp(how, "base64", 6))
		encoding_base64(p, n, &b);
	else
		buf_add(&b, p, n);
	message_lf(&b);
	body_convert(m, &b, text);
	buf_release(&b);
}

/* The next line of p that is "--boundary" or "--boundary--" (then *last), or NULL. */
static const char *body_boundary(const char *p, const char *end, const char *boundary, bool *last)
{
	size_t len = strlen(boundary);

	while (p < end) {
		const char *nl = memchr(p, '\n', (size_t)(end - p)), *stop = nl ? nl : end;
		size_t n = (size_t)(stop - p);

		if (n >= len + 2 && !strncmp(p, "--", 2) && !strncmp(p + 2, boundary, len)) {
			*last = n >= len + 4 && !strncmp(p + 2 + len, "--", 2);
			if (*last || strspn(p + 2 + len, " \t\r") >= n - len - 2)
				return p;
		}
		p = nl ? nl + 1 : end;
	}
	return NULL;
}

static int body_part(
	const char *p, size_t n, int depth, struct buf *text, bool *found, struct err *e)
{
	struct message part;
	long at;
	int rc;

	message_init(&part);
	at = message_fields(&part, p, n, e);
	rc = at < 0 ? (int)at : message_body(&part, p + at, n - (size_t)at, depth, text, found, e);
	/* The end of its last line was the boundary's. */
	if (!rc && text->len && text->data[text->len - 1] != '\n')
		buf_addc(text, '\n');
	message_release(&part);
	return rc;
}

static int body_parts(const struct message *m, const char *p, size_t n, int depth, bool one,
	struct buf *text, bool *found, struct err *e)
{
	const char *end = p + n, *from;
	char boundary[VALUE_MAX];
	bool last = false;

	body_param(message_get(m, "Content-Type"), "boundary", boundary);
	from = *boundary ? body_boundary(p, end, boundary, &last) : NULL;
	if (!from || depth == DEPTH_MAX)
		return err_set(e, ERR_USAGE, "E_MAIL", "%s",
			from ? "the mail has parts in parts, too deep"
			     : "the mail's parts are not there (its boundary is not found)");
	for (int i = 0; from && !last; i++) {
		const char *body = memchr(from, '\n', (size_t)(end - from)), *to;
		size_t before = text->len;
		int rc;

		if (!body)
			break;
		body++;
		to = body_boundary(body, end, boundary, &last);
		if (i == PARTS_MAX)
			return err_set(e, ERR_USAGE, "E_MAIL", "the mail has more than %d parts",
				PARTS_MAX);
		rc = body_part(body, (size_t)((to ? to - (to > body) : end) - body), depth + 1,
			text, found, e);
		if (rc)
			return rc;
		if (one && text->len > before)
			break;
		from = to;
	}
	return 0;
}

int message_body(const struct message *m, const char *p, size_t n, int depth, struct buf *text,
	bool *found, struct err *e)
{
	char type[VALUE_MAX];

	body_type(m, type);
	if (!strncmp(type, "multipart/", 10))
		return body_parts(
			m, p, n, depth, !strcmp(type, "multipart/alternative"), text, found, e);
	if (body_is_text(m, type)) {
		body_text(m, p, n, text);
		*found = true;
	}
	return 0;
}
