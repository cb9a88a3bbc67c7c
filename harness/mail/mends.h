/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What was mended in a mail, in words: one line for a person each. */
#ifndef HARNESS_MAIL_MENDS_H
#define HARNESS_MAIL_MENDS_H

#include <stddef.h>

enum { MENDS_MAX = 1000 }; /* of one patch; what is more is counted by the last line */

struct mends {
	char **line; /* owned */
	size_t n, more;
};

void mends_release(struct mends *m); /* leaves it empty; a zeroed one is empty, too */
void mends_add(struct mends *m, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Append copies of another's. */
void mends_join(struct mends *m, const struct mends *other);

#endif
