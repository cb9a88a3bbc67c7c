/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A report as CSV: every sample, or every verdict, for spreadsheets, R and pandas.
 *
 * RFC 4180: a header line, commas, lines end in CR LF, quotes only where they must be.  Numbers
 * have a point and as many digits as it takes to read them back exactly; what is not known is
 * empty; yes and no are 1 and 0.  Text is made fit for a line: control characters and bytes that
 * are not UTF-8 become '?' each.  A text that begins with one of = + - @ would be a formula to a
 * spreadsheet: it gets an apostrophe in front, and so does one that begins with an apostrophe, so
 * that taking one away at the front gives the text back.  FORMATS.md describes the columns; new
 * ones may be added at the end.  Pure.
 */
#ifndef HARNESS_REPORTS_CSV_H
#define HARNESS_REPORTS_CSV_H

#include "harness/base/buf.h"
#include "reports/comparison.h"

/* A row a sample of every run, whatever became of its boot, and a row for each set that the boot is
 * in.  used: it is in a set and no warm-up, so the numbers of that set are made of it. */
void report_csv(struct buf *out, const struct comparison *c);

/* A row a comparison: the sets, what fields.h says of the verdict, and the set's build. */
void report_csv_verdicts(struct buf *out, const struct comparison *c);

/* One field of text, as described above. */
void report_csv_text(struct buf *out, const char *s);

#endif
