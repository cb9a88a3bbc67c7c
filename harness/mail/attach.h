/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A report in a patch file.  Pure.
 *
 * Below the line "---" that ends the commit message, where `git am` reads nothing; or, when asked
 * for, in the message itself, above its trailers (Signed-off-by: and the like).  The report stands
 * between two lines of ours:
 *
 *	harness report of run 7f3a90c2-1b2d-4e5f-8a9b-0c1d2e3f4a5b
 *	…
 *	end of the harness report
 *
 * An earlier one, wherever it stands and of whatever run, is taken out first, so that attaching
 * twice gives the same bytes as once, and taking it out the file as it was.  Lines end as those of
 * the file do.  A line of the report that git would take for the beginning of something (a patch, a
 * mail, a comment) gets a blank before it.
 */
#ifndef HARNESS_MAIL_ATTACH_H
#define HARNESS_MAIL_ATTACH_H

#include <stdbool.h>
#include <stddef.h>

#include "harness/base/buf.h"
#include "harness/base/err.h"

struct attach {
	const char *run;    /* UUID */
	const char *report; /* its lines end in LF */
	bool in_message;
};

/* Append the patch file (n bytes, one mail of `git format-patch` or a saved one) with the report in
 * it.  A mail in another character set than UTF-8 gets '?' for what is not ASCII.  Fails (class
 * usage, E_ATTACH) when there is no place: several mails, no patch in it, an encoded or multipart
 * mail, an earlier report without its last line. */
int attach_patch(struct buf *out, const char *patch, size_t n, const struct attach *a,
	struct err *e) must_check;

#endif
