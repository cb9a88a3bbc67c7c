/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where a report goes to: into a patch file, a git note, an answer to a mail.
 *
 * All is made from what is stored, with no time of day in it but a mail's Date: the same run into
 * the same thing gives the same bytes, and what is there already is not written again.
 *
 *	answer_init()  once the comparison is there
 *	answer_patch(), answer_note(), answer_mail_…()  in any order
 *	answer_release()
 */
#ifndef HARNESS_ANSWER_H
#define HARNESS_ANSWER_H

#include <stdbool.h>

#include "db/store_sent.h"
#include "harness/git/git.h"
#include "harness/mail/reply.h"
#include "harness/mail/smtp.h"
#include "reports/comparison.h"

struct answer {
	char run[UUID_TEXT];
	struct buf text; /* 72 columns */
	struct buf json;
};

/* Class usage for a run that has not ended, since its report would change.  a is released by
 * answer_release() also after a failure. */
int answer_init(struct answer *a, const struct comparison *c, struct err *e) must_check;
void answer_release(struct answer *a); /* safe to call twice */

/* Into the file (harness/mail/attach.h), whose mode stays.  *changed: it was not there already. */
int answer_patch(const struct answer *a, const char *file, bool in_message, bool *changed,
	struct err *e) must_check;

/* As the note of a commit under refs/notes/harness of the user's repository, in place of what is
 * there (git keeps that in the ref's history); nothing else of it changes.  commit becomes what rev
 * means.  Fails with E_REV (class usage), E_NOTE (class lab, git's words). */
int answer_note(const struct answer *a, const char *repo, const char *rev,
	char commit[GIT_HASH_MAX], bool *changed, struct err *e) must_check;

struct answer_mail {
	struct reply reply;
	struct buf recipients; /* addresses, ", " between */
};

struct answer_mail_opts {
	const char *from;
	size_t nth;		   /* mail of the file that is answered, from 1; 0: the first */
	const char *const *except; /* n_except addresses that do not get it */
	size_t n_except;
};

/* Compose the answer to a mail of a file (reply.h).  m is released by answer_mail_release()
 * also after a failure. */
int answer_mail_make(struct answer_mail *m, const struct answer *a, const char *file,
	const struct answer_mail_opts *o, struct err *e) must_check;
void answer_mail_release(struct answer_mail *m);

/* Was it sent before, or may it have been?  Then class usage, E_SENT. */
int answer_mail_check(struct store *s, const struct answer *a, const struct answer_mail *m,
	struct err *e) must_check;

/* Send it, unless it was sent before and not `again`; what becomes of it is in the store before and
 * after.  words (size bytes): the server's last.  Errors as of smtp.h and store_sent.h. */
int answer_mail_send(struct store *s, const struct answer *a, const struct answer_mail *m,
	const struct smtp_server *server, bool again, char *words, size_t size,
	struct err *e) must_check;

#endif
