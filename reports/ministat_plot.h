/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The box that ministat draws: stacked points on a common axis, then bars.
 *
 * The axis covers min, max and mean +- sd of every set, and half a column more at either end.
 * A column holds a stack a set; a cell that several sets fill prints one symbol for the set of
 * them.  In a row of bars, '|' stands at mean +- sd with '_' between, 'M' at the median, 'A' at the
 * mean; a later mark covers an earlier one, except that '_' only fills blanks.
 */
#ifndef REPORTS_MINISTAT_PLOT_H
#define REPORTS_MINISTAT_PLOT_H

#include "reports/ministat.h"

/* Add the box to out; all sets have values, and counts and width are in range (ministat_render()
 * has seen to it).  When out is full, out->failed is set. */
void ministat_plot_render(struct buf *out, const struct ministat_set *sets, size_t nsets,
	const struct ministat_opts *o);

#endif
