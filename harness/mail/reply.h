/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The answer to a mail, with a report in it.  Pure.
 *
 * RFC 5322 and MIME: the report as plain text, the report as JSON attached, no HTML.  It goes to
 * the sender of the original (Reply-To, else From) with all of its To and Cc in copy, as people on
 * mailing lists do; a mail of our own is answered to those whom it went to.  In-Reply-To and
 * References (RFC 5322, 3.6.4) put it below the original.  The same run, original and options give
 * the same bytes, but for Date; the Message-ID follows from run and original alone (and the
 * sender's domain), so that a second answer can be told from a first.
 */
#ifndef HARNESS_MAIL_REPLY_H
#define HARNESS_MAIL_REPLY_H

#include <stdint.h>

#include "harness/mail/address.h"
#include "harness/mail/message.h"

enum { REPLY_MAX = 256 << 20, REPLY_ID_MAX = 400, REPLY_PEOPLE_MAX = 500 };

struct reply_opts {
	const char *run;	   /* UUID */
	const char *from;	   /* "Name <address>" or an address */
	const char *const *except; /* n_except addresses that do not get it */
	size_t n_except;
	const char *text; /* the report: UTF-8, lines of at most 72 columns, LF */
	const char *json; /* the same for programs */
	size_t json_len;
	int64_t date_ns; /* since 1970 UTC */
};

struct reply {
	struct buf mail;	     /* lines end in LF */
	char original[REPLY_ID_MAX]; /* "<…>" of what it answers */
	char id[REPLY_ID_MAX];	     /* "<…>" of its own */
	char *subject;		     /* UTF-8 */
	struct address_list from;    /* one */
	struct address_list to, cc;  /* to.bad: what was left out, since it is no address */
};

/* r is released by reply_release() also after a failure.  Fails with class usage, E_MAIL, when the
 * original has no Message-ID, when it went to more than REPLY_PEOPLE_MAX addresses, when `from` is
 * no address, and when nobody is left to get it. */
int reply_make(struct reply *r, const struct message *original, const struct reply_opts *o,
	struct err *e) must_check;
void reply_release(struct reply *r); /* safe to call twice */

#endif
