/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "db/store_write.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "harness/base/mem.h"

enum {
	WRITE_ZSTD_LEVEL = 9, /* kept for ever, packed once: milliseconds a boot */
};

static int write_begin(void *arg, const struct run_info *info, struct err *e)
{
	struct store *s = arg;
	int rc;

	s->run = 0;
	s->boots = 0;
	s->n_events = 0;
	store_durable(s, true);
	rc = store_begin(s, e);
	if (!rc)
		rc = write_rows(s, info, e);
	if (!rc)
		rc = store_commit(s, e);
	store_rollback(s);
	store_durable(s, false);
	if (rc)
		s->run = 0;
	return rc;
}

/* Where the run is, in case that nobody is left to say it later. */
static int write_stage(void *arg, const struct boot_result *r, enum stage stage, struct err *e)
{
	static const char sql[] = "UPDATE run SET live_boot = ?, live_stage = ? WHERE id = ?";
	struct store *s = arg;
	struct query q;

	(void)r;
	if (!s->run)
		return 0;
	query_open(&q, s, sql);
	query_int(&q, s->boots + 1);
	query_text(&q, stage_name(stage));
	query_int(&q, s->run);
	return query_run(&q, e);
}

static int write_event(void *arg, int boot_index, int64_t mono_ns, const char *what,
	const char *detail, struct err *e)
{
	static const char sql[] =
		"INSERT INTO event (run, place, boot_number, mono_ns, what, detail) "
		"VALUES (?, ?, ?, ?, ?, ?)";
	struct store *s = arg;
	struct query q;
	int rc;

	if (!s->run)
		return 0;
	query_open(&q, s, sql);
	query_int(&q, s->run);
	query_int(&q, s->n_events);
	query_id(&q, boot_index < 0 ? 0 : s->boots + 1);
	query_int(&q, mono_ns);
	query_text(&q, what);
	query_text(&q, detail);
	rc = query_run(&q, e);
	if (!rc)
		s->n_events++;
	return rc;
}

/* The image that was really sent: one of the run's, or (a test of the checks) any other. */
static int write_boot_image(struct store *s, const char *sha256, int64_t *id, struct err *e)
{
	static const char sql[] = "SELECT image.id FROM run_mode JOIN image ON image.id = image "
				  "WHERE run = ? AND sha256 = ?";
	struct image other = {.sha256 = ""};
	struct query q;
	int rc;

	*id = 0;
	if (!*sha256)
		return 0;
	query_open(&q, s, sql);
	query_int(&q, s->run);
	query_text(&q, sha256);
	rc = write_select_id(&q, id, e);
	if (rc || *id)
		return rc;
	memcpy(other.sha256, sha256, sizeof(other.sha256));
	return write_image(s, &other, id, e);
}

static int write_samples(struct store *s, int64_t boot, const struct boot_result *r, struct err *e)
{
	static const char sql[] = "INSERT INTO sample (boot, workload, place, warmup, ns, tsc) "
				  "VALUES (?, ?, ?, ?, ?, ?)";
	struct query q;
	int rc = 0;

	for (size_t i = 0; !rc && i < r->n_samples; i++) {
		query_open(&q, s, sql);
		query_int(&q, boot);
		query_int(&q, s->workload);
		query_int(&q, (int64_t)i);
		query_int(&q, r->samples[i].warmup);
		query_int(&q, r->samples[i].ns);
		query_int(&q, (int64_t)r->samples[i].tsc);
		rc = query_run(&q, e);
	}
	return rc;
}

static int write_boot_row(struct store *s, const struct boot_result *r, bool will_retry,
	const void *console, size_t n, struct err *e)
{
	static const char sql[] =
		"INSERT INTO boot (run, number, place, block, attempt, will_retry, mode, "
		"effective, "
		"outcome, stage, err_class, err_code, err_msg, image, nonce, command_line, "
		"started_ns, "
		"flags, stages, facts, console_len, console) "
		"VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
	char *stages = store_stages_text(r->stages), *facts = store_facts_text(&r->facts);
	int64_t image;
	struct query q;
	int rc = write_boot_image(s, r->image_sha256, &image, e);

	if (rc)
		goto out;
	query_open(&q, s, sql);
	query_int(&q, s->run);
	query_int(&q, s->boots + 1);
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
	rc = query_run(&q, e);
out:
	free(stages);
	free(facts);
	return rc;
}

static int write_boot(void *arg, const struct boot_result *r, bool will_retry, struct err *e)
{
	struct store *s = arg;
	size_t room = ZSTD_compressBound(r->console_len), n;
	void *packed;
	int rc;

	if (!s->run)
		return 0;
	packed = mem_alloc(room);
	n = ZSTD_compress(packed, room, r->console ? r->console : "",
		r->console ? r->console_len : 0, WRITE_ZSTD_LEVEL);
	if (ZSTD_isError(n)) {
		rc = err_set(e, ERR_BUG, NULL, "cannot pack the console: %s", ZSTD_getErrorName(n));
		goto out;
	}
	store_durable(s, true);
	rc = store_begin(s, e);
	if (!rc)
		rc = write_boot_row(s, r, will_retry, packed, n, e);
	if (!rc)
		rc = write_samples(s, sqlite3_last_insert_rowid(s->db), r, e);
	if (!rc)
		rc = store_commit(s, e);
	store_rollback(s);
	store_durable(s, false);
	if (!rc)
		s->boots++;
	if (!rc)
		rc = store_still_there(s, e);
out:
	free(packed);
	return rc;
}

static int write_replan(void *arg, const struct run_info *info, struct err *e)
{
	static const char sql[] =
		"UPDATE run SET boots = ?, total = ?, until_wanted = ? WHERE id = ?";
	struct store *s = arg;
	struct query q;
	int rc;

	if (!s->run)
		return 0;
	/* One statement is one transaction. */
	store_durable(s, true);
	query_open(&q, s, sql);
	query_int(&q, info->boots);
	query_int(&q, info->total);
	query_int(&q, info->until.wanted);
	query_int(&q, s->run);
	rc = query_run(&q, e);
	store_durable(s, false);
	if (!rc)
		rc = store_still_there(s, e);
	return rc;
}

static int write_end(void *arg, const struct run_totals *t, struct err *e)
{
	static const char sql[] =
		"UPDATE run SET ended = 1, live_boot = NULL, live_stage = NULL, end_class = ?, "
		"end_code = ?, end_msg = ?, wall_ns = ?, machine_ns = ? WHERE id = ?";
	struct store *s = arg;
	struct query q;
	int rc;

	if (!s->run)
		return 0;
	store_durable(s, true);
	query_open(&q, s, sql);
	query_int(&q, t->err.cls);
	query_text(&q, t->err.code);
	query_text(&q, t->err.msg);
	query_int(&q, t->wall_ns);
	query_int(&q, t->machine_ns);
	query_int(&q, s->run);
	rc = query_run(&q, e);
	store_durable(s, false);
	if (!rc)
		rc = store_still_there(s, e);
	s->run = 0;
	return rc;
}

struct run_sink store_sink(struct store *s)
{
	return (struct run_sink){.begin = write_begin,
		.stage = write_stage,
		.event = write_event,
		.boot = write_boot,
		.replan = write_replan,
		.end = write_end,
		.arg = s};
}
