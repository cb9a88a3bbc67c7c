/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Is this text a document as our renderer should write it?  Stricter than HTML: every element that
 * is not void is closed in order, attributes are quoted, ids are unique, headings skip no level. */
#ifndef TESTS_UNIT_HTML_CHECK_H
#define TESTS_UNIT_HTML_CHECK_H

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/mem.h"
#include "harness/base/str.h"

struct html_check {
	const char *at;
	char open[64][16];
	size_t depth;
	char **ids;
	size_t n_ids;
	int heading, h1;
	char why[160]; /* "" while all is well */
};

static inline void check_fail(struct html_check *h, const char *what, const char *name)
{
	if (!*h->why)
		snprintf(h->why, sizeof(h->why), "%s %.24s before: %.80s", what, name, h->at);
}

static inline bool check_void(const char *name)
{
	static const char *const list[] = {"meta", "link", "br", "!DOCTYPE"};

	for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++)
		if (!strcmp(list[i], name))
			return true;
	return false;
}

static inline void check_id(struct html_check *h, const char *id, size_t n)
{
	for (size_t i = 0; i < h->n_ids; i++)
		if (strlen(h->ids[i]) == n && !memcmp(h->ids[i], id, n))
			check_fail(h, "id twice:", h->ids[i]);
	h->ids = mem_grow(h->ids, h->n_ids + 1, sizeof(*h->ids));
	h->ids[h->n_ids++] = mem_strndup(id, n);
}

/* From after the name to after '>'; true when it ends in "/>". */
static inline bool check_attributes(struct html_check *h)
{
	while (*h->at && *h->at != '>' && !*h->why) {
		const char *name = h->at + strspn(h->at, " \n"), *value;
		size_t n = strcspn(name, "= \n>/");

		if (*name == '/' && name[1] == '>') {
			h->at = name + 2;
			return true;
		}
		h->at = name + n;
		if (*h->at != '=')
			continue;
		if (h->at[1] != '"') {
			check_fail(h, "not quoted:", name);
			return false;
		}
		value = h->at + 2;
		h->at = value + strcspn(value, "\"<");
		if (*h->at != '"')
			check_fail(h, "value not closed:", name);
		else if (n == 2 && !memcmp(name, "id", 2))
			check_id(h, value, (size_t)(h->at - value));
		else if (n > 1 && !memcmp(name, "on", 2))
			check_fail(h, "handler:", name);
		else if (n == 5 && !memcmp(name, "style", 5))
			check_fail(h, "style:", name);
		h->at++;
	}
	if (*h->at == '>')
		h->at++;
	else
		check_fail(h, "tag not closed", "");
	return false;
}

static inline void check_opened(struct html_check *h, const char *name)
{
	if (h->depth == sizeof(h->open) / sizeof(h->open[0])) {
		check_fail(h, "too deep:", name);
		return;
	}
	snprintf(h->open[h->depth++], sizeof(h->open[0]), "%s", name);
	if (name[0] == 'h' && isdigit((unsigned char)name[1])) {
		int level = name[1] - '0';

		h->h1 += level == 1;
		if (level > h->heading + 1)
			check_fail(h, "heading skips a level:", name);
		h->heading = level;
	}
	/* Their text ends at their closing tag alone. */
	if (!strcmp(name, "script") || !strcmp(name, "style")) {
		const char *end = strstr(h->at, "</");

		h->at = end ? end : h->at + strlen(h->at);
	}
}

static inline void check_tag(struct html_check *h)
{
	bool closing = h->at[1] == '/';
	const char *from = h->at + 1 + closing;
	size_t n = strcspn(from, " \n>/");
	char name[16];

	snprintf(name, sizeof(name), "%.*s", (int)n, from);
	if (!n || n >= sizeof(name) || (!isalpha((unsigned char)*name) && *name != '!'))
		check_fail(h, "no tag:", name);
	h->at = from + n;
	if (*h->why)
		return;
	if (!closing) {
		bool ended = check_attributes(h);

		if (!ended && !check_void(name))
			check_opened(h, name);
		return;
	}
	if (!h->depth || strcmp(h->open[h->depth - 1], name) != 0)
		check_fail(h, "closes what is not open:", name);
	else
		h->depth--;
	h->at += *h->at == '>';
}

/* NULL when all is well, else what is wrong, in `h`. */
static inline const char *html_check(struct html_check *h, const char *text)
{
	*h = (struct html_check){.at = text};
	while (*h->at && !*h->why) {
		size_t n = str_utf8(h->at);

		if (*h->at == '<')
			check_tag(h);
		else if (*h->at == '&' && !strchr(h->at, ';'))
			check_fail(h, "bare &", "");
		else if (!n || (n == 1 && (unsigned char)*h->at < 0x20 && *h->at != '\n' &&
				       *h->at != '\t'))
			check_fail(h, "no text", "");
		else
			h->at += n;
	}
	if (!*h->why && h->depth)
		check_fail(h, "left open:", h->open[h->depth - 1]);
	if (!*h->why && h->h1 != 1)
		check_fail(h, "one h1, please", "");
	for (size_t i = 0; i < h->n_ids; i++)
		free(h->ids[i]);
	free(h->ids);
	return *h->why ? h->why : NULL;
}

#endif
