/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A run boot by boot, for whoever wants to know what happened. */
#ifndef HARNESS_REPORTS_SHOW_H
#define HARNESS_REPORTS_SHOW_H

#include "harness/base/buf.h"
#include "reports/model.h"

/* The run's facts, two lines a boot (outcome, time, median of the kept samples, effective mode; the
 * stages), with samples also every timing; then what is left out of comparisons.  Pure. */
void report_show(struct buf *out, const struct model *m, bool samples);

/* Console bytes for a terminal: control characters but newline and tab as ^X, bytes above ASCII as
 * \xNN, and no carriage return before a newline. */
void report_console(struct buf *out, const char *p, size_t n);

#endif
