/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Phrases about a verdict that all renderers share. */
#ifndef HARNESS_REPORTS_WORDS_H
#define HARNESS_REPORTS_WORDS_H

#include "harness/base/buf.h"
#include "reports/comparison.h"

/* "19 boots a mode (14 more) if it is as large as found, about 7300 to find 1 %": how many boots
 * would settle what is not proven.  Nothing where that is not known.  space: what stands between a
 * number and its unit. */
void words_settle(
	struct buf *out, const struct comparison *c, const struct verdict *v, const char *space);

#endif
