/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/bisect/bisect.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/clock.h"
#include "harness/base/mem.h"
#include "harness/bisect/bisect_int.h"

const char *bisect_end_name(enum bisect_end end)
{
	static const char *const names[] = {"found", "unconfirmed", "stuck", "same", "open"};

	return names[end];
}

void bisect_release(struct bisect_result *r)
{
	free(r->first.message);
	free(r->last.message);
	r->first.message = r->last.message = NULL;
	free(r->list);
	r->list = NULL;
	free(r->runs);
	r->runs = NULL;
	r->n = r->n_runs = 0;
	bisect_log_release(&r->log);
	free(r->file);
	r->file = NULL;
}

/* Runs and git listen for themselves, on loops of their own; this keeps what comes between them. */
static void bisect_on_signal(uv_signal_t *h, int sig)
{
	struct bisect *b = h->data;

	b->stop = sig == SIGINT ? "Ctrl-C" : sig == SIGTERM ? "SIGTERM" : "SIGHUP";
}

static int bisect_listen(struct bisect *b, struct err *e)
{
	static const int numbers[BISECT_SIGNALS] = {SIGINT, SIGTERM, SIGHUP};

	if (uv_loop_init(&b->loop))
		return err_set(
			e, ERR_LAB, NULL, "no event loop: too few file descriptors (ulimit -n)?");
	for (int i = 0; i < BISECT_SIGNALS; i++) {
		/* The first one makes the pipe that all share: only it can fail. */
		if (uv_signal_init(&b->loop, &b->signals[i])) {
			uv_loop_close(&b->loop);
			return err_set(e, ERR_LAB, NULL,
				"no signal handler: too few file descriptors (ulimit -n)?");
		}
		b->signals[i].data = b;
		uv_signal_start(&b->signals[i], bisect_on_signal, numbers[i]);
	}
	return 0;
}

static void bisect_deaf(struct bisect *b)
{
	for (int i = 0; i < BISECT_SIGNALS; i++)
		uv_close((uv_handle_t *)&b->signals[i], NULL);
	while (uv_loop_close(&b->loop))
		uv_run(&b->loop, UV_RUN_DEFAULT);
}

int bisect_stopped(struct bisect *b, struct err *e)
{
	uv_run(&b->loop, UV_RUN_NOWAIT);
	return b->stop ? err_set(e, ERR_INTERRUPTED, NULL,
				 "interrupted by %s; the same command goes on from here", b->stop)
		       : 0;
}

void bisect_mean(const struct boots *b, char *out, size_t size)
{
	char mean[24];

	clock_measured(b->m.avg, mean, sizeof(mean));
	snprintf(out, size, "%s, %zu boots", mean, b->n);
}

int bisect_decided(struct bisect *b, const char *commit, enum walk_word word, const char *evidence,
	struct err *e)
{
	struct bisect_commit c;
	char line[BISECT_LINE];
	int rc = bisect_describe(b, commit, false, &c, e);

	if (rc)
		return rc;
	snprintf(line, sizeof(line), "%.400s: %.100s", evidence, c.subject);
	bisect_log_add(&b->r->log, commit, word, line);
	rc = bisect_state_save(b, e);
	if (rc)
		return rc;
	snprintf(line, sizeof(line), "%.12s %-4s  %.100s  (%.360s)", commit, walk_word_name(word),
		c.subject, evidence);
	b->o->say(b->o->arg, line);
	return 0;
}

static int bisect_stuck(struct bisect *b, const struct walk *w, struct err *e)
{
	struct bisect_result *r = b->r;
	int rc = 0;

	r->end = BISECT_STUCK;
	r->list = mem_array(w->n, sizeof(*r->list));
	for (; r->n < w->n && !rc; r->n++)
		rc = bisect_describe(b, w->list[r->n], false, &r->list[r->n], e);
	snprintf(r->why, sizeof(r->why),
		"only skipped commits are left: the first bad one is any of these %zu", w->n);
	bisect_log_end(&r->log, r->why);
	return rc ? rc : bisect_state_save(b, e);
}

/* The good one that the first bad one is held against: a parent that was measured; else its first
 * parent, unless that was skipped; else GOOD. */
