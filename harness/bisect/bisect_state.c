/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <nettle/sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/clock.h"
#include "harness/base/mem.h"
#include "harness/base/path.h"
#include "harness/base/str.h"
#include "harness/bisect/bisect_int.h"

enum { KEY_BYTES = 8, KEY_TEXT_MAX = 1 << 20 };

/* The question: whoever asks the same finds the same folder. */
static void state_key(const struct bisect *b, char key[2 * KEY_BYTES + 1])
{
	const struct bisect_opts *o = b->o;
	const struct boots_ask *a = &b->ask;
	uint8_t digest[SHA256_DIGEST_SIZE];
	struct sha256_ctx sha;
	struct buf t;

	buf_init(&t, KEY_TEXT_MAX);
	buf_addf(&t, "%s\n%s\n%s\n%s\n%s\n%s\n%s\n%d %d %d %d\n%zu %zu %.17g %.17g %d\n%s",
		a->machine, a->mode, b->good, b->bad, o->recipe, a->workload, a->args, a->samples,
		a->iterations, a->warmup, a->repeat, o->boots, o->max_boots, o->conf, o->effect,
		o->allow_debug, a->settings);
	sha256_init(&sha);
	sha256_update(&sha, t.len, (const uint8_t *)t.data);
	sha256_digest(&sha, sizeof(digest), digest);
	str_hex(digest, KEY_BYTES, key);
	buf_release(&t);
}

static int state_lock(struct bisect *b, struct err *e)
{
	char who[128];
	int rc;

	snprintf(who, sizeof(who), "process %d", (int)getpid());
	rc = lock_acquire(&b->lock, b->dir, "bisect", NULL, who, e);
	if (rc == -ERR_BUSY)
		rc = err_set(e, ERR_BUSY, "E_BUSY",
			"this bisect (%s, mode %s, %.12s to %.12s) is being done by %s",
			b->ask.machine, b->ask.mode, b->good, b->bad,
			*b->lock.former ? b->lock.former : "another harness");
	return rc;
}

static int state_read(struct bisect *b, struct err *e)
{
	struct buf text;
	int rc;

	buf_init(&text, LOG_TEXT_MAX);
	rc = path_read(b->file, &text, e);
	if (!rc)
		rc = bisect_log_parse(&b->r->log, text.data, b->file, e);
	buf_release(&text);
	if (!rc)
		b->r->log.end[0] = '\0';
	return rc;
}

static int state_begin(struct bisect *b, struct err *e)
{
	struct bisect_log *l = &b->r->log;

	*l = (struct bisect_log){.begun_ns = clock_wall_ns(), .fresh = b->ask.fresh};
	snprintf(l->about, sizeof(l->about),
		"machine %s, mode %s, workload %s, %d calls a sample, %d samples after %d; "
		"effect %g %%, confidence %g %%",
		b->ask.machine, b->ask.mode, b->ask.workload, b->ask.iterations, b->ask.samples,
		b->ask.warmup, b->o->effect, b->o->conf);
	return bisect_state_save(b, e);
}

int bisect_state_open(struct bisect *b, struct err *e)
{
	char key[2 * KEY_BYTES + 1];
	int rc;

	state_key(b, key);
	b->dir = mem_printf("%s/bisect/%s", b->o->state, key);
	b->file = mem_printf("%s/log", b->dir);
	rc = path_mkdirs(b->dir, e);
	if (!rc)
		rc = state_lock(b, e);
	if (rc)
		return rc;
	b->r->file = mem_strdup(b->file);
	rc = b->ask.fresh || !path_exists(b->file) ? state_begin(b, e) : state_read(b, e);
	b->ask.begun_ns = b->r->log.begun_ns;
	b->ask.fresh = b->r->log.fresh;
	return rc;
}

void bisect_state_close(struct bisect *b)
{
	lock_release(&b->lock);
	free(b->file);
	free(b->dir);
}

int bisect_state_save(const struct bisect *b, struct err *e)
{
	struct buf text;
	int rc;

	buf_init(&text, LOG_TEXT_MAX);
	bisect_log_text(&b->r->log, &text);
	rc = path_write(b->file, text.data, text.len, 0600, e);
	buf_release(&text);
	return rc;
}

static void state_line(const char *from, size_t n, char *out, size_t size)
{
	snprintf(out, size, "%.*s", (int)n, from);
	str_clean(out);
}

int bisect_describe(const struct bisect *b, const char *hash, bool message, struct bisect_commit *c,
	struct err *e)
{
	struct git g = {.dir = b->o->repo};
	struct buf out;
	const char *body;
	int rc;

	*c = (struct bisect_commit){.message = NULL};
	snprintf(c->hash, sizeof(c->hash), "%s", hash);
	buf_init(&out, BISECT_MESSAGE_MAX);
	rc = git_do(&g,
		(const char *[]){"log", "-1", "--no-color", "--no-show-signature",
			"--format=%an <%ae>%n%B", hash, "--", NULL},
		"the commit's message", ERR_LAB, "E_GIT", &out, e);
	if (!rc) {
		size_t n = strcspn(out.data, "\n");

		state_line(out.data, n, c->author, sizeof(c->author));
		body = out.data + n + (out.data[n] == '\n');
		state_line(body, strcspn(body, "\n"), c->subject, sizeof(c->subject));
		if (message)
			c->message = mem_strdup(body);
	}
	buf_release(&out);
	return rc;
}
