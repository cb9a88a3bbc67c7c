/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The store: every run, boot, sample and console log in one SQLite file, STATE/harness.db.
 *
 * WAL, STRICT tables, foreign keys; schema version in user_version; each migration in a transaction
 * of its own.  A boot's samples, console log and outcome commit together and are on the disk when
 * the sink returns, as are a run's beginning and end; stages and events survive the death of the
 * process, but may be lost with the power.  Files have mode 0600.  Times are ns; wall times since
 * 1970 UTC.  No secret comes near it: not even where a password comes from.
 *
 * Another process that has the database locked is waited for: 10 s by what opens it, begins or ends
 * a run or stores a boot; 250 ms in a run that is interrupted.  Events are kept meanwhile, and
 * written with what comes next; a boot that waited in vain is stored by the run's end, if that can
 * be.
 *
 * Errors: class lab, E_STORE (disk full, locked for longer than 10 s, read-only, damaged; removed
 * or replaced under a run, seen after each boot and at its end), with the file's name and what to
 * do; class usage, E_NEWER for a database from a newer harness (it is not touched).
 */
#ifndef HARNESS_DB_STORE_H
#define HARNESS_DB_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/base/buf.h"
#include "harness/base/err.h"
#include "harness/sink.h"
#include "reports/model.h"

struct store;

/* Open (and make, and migrate) STATE/harness.db.  Once at a time in a process: locks on a file are
 * a process's, and the second one's opening would drop those of the first. */
int store_open(struct store **out, const char *state, struct err *e) must_check;
void store_close(struct store *s); /* NULL is fine */

/* A sink that writes a run into the store, one at a time; always the same.  Good until
 * store_close(), as are all others, for runs that go on at the same time. */
struct run_sink store_sink(struct store *s);
struct run_sink store_sink_new(struct store *s);

/* Runs of this machine that never ended (their controller was killed): marked as ended, with a lab
 * error that says so.  Called by whoever holds the machine's lock, so nobody else can be running.
 */
int store_mark_dead(struct store *s, const char *machine, int *n_marked, struct err *e) must_check;

/* Find a run by its id, by a unique prefix of its UUID (case does not matter), or as "last": the
 * one begun last (also when the clock was set back), of this machine when it is not NULL; "last~1"
 * is the one before that, and so on.  An id once given keeps its run, also when a later run's UUID
 * begins with it.  Class usage, with the candidates, when it is unknown or ambiguous. */
int store_find(struct store *s, const char *prefix, const char *machine, char uuid[UUID_TEXT],
	struct err *e) must_check;

/* Find an image that some run asked for by the beginning of its sha256, of hexadecimal digits.
 * Class usage, E_NOIMAGE, with the candidates, when it is unknown or ambiguous. */
int store_find_image(
	struct store *s, const char *prefix, char sha256[SHA256_HEX + 1], struct err *e) must_check;

/* Which runs: all that meet every condition, ended or not. */
struct store_filter {
	const char *machine;	/* its name; NULL: any */
	int64_t from_ns, to_ns; /* begun at from_ns or later, and before to_ns */
	const char *image; /* one of its modes has an image whose sha256 begins so; NULL: any */
	const char *run;   /* its UUID begins so; NULL: any */
};

#define STORE_FILTER_ALL \
	{ \
		.from_ns = INT64_MIN, .to_ns = INT64_MAX \
	}

/* Their UUIDs in the order of their starts; the caller frees *uuids, NULL when there are none. */
int store_select(struct store *s, const struct store_filter *f, char (**uuids)[UUID_TEXT],
	size_t *n, struct err *e) must_check;

/* A target's settings, a "[section]" or "key = value" a line, without where its password comes
 * from: what the model of a run has as target_text. */
void store_settings(struct buf *out, const struct target *t);

/* Fill a model with the whole run. m is initialised by this call; release it with model_release().
 */
int store_load(struct store *s, const char *uuid, struct model *m, struct err *e) must_check;

/* The console log of the n-th boot that ran (from 1), unpacked, appended to out. */
int store_console(
	struct store *s, const char *uuid, int n, struct buf *out, struct err *e) must_check;

/* A line of the run's log.  Borrowed until the callback returns. */
struct store_event {
	int boot;	 /* number of the boot, from 1 in the order in which they ran; 0: none */
	int64_t mono_ns; /* as it was given to the sink */
	const char *what, *detail;
};

/* In the order in which they were stored; a non-zero return stops, and is returned. */
int store_events(struct store *s, const char *uuid,
	int (*fn)(void *arg, const struct store_event *), void *arg, struct err *e) must_check;

struct store_run_line {
	char uuid[UUID_TEXT], id[UUID_TEXT];
	char machine[64], workload[WORKLOAD_MAX];
	char modes[256]; /* "mixed,physical"; with builds "base, patched: mixed, physical" */
	int64_t started_wall_ns, wall_ns;
	int boots_ok, boots_failed, boots_planned; /* failed: also those repeated later */
	bool ended;
	struct err end_err;
};

/* The one begun last first, whatever the clock said; machine NULL: all; limit > 0.  Calls fn for
 * each; a non-zero return stops, and is returned. */
int store_runs(struct store *s, const char *machine, int limit,
	int (*fn)(void *arg, const struct store_run_line *), void *arg, struct err *e) must_check;

#endif