static int bisect_last(
	const struct bisect *b, const char *first, char last[GIT_HASH_MAX], struct err *e)
{
	struct git g = {.dir = b->o->repo};
	const struct log_entry *en;
	char *save = NULL;
	struct buf out;
	int rc;

	buf_init(&out, 65536);
	rc = git_do(&g, (const char *[]){"rev-list", "-1", "--parents", first, "--", NULL},
		"the commit's parents", ERR_LAB, "E_GIT", &out, e);
	snprintf(last, GIT_HASH_MAX, "%s", b->good);
	if (rc || !out.len)
		goto out;
	strtok_r(out.data, " ", &save);
	for (char *p = strtok_r(NULL, " ", &save), *one = p; p; p = strtok_r(NULL, " ", &save)) {
		en = bisect_log_find(&b->r->log, p);
		if (en && en->mark.word == WALK_GOOD) {
			snprintf(last, GIT_HASH_MAX, "%s", p);
			break;
		}
		if (p == one && !en)
			snprintf(last, GIT_HASH_MAX, "%s", p);
	}
out:
	buf_release(&out);
	return rc;
}

static int bisect_found(struct bisect *b, const char *first, struct err *e)
{
	struct bisect_result *r = b->r;
	char last[GIT_HASH_MAX], line[BISECT_LINE];
	int rc = bisect_last(b, first, last, e);

	if (!rc)
		rc = bisect_describe(b, first, true, &r->first, e);
	if (!rc)
		rc = bisect_describe(b, last, false, &r->last, e);
	if (!rc)
		rc = bisect_confirm(b, e);
	if (rc)
		return rc;
	snprintf(line, sizeof(line), "first bad commit: [%s] %.256s", first, r->first.subject);
	bisect_log_end(&r->log, line);
	return bisect_state_save(b, e);
}

static int bisect_step(struct bisect *b, bool *over, struct err *e)
{
	struct walk_marks m;
	struct walk w;
	int rc = bisect_stopped(b, e);

	if (rc)
		return rc;
	bisect_log_marks(&b->r->log, &m);
	rc = walk_at(b->o->repo, &m, &w, e);
	free(m.v);
	*over = w.kind != WALK_NEXT;
	if (!rc && w.kind == WALK_NEXT)
		rc = bisect_one(b, &w, e);
	else if (!rc && w.kind == WALK_STUCK)
		rc = bisect_stuck(b, &w, e);
	else if (!rc)
		rc = bisect_found(b, w.commit, e);
	walk_release(&w);
	return rc;
}

static int bisect_go(struct bisect *b, struct err *e)
{
	bool over = false, differ;
	int rc = bisect_measure_ends(b, &differ, e);

	while (!rc && differ && !over)
		rc = bisect_step(b, &over, e);
	return rc;
}

int bisect_run(const struct bisect_opts *o, struct bisect_result *r, struct err *e)
{
	struct bisect b = {.o = o, .r = r, .ask = o->ask, .lock = LOCK_INIT};
	struct builds_opts build = {.loop = &b.loop,
		.state = o->state,
		.repo = o->repo,
		.recipe = o->recipe,
		.mode = o->ask.mode,
		.jobs = o->jobs,
		.allow_debug = o->allow_debug};
	int rc;

	*r = (struct bisect_result){.end = BISECT_OPEN};
	decide_plan_init(&b.plan, o->boots, o->max_boots, o->conf, o->effect);
	rc = bisect_listen(&b, e);
	if (rc)
		return rc;
	rc = git_resolve(o->repo, o->good, b.good, e);
	if (!rc)
		rc = git_resolve(o->repo, o->bad, b.bad, e);
	if (!rc)
		rc = walk_check(o->repo, b.good, b.bad, e);
	if (!rc)
		rc = bisect_state_open(&b, e);
	if (!rc) {
		b.builds = builds_new(&build);
		rc = bisect_go(&b, e);
		builds_free(b.builds);
	}
	bisect_deaf(&b);
	boots_release(&b.ends[0]);
	boots_release(&b.ends[1]);
	bisect_state_close(&b);
	return rc;
}
