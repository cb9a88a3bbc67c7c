/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which mails about a run were sent, so that none is sent twice.
 *
 *	store_sent_begin()  before anything goes to a server: on the disk when it returns
 *	store_sent_end()    when it is known what became of it
 *
 * What was begun and never ended (we were killed, or the connection was lost after the mail's end)
 * may have been sent, and counts as such.  Errors as in store.h.
 */
#ifndef HARNESS_DB_STORE_SENT_H
#define HARNESS_DB_STORE_SENT_H

#include "db/store.h"

struct store_sent {
	const char *run;	/* UUID */
	const char *original;	/* "<…>", the Message-ID of what it answers */
	const char *message_id; /* its own */
	const char *recipients; /* addresses, separated by ", " */
};

/* Fails with class usage, E_SENT, when a mail of this run to this original was sent or may have
 * been; the message says when and to whom. */
int store_sent_check(struct store *s, const struct store_sent *m, struct err *e) must_check;

/* Write that it is about to be sent.  again: also when it was before; else fails as
 * store_sent_check() does, also when another process was faster.  *id is for store_sent_end(). */
int store_sent_begin(struct store *s, const struct store_sent *m, bool again, int64_t *id,
	struct err *e) must_check;

/* It was sent, or refused: then it may be sent again.  words: the server's, or of the error. */
int store_sent_end(
	struct store *s, int64_t id, bool sent, const char *words, struct err *e) must_check;

#endif
