/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the store's own files share.  Nobody else includes this, tests of the store excepted. */
#ifndef HARNESS_DB_STORE_PRIVATE_H
#define HARNESS_DB_STORE_PRIVATE_H

#include <sqlite3.h>
#include <sys/types.h>

#include "db/query.h"
#include "db/store.h"
#include "db/store_late.h"
#include "harness/base/embed.h"

enum {
	STORE_STATEMENTS = 64,		/* more than there are texts of statements */
	STORE_APPLICATION = 0x48504631, /* "HPF1"; as in migrate/0001 */
	STORE_BUSY_MS = 10000,
	STORE_CONSOLE_MAX = 256 << 20, /* bytes of one console log, unpacked */
};

/* What a sink writes. */
struct store_writer {
	struct store *s;
	struct store_writer *next;
	int64_t run, workload; /* 0 when there is none */
	int boots;	       /* of the run that are stored */
	int64_t n_events;      /* the same, or kept in late */
	struct store_late late;
};

struct store {
	char *file;
	dev_t dev; /* of the file that was opened, and … */
	ino_t ino;
	sqlite3 *db;
	struct {
		const char *sql;
		sqlite3_stmt *st;
	} kept[STORE_STATEMENTS];
	struct store_writer first, *writers; /* of store_sink(); of the others */
};

/* Turn what the connection failed with into one line; class lab, E_STORE.  Returns negative. Called
 * at once, with errno 0 before what failed. */
int store_err(struct store *s, struct err *e);

/* Fails when the file at the store's path is no longer the one that was opened: what is written now
 * is lost when it is closed. */
int store_still_there(struct store *s, struct err *e) must_check;

/* Transactions.  BEGIN IMMEDIATE, so that a busy database shows here and not halfway.
 * store_rollback() does nothing outside of a transaction. */
int store_begin(struct store *s, struct err *e) must_check;
int store_commit(struct store *s, struct err *e) must_check;
void store_rollback(struct store *s);

/* From now on commits wait until the disk has them, or not.  Outside of a transaction. */
void store_durable(struct store *s, bool on);

/* Below, sql are n files; those named "migrate/NNNN-*.sql" are the migrations, in order. */

/* Only looks: an error when the database is from a newer harness or from something else. */
int store_check(struct store *s, const struct embed *sql, size_t n, struct err *e) must_check;

/* Bring the schema to the newest migration, each in a transaction of its own. */
int store_migrate(struct store *s, const struct embed *sql, size_t n, struct err *e) must_check;

/* Stage times and facts as JSON text; the caller frees it.  Reading leaves out what it does not
 * know. */
char *store_stages_text(const struct stage_time stages[STAGE_COUNT]);
void store_stages_parse(const char *text, struct stage_time stages[STAGE_COUNT]);
char *store_facts_text(const struct facts *f);
void store_facts_parse(const char *text, struct facts *f);

#endif
