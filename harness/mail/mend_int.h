/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of mend share. */
#ifndef HARNESS_MAIL_MEND_INT_H
#define HARNESS_MAIL_MEND_INT_H

#include "harness/mail/diff.h"
#include "harness/mail/mend.h"

/* The longest line of the patch that could have been wrapped and was not: in bytes, and in columns
 * with tabs. */
struct mend_width {
	size_t bytes, columns;
};
struct mend_width mend_width(const struct diff_lines *l);

/* The lines of a hunk that follow its first line, l->v[i - 1], up to (not including) *end, which
 * may differ from the first line of the next hunk by what is no part of the patch.  joins[k] is set
 * for each that continues the one before it (joins is zeroed, as long as l).  0; or -1 with why. */
int mend_hunk(const struct diff_lines *l, size_t i, const struct diff_hunk *h,
	const struct mend_width *w, bool *joins, size_t *end, const char **why);

/* An added line, its + first, as mend_tabs says; true when it is another one. */
bool mend_tab_line(const char *p, size_t n, enum mend_tabs tabs, struct buf *out);

#endif
