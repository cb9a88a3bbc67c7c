/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/mail/compose.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "harness/base/mem.h"
#include "harness/base/str.h"

enum {
	WORD_BYTES = 36, /* of text in an encoded word: 60 columns, so that a name fits before it */
	PLAIN_COLUMNS = 78, /* RFC 5322, 2.1.1 */
	WIDEST = 800,	    /* below 998, the same */
};

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static bool compose_ascii(const char *s)
{
	while (*s && !((unsigned char)*s & 0x80))
		s++;
	return !*s;
}

/* The longest part between blanks, in bytes. */
static size_t compose_widest(const char *s)
{
	size_t widest = 0;

	while (*s) {
		size_t n = strcspn(s, " ");

		widest = n > widest ? n : widest;
		s += n + strspn(s + n, " ");
	}
	return widest;
}

static void compose_block(struct buf *out, const unsigned char *p, size_t n)
{
	uint32_t v = (uint32_t)p[0] << 16 | (n > 1 ? (uint32_t)p[1] << 8 : 0) | (n > 2 ? p[2] : 0);

	buf_addc(out, digits[v >> 18 & 63]);
	buf_addc(out, digits[v >> 12 & 63]);
	buf_addc(out, n > 1 ? digits[v >> 6 & 63] : '=');
	buf_addc(out, n > 2 ? digits[v & 63] : '=');
}

void compose_base64(struct buf *out, const char *p, size_t n)
{
	const unsigned char *b = (const unsigned char *)p;
	size_t column = 0;

	for (size_t i = 0; i < n; i += 3) {
		compose_block(out, b + i, n - i < 3 ? n - i : 3);
		column += 4;
		if (column == COMPOSE_COLUMNS || i + 3 >= n) {
			buf_addc(out, '\n');
			column = 0;
		}
	}
}

/* Does the byte at i need quoting?  A blank only at the end of its line. */
static bool compose_must_quote(const char *p, size_t n, size_t i, size_t column)
{
	unsigned char c = (unsigned char)p[i];

	if (c == ' ' || c == '\t')
		return i + 1 == n || p[i + 1] == '\n';
	if (!column && n - i >= 5 && !memcmp(p + i, "From ", 5))
		return true;
	return c < 0x21 || c > 0x7e || c == '=';
}

void compose_quoted(struct buf *out, const char *p, size_t n)
{
	size_t column = 0;

	for (size_t i = 0; i < n; i++) {
		bool quote = compose_must_quote(p, n, i, column);

		if (p[i] == '\n') {
			buf_addc(out, '\n');
			column = 0;
			continue;
		}
		/* The last column is for the '=' of a line that goes on. */
		if (column + (quote ? 3 : 1) > COMPOSE_COLUMNS - 1) {
			buf_adds(out, "=\n");
			column = 0;
		}
		if (quote)
			buf_addf(out, "=%02X", (unsigned char)p[i]);
		else
			buf_addc(out, p[i]);
		column += quote ? 3 : 1;
	}
	if (column)
		buf_addc(out, '\n');
}

bool compose_is_plain(const char *p, size_t n)
{
	size_t column = 0;

	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)p[i];

		if (c == '\n') {
			column = 0;
			continue;
		}
		if (!column && n - i >= 5 && !memcmp(p + i, "From ", 5))
			return false;
		if (++column > PLAIN_COLUMNS || c > 0x7e || (c < 0x20 && c != '\t'))
			return false;
	}
	return true;
}

void compose_words(struct buf *out, const char *text)
{
	for (const char *p = text; *p;) {
		size_t n = 0, len;
		struct buf word;

		while ((len = str_utf8(p + n)) && n + len <= WORD_BYTES)
			n += len;
		if (!n)
			break;
		buf_init(&word, 256);
		compose_base64(&word, p, n);
		buf_addf(out, "%s=?UTF-8?B?%.*s?=", p == text ? "" : " ",
			(int)strcspn(word.data, "\n"), word.data);
		buf_release(&word);
		p += n;
	}
}

static void compose_folded(struct buf *out, size_t column, const char *text)
{
	bool first = true;

	while (*text) {
		size_t blanks = strspn(text, " "), n = strcspn(text + blanks, " ");

		/* A fold needs something on its line. */
		if (n && !first && column + blanks + n > COMPOSE_COLUMNS) {
			buf_addf(out, "\n %.*s", (int)n, text + blanks);
			column = 1 + n;
		} else if (n) {
			buf_add(out, text, blanks + n);
			column += blanks + n;
		}
		first = false;
		text += blanks + n;
	}
	buf_addc(out, '\n');
}

void compose_text(struct buf *out, const char *name, const char *text)
{
	char *clean = mem_strdup(text);
	struct buf words;

	buf_init(&words, 4 * strlen(clean) + 256);
	for (char *p = clean; *p; p++)
		if (*p == '\t')
			*p = ' ';
	str_clean(clean);
	if (compose_ascii(clean) && compose_widest(clean) <= WIDEST)
		buf_adds(&words, clean + strspn(clean, " "));
	else
		compose_words(&words, clean + strspn(clean, " "));
	buf_addf(out, "%s: ", name);
	compose_folded(out, strlen(name) + 2, words.data);
	buf_release(&words);
	free(clean);
}

void compose_items(
	struct buf *out, const char *name, const char *const *items, size_t n, const char *between)
{
	size_t column = strlen(name) + 1;

	buf_addf(out, "%s:", name);
	for (size_t i = 0; i < n; i++) {
		const char *after = i + 1 < n ? between : "";
		size_t len = strlen(items[i]) + strlen(after);

		if (i && column + 1 + len > COMPOSE_COLUMNS) {
			buf_addc(out, '\n');
			column = 0;
		}
		buf_addf(out, " %s%s", items[i], after);
		column += 1 + len;
	}
	buf_addc(out, '\n');
}

/* Names of days and months in every locale as the RFC has them. */
void compose_date(int64_t wall_ns, char *out, size_t size)
{
	static const char days[] = "SunMonTueWedThuFriSat";
	static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
	time_t t = (time_t)(wall_ns / 1000000000);
	struct tm tm;

	gmtime_r(&t, &tm);
	snprintf(out, size, "%.3s, %d %.3s %d %02d:%02d:%02d +0000", days + 3 * tm.tm_wday,
		tm.tm_mday, months + 3 * tm.tm_mon, tm.tm_year + 1900, tm.tm_hour, tm.tm_min,
		tm.tm_sec);
}
