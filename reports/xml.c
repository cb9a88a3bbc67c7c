/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/xml.h"

#include <string.h>

#include "harness/base/str.h"

/* What stands for a character that cannot stand for itself, or NULL. */
static const char *xml_escape(char c, bool attr)
{
	switch (c) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return attr ? "&quot;" : NULL;
	/* A parser makes newlines of these, and blanks of all three in an attribute. */
	case '\r':
		return "&#13;";
	case '\n':
		return attr ? "&#10;" : NULL;
	case '\t':
		return attr ? "&#9;" : NULL;
	default:
		return (unsigned char)c < 0x20 ? "?" : NULL;
	}
}

static void xml_add(struct buf *out, const char *s, bool attr)
{
	while (*s) {
		size_t n = str_utf8(s);
		const char *instead = xml_escape(*s, attr);

		if (!n || !strncmp(s, "\xef\xbf\xbe", 3) || !strncmp(s, "\xef\xbf\xbf", 3))
			instead = "?";
		if (instead)
			buf_adds(out, instead);
		else
			buf_add(out, s, n);
		s += n ? n : 1;
	}
}

void xml_text(struct buf *out, const char *s)
{
	xml_add(out, s, false);
}

void xml_attr(struct buf *out, const char *name, const char *value)
{
	buf_addf(out, " %s=\"", name);
	xml_add(out, value, true);
	buf_addc(out, '"');
}
