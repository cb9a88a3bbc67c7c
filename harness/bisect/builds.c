/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/bisect/builds.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/child.h"
#include "harness/base/mem.h"
#include "harness/base/path.h"
#include "harness/base/str.h"

enum { BUILDS_DEADLINE_MS = 2 * 3600 * 1000, BUILDS_OUT_MAX = 1 << 20 };

/* One commit. */
struct builds_one {
	struct builds *all;
	struct builds_one *next;
	char commit[GIT_HASH_MAX];
	struct child *child; /* while it runs */
	bool over, unwanted;
	struct builds_image image;
	struct err err; /* of the lab; class none */
};

struct builds {
	struct builds_opts opts;
	char *self;
	struct builds_one *list;
};

struct builds *builds_new(const struct builds_opts *o)
{
	struct builds *b = mem_alloc(sizeof(*b));

	b->opts = *o;
	b->self = path_self();
	return b;
}

/* What a failed build said last, without "harness: ". */
static void builds_words(const struct child_result *r, char *out, size_t size)
{
	static const char name[] = "harness: ";
	const char *last = "it said nothing";
	size_t n = strlen(last);

	for (const char *p = r->err.data; *p; p += strcspn(p, "\n"), p += *p == '\n')
		if (!strncmp(p, name, sizeof(name) - 1)) {
			last = p + sizeof(name) - 1;
			n = strcspn(last, "\n");
		}
	snprintf(out, size, "%.*s", (int)n, last);
	str_clean(out);
}

/* The one mode of what harness build --json told. */
static void builds_read(struct builds_one *o, const char *text)
{
	json_t *all = json_loads(text, 0, NULL);
	json_t *mode = json_array_get(json_object_get(all, "modes"), 0);
	const char *sha = json_string_value(json_object_get(mode, "sha256"));
	const char *reason = json_string_value(json_object_get(mode, "reason"));

	o->image.made = sha && strlen(sha) == SHA256_HEX;
	if (o->image.made)
		snprintf(o->image.sha256, sizeof(o->image.sha256), "%s", sha);
	else if (reason)
		snprintf(o->image.why, sizeof(o->image.why), "does not build: %.350s", reason);
	else
		err_set(&o->err, ERR_BUG, NULL, "harness build said nothing of %.12s", o->commit);
	json_decref(all);
}

static void builds_on_done(void *arg, struct child_result *r)
{
	struct builds_one *o = arg;
	char words[sizeof(o->image.why)];

	o->child = NULL;
	o->over = !o->unwanted;
	if (o->unwanted)
		return;
	builds_words(r, words, sizeof(words));
	/* Whether it timed out is not asked of one that ended: this loop rests while machines boot,
	 * so that a deadline can pass unseen after the end. */
	if (!r->status)
		builds_read(o, r->out.data);
	else if (r->status == ERR_IMAGE)
		snprintf(o->image.why, sizeof(o->image.why), "does not build: %.350s", words);
	else if (r->timed_out)
		err_set(&o->err, ERR_LAB, "E_TIMEOUT",
			"the build of %.12s was not over within 2 h: is the machine that builds "
			"busy? Give the command again",
			o->commit);
	else
		err_set(&o->err, r->status > 0 ? (enum err_class)r->status : ERR_LAB, NULL,
			"the build of %.12s: %s", o->commit, words);
}

static struct builds_one *builds_find(struct builds *b, const char *commit)
{
	struct builds_one *o = b->list;

	while (o && strcmp(o->commit, commit) != 0)
		o = o->next;
	if (o)
		return o;
	o = mem_alloc(sizeof(*o));
	o->all = b;
	snprintf(o->commit, sizeof(o->commit), "%s", commit);
	o->next = b->list;
	b->list = o;
	return o;
}

/* One that is being ended is started again by whoever waits for it. */
static int builds_start(struct builds_one *o, struct err *e)
{
	const struct builds_opts *p = &o->all->opts;
	char jobs[16];
	const char *argv[] = {o->all->self, "build", "-q", "--json", "--aside", "--state", p->state,
		"--image", p->recipe, "--modes", p->mode, "--xen", p->repo, "--rev", o->commit,
		NULL, NULL, NULL, NULL};
	struct child_opts c = {
		.argv = argv, .deadline_ms = BUILDS_DEADLINE_MS, .out_max = BUILDS_OUT_MAX};
	size_t n = 15;

	if (o->over || o->child)
		return 0;
	snprintf(jobs, sizeof(jobs), "%d", p->jobs);
	if (p->jobs) {
		argv[n++] = "--jobs";
		argv[n++] = jobs;
	}
	if (p->allow_debug)
		argv[n++] = "--allow-debug";
	o->unwanted = false;
	o->err = (struct err)ERR_INIT;
	o->child = child_start(p->loop, &c, builds_on_done, o, e);
	return o->child ? 0 : -(int)e->cls;
}

static void builds_end(struct builds_one *o)
{
	if (!o->child)
		return;
	o->unwanted = true;
	child_stop(o->child);
}

void builds_want(struct builds *b, const char *const *commits, size_t n)
{
	struct err ignored = ERR_INIT;

	for (struct builds_one *o = b->list; o; o = o->next) {
		size_t i = 0;

		while (i < n && strcmp(commits[i], o->commit) != 0)
			i++;
		if (i == n)
			builds_end(o);
	}
	uv_run(b->opts.loop, UV_RUN_NOWAIT);
	/* What cannot be started now says so when it is needed. */
	for (size_t i = 0; i < n && i < BUILDS_MAX; i++)
		if (builds_start(builds_find(b, commits[i]), &ignored))
			break;
}

int builds_get(struct builds *b, const char *commit, const char *const *stop,
	struct builds_image *out, struct err *e)
{
	struct builds_one *o = builds_find(b, commit);

	while (!o->over && !*stop) {
		int rc = builds_start(o, e);

		if (rc)
			return rc;
		uv_run(b->opts.loop, UV_RUN_ONCE);
	}
	if (!o->over)
		return err_set(e, ERR_INTERRUPTED, NULL, "interrupted by %s", *stop);
	if (o->err.cls) {
		/* The next call tries again. */
		o->over = false;
		*e = o->err;
		return -(int)e->cls;
	}
	*out = o->image;
	return 0;
}

static bool builds_run(const struct builds *b)
{
	for (const struct builds_one *o = b->list; o; o = o->next)
		if (o->child)
			return true;
	return false;
}

void builds_free(struct builds *b)
{
	if (!b)
		return;
	for (struct builds_one *o = b->list; o; o = o->next)
		builds_end(o);
	while (builds_run(b))
		uv_run(b->opts.loop, UV_RUN_ONCE);
	while (b->list) {
		struct builds_one *o = b->list;

		b->list = o->next;
		free(o);
	}
	free(b->self);
	free(b);
}
