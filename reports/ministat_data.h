/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the ministat block says, as data: JSON and CSV.
 *
 * Every number of the block with all its digits (17), and beside each verdict the exact tests:
 * Student's and Welch's with their t, degrees of freedom, p and interval.  What is not known or
 * not finite is null in JSON and empty in CSV.  harness-stat(1) documents the fields.
 */
#ifndef REPORTS_MINISTAT_DATA_H
#define REPORTS_MINISTAT_DATA_H

#include "reports/ministat.h"

#define MINISTAT_DATA_VERSION 1

/* Add the whole document to out.  Of the options conf, relative and no_diff count.  Each fails as
 * ministat_render(). */
must_check int ministat_data_json(struct buf *out, const struct ministat_set *sets, size_t nsets,
	const struct ministat_opts *o, struct err *e);

/* A header, and a row a set; the fields of a comparison are empty for the reference. */
must_check int ministat_data_csv(struct buf *out, const struct ministat_set *sets, size_t nsets,
	const struct ministat_opts *o, struct err *e);

#endif
