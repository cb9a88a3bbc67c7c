/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ministat's table where its 75 columns do not fit, as in a mail.
 *
 * Each column is as wide as what stands in it, with one blank between; the figures stay digit for
 * digit.  Only if the rows still do not fit, figures are printed with one digit less, and again.
 * Plain data; nothing to release.
 */
#ifndef REPORTS_MINISTAT_NARROW_H
#define REPORTS_MINISTAT_NARROW_H

#include <stdbool.h>
#include <stddef.h>

#include "reports/ministat.h"

enum { MINISTAT_FIELDS = 5, MINISTAT_DIGITS = 8, MINISTAT_DIGITS_MIN = 4 };

struct ministat_narrow {
	bool on;		     /* else ministat's own layout fits */
	int n, digits;		     /* width of the count; digits of a figure */
	int fields[MINISTAT_FIELDS]; /* widths */
};

/* columns 0: never on.  With the fewest digits rows may still be too long. */
void ministat_narrow_init(
	struct ministat_narrow *t, const struct ministat_set *sets, size_t nsets, size_t columns);

void ministat_narrow_header(struct buf *out, const struct ministat_narrow *t);
void ministat_narrow_row(
	struct buf *out, const struct ministat_narrow *t, char symbol, const struct moments *m);

#endif
