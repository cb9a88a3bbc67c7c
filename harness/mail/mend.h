/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The text of a patch whose lines a mailer or an archive has damaged -> the text as it was.  Pure.
 *
 * Lines that were wrapped are joined where the line counts of the hunk leave one way to do it: a
 * line that cannot be one of a hunk continues the one before it, and so does one that can, if the
 * hunk has one too many of its kind and no other candidate.  Only a line whose first word had no
 * room any more on the one before it is a candidate.  What counts cannot tell, and the blob ids of
 * the `index` lines can (was there a blank where the lines are joined, were the blanks of an added
 * line tabs), is the caller's to try: struct mend_how.  Where there is no id to tell, a joined line
 * that is added is a doubt (mends.h); others have to match the file.
 */
#ifndef HARNESS_MAIL_MEND_H
#define HARNESS_MAIL_MEND_H

#include <stdbool.h>

#include "harness/base/buf.h"
#include "harness/base/err.h"
#include "harness/mail/mends.h"

/* Blanks of added lines back to tabs of 8 columns. */
enum mend_tabs {
	MEND_TABS_NONE,
	MEND_TABS_LINE,	    /* leading blanks, counted from the start of the mail's line, + too */
	MEND_TABS_TEXT,	    /* the same, counted after the + */
	MEND_TABS_LINE_ALL, /* blanks within the line, too */
	MEND_TABS_TEXT_ALL,
	MEND_TABS_WAYS
};

struct mend_how {
	bool blank; /* lines are joined with a blank, where neither has one */
	enum mend_tabs tabs;
};

/* Append the mended text to out, and what was done to mends ("line 120: …", counted in text), with
 * the doubts, which are the same for each mend_how.
 * *joined: lines that were joined.  A text that is whole comes out as it is.  Fails (class image,
 * E_APPLY), naming file and hunk, where a hunk has not the lines that it says and no single way to
 * mend it. */
int mend_patch(const char *text, const struct mend_how *how, struct buf *out, struct mends *mends,
	size_t *joined, struct err *e) must_check;

#endif
