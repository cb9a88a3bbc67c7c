/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The forms that a report has, by name. */
#ifndef HARNESS_REPORTS_RENDER_H
#define HARNESS_REPORTS_RENDER_H

#include <stdbool.h>

#include "harness/base/buf.h"
#include "harness/base/err.h"
#include "reports/comparison.h"

enum render_format {
	RENDER_TEXT,	 /* 80 columns */
	RENDER_MAIL,	 /* 72 columns */
	RENDER_HTML,	 /* one file that needs nothing else */
	RENDER_JSON,	 /* schema: reports/schema/ */
	RENDER_CSV,	 /* a row a sample */
	RENDER_VERDICTS, /* CSV, a row a comparison */
	RENDER_JUNIT,	 /* XML */
};

/* "text, mail, …", for usage texts. */
#define RENDER_NAMES "text, mail, html, json, csv, verdicts, junit"

/* By name.  ERR_USAGE, with the nearest name, for another. */
must_check int render_parse(const char *name, enum render_format *f, struct err *e);

#define RENDER_ENDS ".txt .html .json .csv .xml"

/* By the end of a file's name (RENDER_ENDS, .htm); false for another, and *f untouched. */
bool render_of_file(const char *file, enum render_format *f);

/* Add the report to out.  colour is for text on a terminal.  Fails with ERR_LAB when out is full:
 * then it holds a part. */
must_check int render(struct buf *out, const struct comparison *c, enum render_format f,
	bool colour, struct err *e);

#endif
