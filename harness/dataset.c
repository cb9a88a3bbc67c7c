/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/dataset.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "harness/decimal.h"
#include "harness/stats/moments.h"

enum {
	TOKEN_SHOWN = 40,
	HUGE_PAGE = 2 << 20, /* bytes, as HUGE_MIN */
	HUGE_MIN = 32 << 20,
};

void dataset_init(struct dataset *d, const char *name, size_t column, const char *delims)
{
	*d = (struct dataset){.name = name, .column = column};
	for (const char *p = delims; *p; p++)
		d->delim[(unsigned char)*p] = true;
	d->plain = !strpbrk(delims, "0123456789+-.eE");
	/* Lines are cut before tokens are. */
	d->delim['\n'] = false;
	buf_init(&d->rest, DATASET_LINE_MAX);
}

void dataset_release(struct dataset *d)
{
	free(d->v);
	d->v = NULL;
	d->n = d->cap = 0;
	buf_release(&d->rest);
}

static int dataset_grow(struct dataset *d, struct err *e)
{
	/* Doubled in address space; memory is taken only as it is written. */
	size_t cap = d->cap ? 2 * d->cap : 1024;
	double *v = reallocarray(d->v, cap, sizeof(*v));

	if (!v)
		return err_set(e, ERR_LAB, NULL,
			"no memory for more than the first %zu values of %s", d->n, d->name);
	d->v = v;
	d->cap = cap;
	return 0;
}

void dataset_expect(struct dataset *d, size_t bytes)
{
	size_t cap = bytes / 2 + 1, size;
	double *v;

	if (d->v || cap < HUGE_MIN / sizeof(*v) || cap > (SIZE_MAX - HUGE_PAGE) / sizeof(*v))
		return;
	size = (cap * sizeof(*v) + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
	v = aligned_alloc(HUGE_PAGE, size);
	/* Where there is no such room, the array grows as it fills. */
	if (!v)
		return;
	/* Most of the time would go into page faults. */
	madvise(v, size, MADV_HUGEPAGE);
	d->v = v;
	d->cap = cap;
}

static inline int dataset_add(struct dataset *d, double v, struct err *e)
{
	int rc = d->n == d->cap ? dataset_grow(d, e) : 0;

	if (!rc)
		d->v[d->n++] = v;
	return rc;
}

static inline bool dataset_delim(const struct dataset *d, const char *p)
{
	return d->delim[(unsigned char)*p];
}

/* A line that has a plain number in the column; returns the next one, or NULL: look closer. */
static inline const char *dataset_fast(
	const struct dataset *d, const char *p, const char *end, double *v)
{
	for (size_t column = 1;; column++) {
		while (dataset_delim(d, p))
			p++;
		if (column == d->column)
			break;
		if (*p == '#' || *p == '\n')
			return NULL;
		while (!dataset_delim(d, p) && *p != '\n')
			p++;
	}
	p = decimal_fast(p, v);
	if (!p)
		return NULL;
	if (*p == '\n')
		return p + 1;
	if (*p == '\r' && p[1] == '\n')
		return p + 2;
	if (!dataset_delim(d, p))
		return NULL;
	return (const char *)memchr(p, '\n', (size_t)(end - p)) + 1;
}

static int dataset_invalid(
	const struct dataset *d, const char *token, size_t n, const char *why, struct err *e)
{
	char shown[TOKEN_SHOWN + 1];
	size_t len = n < TOKEN_SHOWN ? n : TOKEN_SHOWN;

	for (size_t i = 0; i < len; i++)
		shown[i] = token[i] ? token[i] : '?';
	shown[len] = '\0';
	return err_set(e, ERR_USAGE, NULL, "Invalid data on line %zu in %s: \"%s%s\" %s", d->line,
		d->name, shown, n > len ? "..." : "", why);
}

static int dataset_token(struct dataset *d, const char *p, size_t n, struct err *e)
{
	double v;

	if (decimal_token(p, n, &v))
		return dataset_invalid(d, p, n,
			memchr(p, ',', n)
				? "is not a number (decimals follow a point; -d , cuts at "
				  "commas)"
				: "is not a number",
			e);
	if (!isfinite(v))
		return dataset_invalid(d, p, n, "is not a finite number", e);
	if (fabs(v) > MOMENTS_LIMIT)
		return dataset_invalid(d, p, n, "is too large: the limit is 1e+150", e);
	return dataset_add(d, v, e);
}

static int dataset_line(struct dataset *d, const char *p, const char *end, struct err *e)
{
	const char *token;

	while (end > p && strchr(" \t\n\v\f\r", end[-1]) && end[-1])
		end--;
	for (size_t column = 1;; column++) {
		while (p < end && dataset_delim(d, p))
			p++;
		if (p == end || *p == '#')
			return 0;
		token = p;
		while (p < end && !dataset_delim(d, p))
			p++;
		if (column == d->column)
			return dataset_token(d, token, (size_t)(p - token), e);
	}
}

/* n bytes that end with the end of a line. */
static int dataset_lines(struct dataset *d, const char *p, size_t n, struct err *e)
{
	const char *end = p + n, *next;
	double v;
	int rc;

	while (p < end) {
		d->line++;
		next = d->plain ? dataset_fast(d, p, end, &v) : NULL;
		if (next) {
			rc = dataset_add(d, v, e);
		} else {
			next = (const char *)memchr(p, '\n', (size_t)(end - p)) + 1;
			rc = dataset_line(d, p, next - 1, e);
		}
		if (rc)
			return rc;
		p = next;
	}
	return 0;
}

static int dataset_keep(struct dataset *d, const char *p, size_t n, struct err *e)
{
	if (buf_add(&d->rest, p, n))
		return err_set(e, ERR_USAGE, NULL, "line %zu in %s is longer than %u bytes",
			d->line + 1, d->name, DATASET_LINE_MAX);
	return 0;
}

/* Complete the line that was begun before; *used is what it takes of the n bytes. */
static int dataset_rest(struct dataset *d, const char *p, size_t n, size_t *used, struct err *e)
{
	const char *last = memchr(p, '\n', n);
	int rc;

	*used = last ? (size_t)(last - p) + 1 : n;
	rc = dataset_keep(d, p, *used, e);
	if (!rc && last) {
		rc = dataset_lines(d, d->rest.data, d->rest.len, e);
		buf_clear(&d->rest);
	}
	return rc;
}

int dataset_feed(struct dataset *d, const char *p, size_t n, struct err *e)
{
	const char *last;
	size_t used = 0;
	int rc = 0;

	if (d->rest.len && n)
		rc = dataset_rest(d, p, n, &used, e);
	p += used;
	n -= used;
	last = !rc && n ? memrchr(p, '\n', n) : NULL;
	if (last) {
		used = (size_t)(last - p) + 1;
		rc = dataset_lines(d, p, used, e);
		p += used;
		n -= used;
	}
	return rc || !n ? rc : dataset_keep(d, p, n, e);
}

int dataset_finish(struct dataset *d, struct err *e)
{
	int rc = d->rest.len ? dataset_feed(d, "\n", 1, e) : 0;

	if (!rc && d->n < DATASET_MIN_POINTS)
		rc = err_set(e, ERR_USAGE, NULL, "Dataset %s must contain at least %d data points",
			d->name, DATASET_MIN_POINTS);
	return rc;
}
