/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/git/git.h"

#include <assert.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <uv.h>

#include "harness/base/child.h"

enum { ARGS_MAX = 24, DEADLINE_MS = 300000, ERR_MAX = 65536, ANSWER_MAX = 65536 };

/* As `git rev-parse --local-env-vars` lists them. */
static const char *const local_variables[] = {"GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_CONFIG",
	"GIT_CONFIG_PARAMETERS", "GIT_CONFIG_COUNT", "GIT_OBJECT_DIRECTORY", "GIT_DIR",
	"GIT_WORK_TREE", "GIT_IMPLICIT_WORK_TREE", "GIT_GRAFT_FILE", "GIT_INDEX_FILE",
	"GIT_NO_REPLACE_OBJECTS", "GIT_REPLACE_REF_BASE", "GIT_PREFIX", "GIT_SHALLOW_FILE",
	"GIT_COMMON_DIR", "GIT_NAMESPACE", "GIT_CEILING_DIRECTORIES", "GIT_EXTERNAL_DIFF", NULL};

static const char *const env_theirs[] = {
	"GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "LC_ALL=C", NULL};

/* Commits that we make are the same whoever makes them, and when: git_am() gives the date. */
static const char *const env_ours[] = {"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null",
	"GIT_TERMINAL_PROMPT=0", "GIT_ATTR_NOSYSTEM=1", "GIT_EDITOR=false",
	"GIT_COMMITTER_NAME=harness", "GIT_COMMITTER_EMAIL=harness@localhost", "LC_ALL=C", "TZ=UTC",
	NULL};

struct git_call {
	uv_loop_t loop;
	uv_signal_t sigint, sigterm;
	struct child *child;
	struct git_result *r;
	bool over, interrupted, timed_out;
	int sig;
};

static void git_on_signal(uv_signal_t *h, int sig)
{
	struct git_call *c = h->data;

	(void)sig;
	c->interrupted = true;
	if (c->child)
		child_stop(c->child);
}

static void git_on_done(void *arg, struct child_result *r)
{
	struct git_call *c = arg;

	c->child = NULL;
	c->over = true;
	c->r->status = r->status;
	c->timed_out = r->timed_out;
	buf_add(&c->r->out, r->out.data, r->out.len);
	buf_add(&c->r->err, r->err.data, r->err.len);
}

static void git_listen(struct git_call *c, uv_signal_t *h, int sig)
{
	uv_signal_init(&c->loop, h);
	h->data = c;
	uv_signal_start(h, git_on_signal, sig);
}

static int git_call(struct git_call *c, const struct child_opts *o, struct err *e)
{
	int rc = 0;

	if (uv_loop_init(&c->loop))
		return err_set(e, ERR_LAB, "E_GIT",
			"no event loop: too few file descriptors (ulimit -n)?");
	git_listen(c, &c->sigint, SIGINT);
	git_listen(c, &c->sigterm, SIGTERM);
	c->child = child_start(&c->loop, o, git_on_done, c, e);
	if (!c->child)
		rc = err_set(e, ERR_LAB, "E_GIT", "cannot start git: is it installed?");
	while (c->child && !c->over)
		uv_run(&c->loop, UV_RUN_ONCE);
	uv_close((uv_handle_t *)&c->sigint, NULL);
	uv_close((uv_handle_t *)&c->sigterm, NULL);
	uv_run(&c->loop, UV_RUN_DEFAULT);
	uv_loop_close(&c->loop);
	return rc;
}

int git_run(const struct git *g, const char *const *args, const char *stdin_data, size_t out_max,
	struct git_result *r, struct err *e)
{
	/* Neither a file watcher nor a repack is to be started on the side. */
	const char *argv[ARGS_MAX + 12] = {"git", "-C", g->dir, "-c", "safe.directory=*", "-c",
		"core.fsmonitor=false", "-c", "gc.auto=0"};
	struct git_call c = {.r = r};
	struct child_opts o = {.argv = argv,
		.env_set = g->ours ? env_ours : env_theirs,
		.stdin_data = stdin_data,
		.deadline_ms = DEADLINE_MS,
		.out_max = out_max};
	size_t n = 9;
	int rc;

	for (size_t i = 0; args[i]; i++) {
		assert(i < ARGS_MAX);
		argv[n++] = args[i];
	}
	for (size_t i = 0; local_variables[i]; i++)
		unsetenv(local_variables[i]);
	r->status = -1;
	buf_init(&r->out, out_max);
	buf_init(&r->err, ERR_MAX);
	rc = git_call(&c, &o, e);
	if (!rc && c.interrupted)
		rc = err_set(e, ERR_INTERRUPTED, NULL, "interrupted in git %s", args[0]);
	else if (!rc && c.timed_out)
		rc = err_set(e, ERR_LAB, "E_GIT", "git %s in %s did not end within %d minutes",
			args[0], g->dir, DEADLINE_MS / 60000);
	else if (!rc && r->out.len >= out_max)
		rc = err_set(e, ERR_LAB, "E_GIT", "git %s in %s printed more than %zu bytes",
			args[0], g->dir, out_max - 1);
	if (rc)
		git_result_release(r);
	return rc;
}

void git_result_release(struct git_result *r)
{
	buf_release(&r->out);
	buf_release(&r->err);
}

void git_last_words(const struct git_result *r, char *out, size_t size)
{
	static const char *const heads[] = {"fatal: ", "error: "};
	const char *end = r->err.data + r->err.len, *p;

	while (end > r->err.data && end[-1] == '\n')
		end--;
	for (p = end; p > r->err.data && p[-1] != '\n';)
		p--;
	for (size_t i = 0; i < 2; i++)
		if (!strncmp(p, heads[i], strlen(heads[i])))
			p += strlen(heads[i]);
	snprintf(out, size, "%.*s", (int)(end - p), p);
}

int git_do(const struct git *g, const char *const *args, const char *what, enum err_class cls,
	const char *code, struct buf *out, struct err *e)
{
	struct git_result r;
	char words[512];
	int rc = git_run(g, args, NULL, ANSWER_MAX, &r, e);

	if (rc)
		return err_prefix(e, "%s", what);
	git_last_words(&r, words, sizeof(words));
	if (r.status)
		rc = err_set(e, cls, code, "%s: git %s: %s", what, args[0],
			*words ? words : "failed without a word");
	while (r.out.len && r.out.data[r.out.len - 1] == '\n')
		r.out.len--;
	if (!rc && out && buf_add(out, r.out.data, r.out.len))
		rc = err_set(e, ERR_LAB, "E_GIT", "%s: git %s printed more than %zu bytes", what,
			args[0], out->max);
	git_result_release(&r);
	return rc;
}

int git_resolve(const char *repo, const char *rev, char commit[GIT_HASH_MAX], struct err *e)
{
	const struct git g = {.dir = repo};
	char spec[300];
	const char *args[] = {"rev-parse", "--verify", "-q", "--end-of-options", spec, NULL};
	struct git_result r;
	char words[512];
	int rc;

	snprintf(spec, sizeof(spec), "%.250s^{commit}", rev);
	rc = git_run(&g, args, NULL, ANSWER_MAX, &r, e);
	if (rc)
		return rc;
	git_last_words(&r, words, sizeof(words));
	if (r.status)
		rc = err_set(e, ERR_USAGE, "E_REV", "%s: no commit \"%.250s\"%s%s", repo, rev,
			*words ? ": " : "", words);
	else
		snprintf(commit, GIT_HASH_MAX, "%.*s", (int)strcspn(r.out.data, "\n"), r.out.data);
	git_result_release(&r);
	return rc;
}
