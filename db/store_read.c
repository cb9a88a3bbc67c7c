/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "db/store_private.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "harness/base/mem.h"
#include "harness/base/str.h"

enum { READ_CANDIDATES = 4, READ_BACK_MAX = 1000000 };

/* The run begun last, or the one that was begun `back` runs before it. */
static int read_last(
	struct store *s, const char *machine, int64_t back, char uuid[UUID_TEXT], struct err *e)
{
	static const char sql[] = "SELECT uuid FROM run JOIN machine ON machine.id = machine "
				  "WHERE ?1 = '' OR name = ?1 ORDER BY run.id DESC LIMIT 1 "
				  "OFFSET ?2";
	struct query q;
	int rc;

	query_open(&q, s, sql);
	query_text(&q, machine);
	query_int(&q, back);
	rc = query_step(&q, e);
	if (rc > 0)
		query_get_text(&q, uuid, UUID_TEXT);
	query_end(&q);
	if (rc < 0)
		return rc;
	if (!rc && back)
		return err_set(e, ERR_USAGE, "E_NORUN",
			"last~%lld goes further back than the runs%s%s stored in %s; see harness "
			"runs",
			(long long)back, machine ? " of machine " : "", machine ? machine : "",
			s->file);
	if (!rc && machine)
		return err_set(e, ERR_USAGE, "E_NORUN",
			"no run of machine %s is stored in %s; see harness runs", machine, s->file);
	if (!rc)
		return err_set(e, ERR_USAGE, "E_NORUN",
			"no run is stored in %s yet; start one with harness run --machine NAME",
			s->file);
	return 0;
}

/* Lower case, and nothing but what a UUID is made of. */
static int read_prefix(const char *in, char out[UUID_TEXT])
{
	size_t n = strlen(in);

	if (!n || n >= UUID_TEXT)
		return -1;
	for (size_t i = 0; i <= n; i++)
		out[i] = (char)tolower((unsigned char)in[i]);
	return strspn(out, "0123456789abcdef-") == n ? 0 : -1;
}

static int read_unknown(struct store *s, const char *prefix, struct err *e)
{
	static const char sql[] =
		"SELECT short, name FROM run JOIN machine ON machine.id = machine "
		"ORDER BY run.id DESC LIMIT 3";
	char id[UUID_TEXT];
	struct buf list;
	struct query q;
	int rc;

	buf_init(&list, 512);
	query_open(&q, s, sql);
	while ((rc = query_step(&q, e)) > 0) {
		query_get_text(&q, id, sizeof(id));
		buf_addf(&list, "%s%s (%s)", list.len ? ", " : "", id, query_peek_text(&q));
	}
	query_end(&q);
	if (!rc && !list.len)
		rc = read_last(s, NULL, 0, id, e);
	else if (!rc)
		rc = err_set(e, ERR_USAGE, "E_NORUN",
			"no run \"%s\"; the latest are %s; see harness runs", prefix, list.data);
	buf_release(&list);
	return rc;
}

int store_find(struct store *s, const char *prefix, const char *machine, char uuid[UUID_TEXT],
	struct err *e)
{
	/* 'g' sorts after all that a UUID is made of. */
	static const char sql[] =
		"SELECT uuid, short, short = ?1 FROM run WHERE uuid >= ?1 AND uuid < ?1 || 'g' "
		"ORDER BY short = ?1 DESC, uuid LIMIT 5";
	char p[UUID_TEXT], id[UUID_TEXT];
	bool exact = false;
	struct buf list;
	struct query q;
	int64_t back;
	int rc, n = 0;

	if (!strcmp(prefix, "last"))
		return read_last(s, machine, 0, uuid, e);
	if (!strncmp(prefix, "last~", 5) && !str_int(prefix + 5, 0, READ_BACK_MAX, &back))
		return read_last(s, machine, back, uuid, e);
	if (read_prefix(prefix, p))
		return err_set(e, ERR_USAGE, "E_NORUN",
			"\"%s\" is not a run: give the first digits of its id, or last", prefix);
	buf_init(&list, 512);
	query_open(&q, s, sql);
	query_text(&q, p);
	while (!exact && (rc = query_step(&q, e)) > 0) {
		if (!n++)
			query_get_text(&q, uuid, UUID_TEXT);
		else
			query_peek_text(&q);
		query_get_text(&q, id, sizeof(id));
		exact = query_get_bool(&q);
		if (n <= READ_CANDIDATES)
			buf_addf(&list, "%s%s", n > 1 ? ", " : "", id);
	}
	query_end(&q);
	if (exact || (n == 1 && !rc))
		rc = 0;
	else if (!rc && !n)
		rc = read_unknown(s, prefix, e);
	else if (!rc)
		rc = err_set(e, ERR_USAGE, "E_NORUN", "\"%s\" begins %s runs: %s%s", prefix,
			n > READ_CANDIDATES ? "many" : "several", list.data,
			n > READ_CANDIDATES ? " …" : "");
	buf_release(&list);
	return rc;
}

