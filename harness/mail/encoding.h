/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How mail writes bytes and characters: quoted-printable and base64 (RFC 2045), encoded words in
 * headers (RFC 2047), character sets.  Pure.
 *
 * Nothing is refused: what is no valid encoding stands in the result as it came, or is left out
 * where the RFC says so.  Every function appends to out, and fails only as a buffer does (buf.h).
 */
#ifndef HARNESS_MAIL_ENCODING_H
#define HARNESS_MAIL_ENCODING_H

#include <stdbool.h>
#include <stddef.h>

#include "harness/base/buf.h"

/* header: the Q encoding of RFC 2047, where '_' is a blank. */
void encoding_qp(const char *p, size_t n, bool header, struct buf *out);
void encoding_base64(const char *p, size_t n, struct buf *out);

/* Text of a character set as UTF-8.  charset: "" or one that nobody knows: UTF-8 if it is valid,
 * else ISO-8859-1, as git guesses.  What cannot be converted becomes '?'. */
void encoding_utf8(const char *charset, const char *p, size_t n, struct buf *out);

/* The value of a header field, its encoded words decoded, as UTF-8. */
void encoding_words(const char *value, struct buf *out);

#endif
