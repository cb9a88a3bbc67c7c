/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One mail: its header fields and its text.  Pure.
 *
 * The text is what a person reads and git applies: the text/plain parts and attached patches (MIME,
 * RFC 2045 and 2046) one after the other, transfer encodings undone.  Lines end in LF: where every
 * line of the mail ends in CRLF, that is how mail is sent; where only some do, the CR belongs to a
 * file and stays.  As git does it, only what stands before the patch is converted to UTF-8: lines
 * of a file keep their bytes.  Trailers of lists and signatures stay where they are.
 *
 * A text that does not begin with header fields, as from a page of an archive, is a mail without
 * any: all of it is its text.
 */
#ifndef HARNESS_MAIL_MESSAGE_H
#define HARNESS_MAIL_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "harness/base/buf.h"
#include "harness/base/err.h"

enum { MESSAGE_MAX = 16 << 20, MESSAGE_HEADERS_MAX = 1000 };

struct message_header {
	char *name, *value; /* the value unfolded, without blanks at its ends; owned */
};

struct message {
	struct message_header *headers;
	size_t n_headers;
	struct buf text; /* at most MESSAGE_MAX bytes; no NUL bytes */
};

void message_init(struct message *m);
void message_release(struct message *m);

/* n bytes of one mail (mbox.h), without a From_ line.  Fails (class usage, E_MAIL) when it is too
 * large, has too many fields or parts in parts, no text, or a NUL byte in it. */
int message_parse(struct message *m, const char *p, size_t n, struct err *e) must_check;

/* The first field of this name (any case), as it came, or NULL.  Borrowed from m. */
const char *message_get(const struct message *m, const char *name);

/* The same, encoded words decoded (encoding.h); never NULL, the caller frees it. */
char *message_get_text(const struct message *m, const char *name);

/* Does a patch begin at this line: "diff --git", or "--- " with "+++ " after it? */
bool message_diff_at(const char *line);
/* Where it does, or NULL. */
const char *message_diff(const char *text);

#endif
