/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One prepared statement in use: bind in order, step, read columns in order, end.
 *
 * Statements are prepared once per connection and kept by the address of their text, which must
 * therefore be a constant.  A query that failed stays failed: binding and reading then do nothing,
 * and the next step returns the error, so that only steps need to be looked at.  Two queries with
 * the same text cannot be open at once.
 *
 *	query_open(&q, s, sql);
 *	query_text(&q, name);
 *	while ((rc = query_step(&q, e)) > 0)
 *		id = query_get_int(&q);
 *	query_end(&q);
 */
#ifndef HARNESS_DB_QUERY_H
#define HARNESS_DB_QUERY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sqlite3.h>

#include "harness/base/err.h"

struct store;

struct query {
	struct store *store;
	sqlite3_stmt *st;
	int bound; /* parameters bound so far */
	int read;  /* columns read so far in this row */
	int rc;	   /* SQLITE_OK, or the first failure */
};

void query_open(struct query *q, struct store *s, const char *sql);
void query_end(struct query *q);

/* Pointers are borrowed until query_end().  query_text(NULL) binds "";
 * each byte that is no UTF-8 is stored as '?'. */
void query_text(struct query *q, const char *v);
void query_int(struct query *q, int64_t v);
void query_real(struct query *q, double v); /* finite */
void query_null(struct query *q);
void query_blob(struct query *q, const void *p, size_t n);
void query_id(struct query *q, int64_t id); /* 0 becomes NULL */

/* 1: a row is there, 0: no more, negative: *e filled (class lab, E_STORE). */
int query_step(struct query *q, struct err *e) must_check;

/* Step, end, and expect no row: for INSERT and UPDATE, which can then be used again at once. */
int query_run(struct query *q, struct err *e) must_check;

/* Again from the first parameter. */
void query_again(struct query *q);

int64_t query_get_int(struct query *q); /* NULL: 0 */
double query_get_real(struct query *q);
bool query_get_bool(struct query *q);
void query_get_text(struct query *q, char *out, size_t size); /* cut at size - 1 bytes */
char *query_dup_text(struct query *q);			      /* the caller frees it */
const char *query_peek_text(struct query *q);		      /* until the next step; never NULL */
const void *query_get_blob(struct query *q, size_t *n);	      /* until the next step */

#endif
