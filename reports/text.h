/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The report as plain text: what a terminal shows and what a mail quotes. */
#ifndef HARNESS_REPORTS_TEXT_H
#define HARNESS_REPORTS_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "harness/base/buf.h"
#include "reports/comparison.h"

/* Columns: of a terminal or a file, and of a mail. */
enum { TEXT_WIDTH = 80, TEXT_WIDTH_MAIL = 72 };

struct text_opts {
	size_t width; /* columns; fewer than TEXT_WIDTH_MAIL are taken as that */
	bool colour;  /* ANSI sequences; taken out again, the text is the one without colour */
};

#define TEXT_OPTS_INIT \
	{ \
		.width = TEXT_WIDTH \
	}

/* Provenance, and for each block the ministat block, how much boots vary, and the verdicts; then
 * what was left out and why.  No line is longer than the width but for a single word that is.
 *
 * The ministat block takes all samples and is ministat's own to the byte where its table (75
 * columns) fits.  Where it does not, its columns are squeezed, see struct ministat_opts.  Stacks of
 * points are scaled to TEXT_PLOT_ROWS.
 *
 * Pure: the same comparison gives the same bytes; neither NaN nor infinity is ever printed.  c has
 * been judged, and has one run at least. */
void report_text(struct buf *out, const struct comparison *c, const struct text_opts *o);

enum { TEXT_PLOT_ROWS = 20 };

#endif
