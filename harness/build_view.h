/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a person sees of a build: progress on stderr and a table at the end.
 *
 * On a terminal the running step is one live line and a finished one scrolls above it; otherwise a
 * step is a log line at its begin and end, and every 10 s in between.
 */
#ifndef HARNESS_BUILD_VIEW_H
#define HARNESS_BUILD_VIEW_H

#include "harness/base/buf.h"
#include "harness/build.h"

struct build_view {
	bool live; /* stderr is a terminal */
	bool shown;
	char line[192];
	int64_t logged_ns; /* of the step's time, when it was logged last */
};

/* Hooks itself into the log while it lives. */
void build_view_init(struct build_view *v, bool live);
void build_view_release(struct build_view *v);

/* A build_progress_fn; arg is the struct build_view. */
void build_view_progress(void *arg, const struct build_progress *p);

/* "xen cluster 2/3  412/980 objects  41 %  31.0s".  Pure. */
void build_view_line(const struct build_progress *p, char *out, size_t size);

/* The table of results, or the same as JSON.  Pure. */
void build_view_table(const struct build_result *r, struct buf *out);
void build_view_json(const char *recipe, const struct build_result *r, struct buf *out);

#endif
