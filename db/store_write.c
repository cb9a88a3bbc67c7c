/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "db/store_write.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "harness/base/mem.h"
#include "harness/closing.h"

enum {
	WRITE_ZSTD_LEVEL = 9, /* kept for ever, packed once: milliseconds a boot */
};

static int write_begin(void *arg, const struct run_info *info, struct err *e)
{
	struct store_writer *w = arg;
	int rc;

	w->run = 0;
	w->boots = 0;
	w->n_events = 0;
	late_release(&w->late);
	store_durable(w->s, true);
	rc = store_begin(w->s, e);
	if (!rc)
		rc = write_rows(w, info, e);
	if (!rc)
		rc = store_commit(w->s, e);
	store_rollback(w->s);
	store_durable(w->s, false);
	if (rc)
		w->run = 0;
	return rc;
}

/* How long a write may wait for another process that has the database. */
static void write_patience(struct store_writer *w, int ms)
{
	sqlite3_busy_timeout(w->s->db, ms);
}

/* What has just failed did so for that reason alone. */
static bool write_was_busy(const struct store_writer *w)
{
	return (sqlite3_errcode(w->s->db) & 0xff) == SQLITE_BUSY;
}

/* Where the run is, in case that nobody is left to say it later.  Not worth a wait. */
static int write_stage(void *arg, const struct boot_result *r, enum stage stage, struct err *e)
{
	static const char sql[] = "UPDATE run SET live_boot = ?, live_stage = ? WHERE id = ?";
	struct store_writer *w = arg;
	struct query q;
	int rc;

	(void)r;
	if (!w->run)
		return 0;
	write_patience(w, 0);
	query_open(&q, w->s, sql);
	query_int(&q, w->boots + 1);
	query_text(&q, stage_name(stage));
	query_int(&q, w->run);
	rc = query_run(&q, e);
	if (rc && write_was_busy(w))
		rc = 0;
	write_patience(w, STORE_BUSY_MS);
	return rc;
}

static int write_event_row(struct store_writer *w, int64_t place, int64_t boot_number,
	int64_t mono_ns, const char *what, const char *detail, struct err *e)
{
	static const char sql[] =
		"INSERT INTO event (run, place, boot_number, mono_ns, what, detail) "
		"VALUES (?, ?, ?, ?, ?, ?)";
	struct query q;

	query_open(&q, w->s, sql);
	query_int(&q, w->run);
	query_int(&q, place);
	query_id(&q, boot_number);
	query_int(&q, mono_ns);
	query_text(&q, what);
	query_text(&q, detail);
	return query_run(&q, e);
}

static int write_late_events(struct store_writer *w, struct err *e)
{
	int rc = 0;

	while (!rc && w->late.events) {
		const struct late_event *ev = w->late.events;

		rc = write_event_row(
			w, ev->place, ev->boot_number, ev->mono_ns, ev->what, ev->detail, e);
		if (!rc)
			late_drop_event(&w->late);
	}
	return rc;
}

static int write_event(void *arg, int boot_index, int64_t mono_ns, const char *what,
	const char *detail, struct err *e)
{
	struct store_writer *w = arg;
	int64_t boot = boot_index < 0 ? 0 : w->boots + 1;
	int rc;

	if (!w->run)
		return 0;
	write_patience(w, 0);
	rc = write_late_events(w, e);
	if (!rc)
		rc = write_event_row(w, w->n_events, boot, mono_ns, what, detail, e);
	if (rc && write_was_busy(w) &&
		!late_add_event(&w->late, w->n_events, boot, mono_ns, what, detail))
		rc = 0;
	write_patience(w, STORE_BUSY_MS);
	if (!rc)
		w->n_events++;
	return rc;
}

