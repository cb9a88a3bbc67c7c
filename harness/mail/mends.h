/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What was mended in a mail, in words: one line for a person each; and where it may be wrong. */
#ifndef HARNESS_MAIL_MENDS_H
#define HARNESS_MAIL_MENDS_H

#include <stddef.h>

enum { MENDS_MAX = 1000 }; /* of one patch; what is more is counted by the last line */

/* An added line was joined, and the text does not tell whether there was a blank. */
struct mends_doubt {
	char *path;  /* of the file, as the patch leaves it; owned */
	size_t line; /* of the mail's text, from 1 on */
};

struct mends {
	char **line; /* owned */
	size_t n, more;
	struct mends_doubt *doubts; /* the first of each file, as they stand; owned */
	size_t n_doubts;
};

void mends_release(struct mends *m); /* leaves it empty; a zeroed one is empty, too */
void mends_add(struct mends *m, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void mends_doubt(struct mends *m, const char *path, size_t line); /* copies path */
/* Append copies of another's words. */
void mends_join(struct mends *m, const struct mends *other);

#endif
