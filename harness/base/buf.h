/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A growing byte buffer with a limit.
 *
 * Invariants: len <= max; data[len] is always '\0' (data is a static empty string before the first
 * addition, so it can always be read as a C string).  An addition that would pass max, or find no
 * memory, adds nothing and sets failed; later additions then also add nothing, so that a renderer
 * may add many times and look at failed once.
 *
 * A buffer that spills hands on what it has whenever that is 64 KiB or more, so that what is longer
 * than memory passes through it: whoever adds to it must not look at data and len.
 */
#ifndef HARNESS_BASE_BUF_H
#define HARNESS_BASE_BUF_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include "harness/base/err.h"

/* 0, or -1: then the buffer has failed. */
typedef int buf_spill_fn(void *arg, const char *p, size_t n);

struct buf {
	char *data; /* NUL-terminated; owned */
	size_t len; /* bytes, without the NUL */
	size_t cap;
	size_t max; /* limit for len, and for all that was handed on with it, in bytes */
	bool failed;
	buf_spill_fn *spill; /* NULL: it does not */
	void *spill_arg;
	size_t spilled; /* bytes handed on */
};

void buf_init(struct buf *b, size_t max);
/* It spills to fn; buf_flush() at the end hands on the rest: 0, or -1 when it has failed. */
void buf_init_spill(struct buf *b, size_t max, buf_spill_fn *fn, void *arg);
int buf_flush(struct buf *b);
void buf_release(struct buf *b); /* safe to call twice */
void buf_clear(struct buf *b);	 /* len 0, failed cleared, memory kept */

/* Each returns 0, or -1 with failed set. */
int buf_add(struct buf *b, const void *p, size_t n);
int buf_adds(struct buf *b, const char *s);
int buf_addc(struct buf *b, char c);
int buf_addf(struct buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
int buf_vaddf(struct buf *b, const char *fmt, va_list ap) __attribute__((format(printf, 2, 0)));

/* Drop the first n bytes (n <= len). */
void buf_consume(struct buf *b, size_t n);

/* Hand the string to the caller, who frees it; the buffer is empty afterwards.  Never NULL. */
char *buf_detach(struct buf *b);

#endif
