/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/mail/message.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "harness/base/mem.h"
#include "harness/mail/encoding.h"
#include "harness/mail/message_body.h"

void message_init(struct message *m)
{
	*m = (struct message){0};
	buf_init(&m->text, MESSAGE_MAX);
}

void message_release(struct message *m)
{
	for (size_t i = 0; i < m->n_headers; i++) {
		free(m->headers[i].name);
		free(m->headers[i].value);
	}
	free(m->headers);
	buf_release(&m->text);
	message_init(m);
}

const char *message_get(const struct message *m, const char *name)
{
	for (size_t i = 0; i < m->n_headers; i++)
		if (!strcasecmp(m->headers[i].name, name))
			return m->headers[i].value;
	return NULL;
}

char *message_get_text(const struct message *m, const char *name)
{
	const char *raw = message_get(m, name);
	struct buf out;

	buf_init(&out, MESSAGE_MAX);
	if (raw)
		encoding_words(raw, &out);
	return buf_detach(&out);
}

bool message_diff_at(const char *line)
{
	const char *next = strchr(line, '\n');

	if (!strncmp(line, "diff --git ", 11))
		return true;
	return next && !strncmp(line, "--- ", 4) && !strncmp(next + 1, "+++ ", 4);
}

const char *message_diff(const char *text)
{
	for (const char *p = text; *p; p++) {
		if (message_diff_at(p))
			return p;
		p = strchr(p, '\n');
		if (!p)
			break;
	}
	return NULL;
}

void message_lf(struct buf *b)
{
	size_t ends = 0, crlf = 0, to = 0;

	for (size_t i = 0; i < b->len; i++)
		if (b->data[i] == '\n') {
			ends++;
			crlf += i && b->data[i - 1] == '\r';
		}
	if (!ends || crlf != ends)
		return;
	for (size_t i = 0; i < b->len; i++)
		if (b->data[i] != '\r' || i + 1 == b->len || b->data[i + 1] != '\n')
			b->data[to++] = b->data[i];
	b->len = to;
	b->data[to] = '\0';
}

/* Length of the name when a line is a header field, or 0. */
static size_t field_name(const char *p, size_t n)
{
	size_t i = 0;

	while (i < n && p[i] > ' ' && p[i] < 127 && p[i] != ':')
		i++;
	return i < n && p[i] == ':' ? i : 0;
}

/* n bytes: the field's line and those that continue it. */
static void field_add(struct message *m, const char *p, size_t name, size_t n)
{
	struct message_header *h;
	size_t to = 0;

	m->headers = mem_grow(m->headers, m->n_headers + 1, sizeof(*m->headers));
	h = &m->headers[m->n_headers++];
	h->name = mem_strndup(p, name);
	p += name + 1;
	n -= name + 1;
	while (n && strchr(" \t\r\n", *p) && *p) {
		p++;
		n--;
	}
	h->value = mem_alloc(n + 1);
	for (size_t i = 0; i < n; i++)
		if (p[i] != '\r' && p[i] != '\n')
			h->value[to++] = p[i];
	while (to && strchr(" \t", h->value[to - 1]))
		h->value[--to] = '\0';
}

/* Length of the line at p with its end, and of those that continue it. */
static size_t field_len(const char *p, size_t n)
{
	size_t len = 0;

	do {
		const char *nl = memchr(p + len, '\n', n - len);

		len = nl ? (size_t)(nl - p) + 1 : n;
	} while (len < n && (p[len] == ' ' || p[len] == '\t'));
	return len;
}

long message_fields(struct message *m, const char *p, size_t n, struct err *e)
{
	size_t at = 0;

	while (at < n) {
		const char *line = p + at;
		size_t len = field_len(line, n - at), name = field_name(line, len);

		if (*line == '\n' || (*line == '\r' && len > 1 && line[1] == '\n'))
			return (long)(at + 1 + (*line == '\r'));
		if (!name)
			break;
		if (m->n_headers == MESSAGE_HEADERS_MAX)
			return err_set(e, ERR_USAGE, "E_MAIL",
				"the mail has more than %d header fields", MESSAGE_HEADERS_MAX);
		field_add(m, line, name, len);
		at += len;
	}
	return (long)at;
}

/* "x86: fix this" is the first line of a text, and no field. */
static bool is_header(const struct message *m)
{
	static const char *const known[] = {"From", "Subject", "Date", "Message-ID", "To",
		"Content-Type", "MIME-Version", "Received"};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (message_get(m, known[i]))
			return true;
	return false;
}

int message_parse(struct message *m, const char *p, size_t n, struct err *e)
{
	bool found = false;
	struct buf raw;
	long at;
	int rc;

	buf_init(&raw, MESSAGE_MAX);
	if (buf_add(&raw, p, n)) {
		rc = err_set(e, ERR_USAGE, "E_MAIL", "the mail is larger than %d MiB",
			MESSAGE_MAX >> 20);
		goto out;
	}
	message_lf(&raw);
	at = message_fields(m, raw.data, raw.len, e);
	rc = at < 0 ? (int)at : 0;
	if (rc)
		goto out;
	if (!is_header(m)) {
		message_release(m);
		at = 0;
	}
	rc = message_body(m, raw.data + at, raw.len - (size_t)at, 0, &m->text, &found, e);
	if (!rc && !found)
		rc = err_set(e, ERR_USAGE, "E_MAIL",
			"the mail has no plain text and no attached patch (HTML only?)");
	else if (!rc && m->text.failed)
		rc = err_set(e, ERR_USAGE, "E_MAIL", "the mail's text is larger than %d MiB",
			MESSAGE_MAX >> 20);
	else if (!rc && memchr(m->text.data, '\0', m->text.len))
		rc = err_set(e, ERR_USAGE, "E_MAIL", "the mail's text holds a NUL byte");
out:
	buf_release(&raw);
	return rc;
}
