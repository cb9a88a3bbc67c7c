/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Looks into text reports, for their tests.  The includer has cmocka and its kin. */
#ifndef TESTS_UNIT_TEXT_H
#define TESTS_UNIT_TEXT_H

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "reports/text.h"

enum { BIG = 1 << 20 };

static inline char *rendered(const struct comparison *c, size_t width, bool colour)
{
	const struct text_opts o = {.width = width, .colour = colour};
	struct buf b;

	buf_init(&b, BIG);
	report_text(&b, c, &o);
	assert_false(b.failed);
	return buf_detach(&b);
}

/* Every run of blanks as one, so that what is looked for may be wrapped. */
static inline char *flowing(char *s)
{
	char *to = s;

	for (const char *p = s; *p; p++)
		if (!isspace((unsigned char)*p))
			*to++ = *p;
		else if (to > s && to[-1] != ' ')
			*to++ = ' ';
	*to = '\0';
	return s;
}

static inline void expect_words(const struct comparison *c, const char *want, const char *never)
{
	char *s = flowing(rendered(c, TEXT_WIDTH, false));

	if (want && !strstr(s, want))
		fail_msg("\"%s\" is not in: %s", want, strstr(s, "variation"));
	if (never && strstr(s, never))
		fail_msg("\"%s\" is in: %s", never, strstr(s, "variation"));
	free(s);
}

#endif
