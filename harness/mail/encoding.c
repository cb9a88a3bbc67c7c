/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/mail/encoding.h"

#include <ctype.h>
#include <errno.h>
#include <iconv.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "harness/base/str.h"

enum { CHARSET_MAX = 64, CHUNK = 4096 };

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)(c | 0x20);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

void encoding_qp(const char *p, size_t n, bool header, struct buf *out)
{
	for (size_t i = 0; i < n; i++) {
		size_t end = i + 1;
		int hi, lo;

		if (header && p[i] == '_') {
			buf_addc(out, ' ');
			continue;
		}
		if (p[i] != '=') {
			buf_addc(out, p[i]);
			continue;
		}
		/* A soft end of line, with the blanks that some transport put there. */
		while (end < n && (p[end] == ' ' || p[end] == '\t' || p[end] == '\r'))
			end++;
		if (end == n || p[end] == '\n') {
			i = end;
			continue;
		}
		hi = i + 2 < n ? hex_digit(p[i + 1]) : -1;
		lo = i + 2 < n ? hex_digit(p[i + 2]) : -1;
		if (hi < 0 || lo < 0) {
			buf_addc(out, '=');
			continue;
		}
		buf_addc(out, (char)(hi << 4 | lo));
		i += 2;
	}
}

void encoding_base64(const char *p, size_t n, struct buf *out)
{
	static const char alphabet[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	uint32_t bits = 0;
	int have = 0;

	for (size_t i = 0; i < n; i++) {
		const char *at = p[i] ? strchr(alphabet, p[i]) : NULL;

		/* Padding ends one encoded text; another may follow. */
		if (p[i] == '=')
			have = 0;
		if (!at)
			continue;
		bits = bits << 6 | (uint32_t)(at - alphabet);
		have += 6;
		if (have >= 8) {
			have -= 8;
			buf_addc(out, (char)(bits >> have & 0xff));
		}
	}
}

static bool is_utf8(const char *p, size_t n)
{
	for (size_t i = 0; i < n;) {
		char at[5] = "";
		size_t len;

		memcpy(at, p + i, n - i < 4 ? n - i : 4);
		len = str_utf8(at);
		if (!len)
			return false;
		i += len;
	}
	return true;
}

static void add_latin1(const char *p, size_t n, struct buf *out)
{
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)p[i];

		if (c < 0x80) {
			buf_addc(out, p[i]);
			continue;
		}
		buf_addc(out, (char)(0xc0 | c >> 6));
		buf_addc(out, (char)(0x80 | (c & 0x3f)));
	}
}

static void add_converted(iconv_t cd, const char *p, size_t n, struct buf *out)
{
	/* iconv() takes no const, and does not write there. */
	union {
		const char *in;
		char *p;
	} from = {.in = p};

	while (n) {
		char chunk[CHUNK], *to = chunk;
		size_t room = sizeof(chunk), before = n;
		size_t rc = iconv(cd, &from.p, &n, &to, &room);

		buf_add(out, chunk, (size_t)(to - chunk));
		if (rc != (size_t)-1 || (errno == E2BIG && (n < before || to > chunk)))
			continue;
		buf_addc(out, '?');
		from.p++;
		n--;
	}
}

void encoding_utf8(const char *charset, const char *p, size_t n, struct buf *out)
{
	bool plain = !*charset || !strcasecmp(charset, "utf-8") || !strcasecmp(charset, "utf8") ||
		     !strcasecmp(charset, "us-ascii") || !strcasecmp(charset, "ascii");
	iconv_t cd;

	if (plain || !strcasecmp(charset, "iso-8859-1")) {
		if (plain && is_utf8(p, n))
			buf_add(out, p, n);
		else
			add_latin1(p, n, out);
		return;
	}
	cd = iconv_open("UTF-8", charset);
	if (cd == (iconv_t)-1) {
		encoding_utf8("", p, n, out);
		return;
	}
	add_converted(cd, p, n, out);
	iconv_close(cd);
}

/* "=?charset?B|Q?text?=" at p: its length, or 0. */
static size_t word_at(
	const char *p, char charset[CHARSET_MAX], char *how, const char **text, size_t *n)
{
	size_t c, t;

	if (strncmp(p, "=?", 2))
		return 0;
	c = strcspn(p + 2, "? \t");
	if (!c || c >= CHARSET_MAX || p[2 + c] != '?')
		return 0;
	snprintf(charset, CHARSET_MAX, "%.*s", (int)c, p + 2);
	/* A language may follow the name (RFC 2231, section 5). */
	charset[strcspn(charset, "*")] = '\0';
	*how = p[3 + c] ? (char)toupper((unsigned char)p[3 + c]) : '\0';
	if ((*how != 'B' && *how != 'Q') || p[4 + c] != '?')
		return 0;
	*text = p + 5 + c;
	t = strcspn(*text, "?");
	/* Q text may hold blanks where a mailer broke the rules; a '?' it may not. */
	if (strncmp(*text + t, "?=", 2))
		return 0;
	*n = t;
	return 7 + c + t;
}

void encoding_words(const char *value, struct buf *out)
{
	struct buf bytes; /* of words of one character set, which may part a character */
	char charset[CHARSET_MAX] = "", last[CHARSET_MAX] = "", how;
	const char *p = value, *text;
	bool open = false;
	size_t len, n;

	buf_init(&bytes, strlen(value));
	while (*p) {
		size_t blank = open ? strspn(p, " \t") : 0;

		len = word_at(p + blank, charset, &how, &text, &n);
		if (open && (!len || strcasecmp(charset, last) != 0)) {
			encoding_utf8(last, bytes.data, bytes.len, out);
			buf_clear(&bytes);
			open = false;
			if (!len)
				blank = 0;
		}
		if (!len) {
			buf_addc(out, *p++);
			continue;
		}
		p += blank + len;
		memcpy(last, charset, sizeof(last));
		if (how == 'B')
			encoding_base64(text, n, &bytes);
		else
			encoding_qp(text, n, true, &bytes);
		open = true;
	}
	if (open)
		encoding_utf8(last, bytes.data, bytes.len, out);
	buf_release(&bytes);
}
