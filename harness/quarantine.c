/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/quarantine.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/clock.h"
#include "harness/base/mem.h"
#include "harness/base/path.h"
#include "harness/base/str.h"

enum { FILE_MAX = 1024 };

static char *quarantine_file(const char *state, const char *machine)
{
	return mem_printf("%s/quarantine/%s", state, machine);
}

static const char *quarantine_line(const char *p, char *out, size_t size)
{
	size_t n = strcspn(p, "\n");

	snprintf(out, size, "%.*s", (int)n, p);
	str_clean(out);
	return p + n + (p[n] == '\n');
}

int quarantine_get(const char *state, const char *machine, struct quarantine *q, struct err *e)
{
	char *file = quarantine_file(state, machine);
	const char *p;
	struct buf b;
	int rc = 0;

	*q = (struct quarantine){.on = path_exists(file)};
	buf_init(&b, FILE_MAX);
	if (q->on)
		rc = path_read(file, &b, e);
	if (q->on && !rc) {
		p = quarantine_line(b.data, q->since, sizeof(q->since));
		p = quarantine_line(p, q->by, sizeof(q->by));
		quarantine_line(p, q->why, sizeof(q->why));
	}
	buf_release(&b);
	free(file);
	return rc;
}

int quarantine_check(const char *state, const char *machine, struct err *e)
{
	struct quarantine q;
	int rc = quarantine_get(state, machine, &q, e);

	if (rc || !q.on)
		return rc;
	return err_set(e, ERR_LAB, "E_QUARANTINE",
		"%s is in quarantine since %s (%s): %s; harness machine recover %s lifts it",
		machine, q.since, q.by, q.why, machine);
}

int quarantine_put(
	const char *state, const char *machine, const char *by, const char *why, struct err *e)
{
	char *dir = mem_printf("%s/quarantine", state), *file = quarantine_file(state, machine);
	struct quarantine q;
	char *text;
	int rc;

	clock_iso(clock_wall_ns(), q.since, sizeof(q.since));
	snprintf(q.by, sizeof(q.by), "%s", by);
	snprintf(q.why, sizeof(q.why), "%s", why);
	str_clean(q.by);
	str_clean(q.why);
	text = mem_printf("%s\n%s\n%s\n", q.since, q.by, q.why);
	rc = path_mkdirs(dir, e);
	if (!rc)
		rc = path_write(file, text, strlen(text), 0600, e);
	free(text);
	free(file);
	free(dir);
	return rc;
}

int quarantine_lift(const char *state, const char *machine, struct err *e)
{
	char *file = quarantine_file(state, machine);
	int rc = 0;

	if (unlink(file) && errno != ENOENT)
		rc = err_set(e, ERR_LAB, "E_STATE", "cannot remove %s: %s", file, strerror(errno));
	free(file);
	return rc;
}