/* The image that was really sent: one of the run's, or (a test of the checks) any other. */
static int write_boot_image(struct store_writer *w, const char *sha256, int64_t *id, struct err *e)
{
	static const char sql[] = "SELECT image.id FROM run_mode JOIN image ON image.id = image "
				  "WHERE run = ? AND sha256 = ?";
	struct image other = {.sha256 = ""};
	struct query q;
	int rc;

	*id = 0;
	if (!*sha256)
		return 0;
	query_open(&q, w->s, sql);
	query_int(&q, w->run);
	query_text(&q, sha256);
	rc = write_select_id(&q, id, e);
	if (rc || *id)
		return rc;
	memcpy(other.sha256, sha256, sizeof(other.sha256));
	return write_image(w->s, &other, id, e);
}

static int write_samples(
	struct store_writer *w, int64_t boot, const struct boot_result *r, struct err *e)
{
	static const char sql[] = "INSERT INTO sample (boot, workload, place, warmup, ns, tsc) "
				  "VALUES (?, ?, ?, ?, ?, ?)";
	struct query q;
	int rc = 0;

	for (size_t i = 0; !rc && i < r->n_samples; i++) {
		query_open(&q, w->s, sql);
		query_int(&q, boot);
		query_int(&q, w->workload);
		query_int(&q, (int64_t)i);
		query_int(&q, r->samples[i].warmup);
		query_int(&q, r->samples[i].ns);
		query_int(&q, (int64_t)r->samples[i].tsc);
		rc = query_run(&q, e);
	}
	return rc;
}

static int write_boot_row(struct store_writer *w, const struct boot_result *r, bool will_retry,
	const void *console, size_t n, struct err *e)
{
	static const char sql[] =
		"INSERT INTO boot (run, number, place, block, attempt, will_retry, mode, "
		"effective, "
		"outcome, stage, err_class, err_code, err_msg, image, nonce, command_line, "
		"started_ns, "
		"flags, stages, facts, console_len, console, build) "
		"VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
	char *stages = store_stages_text(r->stages), *facts = store_facts_text(&r->facts);
	int64_t image;
	struct query q;
	int rc = write_boot_image(w, r->image_sha256, &image, e);

	if (rc)
		goto out;
	query_open(&q, w->s, sql);
	query_int(&q, w->run);
	query_int(&q, w->boots + 1);
	query_int(&q, r->index);
	query_int(&q, r->block);
	query_int(&q, r->attempt);
	query_int(&q, will_retry);
	query_text(&q, r->mode);
	query_text(&q, r->effective);
	query_text(&q, outcome_name(r->outcome));
	query_text(&q, stage_name(r->stage));
	query_int(&q, r->err.cls);
	query_text(&q, r->err.code);
	query_text(&q, r->err.msg);
	query_id(&q, image);
	query_text(&q, r->nonce);
	query_text(&q, r->command_line);
	query_int(&q, r->started_wall_ns);
	query_text(&q, r->flags);
	query_text(&q, stages);
	query_text(&q, facts);
	query_int(&q, (int64_t)r->console_len);
	query_blob(&q, console, n);
	query_text(&q, r->build);
	rc = query_run(&q, e);
out:
	free(stages);
	free(facts);
	return rc;
}

static int write_boot_packed(struct store_writer *w, const struct boot_result *r, bool will_retry,
	const void *packed, size_t n, struct err *e)
{
	int rc = write_late_events(w, e);

	if (!rc) {
		store_durable(w->s, true);
		rc = store_begin(w->s, e);
	}
	if (!rc)
		rc = write_boot_row(w, r, will_retry, packed, n, e);
	if (!rc)
		rc = write_samples(w, sqlite3_last_insert_rowid(w->s->db), r, e);
	if (!rc)
		rc = store_commit(w->s, e);
	if (rc && write_was_busy(w) && !w->late.boot)
		late_add_boot(&w->late, r, will_retry, packed, n);
	store_rollback(w->s);
	store_durable(w->s, false);
	if (!rc)
		w->boots++;
	return rc;
}

