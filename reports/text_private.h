/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of the text report, in the order in which they stand in it.  Pure, as report_text(). */
#ifndef HARNESS_REPORTS_TEXT_PRIVATE_H
#define HARNESS_REPORTS_TEXT_PRIVATE_H

#include "harness/base/buf.h"
#include "reports/model.h"

enum {
	TEXT_WIDTH = 80,       /* columns; only a single longer word passes it */
	TEXT_LABEL = 10,       /* columns of the labels on the left */
	TEXT_LINE_MAX = 65536, /* bytes of one paragraph */
};

/* A paragraph: label on the left of its first line ("" for none), wrapped at blanks.  Control
 * characters become '?'. */
void text_para(struct buf *out, const char *label, const char *text);

/* The same for a shell command: quoted blanks stay, and lines but the last end in a backslash. */
void text_command(struct buf *out, const char *label, const char *text);

/* One more entry of a list in a buffer: ", " first unless the buffer is empty. */
void text_item(struct buf *list, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* "1-3, 5" from numbers that rise. */
void text_ranges(struct buf *out, const int *v, size_t n);

/* The boot whose facts stand for the run: the first that counts, else the first that said
 * anything, else NULL. */
const struct model_boot *text_facts_boot(const struct model *m);

void text_about(struct buf *out, const struct model *m);   /* machine … again */
void text_differs(struct buf *out, const struct model *m); /* facts that changed */
void text_values(struct buf *out, const struct model *m);  /* ministat block, boot means */
void text_left_out(
	struct buf *out, const struct model *m); /* skipped modes, failed boots, remarks */
void text_time(struct buf *out, const struct model *m);

#endif
