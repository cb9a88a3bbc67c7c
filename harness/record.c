/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/record.h"

#include <limits.h>
#include <string.h>
#include <zlib.h>

#include "harness/base/str.h"

static const char marker[] = "HPP1 ";

enum { MARKER_LEN = sizeof(marker) - 1, CRC_LEN = 8, TAIL_LEN = 2 + CRC_LEN };

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static int hex_digit(char c)
{
	if (is_digit(c))
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool parse_crc(const char *p, uint32_t *out)
{
	uint32_t v = 0;

	for (int i = 0; i < CRC_LEN; i++) {
		int d = hex_digit(p[i]);

		if (d < 0)
			return false;
		v = v << 4 | (uint32_t)d;
	}
	*out = v;
	return true;
}

/* Every field is " key=value" with one blank, and neither part is empty. */
static bool fields_valid(const char *p, const char *end)
{
	while (p < end) {
		const char *key = p + 1, *eq, *stop;

		if (*p != ' ')
			return false;
		stop = memchr(key, ' ', (size_t)(end - key));
		if (!stop)
			stop = end;
		eq = memchr(key, '=', (size_t)(stop - key));
		if (!eq || eq == key || eq + 1 == stop)
			return false;
		for (const char *c = key; c < eq; c++)
			if (*c < 'a' || *c > 'z')
				return false;
		for (const char *c = eq + 1; c < stop; c++)
			if (*c < '!' || *c > '~')
				return false;
		p = stop;
	}
	return true;
}

bool record_parse(const char *text, size_t len, struct record *r)
{
	const char *p = text + MARKER_LEN, *end = text + len;
	uint32_t seq = 0;
	int digits = 0;

	if (len < MARKER_LEN + RECORD_NONCE + 1 || memcmp(text, marker, MARKER_LEN))
		return false;
	for (int i = 0; i < RECORD_NONCE; i++)
		if (hex_digit(p[i]) < 0)
			return false;
	memcpy(r->nonce8, p, RECORD_NONCE);
	r->nonce8[RECORD_NONCE] = '\0';
	p += RECORD_NONCE;
	if (*p++ != ' ')
		return false;
	for (; p < end && is_digit(*p) && digits < 7; digits++)
		seq = seq * 10 + (uint32_t)(*p++ - '0');
	if (!digits || (digits > 1 && p[-digits] == '0') || p == end || *p++ != ' ')
		return false;
	r->seq = seq;
	r->type = p;
	while (p < end && *p >= 'A' && *p <= 'Z')
		p++;
	r->type_len = (size_t)(p - r->type);
	if (!r->type_len || !fields_valid(p, end))
		return false;
	r->fields = p;
	r->fields_len = (size_t)(end - p);
	r->text = text;
	r->len = len;
	return true;
}

/* The end of the text that starts at p, if what follows is its right checksum. */
static const char *checked_end(const char *p, const char *end)
{
	const char *from = p;
	uint32_t crc;

	if (end - p > RECORD_MAX)
		end = p + RECORD_MAX;
	while ((from = memchr(from, '#', (size_t)(end - from)))) {
		if (from[-1] == ' ' && end - from > CRC_LEN && parse_crc(from + 1, &crc)) {
			const char *stop = from - 1;

			if (crc32(0, (const Bytef *)p, (uInt)(stop - p)) == crc)
				return stop;
		}
		from++;
	}
	return NULL;
}

/* memmem() sets up a table for each call, which costs more than to look at a line. */
static const char *find_marker(const char *p, const char *end)
{
	for (; (p = memchr(p, marker[0], (size_t)(end - p))); p++)
		if (end - p >= MARKER_LEN && !memcmp(p, marker, MARKER_LEN))
			return p;
	return NULL;
}

bool record_find(const char *p, size_t n, struct record *r, const char **next, int *damaged)
{
	const char *end = p + n;

	while ((p = find_marker(p, end))) {
		const char *stop = checked_end(p, end);

		if (stop && record_parse(p, (size_t)(stop - p), r)) {
			*next = stop + TAIL_LEN;
			return true;
		}
		*damaged += *damaged < INT_MAX;
		p += MARKER_LEN;
	}
	*next = end;
	return false;
}

bool record_is(const struct record *r, const char *type)
{
	return strlen(type) == r->type_len && !memcmp(type, r->type, r->type_len);
}

int record_get(const struct record *r, const char *key, char *out, size_t size)
{
	const char *p = r->fields, *end = p + r->fields_len, *found = NULL;
	size_t key_len = strlen(key), found_len = 0;

	while (p < end) {
		const char *field = p + 1;
		const char *stop = memchr(field, ' ', (size_t)(end - field));

		if (!stop)
			stop = end;
		p = stop;
		if ((size_t)(stop - field) <= key_len || field[key_len] != '=' ||
			memcmp(field, key, key_len))
			continue;
		if (found)
			return -1;
		found = field + key_len + 1;
		found_len = (size_t)(stop - found);
	}
	if (!found || found_len >= size)
		return -1;
	memcpy(out, found, found_len);
	out[found_len] = '\0';
	return 0;
}

int record_int(const struct record *r, const char *key, int64_t lo, int64_t hi, int64_t *out)
{
	char text[24];

	if (record_get(r, key, text, sizeof(text)) || (text[0] == '0' && text[1]))
		return -1;
	return str_int(text, lo, hi, out);
}
