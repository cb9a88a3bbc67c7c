/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "harness/base/str.h"
#include "targets/target_keys.h"

#define LOWER  "abcdefghijklmnopqrstuvwxyz"
#define UPPER  "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define DIGITS "0123456789"

static bool value_only(const char *v, const char *allowed)
{
	return *v && !v[strspn(v, allowed)];
}

static bool value_is_host(const char *v)
{
	/* A leading '-' would be an option of whatever program gets it. */
	return value_only(v, LOWER UPPER DIGITS ".-_:%") && *v != '-';
}

/* host:port or [v6]:port; a missing port is fine where the caller says so. */
static bool value_is_host_port(const char *v, bool need_port)
{
	char host[256];
	const char *end;
	int64_t port;
	size_t n;

	if (*v == '[') {
		end = strchr(v, ']');
		if (!end)
			return false;
		v++;
		n = (size_t)(end++ - v);
	} else {
		end = v + strcspn(v, ":");
		n = (size_t)(end - v);
	}
	if (!n || n >= sizeof(host))
		return false;
	memcpy(host, v, n);
	host[n] = '\0';
	if (!value_is_host(host))
		return false;
	if (!*end)
		return !need_port;
	return *end == ':' && !str_int(end + 1, 0, 65535, &port);
}

static int value_set_mac(char *out, const char *v)
{
	if (strlen(v) != 17)
		return -1;
	for (int i = 0; i < 17; i++) {
		if (i % 3 == 2 ? v[i] != ':' && v[i] != '-' : !isxdigit((unsigned char)v[i]))
			return -1;
		out[i] = i % 3 == 2 ? ':' : (char)tolower((unsigned char)v[i]);
	}
	out[17] = '\0';
	/* Bit 0 of the first byte marks a group address; no interface has one. */
	return strchr("13579bdf", out[1]) ? -1 : 0;
}

static bool value_is_hex_bytes(const char *v)
{
	while (*v) {
		size_t digits;

		if (strncmp(v, "0x", 2))
			return false;
		digits = strspn(v + 2, DIGITS "abcdefABCDEF");
		if (!digits || digits > 2)
			return false;
		v += 2 + digits;
		if (*v && *v != ' ')
			return false;
		v += strspn(v, " ");
	}
	return true;
}

static bool value_is_cmdline(const char *v)
{
	for (const char *p = v; *p; p++)
		if (*p < 0x20 || *p > 0x7e || strchr("\"'\\`", *p))
			return false;
	return !strstr(v, "${");
}

/* None that ends Xen (a crash dump, a restart), or that a console on the way takes for its own. */
static bool value_is_keys(const char *v)
{
	return value_only(v, LOWER UPPER DIGITS "*") && !v[strcspn(v, "CR")];
}

/* Index of v among the blank-separated words, or -1. */
static int value_word(const char *words, const char *v)
{
	size_t n = strlen(v);

	if (!value_only(v, LOWER UPPER DIGITS "-_"))
		return -1;
	for (int i = 0; *words; i++) {
		size_t len = strcspn(words, " ");

		if (len == n && !strncmp(words, v, n))
			return i;
		words += len;
		words += strspn(words, " ");
	}
	return -1;
}

static bool value_is_words(const char *words, const char *v)
{
	unsigned seen = 0;
	char word[64];

	for (v += strspn(v, " "); *v; v += strspn(v, " ")) {
		size_t n = strcspn(v, " ");
		int i;

		if (n >= sizeof(word))
			return false;
		memcpy(word, v, n);
		word[n] = '\0';
		i = value_word(words, word);
		if (i < 0 || seen & 1U << i)
			return false;
		seen |= 1U << i;
		v += n;
	}
	return seen != 0;
}

/* Is the word at p, n bytes, among the blank-separated ones before it? */
static bool value_came_before(const char *list, const char *p, size_t n)
{
	while (list < p) {
		size_t len = strcspn(list, " ");

		if (len == n && !memcmp(list, p, n))
			return true;
		list += len;
		list += strspn(list, " ");
	}
	return false;
}

