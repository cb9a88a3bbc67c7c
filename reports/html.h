/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The report as one HTML file that opens from disk: style, script and plots are in it.
 *
 * The page asks for nothing (its Content-Security-Policy forbids it) and is whole without its
 * script.  Beside each plot stands a table of the numbers that it draws.  Text from outside is
 * escaped; control bytes and what is no UTF-8 become U+FFFD.
 */
#ifndef HARNESS_REPORTS_HTML_H
#define HARNESS_REPORTS_HTML_H

#include "harness/base/buf.h"
#include "reports/comparison.h"

/* Pure: the same comparison gives the same bytes.  A run of 15 boots takes some 150 KiB; a plot
 * draws no more than HTML_POINTS_MAX samples or so, and its table then sums boots up. */
enum { HTML_POINTS_MAX = 20000 };

void report_html(struct buf *out, const struct comparison *c);

#endif
