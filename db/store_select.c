/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "db/store_private.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/mem.h"

enum { SELECT_CANDIDATES = 4, SELECT_SHOWN = 12 /* digits of a candidate */ };

/* 'g' sorts after all that a sha256 and a UUID are made of. */
int store_select(struct store *s, const struct store_filter *f, char (**uuids)[UUID_TEXT],
	size_t *n, struct err *e)
{
	static const char sql[] =
		"SELECT uuid FROM run WHERE started_ns >= ?1 AND started_ns < ?2 "
		"AND (?3 = '' OR machine IN (SELECT id FROM machine WHERE name = ?3)) "
		"AND (?4 = '' OR EXISTS (SELECT 1 FROM run_mode JOIN image ON image.id = image "
		"WHERE run = run.id AND sha256 >= ?4 AND sha256 < ?4 || 'g')) "
		"AND (?5 = '' OR (uuid >= ?5 AND uuid < ?5 || 'g')) "
		"ORDER BY started_ns, run.id";
	size_t room = 0;
	struct query q;
	int rc;

	*uuids = NULL;
	*n = 0;
	query_open(&q, s, sql);
	query_int(&q, f->from_ns);
	query_int(&q, f->to_ns);
	query_text(&q, f->machine);
	query_text(&q, f->image);
	query_text(&q, f->run);
	while ((rc = query_step(&q, e)) > 0) {
		if (*n == room) {
			room = room ? 2 * room : 16;
			*uuids = mem_grow(*uuids, room, sizeof(**uuids));
		}
		query_get_text(&q, (*uuids)[(*n)++], UUID_TEXT);
	}
	query_end(&q);
	if (rc) {
		free(*uuids);
		*uuids = NULL;
		*n = 0;
	}
	return rc;
}

/* With digits enough to tell them apart; n are sorted. */
static int select_ambiguous(const char *prefix, char found[][SHA256_HEX + 1], int n, struct err *e)
{
	int digits = SELECT_SHOWN, rc;
	struct buf list;

	for (int i = 1; i < n; i++)
		while (digits < SHA256_HEX && !strncmp(found[i - 1], found[i], (size_t)digits))
			digits++;
	buf_init(&list, 1024);
	for (int i = 0; i < n && i < SELECT_CANDIDATES; i++)
		buf_addf(&list, "%s%.*s", i ? ", " : "", digits, found[i]);
	rc = err_set(e, ERR_USAGE, "E_NOIMAGE", "\"%s\" begins %s images: %s%s", prefix,
		n > SELECT_CANDIDATES ? "many" : "several", list.data,
		n > SELECT_CANDIDATES ? " …" : "");
	buf_release(&list);
	return rc;
}

int store_find_image(
	struct store *s, const char *prefix, char sha256[SHA256_HEX + 1], struct err *e)
{
	static const char sql[] =
		"SELECT DISTINCT sha256 FROM image JOIN run_mode ON image.id = image "
		"WHERE sha256 >= ?1 AND sha256 < ?1 || 'g' ORDER BY sha256 LIMIT 5";
	char p[SHA256_HEX + 1] = "", found[SELECT_CANDIDATES + 1][SHA256_HEX + 1];
	struct query q;
	int rc, n = 0;

	for (size_t i = 0; i < SHA256_HEX && prefix[i]; i++)
		p[i] = (char)tolower((unsigned char)prefix[i]);
	if (!*p || strlen(prefix) > SHA256_HEX || p[strspn(p, "0123456789abcdef")])
		return err_set(e, ERR_USAGE, "E_NOIMAGE",
			"\"%s\" is not an image: give the first digits of its sha256", prefix);
	query_open(&q, s, sql);
	query_text(&q, p);
	while ((rc = query_step(&q, e)) > 0)
		query_get_text(&q, found[n++], sizeof(found[0]));
	query_end(&q);
	if (rc)
		return rc;
	if (!n)
		return err_set(e, ERR_USAGE, "E_NOIMAGE",
			"no run in %s has an image \"%s\"; harness report tells the images of a "
			"run",
			s->file, prefix);
	if (n > 1)
		return select_ambiguous(prefix, found, n, e);
	memcpy(sha256, found[0], sizeof(found[0]));
	return 0;
}
