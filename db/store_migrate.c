/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "db/store_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The number of "migrate/0012-what.sql", or 0 for another file. */
static int migrate_number(const struct embed *f)
{
	int n = 0, used = 0;

	if (sscanf(f->name, "migrate/%4d-%n", &n, &used) != 1 || !used || n < 1)
		return 0;
	return n;
}

static int migrate_pragma(struct store *s, const char *sql, int64_t *out, struct err *e)
{
	sqlite3_stmt *st = NULL;
	int rc = sqlite3_prepare_v2(s->db, sql, -1, &st, NULL);

	if (rc == SQLITE_OK)
		rc = sqlite3_step(st);
	if (rc == SQLITE_ROW)
		*out = sqlite3_column_int64(st, 0);
	rc = rc == SQLITE_ROW ? 0 : store_err(s, e);
	sqlite3_finalize(st);
	return rc;
}

int store_check(struct store *s, const struct embed *sql, size_t n, struct err *e)
{
	int64_t version = 0, application = 0, tables = 0;
	int newest = 0, rc;

	for (size_t i = 0; i < n; i++)
		if (migrate_number(&sql[i]) > newest)
			newest = migrate_number(&sql[i]);
	/* One moment for the three of them: somebody else may be making the database just now. */
	if (sqlite3_exec(s->db, "BEGIN", NULL, NULL, NULL) != SQLITE_OK)
		return store_err(s, e);
	rc = migrate_pragma(s, "PRAGMA user_version", &version, e);
	if (!rc)
		rc = migrate_pragma(s, "PRAGMA application_id", &application, e);
	if (!rc)
		rc = migrate_pragma(s, "SELECT count(*) FROM sqlite_master", &tables, e);
	store_rollback(s);
	if (rc)
		return rc;
	if (application != STORE_APPLICATION && (application || version || tables))
		return err_set(e, ERR_LAB, "E_STORE",
			"%s is a database of something else; move it away, or give another --state",
			s->file);
	if (version > newest)
		return err_set(e, ERR_USAGE, "E_NEWER",
			"%s was written by a newer harness (schema %d, this one knows %d); it has "
			"been left as it is: use the newer harness",
			s->file, (int)version, newest);
	return 0;
}

static int migrate_one(struct store *s, const struct embed *f, int number, struct err *e)
{
	int64_t version = 0;
	char set[64];
	int rc = store_begin(s, e);

	if (rc)
		return rc;
	/* Another process may have been faster. */
	rc = migrate_pragma(s, "PRAGMA user_version", &version, e);
	if (rc || version >= number)
		goto out;
	snprintf(set, sizeof(set), "PRAGMA user_version = %d", number);
	if (sqlite3_exec(s->db, (const char *)f->data, NULL, NULL, NULL) != SQLITE_OK ||
		sqlite3_exec(s->db, set, NULL, NULL, NULL) != SQLITE_OK) {
		rc = store_err(s, e);
		err_prefix(e, "%s", f->name);
		goto out;
	}
	rc = store_commit(s, e);
out:
	store_rollback(s);
	return rc;
}

int store_migrate(struct store *s, const struct embed *sql, size_t n, struct err *e)
{
	int64_t version = 0;
	int rc = migrate_pragma(s, "PRAGMA user_version", &version, e);

	for (size_t i = 0; !rc && i < n; i++) {
		int number = migrate_number(&sql[i]);

		if (number > version)
			rc = migrate_one(s, &sql[i], number, e);
	}
	return rc;
}
