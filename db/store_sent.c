/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "db/store_sent.h"

#include <string.h>

#include "db/store_private.h"
#include "harness/base/clock.h"

int store_sent_check(struct store *s, const struct store_sent *m, struct err *e)
{
	static const char sql[] =
		"SELECT state, begun_ns, recipients FROM sent WHERE run = (SELECT id FROM run "
		"WHERE uuid = ?) AND original = ? AND state IN ('sent', 'sending') "
		"ORDER BY state = 'sent' DESC, id DESC LIMIT 1";
	char state[16], when[32], to[200];
	struct query q;
	int rc;

	query_open(&q, s, sql);
	query_text(&q, m->run);
	query_text(&q, m->original);
	rc = query_step(&q, e);
	if (rc > 0) {
		query_get_text(&q, state, sizeof(state));
		clock_iso(query_get_int(&q), when, sizeof(when));
		query_get_text(&q, to, sizeof(to));
		rc = err_set(e, ERR_USAGE, "E_SENT",
			"run %.8s %s as an answer to %s, %s, to %s; --again sends it anyway",
			m->run,
			strcmp(state, "sent") ? "may have been sent (it was begun, and its end is "
						"not known)"
					      : "was sent",
			m->original, when, to);
	}
	query_end(&q);
	return rc;
}

int store_sent_begin(
	struct store *s, const struct store_sent *m, bool again, int64_t *id, struct err *e)
{
	static const char sql[] =
		"INSERT INTO sent (run, original, message_id, recipients, state, begun_ns) VALUES "
		"((SELECT id FROM run WHERE uuid = ?), ?, ?, ?, 'sending', ?)";
	struct query q;
	int rc;

	store_durable(s, true);
	rc = store_begin(s, e);
	if (!rc && !again)
		rc = store_sent_check(s, m, e);
	if (!rc) {
		query_open(&q, s, sql);
		query_text(&q, m->run);
		query_text(&q, m->original);
		query_text(&q, m->message_id);
		query_text(&q, m->recipients);
		query_int(&q, clock_wall_ns());
		rc = query_run(&q, e);
	}
	if (!rc)
		*id = sqlite3_last_insert_rowid(s->db);
	if (!rc)
		rc = store_commit(s, e);
	store_rollback(s);
	store_durable(s, false);
	if (!rc)
		rc = store_still_there(s, e);
	return rc;
}

int store_sent_end(struct store *s, int64_t id, bool sent, const char *words, struct err *e)
{
	static const char sql[] = "UPDATE sent SET state = ?, ended_ns = ?, words = ? WHERE id = ?";
	struct query q;
	int rc;

	store_durable(s, true);
	query_open(&q, s, sql);
	query_text(&q, sent ? "sent" : "refused");
	query_int(&q, clock_wall_ns());
	query_text(&q, words);
	query_int(&q, id);
	rc = query_run(&q, e);
	store_durable(s, false);
	return rc;
}
