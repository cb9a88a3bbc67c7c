/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Splits a stream of bytes into lines, however the bytes are cut into chunks.
 *
 * '\n' and '\r' each end a line, so "\r\n" and a lone '\r' both work; empty lines are left out.  A
 * line longer than the buffer comes in pieces of the buffer's size.  The lines are the same for
 * every way of splitting the same bytes.  Pure: no allocation, and a line that lies whole in the
 * chunk is not copied.
 */
#ifndef HARNESS_LINEBUF_H
#define HARNESS_LINEBUF_H

#include <stddef.h>

struct linebuf {
	char *data; /* max bytes; borrowed */
	size_t len; /* of the line that is not ended yet, < max */
	size_t max;
};

/* line: n bytes (1..max), no NUL after them; borrowed until it returns. */
typedef void linebuf_fn(void *arg, const char *line, size_t n);

/* mem holds max bytes and must live as long as lb. */
void linebuf_init(struct linebuf *lb, char *mem, size_t max);
void linebuf_feed(struct linebuf *lb, const char *p, size_t n, linebuf_fn *fn, void *arg);
/* Hand out the line that has no end yet. */
void linebuf_flush(struct linebuf *lb, linebuf_fn *fn, void *arg);

#endif
