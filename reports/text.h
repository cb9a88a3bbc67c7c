/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The report as plain text: what a terminal shows and what a mail quotes. */
#ifndef HARNESS_REPORTS_TEXT_H
#define HARNESS_REPORTS_TEXT_H

#include "harness/base/buf.h"
#include "reports/model.h"

/* Provenance, ministat block, boots that were left out and why.  Pure: the same model gives the
 * same bytes. */
void report_text(struct buf *out, const struct model *m);

#endif
