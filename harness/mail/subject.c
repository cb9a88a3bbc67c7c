/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/mail/subject.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char *skip_blanks(const char *p)
{
	return p + strspn(p, " \t");
}

/* "Re: ", as mailers of several languages write it; "" is where it ends. */
static const char *skip_reply(const char *p)
{
	static const char *const marks[] = {"re:", "aw:", "sv:", "antw:"};

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
		if (!strncasecmp(p, marks[i], strlen(marks[i])))
			return skip_blanks(p + strlen(marks[i]));
	return p;
}

/* A number of at most four digits at *p, or -1. */
static int number(const char **p)
{
	int n = 0, digits = 0;

	for (; isdigit((unsigned char)**p) && digits < 5; ++*p, digits++)
		n = n * 10 + (**p - '0');
	return digits && n <= SUBJECT_NUMBER_MAX ? n : -1;
}

/* "2/5" and nothing else of n bytes. */
static bool word_number(struct subject *s, const char *p, size_t n)
{
	const char *end = p + n;
	int a = number(&p), b = -1;

	if (a >= 0 && *p++ == '/')
		b = number(&p);
	if (b < 1 || a > b || p != end)
		return false;
	s->number = a;
	s->total = b;
	return true;
}

/* "v3" or "v3.1" */
static bool word_version(struct subject *s, const char *p, size_t n)
{
	const char *end = p + n;
	int v, minor = 0;

	if (*p != 'v' && *p != 'V')
		return false;
	p++;
	v = number(&p);
	if (v >= 0 && *p == '.') {
		p++;
		minor = number(&p);
	}
	if (v < 0 || minor < 0 || p != end)
		return false;
	s->version = v;
	s->minor = minor;
	return true;
}

/* The words between p and end; is it the bracket of a patch? */
static bool bracket(struct subject *s, const char *p, const char *end)
{
	bool is = false;

	while (p < end) {
		size_t n = strcspn(p, " \t,]");

		if (n >= 5 && !strncasecmp(p, "PATCH", 5)) {
			is = true;
			/* "PATCHv3" */
			if (n > 5)
				word_version(s, p + 5, n - 5);
		} else if ((n == 3 && !strncasecmp(p, "RFC", 3)) || word_number(s, p, n)) {
			is = true;
		} else {
			word_version(s, p, n);
		}
		p += n;
		p += p < end;
	}
	return is;
}

void subject_parse(struct subject *s, const char *text)
{
	const char *p = skip_blanks(text), *q;

	*s = (struct subject){.version = 1};
	s->title = p;
	for (;;) {
		q = skip_reply(p);
		if (q != p) {
			s->reply = true;
			p = q;
			if (!s->patch)
				s->title = p;
			continue;
		}
		q = *p == '[' ? strchr(p, ']') : NULL;
		if (!q || s->patch)
			break;
		s->patch = bracket(s, p + 1, q);
		p = skip_blanks(q + 1);
		if (s->patch)
			s->title = p;
		else
			s->version = 1;
	}
}
