/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A report as JSON: the sets, what is proven about them, and the runs with every sample.
 *
 * reports/schema/report-1.schema.json describes every key, and reports/FORMATS.md shows them.  A
 * key that is described there is always present; what is not known, or not finite, is null.  Keys
 * may be added within a version; one that goes away or changes its meaning raises it.  Bytes that
 * are not UTF-8 become '?' each.  The same comparison gives the same bytes.
 */
#ifndef HARNESS_REPORTS_COMPARISON_JSON_H
#define HARNESS_REPORTS_COMPARISON_JSON_H

#include <jansson.h>

#include "harness/base/buf.h"
#include "reports/comparison.h"

#define COMPARISON_JSON_FORMAT "harness-report"
enum { COMPARISON_JSON_VERSION = 1 };

/* All but the runs.  The caller puts it away with json_decref().  Never NULL. */
json_t *comparison_json(const struct comparison *c);

/* All as text, and never whole in memory when out spills: a blank a level, 17 digits (so that every
 * number can be read back exactly), a newline at the end. */
void comparison_json_write(struct buf *out, const struct comparison *c);

/* The JSON Schema (draft 2020-12) of comparison_json(), and as "#/$defs/run" of report_json().
 * Constant. */
const char *report_schema(void);

#endif
