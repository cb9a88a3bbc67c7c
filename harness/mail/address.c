/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/mail/address.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "harness/base/mem.h"
#include "harness/base/str.h"
#include "harness/mail/compose.h"

enum { ADDRESS_MAX = 254, NAME_MAX_BYTES = 200 }; /* RFC 5321, 4.5.3.1.3 */

void address_list_release(struct address_list *l)
{
	for (size_t i = 0; i < l->n; i++) {
		free(l->v[i].name);
		free(l->v[i].addr);
	}
	for (size_t i = 0; i < l->n_bad; i++)
		free(l->bad[i]);
	free(l->v);
	free(l->bad);
	*l = (struct address_list){NULL};
}

bool address_has(const struct address_list *l, const char *addr)
{
	for (size_t i = 0; i < l->n; i++)
		if (!strcasecmp(l->v[i].addr, addr))
			return true;
	return false;
}

void address_add(struct address_list *l, const struct address *a)
{
	if (address_has(l, a->addr))
		return;
	l->v = mem_grow(l->v, l->n + 1, sizeof(*l->v));
	l->v[l->n].name = mem_strdup(a->name);
	l->v[l->n++].addr = mem_strdup(a->addr);
}

void address_remove(struct address_list *l, const char *addr)
{
	size_t to = 0;

	for (size_t i = 0; i < l->n; i++) {
		if (strcasecmp(l->v[i].addr, addr) != 0) {
			l->v[to++] = l->v[i];
			continue;
		}
		free(l->v[i].name);
		free(l->v[i].addr);
	}
	l->n = to;
}

/* No quoted local parts, no literals, no blanks: what an envelope takes without more thought. */
static bool address_is(const char *s)
{
	const char *at = strrchr(s, '@');

	if (!at || at == s || strchr(s, '@') != at || !at[1] || strlen(s) > ADDRESS_MAX)
		return false;
	for (const char *p = s; *p; p++) {
		unsigned char c = (unsigned char)*p;

		if (c <= 0x20 || c > 0x7e || strchr("()<>[]:;,\\\"", c))
			return false;
	}
	/* "user@...", "user@xxxxxxxx" and "user@xxxxx.xx" are what is left of a masked one. */
	if (!strncasecmp(at + 1, "xxx", 3) || strspn(at + 1, "xX.*") == strlen(at + 1))
		return false;
	return at[1] != '.' && s[strlen(s) - 1] != '.' && !strstr(at, "..");
}

/* One mailbox as it is read.  Texts without quotes and comments. */
struct address_piece {
	struct buf text, angle, comment, raw;
	bool in_angle, has_angle, quoted;
	int depth; /* of comments */
};

static char *address_trimmed(const struct buf *b)
{
	const char *p = b->data, *end = p + b->len;

	while (*p == ' ' || *p == '\t')
		p++;
	while (end > p && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	return mem_strndup(p, (size_t)(end - p));
}

static void address_end(struct address_list *l, struct address_piece *x)
{
	char *text = address_trimmed(&x->text), *comment = address_trimmed(&x->comment);
	char *angle = address_trimmed(&x->angle), *raw = address_trimmed(&x->raw);
	struct address a = {
		.name = x->has_angle ? text : comment, .addr = x->has_angle ? angle : text};

	if (strlen(a.name) > NAME_MAX_BYTES)
		a.name[0] = '\0';
	if (address_is(a.addr)) {
		address_add(l, &a);
	} else if (*raw) {
		l->bad = mem_grow(l->bad, l->n_bad + 1, sizeof(*l->bad));
		l->bad[l->n_bad] = mem_strdup(raw);
		str_clean(l->bad[l->n_bad++]);
	}
	free(text);
	free(comment);
	free(angle);
	free(raw);
	buf_clear(&x->text);
	buf_clear(&x->angle);
	buf_clear(&x->comment);
	buf_clear(&x->raw);
	x->in_angle = x->has_angle = false;
}

/* One character outside of quotes and comments. */
static void address_char(struct address_list *l, struct address_piece *x, char c)
{
	switch (c) {
	case '"':
		x->quoted = true;
		break;
	case '(':
		x->depth = 1;
		buf_clear(&x->comment);
		break;
	case '<':
		x->in_angle = x->has_angle = true;
		buf_clear(&x->angle);
		break;
	case '>':
		x->in_angle = false;
		break;
	case ',':
	case ';':
		address_end(l, x);
		return;
	case ':':
		/* The name of a group. */
		if (!x->in_angle) {
			buf_clear(&x->text);
			buf_clear(&x->raw);
			return;
		}
		buf_addc(&x->angle, c);
		break;
	default:
		buf_addc(x->in_angle ? &x->angle : &x->text, c);
	}
	buf_addc(&x->raw, c);
}

void address_parse(struct address_list *l, const char *value)
{
	struct address_piece x = {.depth = 0};
	size_t max;

	if (!value)
		return;
	max = strlen(value) + 1;
	buf_init(&x.text, max);
	buf_init(&x.angle, max);
	buf_init(&x.comment, max);
	buf_init(&x.raw, max);
	for (const char *p = value; *p; p++) {
		bool escaped = *p == '\\' && p[1] && (x.quoted || x.depth);

		p += escaped;
		if (!x.quoted && !x.depth) {
			address_char(l, &x, *p);
			continue;
		}
		buf_addc(&x.raw, *p);
		if (x.quoted && !escaped && *p == '"')
			x.quoted = false;
		else if (x.quoted)
			buf_addc(x.in_angle ? &x.angle : &x.text, *p);
		else if (!escaped && (*p == '(' || *p == ')'))
			x.depth += *p == '(' ? 1 : -1;
		else
			buf_addc(&x.comment, *p);
	}
	address_end(l, &x);
	buf_release(&x.text);
	buf_release(&x.angle);
	buf_release(&x.comment);
	buf_release(&x.raw);
}

/* Encoded words are, too, and must not be quoted: RFC 2047, 5 (3). */
static bool address_name_is_plain(const char *s)
{
	const char *dot = strstr(s, "=?") ? "." : "";

	while (*s && (strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
			     " !#$%&'*+-/=?^_`{|}~",
			      *s) ||
			     *s == *dot))
		s++;
	return !*s;
}

void address_write(struct buf *out, const struct address *a)
{
	char *name = mem_strdup(a->name);
	bool ascii = true;

	str_clean(name);
	for (const char *p = name; *p; p++)
		ascii = ascii && !((unsigned char)*p & 0x80);
	if (!*name) {
		buf_adds(out, a->addr);
		goto out;
	}
	if (!ascii) {
		compose_words(out, name);
	} else if (address_name_is_plain(name)) {
		buf_adds(out, name);
	} else {
		buf_addc(out, '"');
		for (const char *p = name; *p; p++)
			buf_addf(out, "%s%c", *p == '"' || *p == '\\' ? "\\" : "", *p);
		buf_addc(out, '"');
	}
	buf_addf(out, " <%s>", a->addr);
out:
	free(name);
}
