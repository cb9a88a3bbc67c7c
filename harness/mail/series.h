/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The mails of one or more files -> the patches of one series, in order.  Pure.
 *
 * Numbers come from subjects (subject.h).  The cover letter is kept apart, mails without a patch
 * are dropped, of several versions the highest is taken, of a patch that stands there twice one;
 * all of it is told by notes.  Patches without numbers stay in the order of the files.  A mail
 * without From, Subject or Date gets what its text has for them, which is a mend of that patch.
 *
 * series_init(), series_add() for each file, series_finish(), and series_release() at last.
 */
#ifndef HARNESS_MAIL_SERIES_H
#define HARNESS_MAIL_SERIES_H

#include <stdbool.h>
#include <stddef.h>

#include "harness/base/err.h"
#include "harness/mail/diff.h"
#include "harness/mail/mends.h"

struct series_mail {
	char *file;	    /* that it stood in; all strings are owned, UTF-8, never NULL */
	size_t nth;	    /* mail of the file, from 1 */
	char *subject;	    /* as it came, decoded */
	char *title;	    /* without brackets and Re: */
	char *from;	    /* "Name <address>", decoded; of the mail, whoever the author is */
	char *date;	    /* RFC 5322, or "": there was none */
	char *message_id;   /* with its <>, or "" */
	char *base_commit;  /* of its base-commit: line (format-patch --base), or "" */
	char *text;	    /* message text and patch (message.h) */
	struct mends mends; /* of its header fields */
	bool patch;	    /* its text holds one */
	int number, total;  /* total 0: it has no numbers */
	int version, minor;
	bool reply;
};

struct series {
	struct series_mail *mails; /* after series_finish() the patches, in order */
	size_t n;
	struct series_mail cover; /* has_cover */
	bool has_cover;
	int version;		       /* 1 unless subjects say another */
	int total;		       /* that subjects say; 0: nothing */
	char base_commit[DIFF_ID_MAX]; /* of the cover letter or the first patch that names one, or
					  "" */
	struct mends notes;	       /* what was left out, and why */
};

void series_init(struct series *s);
void series_release(struct series *s); /* safe to call twice */

/* n bytes of a file (mbox.h); name: for messages.  Fails as mbox_read() and message_parse() do,
 * naming file and mail. */
int series_add(
	struct series *s, const char *name, const char *p, size_t n, struct err *e) must_check;

/* Fails (class usage, E_MAIL) when there is no patch, one is missing (named), two differ that
 * have one number, or there are two series. */
int series_finish(struct series *s, struct err *e) must_check;

#endif
