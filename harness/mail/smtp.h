/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One mail to one SMTP server, by libcurl.
 *
 * "smtps://HOST" is TLS from the first byte; "smtp://HOST" begins with STARTTLS and is refused
 * where the server has none.  Only a server on loopback may go without (smtp_plain, or when it
 * offers no STARTTLS); a certificate that is offered is checked there, too.  The mail goes to all
 * recipients or to none: the first that the server refuses ends it.
 *
 * What became of the mail is one of three: it was taken; it was not, for certain, and may be sent
 * again; or the connection was lost after its end had been written, and nobody here knows.
 */
#ifndef HARNESS_MAIL_SMTP_H
#define HARNESS_MAIL_SMTP_H

#include <stdbool.h>
#include <stddef.h>

#include "harness/base/err.h"

enum smtp_fate { SMTP_NOT_SENT, SMTP_SENT, SMTP_UNKNOWN };

struct smtp_server {
	const char *url;      /* smtp://HOST[:PORT] or smtps:// */
	const char *ca_file;  /* PEM; NULL: the system's */
	const char *user;     /* NULL: no login */
	const char *password; /* with a user; borrowed, in no log or message */
	bool plain;	      /* no TLS at all; loopback only */
	int deadline_ms;      /* for all of it; > 0 */
};

struct smtp_mail {
	const char *from;      /* addresses alone */
	const char *const *to; /* n_to > 0 */
	size_t n_to;
	const char *data; /* len bytes; lines end in LF */
	size_t len;
};

/* Only looks at the address: class usage, E_SMTP, for one that is no SMTP server's, has a user or a
 * password in it, or a path; and for `plain` with a host that is not this one. */
int smtp_check(const struct smtp_server *s, struct err *e) must_check;

/* Send it.  0 when the server has taken it; words (size bytes) is what it said last, "" when it
 * said nothing.  Else class lab, E_SMTP, with the server's words and, where one is refused, the
 * recipient. */
int smtp_send(const struct smtp_server *s, const struct smtp_mail *m, enum smtp_fate *fate,
	char *words, size_t size, struct err *e) must_check;

#endif
