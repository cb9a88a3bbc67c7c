/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How a mail of ours is written: header fields, folded and encoded, and the encodings of parts.
 * Pure.  Lines end in LF; whoever sends makes CRLF of it.
 *
 * Every function appends to out and fails only as a buffer does (buf.h).  Sources: RFC 5322
 * (fields, 2.2.3 folding), RFC 2047 (encoded words), RFC 2045 (base64, quoted-printable).
 */
#ifndef HARNESS_MAIL_COMPOSE_H
#define HARNESS_MAIL_COMPOSE_H

#include <stddef.h>
#include <stdint.h>

#include "harness/base/buf.h"

enum { COMPOSE_COLUMNS = 76 };

/* "Name: text", folded where it has blanks; what is not ASCII becomes encoded words.  Control
 * characters and bytes that are no UTF-8 become '?', so that no value can begin a field. */
void compose_text(struct buf *out, const char *name, const char *text);

/* "Name: a, b": items are written as they are (ASCII), a line is begun where the next would pass
 * COMPOSE_COLUMNS.  between: "," or "". */
void compose_items(
	struct buf *out, const char *name, const char *const *items, size_t n, const char *between);

/* "Mon, 30 Nov 2026 13:15:05 +0000"; out holds 40 bytes or more. */
void compose_date(int64_t wall_ns, char *out, size_t size);

/* UTF-8 text as encoded words, a blank between two; none is longer than 75 columns. */
void compose_words(struct buf *out, const char *text);

/* Lines of 76 columns at most.  Text ends in LF. */
void compose_base64(struct buf *out, const char *p, size_t n);
void compose_quoted(struct buf *out, const char *p, size_t n);

/* Can text stand in a mail as it is: ASCII, no line over 78 columns, none that begins with "From "?
 */
bool compose_is_plain(const char *p, size_t n);

#endif
