/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The text of a mail or of a part of one.  For message.c. */
#ifndef HARNESS_MAIL_MESSAGE_BODY_H
#define HARNESS_MAIL_MESSAGE_BODY_H

#include "harness/mail/message.h"

/* Append the text of n bytes, whose fields m->headers has, to text; depth: of parts in parts, from
 * 0.  *found is set when there is a text.  Fails with E_MAIL, class usage. */
int message_body(const struct message *m, const char *p, size_t n, int depth, struct buf *text,
	bool *found, struct err *e) must_check;

/* Header fields at p into m; the offset of what follows the empty line, or negative with *e. */
long message_fields(struct message *m, const char *p, size_t n, struct err *e) must_check;

/* Every CRLF becomes LF, if no line ends otherwise. */
void message_lf(struct buf *b);

#endif
