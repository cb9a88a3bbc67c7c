/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Text and numbers for HTML.
 *
 * What is named `text` or comes through a format here may hold any bytes and is escaped; it is fit
 * for an element and for a quoted attribute.  No function prints NaN or infinity: they become "-".
 */
#ifndef HARNESS_REPORTS_HTML_TEXT_H
#define HARNESS_REPORTS_HTML_TEXT_H

#include <stdbool.h>

#include "harness/base/buf.h"

enum { HTML_TEXT_MAX = 1 << 20 }; /* bytes of one formatted text */

void html_esc(struct buf *out, const char *text);
void html_escf(struct buf *out, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The same, but no more than `columns` characters; what is longer ends in an ellipsis. */
void html_cut(struct buf *out, const char *text, size_t columns);

/* A command whose lines break between its words only. */
void html_command(struct buf *out, const char *text);

/* Plain text for html_esc(), in a buffer of the caller's. */
struct html_word {
	char s[40];
};

/* "+248.77 %" with as many digits as an interval of this half width deserves (0: four in all). */
struct html_word html_percent(double pct, double half);
/* The same without its unit, for the bounds of an interval. */
struct html_word html_bound(double pct, double half);
/* "354.6 ms", with its sign; `plus` shows also that of a positive one. */
struct html_word html_time(double ns, bool plus);
/* A time with its interval, in one unit: "+882.3 ms [+878.8, +885.8]". */
struct html_words {
	char s[120];
};
struct html_words html_time_interval(double ns, double lo, double hi);
/* The unit of times of this size, in ns, and its name. */
double html_unit(double ns, const char **name);
/* A share of something as "0.31 %". */
struct html_word html_share(double part, double whole);
/* Two digits, and all before the point: "0.41", "571". */
struct html_word html_rough(double v);
/* "= 0.76", "< 1e-12" */
struct html_word html_p(double p);

/* A number as a machine reads it: shortest of 15 to 17 digits that comes back the same. */
void html_number(struct buf *out, double v);
/* Pixels: one decimal at most. */
void html_px(struct buf *out, double v);

/* Cells of a table.  The number of html_cell_data() is what a machine reads, the text what a
 * person reads. */
void html_cell(struct buf *out, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void html_cell_number(struct buf *out, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void html_cell_data(struct buf *out, double v, const char *text);
void html_row_head(struct buf *out, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* A box of its own that scrolls sideways, so that the page does not; by keyboard too. */
void html_scroll_open(struct buf *out, const char *label, const char *more_class);
void html_scroll_close(struct buf *out);

/* A table in such a box: a caption and its column heads, "" for a corner.  '#' in front of a head
 * marks a column of numbers.  Ends with </table> and html_scroll_close(). */
void html_table_open(struct buf *out, const char *id, const char *caption, const char *const *heads,
	size_t n_heads);
void html_table_close(struct buf *out);

#endif
