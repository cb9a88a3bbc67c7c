/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/base/buf.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/mem.h"

enum { BUF_SPILL = 64 << 10 };

static char buf_empty[1];

void buf_init(struct buf *b, size_t max)
{
	*b = (struct buf){.data = buf_empty, .max = max};
}

void buf_init_spill(struct buf *b, size_t max, buf_spill_fn *fn, void *arg)
{
	buf_init(b, max);
	b->spill = fn;
	b->spill_arg = arg;
}

int buf_flush(struct buf *b)
{
	if (!b->failed && b->spill && b->len) {
		b->failed = b->spill(b->spill_arg, b->data, b->len) != 0;
		b->spilled += b->len;
		b->len = 0;
		b->data[0] = '\0';
	}
	return b->failed ? -1 : 0;
}

static int buf_added(struct buf *b)
{
	return b->spill && b->len >= BUF_SPILL ? buf_flush(b) : 0;
}

void buf_release(struct buf *b)
{
	if (b->data != buf_empty)
		free(b->data);
	buf_init(b, b->max);
}

void buf_clear(struct buf *b)
{
	b->len = 0;
	b->failed = false;
	if (b->cap)
		b->data[0] = '\0';
}

static int buf_reserve(struct buf *b, size_t n)
{
	size_t cap = b->cap;
	char *p;

	if (b->failed || n > b->max || b->len + b->spilled > b->max - n) {
		b->failed = true;
		return -1;
	}
	if (b->len + n + 1 <= cap)
		return 0;
	cap = cap ? cap : 128;
	while (cap < b->len + n + 1)
		cap *= 2;
	p = realloc(b->cap ? b->data : NULL, cap);
	if (!p) {
		b->failed = true;
		return -1;
	}
	b->data = p;
	b->cap = cap;
	return 0;
}

int buf_add(struct buf *b, const void *p, size_t n)
{
	if (buf_reserve(b, n))
		return -1;
	if (n)
		memcpy(b->data + b->len, p, n);
	b->len += n;
	b->data[b->len] = '\0';
	return buf_added(b);
}

int buf_adds(struct buf *b, const char *s)
{
	return buf_add(b, s, strlen(s));
}

int buf_addc(struct buf *b, char c)
{
	return buf_add(b, &c, 1);
}

int buf_vaddf(struct buf *b, const char *fmt, va_list ap)
{
	va_list copy;
	int n;

	va_copy(copy, ap);
	n = vsnprintf(NULL, 0, fmt, copy);
	va_end(copy);
	if (n < 0 || buf_reserve(b, (size_t)n)) {
		b->failed = true;
		return -1;
	}
	vsnprintf(b->data + b->len, (size_t)n + 1, fmt, ap);
	b->len += (size_t)n;
	return buf_added(b);
}

int buf_addf(struct buf *b, const char *fmt, ...)
{
	va_list ap;
	int rc;

	va_start(ap, fmt);
	rc = buf_vaddf(b, fmt, ap);
	va_end(ap);
	return rc;
}

void buf_consume(struct buf *b, size_t n)
{
	assert(n <= b->len);
	if (!n)
		return;
	memmove(b->data, b->data + n, b->len - n);
	b->len -= n;
	b->data[b->len] = '\0';
}

char *buf_detach(struct buf *b)
{
	char *s = b->cap ? b->data : mem_strdup("");

	buf_init(b, b->max);
	return s;
}
