/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A data file of ministat: one column of its lines, as numbers.
 *
 * A parser: bytes go in as they come, in pieces of any size, and values come out; it does no I/O.
 * Where the pieces are cut makes no difference.  The rules, those of ministat:
 *
 * - a line ends in "\n"; white space at its end (a "\r" too) does not count, and the last line may
 *   lack its end;
 * - a line is cut into tokens at delimiters; several in a row count as one, also at the start;
 * - '#' at the start of a token ends the line;
 * - a line that has no token in the column is passed over, and so is a blank one;
 * - a number is what strtod() takes, hexadecimal too, if it takes the whole token.
 *
 * Beyond ministat: a line may be DATASET_LINE_MAX bytes long, a NUL byte is a byte like others, and
 * what is not finite, or too large to be averaged (MOMENTS_LIMIT), is refused.
 */
#ifndef HARNESS_DATASET_H
#define HARNESS_DATASET_H

#include <stdbool.h>
#include <stddef.h>

#include "harness/base/buf.h"
#include "harness/base/err.h"

#define DATASET_MIN_POINTS 3
#define DATASET_LINE_MAX   (64u << 20) /* bytes */

struct dataset {
	const char *name; /* borrowed */
	double *v;	  /* owned; n values in the order read, NULL when n is 0 */
	size_t n;

	/* Private. */
	size_t cap;
	size_t line;   /* lines that are read */
	size_t column; /* from 1 */
	bool delim[256];
	bool plain;	 /* no delimiter can stand in a number */
	struct buf rest; /* a line whose end is still to come */
};

/* column counts from 1.  delims is not empty; name is borrowed until the release. */
void dataset_init(struct dataset *d, const char *name, size_t column, const char *delims);
void dataset_release(struct dataset *d); /* safe to call twice */

/* Before the first byte: how many may come.  Room for as many values as could be in them is set
 * aside in address space, of which memory is taken only as it is filled; no matter if more come. */
void dataset_expect(struct dataset *d, size_t bytes);

/* The next n bytes.  Fails with ERR_USAGE on "Invalid data on line N in NAME: why" and on a line
 * that is too long, with ERR_LAB without memory; then d is only good for its release. */
must_check int dataset_feed(struct dataset *d, const char *p, size_t n, struct err *e);

/* After the last byte.  Fails as dataset_feed(), and with ERR_USAGE on less than DATASET_MIN_POINTS
 * values: "Dataset NAME must contain at least 3 data points". */
must_check int dataset_finish(struct dataset *d, struct err *e);

#endif