static int write_boot(void *arg, const struct boot_result *r, bool will_retry, struct err *e)
{
	struct store_writer *w = arg;
	size_t room = ZSTD_compressBound(r->console_len), n;
	void *packed;
	int rc;

	if (!w->run)
		return 0;
	packed = mem_alloc(room);
	n = ZSTD_compress(packed, room, r->console ? r->console : "",
		r->console ? r->console_len : 0, WRITE_ZSTD_LEVEL);
	if (ZSTD_isError(n)) {
		rc = err_set(e, ERR_BUG, NULL, "cannot pack the console: %s", ZSTD_getErrorName(n));
		goto out;
	}
	write_patience(w, r->outcome == OUTCOME_INTERRUPTED ? CLOSING_STORE_MS : STORE_BUSY_MS);
	rc = write_boot_packed(w, r, will_retry, packed, n, e);
	write_patience(w, STORE_BUSY_MS);
	if (!rc)
		rc = store_still_there(w->s, e);
out:
	free(packed);
	return rc;
}

/* A boot whose own time is over. */
static int write_late_boot(struct store_writer *w, struct err *e)
{
	struct late_boot *b = w->late.boot;
	int rc;

	if (!b)
		return 0;
	rc = write_boot_packed(w, &b->r, b->will_retry, b->packed, b->n, e);
	if (!rc)
		late_drop_boot(&w->late);
	return rc;
}

static int write_replan(void *arg, const struct run_info *info, struct err *e)
{
	static const char sql[] =
		"UPDATE run SET boots = ?, total = ?, until_wanted = ? WHERE id = ?";
	struct store_writer *w = arg;
	struct query q;
	int rc;

	if (!w->run)
		return 0;
	/* One statement is one transaction. */
	store_durable(w->s, true);
	query_open(&q, w->s, sql);
	query_int(&q, info->boots);
	query_int(&q, info->total);
	query_int(&q, info->until.wanted);
	query_int(&q, w->run);
	rc = query_run(&q, e);
	store_durable(w->s, false);
	if (!rc)
		rc = store_still_there(w->s, e);
	return rc;
}

static int write_end(void *arg, const struct run_totals *t, struct err *e)
{
	static const char sql[] =
		"UPDATE run SET ended = 1, live_boot = NULL, live_stage = NULL, end_class = ?, "
		"end_code = ?, end_msg = ?, wall_ns = ?, machine_ns = ? WHERE id = ?";
	struct store_writer *w = arg;
	struct query q;
	int rc;

	if (!w->run)
		return 0;
	write_patience(w, t->err.cls == ERR_INTERRUPTED ? CLOSING_STORE_MS : STORE_BUSY_MS);
	rc = write_late_boot(w, e);
	if (!rc)
		rc = write_late_events(w, e);
	if (rc)
		goto out;
	store_durable(w->s, true);
	query_open(&q, w->s, sql);
	query_int(&q, t->err.cls);
	query_text(&q, t->err.code);
	query_text(&q, t->err.msg);
	query_int(&q, t->wall_ns);
	query_int(&q, t->machine_ns);
	query_int(&q, w->run);
	rc = query_run(&q, e);
	store_durable(w->s, false);
	if (!rc)
		rc = store_still_there(w->s, e);
out:
	write_patience(w, STORE_BUSY_MS);
	late_release(&w->late);
	w->run = 0;
	return rc;
}

static struct run_sink write_sink(struct store_writer *w)
{
	return (struct run_sink){.begin = write_begin,
		.stage = write_stage,
		.event = write_event,
		.boot = write_boot,
		.replan = write_replan,
		.end = write_end,
		.arg = w};
}

struct run_sink store_sink_new(struct store *s)
{
	struct store_writer *w = mem_alloc(sizeof(*w));

	w->s = s;
	w->next = s->writers;
	s->writers = w;
	return write_sink(w);
}

struct run_sink store_sink(struct store *s)
{
	s->first.s = s;
	return write_sink(&s->first);
}
