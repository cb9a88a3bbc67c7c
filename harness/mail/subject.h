/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the brackets of a subject say: "[PATCH v3 2/5] x86: do" is number 2 of 5 of version 3. Pure.
 *
 * Brackets before the one with the number are a list's ("[Xen-devel] [PATCH 1/2]"), and so is that
 * one the patch's; brackets after it belong to the subject of the commit.
 */
#ifndef HARNESS_MAIL_SUBJECT_H
#define HARNESS_MAIL_SUBJECT_H

#include <stdbool.h>

enum { SUBJECT_NUMBER_MAX = 9999 };

struct subject {
	bool reply;	    /* "Re:" stands before it */
	bool patch;	    /* it has such a bracket */
	int number, total;  /* 2 of 5; 0 of 5 is a cover letter; total 0: no numbers */
	int version, minor; /* 3 of "v3", 3 and 1 of "v3.1"; 1 without */
	const char *title;  /* what remains; borrowed from the text */
};

void subject_parse(struct subject *s, const char *text);

#endif
