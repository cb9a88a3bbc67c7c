/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "db/query.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "db/store_private.h"
#include "harness/base/mem.h"
#include "harness/base/str.h"

static void query_note(struct query *q, int rc)
{
	if (q->rc == SQLITE_OK)
		q->rc = rc;
}

void query_open(struct query *q, struct store *s, const char *sql)
{
	size_t i = 0;

	*q = (struct query){.store = s};
	while (i < STORE_STATEMENTS && s->kept[i].sql && s->kept[i].sql != sql)
		i++;
	assert(i < STORE_STATEMENTS);
	if (!s->kept[i].sql) {
		q->rc = sqlite3_prepare_v3(
			s->db, sql, -1, SQLITE_PREPARE_PERSISTENT, &s->kept[i].st, NULL);
		if (q->rc != SQLITE_OK)
			return;
		s->kept[i].sql = sql;
	}
	q->st = s->kept[i].st;
}

void query_again(struct query *q)
{
	if (!q->st)
		return;
	sqlite3_reset(q->st);
	sqlite3_clear_bindings(q->st);
	q->bound = 0;
	q->read = 0;
}

void query_end(struct query *q)
{
	query_again(q);
	q->st = NULL;
}

static bool query_is_utf8(const char *v)
{
	size_t n;

	while ((n = str_utf8(v)))
		v += n;
	return !*v;
}

/* Each byte that is no UTF-8 becomes '?'.  The caller frees it. */
static char *query_utf8(const char *v)
{
	char *copy = mem_strdup(v);

	for (char *p = copy; *p;) {
		size_t n = str_utf8(p);

		if (!n)
			*p = '?';
		p += n ? n : 1;
	}
	return copy;
}

void query_text(struct query *q, const char *v)
{
	bool ours;

	if (q->rc != SQLITE_OK)
		return;
	v = v ? v : "";
	ours = !query_is_utf8(v);
	query_note(q, sqlite3_bind_text(q->st, ++q->bound, ours ? query_utf8(v) : v, -1,
			      ours ? free : SQLITE_STATIC));
}

void query_int(struct query *q, int64_t v)
{
	if (q->rc == SQLITE_OK)
		query_note(q, sqlite3_bind_int64(q->st, ++q->bound, v));
}

void query_real(struct query *q, double v)
{
	if (q->rc == SQLITE_OK)
		query_note(q, sqlite3_bind_double(q->st, ++q->bound, v));
}

void query_null(struct query *q)
{
	if (q->rc == SQLITE_OK)
		query_note(q, sqlite3_bind_null(q->st, ++q->bound));
}

void query_id(struct query *q, int64_t id)
{
	if (id)
		query_int(q, id);
	else
		query_null(q);
}

void query_blob(struct query *q, const void *p, size_t n)
{
	if (q->rc == SQLITE_OK)
		query_note(q, sqlite3_bind_blob64(q->st, ++q->bound, n ? p : "", n, SQLITE_STATIC));
}

int query_step(struct query *q, struct err *e)
{
	int rc = q->rc;

	errno = 0;
	if (rc == SQLITE_OK)
		rc = sqlite3_step(q->st);
	q->read = 0;
	if (rc == SQLITE_ROW)
		return 1;
	if (rc == SQLITE_DONE)
		return 0;
	query_note(q, rc);
	return store_err(q->store, e);
}

int query_run(struct query *q, struct err *e)
{
	int rc = query_step(q, e);

	query_end(q);
	return rc < 0 ? rc : 0;
}

int64_t query_get_int(struct query *q)
{
	return sqlite3_column_int64(q->st, q->read++);
}

double query_get_real(struct query *q)
{
	return sqlite3_column_double(q->st, q->read++);
}

bool query_get_bool(struct query *q)
{
	return query_get_int(q) != 0;
}

const char *query_peek_text(struct query *q)
{
	const char *v = (const char *)sqlite3_column_text(q->st, q->read++);

	return v ? v : "";
}

void query_get_text(struct query *q, char *out, size_t size)
{
	snprintf(out, size, "%s", query_peek_text(q));
}

char *query_dup_text(struct query *q)
{
	return mem_strdup(query_peek_text(q));
}

const void *query_get_blob(struct query *q, size_t *n)
{
	const void *p = sqlite3_column_blob(q->st, q->read);

	*n = (size_t)sqlite3_column_bytes(q->st, q->read++);
	return p;
}