int store_console(struct store *s, const char *uuid, int n, struct buf *out, struct err *e)
{
	static const char sql[] = "SELECT console_len, console FROM boot JOIN run ON run.id = run "
				  "WHERE uuid = ? AND number = ?";
	static const char count[] =
		"SELECT count(*) FROM boot JOIN run ON run.id = run WHERE uuid = ?";
	const void *packed;
	char *plain = NULL;
	size_t len, size, got;
	struct query q;
	int rc;

	query_open(&q, s, sql);
	query_text(&q, uuid);
	query_int(&q, n);
	rc = query_step(&q, e);
	if (rc < 0)
		goto out;
	if (!rc) {
		query_end(&q);
		query_open(&q, s, count);
		query_text(&q, uuid);
		rc = query_step(&q, e);
		if (rc > 0)
			rc = err_set(e, ERR_USAGE, "E_NOBOOT",
				"run %.8s has no boot %d: %d boots of it are stored", uuid, n,
				(int)query_get_int(&q));
		goto out;
	}
	len = (size_t)query_get_int(&q);
	packed = query_get_blob(&q, &size);
	plain = len <= STORE_CONSOLE_MAX ? malloc(len + 1) : NULL;
	got = plain ? ZSTD_decompress(plain, len, packed, size) : 0;
	rc = 0;
	if (!plain || ZSTD_isError(got) || got != len)
		rc = err_set(e, ERR_LAB, "E_STORE", "the console log of boot %d in %s is damaged",
			n, s->file);
	else if (buf_add(out, plain, len))
		rc = err_set(e, ERR_LAB, "E_STORE",
			"the console log of boot %d is longer than %zu bytes", n, out->max);
out:
	query_end(&q);
	free(plain);
	return rc;
}

int store_events(struct store *s, const char *uuid,
	int (*fn)(void *arg, const struct store_event *), void *arg, struct err *e)
{
	static const char sql[] =
		"SELECT boot_number, mono_ns, what, detail FROM event JOIN run ON run.id = run "
		"WHERE uuid = ? ORDER BY place";
	struct store_event ev;
	struct query q;
	int rc, stop = 0;

	query_open(&q, s, sql);
	query_text(&q, uuid);
	while (!stop && (rc = query_step(&q, e)) > 0) {
		ev.boot = (int)query_get_int(&q);
		ev.mono_ns = query_get_int(&q);
		ev.what = query_peek_text(&q);
		ev.detail = query_peek_text(&q);
		stop = fn(arg, &ev);
	}
	query_end(&q);
	return stop ? stop : rc;
}

int store_runs(struct store *s, const char *machine, int limit,
	int (*fn)(void *arg, const struct store_run_line *), void *arg, struct err *e)
{
	static const char sql[] =
		"SELECT uuid, short, machine.name, workload.name, "
		"coalesce((SELECT group_concat(name, ', ') || ': ' FROM (SELECT name FROM "
		"run_build WHERE run = run.id ORDER BY place)), '') || "
		"(SELECT group_concat(mode, CASE build WHEN '' THEN ',' ELSE ', ' END) FROM "
		"(SELECT mode, max(build) AS build FROM run_mode WHERE run = run.id AND "
		"image IS NOT NULL GROUP BY mode ORDER BY min(place))), "
		"started_ns, wall_ns, "
		"(SELECT count(*) FROM boot WHERE run = run.id AND outcome = 'ok'), "
		"(SELECT count(*) FROM boot WHERE run = run.id AND outcome <> 'ok'), "
		"total, ended, end_class, end_code, end_msg "
		"FROM run JOIN machine ON machine.id = machine JOIN workload ON workload.id = "
		"workload "
		"WHERE ?1 = '' OR machine.name = ?1 ORDER BY run.id DESC LIMIT ?2";
	struct store_run_line l;
	struct query q;
	int rc, stop = 0;

	query_open(&q, s, sql);
	query_text(&q, machine);
	query_int(&q, limit);
	while (!stop && (rc = query_step(&q, e)) > 0) {
		query_get_text(&q, l.uuid, sizeof(l.uuid));
		query_get_text(&q, l.id, sizeof(l.id));
		query_get_text(&q, l.machine, sizeof(l.machine));
		query_get_text(&q, l.workload, sizeof(l.workload));
		query_get_text(&q, l.modes, sizeof(l.modes));
		l.started_wall_ns = query_get_int(&q);
		l.wall_ns = query_get_int(&q);
		l.boots_ok = (int)query_get_int(&q);
		l.boots_failed = (int)query_get_int(&q);
		l.boots_planned = (int)query_get_int(&q);
		l.ended = query_get_bool(&q);
		l.end_err.cls = (enum err_class)query_get_int(&q);
		query_get_text(&q, l.end_err.code, sizeof(l.end_err.code));
		query_get_text(&q, l.end_err.msg, sizeof(l.end_err.msg));
		stop = fn(arg, &l);
	}
	query_end(&q);
	return stop ? stop : rc;
}

int store_mark_dead(struct store *s, const char *machine, int *n_marked, struct err *e)
{
	/* What the run itself would have said at its end, as far as its boots tell. */
	static const char sql[] =
		"UPDATE run SET ended = 1, end_class = ?1, end_code = 'E_DEAD', "
		"end_msg = 'the controller ended without a word' || "
		"coalesce(' in boot ' || live_boot || ', stage ' || live_stage, ''), "
		"(wall_ns, machine_ns) = (SELECT "
		"coalesce(max((value ->> 'start') + (value ->> 'ns')), 0), "
		"coalesce(sum(CASE WHEN key IN ('firmware', 'ipxe', 'load', 'hypervisor', 'probe') "
		"THEN value ->> 'ns' ELSE value ->> 'settle' END), 0) "
		"FROM boot, json_each(stages) WHERE run = run.id) "
		"WHERE ended = 0 AND machine IN (SELECT id FROM machine WHERE name = ?2)";
	struct query q;
	int rc;

	*n_marked = 0;
	query_open(&q, s, sql);
	query_int(&q, ERR_LAB);
	query_text(&q, machine);
	rc = query_run(&q, e);
	if (!rc)
		*n_marked = sqlite3_changes(s->db);
	return rc;
}
