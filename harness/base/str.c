/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/base/str.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>

int str_int(const char *s, int64_t lo, int64_t hi, int64_t *out)
{
	long long v;
	char *end;

	if (!(*s >= '0' && *s <= '9') && !(*s == '-' && s[1] >= '0' && s[1] <= '9'))
		return -1;
	errno = 0;
	v = strtoll(s, &end, 10);
	if (errno || *end || v < lo || v > hi)
		return -1;
	*out = v;
	return 0;
}

int str_duration_ms(const char *s, int64_t hi, int64_t *out)
{
	static const struct {
		const char *suffix;
		int64_t ms;
	} units[] = {{"", 1000}, {"ms", 1}, {"s", 1000}, {"m", 60000}, {"h", 3600000}};
	size_t digits = strspn(s, "0123456789");
	char num[16];
	int64_t v;

	if (!digits || digits >= sizeof(num))
		return -1;
	memcpy(num, s, digits);
	num[digits] = '\0';
	if (str_int(num, 0, INT64_MAX / 3600000, &v))
		return -1;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(s + digits, units[i].suffix))
			continue;
		if (v * units[i].ms > hi)
			return -1;
		*out = v * units[i].ms;
		return 0;
	}
	return -1;
}

int str_percent(const char *s, double lo, double hi, double *out)
{
	size_t whole = strspn(s, "0123456789"), point = s[whole] == '.';
	size_t part = point ? strspn(s + whole + 1, "0123456789") : 0;
	double v;

	if (!(whole + part) || strcmp(s + whole + point + part, "%") != 0)
		return -1;
	v = strtod(s, NULL);
	if (!(v >= lo && v <= hi))
		return -1;
	*out = v / 100;
	return 0;
}

int str_bool(const char *s, bool *out)
{
	static const char *const words[] = {"no", "yes", "false", "true", "off", "on", "0", "1"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcasecmp(s, words[i])) {
			*out = i & 1;
			return 0;
		}
	return -1;
}

/* Levenshtein distance by rows; words are cut at 63 bytes. */
static size_t str_distance(const char *a, const char *b)
{
	size_t la = strnlen(a, 63), lb = strnlen(b, 63), row[64];

	for (size_t j = 0; j <= lb; j++)
		row[j] = j;
	for (size_t i = 1; i <= la; i++) {
		size_t diag = row[0];

		row[0] = i;
		for (size_t j = 1; j <= lb; j++) {
			size_t best = diag + (a[i - 1] != b[j - 1]);

			diag = row[j];
			if (row[j] + 1 < best)
				best = row[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			row[j] = best;
		}
	}
	return row[lb];
}

const char *str_nearest(const char *word, const char *const *names, size_t n)
{
	size_t limit = strlen(word) / 3, best;
	const char *found = NULL;

	best = (limit < 1 ? 1 : limit) + 1;
	for (size_t i = 0; i < n; i++) {
		size_t d = str_distance(word, names[i]);

		if (d < best) {
			best = d;
			found = names[i];
		}
	}
	return found;
}

bool str_is_name(const char *s)
{
	size_t n = strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789._-");

	return n && n <= 63 && !s[n] && *s != '.' && *s != '_' && *s != '-';
}

size_t str_utf8(const char *s)
{
	const unsigned char *b = (const unsigned char *)s;
	unsigned char lo = 0x80, hi = 0xbf;
	size_t n;

	if (b[0] < 0x80)
		return b[0] != '\0';
	if (b[0] < 0xc2 || b[0] > 0xf4)
		return 0;
	n = b[0] < 0xe0 ? 2 : b[0] < 0xf0 ? 3 : 4;
	/* The second byte alone keeps out overlong forms, surrogates and what is too large. */
	if (b[0] == 0xe0)
		lo = 0xa0;
	else if (b[0] == 0xed)
		hi = 0x9f;
	else if (b[0] == 0xf0)
		lo = 0x90;
	else if (b[0] == 0xf4)
		hi = 0x8f;
	if (b[1] < lo || b[1] > hi)
		return 0;
	for (size_t i = 2; i < n; i++)
		if ((b[i] & 0xc0) != 0x80)
			return 0;
	return n;
}

void str_clean(char *s)
{
	char *to = s;

	while (*s) {
		unsigned char c = (unsigned char)*s;
		size_t n = str_utf8(s);
		bool c1 = c == 0xc2 && n && (unsigned char)s[1] < 0xa0;

		if (!n || c1 || c < 0x20 || c == 0x7f) {
			*to++ = '?';
			s += n ? n : 1;
			continue;
		}
		while (n--)
			*to++ = *s++;
	}
	*to = '\0';
}

void str_hex(const void *p, size_t n, char *out)
{
	const unsigned char *b = p;

	for (size_t i = 0; i < n; i++)
		snprintf(out + 2 * i, 3, "%02x", b[i]);
	out[2 * n] = '\0';
}

void str_random_hex(size_t n, char *out)
{
	unsigned char b[64];

	assert(n <= sizeof(b));
	/* Up to 256 bytes arrive whole once the pool is ready; before that the call blocks. */
	while (getrandom(b, n, 0) != (ssize_t)n)
		;
	str_hex(b, n, out);
}
