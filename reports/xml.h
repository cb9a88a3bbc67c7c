/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any bytes as XML 1.0 in UTF-8.
 *
 * What XML has no way to write (control characters, surrogates, U+FFFE, U+FFFF) and bytes that are
 * not UTF-8 become '?' each.  Markup is escaped, '>' too, so that "]]>" is nothing special.  Line
 * ends and tabs are kept as they are, through any parser.  Pure.
 */
#ifndef HARNESS_REPORTS_XML_H
#define HARNESS_REPORTS_XML_H

#include "harness/base/buf.h"

/* Character data. */
void xml_text(struct buf *out, const char *s);

/* A blank, and name="value". */
void xml_attr(struct buf *out, const char *name, const char *value);

#endif
