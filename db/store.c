/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "db/store_private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "db/embed.h"
#include "harness/base/mem.h"

int store_err(struct store *s, struct err *e)
{
	int own = errno, code = sqlite3_errcode(s->db) & 0xff, sys = sqlite3_system_errno(s->db);
	const char *what = sqlite3_errmsg(s->db);
	bool no_room;

	/* SQLite does not note the cause of what fails in a COMMIT. */
	if (!sys && code == SQLITE_IOERR)
		sys = own;
	no_room = code == SQLITE_IOERR && (sys == ENOSPC || sys == EDQUOT || sys == EFBIG);
	switch (code) {
	case SQLITE_FULL:
		no_room = true;
		break;
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return err_set(e, ERR_LAB, "E_STORE",
			"%s is locked by another process; try again when that has ended", s->file);
	case SQLITE_READONLY:
		return err_set(e, ERR_LAB, "E_STORE",
			"%s cannot be written to; check who owns the file and its folder", s->file);
	case SQLITE_CANTOPEN:
		return err_set(e, ERR_LAB, "E_STORE", "cannot open %s: %s", s->file,
			sys ? strerror(sys) : what);
	case SQLITE_NOTADB:
		return err_set(e, ERR_LAB, "E_STORE",
			"%s is not a database; move it away, or give another --state", s->file);
	case SQLITE_CORRUPT:
		return err_set(e, ERR_LAB, "E_STORE",
			"%s is damaged (%s); take it from a copy, or save what is left with "
			"sqlite3 %s .recover",
			s->file, what, s->file);
	}
	if (no_room)
		return err_set(e, ERR_LAB, "E_STORE",
			"no room for %s (%s); make room: the boots stored so far are safe", s->file,
			sys ? strerror(sys) : what);
	return err_set(e, ERR_LAB, "E_STORE", "%s: %s%s%s", s->file, what, sys ? ": " : "",
		sys ? strerror(sys) : "");
}

static int store_exec(struct store *s, const char *sql, struct err *e)
{
	errno = 0;
	return sqlite3_exec(s->db, sql, NULL, NULL, NULL) == SQLITE_OK ? 0 : store_err(s, e);
}

int store_still_there(struct store *s, struct err *e)
{
	struct stat st;

	if (!stat(s->file, &st) && st.st_dev == s->dev && st.st_ino == s->ino)
		return 0;
	return err_set(e, ERR_LAB, "E_STORE",
		"harness.db was removed or replaced while the run was using it (%s): what the run "
		"measured is lost",
		s->file);
}

int store_begin(struct store *s, struct err *e)
{
	return store_exec(s, "BEGIN IMMEDIATE", e);
}

int store_commit(struct store *s, struct err *e)
{
	return store_exec(s, "COMMIT", e);
}

void store_rollback(struct store *s)
{
	if (!sqlite3_get_autocommit(s->db))
		sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
}

void store_durable(struct store *s, bool on)
{
	sqlite3_exec(s->db, on ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL", NULL,
		NULL, NULL);
}

/* Our own creation of the file, since SQLite would give it the umask's mode; the -wal and -shm
 * files take theirs from it. */
static int store_touch(const char *file, struct err *e)
{
	int fd = open(file, O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0600);
	struct stat st;
	int rc = 0;

	if (fd < 0)
		return err_set(e, ERR_LAB, "E_STORE", "cannot open %s for writing: %s", file,
			strerror(errno));
	if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		rc = err_set(e, ERR_LAB, "E_STORE",
			"%s is not a file; move it away, or give another --state", file);
	close(fd);
	return rc;
}

/* Turning WAL on for the first time needs the file alone, and SQLite does not wait for that. */
static int store_wal(struct store *s, struct err *e)
{
	const char *mode = NULL;
	sqlite3_stmt *st = NULL;
	int rc = SQLITE_BUSY, out = 0;

	for (int waited = 0; rc == SQLITE_BUSY && waited < STORE_BUSY_MS; waited += 20) {
		sqlite3_finalize(st);
		rc = sqlite3_prepare_v2(s->db, "PRAGMA journal_mode = WAL", -1, &st, NULL);
		if (rc == SQLITE_OK)
			rc = sqlite3_step(st);
		if ((rc & 0xff) == SQLITE_BUSY) {
			rc = SQLITE_BUSY;
			sqlite3_sleep(20);
		}
	}
	if (rc != SQLITE_ROW)
		out = store_err(s, e);
	else
		mode = (const char *)sqlite3_column_text(st, 0);
	if (!out && (!mode || strcmp(mode, "wal")))
		out = err_set(e, ERR_LAB, "E_STORE",
			"%s lies on a file system without shared memory (a network share?); give a "
			"local folder with --state",
			s->file);
	sqlite3_finalize(st);
	return out;
}

int store_open(struct store **out, const char *state, struct err *e)
{
	struct store *s = mem_alloc(sizeof(*s));
	struct stat st;
	int rc;

	s->file = mem_printf("%s/harness.db", state);
	rc = store_touch(s->file, e);
	if (rc)
		goto fail;
	if (sqlite3_open_v2(s->file, &s->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) !=
		SQLITE_OK) {
		rc = store_err(s, e);
		goto fail;
	}
	if (stat(s->file, &st)) {
		rc = err_set(e, ERR_LAB, "E_STORE", "cannot open %s: %s", s->file, strerror(errno));
		goto fail;
	}
	s->dev = st.st_dev;
	s->ino = st.st_ino;
	sqlite3_extended_result_codes(s->db, 1);
	sqlite3_busy_timeout(s->db, STORE_BUSY_MS);
	/* A database of a newer harness must stay as it is, also its WAL: only a checked one may be
	 * checkpointed when it is closed. */
	sqlite3_db_config(s->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
	sqlite3_db_config(s->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	rc = store_check(s, embed_sql, embed_sql_count, e);
	if (rc)
		goto fail;
	sqlite3_db_config(s->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0, NULL);
	rc = store_wal(s, e);
	/* NORMAL: after a power cut the newest transactions may be gone, never half of one.  A boot
	 * and the ends of a run are synced whole by store_durable(). */
	store_durable(s, false);
	if (!rc)
		rc = store_exec(s, "PRAGMA foreign_keys = ON", e);
	if (!rc)
		rc = store_migrate(s, embed_sql, embed_sql_count, e);
	if (rc)
		goto fail;
	*out = s;
	return 0;
fail:
	store_close(s);
	return rc;
}

void store_close(struct store *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < STORE_STATEMENTS; i++)
		sqlite3_finalize(s->kept[i].st);
	late_release(&s->first.late);
	while (s->writers) {
		struct store_writer *w = s->writers;

		s->writers = w->next;
		late_release(&w->late);
		free(w);
	}
	sqlite3_close(s->db);
	free(s->file);
	free(s);
}
