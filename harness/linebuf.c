/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/linebuf.h"

#include <string.h>

void linebuf_init(struct linebuf *lb, char *mem, size_t max)
{
	lb->data = mem;
	lb->len = 0;
	lb->max = max;
}

void linebuf_flush(struct linebuf *lb, linebuf_fn *fn, void *arg)
{
	size_t n = lb->len;

	lb->len = 0;
	if (n)
		fn(arg, lb->data, n);
}

static void keep(struct linebuf *lb, const char *p, size_t n, linebuf_fn *fn, void *arg)
{
	while (n) {
		size_t take = lb->max - lb->len < n ? lb->max - lb->len : n;

		memcpy(lb->data + lb->len, p, take);
		lb->len += take;
		p += take;
		n -= take;
		if (lb->len == lb->max)
			linebuf_flush(lb, fn, arg);
	}
}

static void line_end(struct linebuf *lb, const char *p, size_t n, linebuf_fn *fn, void *arg)
{
	if (lb->len) {
		keep(lb, p, n, fn, arg);
		linebuf_flush(lb, fn, arg);
		return;
	}
	for (; n > lb->max; p += lb->max, n -= lb->max)
		fn(arg, p, lb->max);
	if (n)
		fn(arg, p, n);
}

void linebuf_feed(struct linebuf *lb, const char *p, size_t n, linebuf_fn *fn, void *arg)
{
	const char *end = p + n;

	while (p < end) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		const char *stop = nl ? nl : end;
		const char *cr;

		while ((cr = memchr(p, '\r', (size_t)(stop - p)))) {
			line_end(lb, p, (size_t)(cr - p), fn, arg);
			p = cr + 1;
		}
		if (!nl) {
			keep(lb, p, (size_t)(stop - p), fn, arg);
			return;
		}
		line_end(lb, p, (size_t)(nl - p), fn, arg);
		p = nl + 1;
	}
}
