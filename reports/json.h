/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A run as JSON: everything in the model.
 *
 * Times are integers in ns; the seed and the TSC are decimal strings, since they may pass what a
 * reader's number holds.  Bytes that are not UTF-8 become '?' each.
 * The schema that describes it is in comparison_json.h.
 */
#ifndef HARNESS_REPORTS_JSON_H
#define HARNESS_REPORTS_JSON_H

#include <jansson.h>

#include "reports/json_write.h"
#include "reports/model.h"

/* The members of the run's object, which the caller opens and closes. */
void report_json(struct json_write *w, const struct model *m);

/* A string value of any bytes. */
json_t *report_json_text(const char *s);

/* NULL when the class is none. */
json_t *report_json_err(const struct err *e);

#endif