static bool value_is_names(const char *v)
{
	const char *list = v + strspn(v, " ");
	char name[64];

	for (v = list; *v; v += strspn(v, " ")) {
		size_t n = strcspn(v, " ");

		if (n >= sizeof(name) || value_came_before(list, v, n))
			return false;
		memcpy(name, v, n);
		name[n] = '\0';
		if (!str_is_name(name))
			return false;
		v += n;
	}
	return *list;
}

/* One blank between two words, none around them. */
static void value_set_words(char *out, const char *v)
{
	char *start = out;

	for (v += strspn(v, " "); *v; v += strspn(v, " ")) {
		size_t n = strcspn(v, " ");

		if (out > start)
			*out++ = ' ';
		memcpy(out, v, n);
		out += n;
		v += n;
	}
	*out = '\0';
}

static bool value_text_valid(const struct target_key *k, const char *v)
{
	switch (k->type) {
	case KEY_ID:
		return value_only(v, LOWER UPPER DIGITS "-_.,=:+@") && *v != '-';
	case KEY_HOST:
		return value_is_host(v);
	case KEY_LISTEN:
		return value_is_host_port(v, true);
	case KEY_URL:
		return !strncmp(v, "http://", 7) && value_is_host_port(v + 7, false);
	case KEY_HTTPS:
		return !strncmp(v, "https://", 8) && value_is_host_port(v + 8, false);
	case KEY_PIN:
		/* 32 bytes in base64 */
		return !strncmp(v, "sha256//", 8) && strlen(v) == 8 + 44 &&
		       value_only(v + 8, LOWER UPPER DIGITS "+/=");
	case KEY_HEX:
		return value_is_hex_bytes(v);
	case KEY_CMDLINE:
		return value_is_cmdline(v);
	case KEY_KEYS:
		return value_is_keys(v);
	case KEY_CHOICE:
		return value_word(k->words, v) >= 0;
	case KEY_WORDS:
		return value_is_words(k->words, v);
	case KEY_NAMES:
		return value_is_names(v);
	case KEY_SECRET:
		return k->min != SECRET_ENV ||
		       (value_only(v, LOWER UPPER DIGITS "_") && !isdigit((unsigned char)*v));
	default:
		return true;
	}
}

static int value_store(struct target *t, const struct target_key *k, const char *v)
{
	char *at = (char *)t + k->offset;
	int64_t n;

	switch (k->type) {
	case KEY_INT:
		if (str_int(v, k->min, k->max, &n))
			return -1;
		break;
	case KEY_DURATION:
		if (str_duration_ms(v, k->max, &n) || n < k->min)
			return -1;
		break;
	case KEY_ENUM:
		n = value_word(k->words, v);
		if (n < 0)
			return -1;
		break;
	case KEY_BOOL:
		return str_bool(v, (bool *)at);
	case KEY_MAC:
		return value_set_mac(at, v);
	default:
		if (!value_text_valid(k, v))
			return -1;
		if (k->type == KEY_NAMES)
			value_set_words(at, v);
		else
			memcpy(at, v, strlen(v) + 1);
		if (k->type == KEY_SECRET)
			t->bmc.password_kind = (enum secret_kind)k->min;
		return 0;
	}
	assert(k->size == sizeof(int));
	memcpy(at, &(int){(int)n}, sizeof(int));
	return 0;
}

int target_key_set(struct target *t, const struct target_key *k, const char *value, struct buf *why)
{
	bool text = k->type != KEY_INT && k->type != KEY_DURATION && k->type != KEY_ENUM &&
		    k->type != KEY_BOOL && k->type != KEY_MAC;

	if (text && strlen(value) >= k->size) {
		buf_addf(why, "%zu bytes at most", k->size - 1);
		return -1;
	}
	if (*value && !value_store(t, k, value))
		return 0;
	target_key_describe(k, why);
	return -1;
}

static void value_add_ms(int ms, struct buf *out)
{
	if (ms && ms % 3600000 == 0)
		buf_addf(out, "%dh", ms / 3600000);
	else if (ms && ms % 60000 == 0)
		buf_addf(out, "%dm", ms / 60000);
	else if (ms % 1000 == 0)
		buf_addf(out, "%ds", ms / 1000);
	else
		buf_addf(out, "%dms", ms);
}

