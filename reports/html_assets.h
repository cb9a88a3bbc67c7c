/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The files of reports/html/: "script.js", "style.css" (the order of their names).  Each begins
 * with its licence, a comment of one line. */
#ifndef HARNESS_REPORTS_HTML_ASSETS_H
#define HARNESS_REPORTS_HTML_ASSETS_H

#include "harness/base/embed.h"

extern const struct embed embed_html[]; /* see harness/base/embed.h */
extern const size_t embed_html_count;	/* without the closing entry */

#endif
