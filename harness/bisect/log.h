/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a bisect has decided, as the text that `git bisect replay` takes.
 *
 *	# harness bisect 1 begun=1764543600000000000 fresh=0
 *	# machine epyc9754, mode mixed, …
 *	git bisect start
 *	# bad: 112.3 us, 3 boots, run 7f3a: x86: flush twice
 *	git bisect bad 0d4c860e…
 *	git bisect skip …
 *	# first bad commit: [0d4c860e…] x86: flush twice
 *
 * The text is all that a bisect remembers beside the store.  Pure.
 */
#ifndef HARNESS_BISECT_LOG_H
#define HARNESS_BISECT_LOG_H

#include <stdint.h>

#include "harness/base/buf.h"
#include "harness/bisect/walk.h"

enum { LOG_EVIDENCE = 512, LOG_ABOUT = 1024, LOG_TEXT_MAX = 4 << 20 };

struct log_entry {
	struct walk_mark mark;
	char evidence[LOG_EVIDENCE]; /* one line: numbers, runs or reason, subject */
};

struct bisect_log {
	int64_t begun_ns; /* wall */
	bool fresh;	  /* nothing that was measured before counts */
	char about[LOG_ABOUT];
	char end[LOG_EVIDENCE]; /* what came out, or "" */
	struct log_entry *v;	/* owned */
	size_t n;
};

void bisect_log_release(struct bisect_log *l); /* safe to call twice */

/* Texts are cut, and cleaned to one line each. */
void bisect_log_add(
	struct bisect_log *l, const char *commit, enum walk_word word, const char *evidence);
void bisect_log_end(struct bisect_log *l, const char *text);

/* What walk_at() takes; the caller frees m->v. */
void bisect_log_marks(const struct bisect_log *l, struct walk_marks *m);
const struct log_entry *bisect_log_find(const struct bisect_log *l, const char *commit);

void bisect_log_text(const struct bisect_log *l, struct buf *out);

/* l is initialised by this call, and released by the caller whatever it returns.  Fails with class
 * lab, E_STATE, on what bisect_log_text() has not made; file is for the message. */
int bisect_log_parse(
	struct bisect_log *l, const char *text, const char *file, struct err *e) must_check;

#endif