void target_key_get(const struct target *t, const struct target_key *k, struct buf *out)
{
	const char *at = (const char *)t + k->offset, *w = k->words;
	int n = 0;

	if (k->type == KEY_INT || k->type == KEY_DURATION || k->type == KEY_ENUM)
		memcpy(&n, at, sizeof(n));
	switch (k->type) {
	case KEY_INT:
		/* One without a default may be unset. */
		if (n >= k->min)
			buf_addf(out, "%d", n);
		break;
	case KEY_DURATION:
		value_add_ms(n, out);
		break;
	case KEY_ENUM:
		while (n--)
			w += strcspn(w, " ") + 1;
		buf_add(out, w, strcspn(w, " "));
		break;
	case KEY_BOOL:
		buf_adds(out, *(const bool *)at ? "yes" : "no");
		break;
	case KEY_SECRET:
		if (t->bmc.password_kind == (enum secret_kind)k->min)
			buf_adds(out, at);
		break;
	default:
		buf_adds(out, at);
	}
}

void target_key_describe(const struct target_key *k, struct buf *out)
{
	switch (k->type) {
	case KEY_TEXT:
		buf_addf(out, "text, %zu bytes at most", k->size - 1);
		break;
	case KEY_ID:
		buf_adds(out, "letters, digits and -_.,=:+@");
		break;
	case KEY_HOST:
		buf_adds(out, "a host name or address");
		break;
	case KEY_LISTEN:
		buf_adds(out, "address:port or [address]:port");
		break;
	case KEY_URL:
		buf_adds(out, "http://host or http://host:port");
		break;
	case KEY_HTTPS:
		buf_adds(out, "https://host or https://host:port");
		break;
	case KEY_PIN:
		buf_adds(out, "sha256// and 44 characters of base64");
		break;
	case KEY_MAC:
		buf_adds(out, "an interface's address like 52:54:00:12:34:56");
		break;
	case KEY_HEX:
		buf_adds(out, "bytes like 0x00 0x08 0x05");
		break;
	case KEY_CMDLINE:
		buf_adds(out, "plain ASCII without quotes, backslash and ${");
		break;
	case KEY_NAMES:
		buf_adds(out, "names of a-z, 0-9 and ._-, separated by blanks");
		break;
	case KEY_KEYS:
		buf_adds(out, "letters but C and R, digits and *; or none");
		break;
	case KEY_WORDS:
		buf_adds(out, "one or several of ");
		for (const char *w = k->words; *w; w++)
			if (*w == ' ')
				buf_adds(out, ", ");
			else
				buf_addc(out, *w);
		break;
	case KEY_CHOICE:
	case KEY_ENUM:
		for (const char *w = k->words; *w; w++)
			if (*w == ' ')
				buf_adds(out, " or ");
			else
				buf_addc(out, *w);
		break;
	case KEY_INT:
		buf_addf(out, "a number from %lld to %lld", (long long)k->min, (long long)k->max);
		break;
	case KEY_DURATION:
		buf_adds(out, "a time from ");
		value_add_ms((int)k->min, out);
		buf_adds(out, " to ");
		value_add_ms((int)k->max, out);
		buf_adds(out, ", like 250ms, 30s or 5m");
		break;
	case KEY_BOOL:
		buf_adds(out, "yes or no");
		break;
	case KEY_SECRET:
		buf_adds(out, k->min == SECRET_FILE  ? "a path"
			      : k->min == SECRET_ENV ? "a variable's name"
						     : "a command");
		break;
	}
}

void target_key_row(const struct target_key *k, struct buf *out)
{
	buf_addf(out, "| `%s` | ", k->name);
	target_key_describe(k, out);
	if (k->dflt)
		buf_addf(out, " | `%s` | ", k->dflt);
	else if (k->need == NEED_YES)
		buf_adds(out, " | required | ");
	else if (k->need == NEED_REAL || k->need == NEED_USER)
		buf_adds(out, " | required without `[lab]` | ");
	else if (k->type == KEY_SECRET)
		buf_adds(out, " | one of the three, without `[lab]` | ");
	else
		buf_adds(out, " | none | ");
	buf_addf(out, "%s |", k->what);
}
