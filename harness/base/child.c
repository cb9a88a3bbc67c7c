/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/base/child.h"

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/mem.h"
#include "harness/base/stop.h"

enum { CHILD_DRAIN_MS = 1000, CHILD_HEAD = 4 };

struct child {
	uv_process_t proc;
	uv_pipe_t in, out, err;
	uv_timer_t timer;
	uv_write_t write;
	char *stdin_data;
	struct child_result r;
	child_done_fn *done;
	void (*on_data)(void *arg, int fd, const char *p, size_t n);
	void *arg;
	int open_handles;
	bool exited, stopping;
	int open_pipes;
	int kill_ms;
};

static void child_on_closed(uv_handle_t *h)
{
	struct child *c = h->data;

	if (--c->open_handles)
		return;
	if (c->done)
		c->done(c->arg, &c->r);
	child_result_release(&c->r);
	free(c->stdin_data);
	free(c);
}

static void child_close(uv_handle_t *h)
{
	if (!uv_is_closing(h))
		uv_close(h, child_on_closed);
}

static void child_close_all(struct child *c)
{
	child_close((uv_handle_t *)&c->proc);
	child_close((uv_handle_t *)&c->timer);
	child_close((uv_handle_t *)&c->in);
	child_close((uv_handle_t *)&c->out);
	child_close((uv_handle_t *)&c->err);
}

/* The process is gone but something it started still holds a pipe: do not wait for that. */
static void child_on_drain(uv_timer_t *t)
{
	child_close_all(t->data);
}

static void child_finish_if_over(struct child *c)
{
	if (!c->exited)
		return;
	if (!c->open_pipes)
		child_close_all(c);
	else
		uv_timer_start(&c->timer, child_on_drain, CHILD_DRAIN_MS, 0);
}

static void child_signal(struct child *c, int sig)
{
	if (!c->exited && c->proc.pid > 0 && kill(-c->proc.pid, sig))
		kill(c->proc.pid, sig);
}

static void child_on_kill(uv_timer_t *t)
{
	child_signal(t->data, SIGKILL);
}

void child_stop(struct child *c)
{
	if (c->exited || c->stopping)
		return;
	c->stopping = true;
	child_signal(c, SIGTERM);
	uv_timer_start(&c->timer, child_on_kill, (uint64_t)c->kill_ms, 0);
}

static void child_on_deadline(uv_timer_t *t)
{
	struct child *c = t->data;

	c->r.timed_out = true;
	child_stop(c);
}

int child_pid(const struct child *c)
{
	return c->proc.pid;
}

static void child_on_exit(uv_process_t *p, int64_t status, int sig)
{
	struct child *c = p->data;

	/* What it left in its group has no owner any more. */
	kill(-p->pid, SIGKILL);
	c->exited = true;
	c->r.status = sig ? -1 : (int)status;
	c->r.sig = sig;
	uv_timer_stop(&c->timer);
	child_finish_if_over(c);
}

static void child_on_alloc(uv_handle_t *h, size_t suggested, uv_buf_t *b)
{
	(void)h;
	b->base = mem_alloc(suggested);
	b->len = suggested;
}

static void child_on_read(uv_stream_t *s, ssize_t n, const uv_buf_t *b)
{
	struct child *c = s->data;
	bool is_out = s == (uv_stream_t *)&c->out;
	struct buf *to = is_out ? &c->r.out : &c->r.err;

	if (n > 0) {
		size_t room = to->max - to->len;

		if (c->on_data)
			c->on_data(c->arg, is_out ? 1 : 2, b->base, (size_t)n);
		buf_add(to, b->base, (size_t)n < room ? (size_t)n : room);
	} else if (n < 0) {
		uv_read_stop(s);
		c->open_pipes--;
		child_finish_if_over(c);
	}
	/* A password command's word is one of these. */
	if (n > 0)
		explicit_bzero(b->base, (size_t)n);
	free(b->base);
}

static void child_on_written(uv_write_t *w, int status)
{
	struct child *c = w->data;

	(void)status;
	child_close((uv_handle_t *)&c->in);
}

struct child_line {
	uv_write_t req;
	char text[];
};

static void child_on_line_written(uv_write_t *w, int status)
{
	(void)status;
	free(w->data);
}

void child_write(struct child *c, const char *text)
{
	size_t n = strlen(text);
	struct child_line *l;
	uv_buf_t b;

	if (c->exited || uv_is_closing((uv_handle_t *)&c->in))
		return;
	l = mem_alloc(sizeof(*l) + n);
	memcpy(l->text, text, n);
	l->req.data = l;
	b = uv_buf_init(l->text, (unsigned)n);
	if (uv_write(&l->req, (uv_stream_t *)&c->in, &b, 1, child_on_line_written))
		free(l);
}

void child_end_input(struct child *c)
{
	child_close((uv_handle_t *)&c->in);
}

static char **child_env(const char *const *set)
{
	size_t have = 0, more = 0, n = 0;
	char **env;

	while (environ[have])
		have++;
	while (set && set[more])
		more++;
	env = mem_array(have + more + 1, sizeof(*env));
	for (size_t i = 0; i < have; i++) {
		bool replaced = false;

		for (size_t j = 0; j < more && !replaced; j++) {
			size_t k = strcspn(set[j], "=") + 1;

			replaced = !strncmp(environ[i], set[j], k);
		}
		if (!replaced)
			env[n++] = environ[i];
	}
	for (size_t j = 0; j < more; j++)
		env[n++] = (char *)(uintptr_t)set[j];
	return env;
}

static char **child_argv(const char *const *argv, bool orphan_kill)
{
	const char *const head[CHILD_HEAD] = {
		"setpriv", "--pdeathsig", orphan_kill ? "KILL" : "TERM", "--"};
	size_t n = 0;
	char **out;

	while (argv[n])
		n++;
	out = mem_array(n + CHILD_HEAD + 1, sizeof(*out));
	for (size_t i = 0; i < CHILD_HEAD; i++)
		out[i] = (char *)(uintptr_t)head[i];
	for (size_t i = 0; i < n; i++)
		out[CHILD_HEAD + i] = (char *)(uintptr_t)argv[i];
	return out;
}

bool child_on_path(const char *name)
{
	const char *path = getenv("PATH");

	if (strchr(name, '/'))
		return access(name, X_OK) == 0;
	for (path = path ? path : "/usr/bin:/bin"; *path;) {
		size_t n = strcspn(path, ":");
		char *p = mem_printf("%.*s/%s", (int)n, path, name);
		bool ok = access(p, X_OK) == 0;

		free(p);
		if (ok)
			return true;
		path += n + (path[n] == ':');
	}
	return false;
}

static void child_init_handle(struct child *c, uv_handle_t *h)
{
	h->data = c;
	c->open_handles++;
}

struct child *child_start(
	uv_loop_t *loop, const struct child_opts *o, child_done_fn *done, void *arg, struct err *e)
{
	uv_stdio_container_t io[3];
	uv_process_options_t po = {.exit_cb = child_on_exit, .flags = UV_PROCESS_DETACHED};
	struct child *c;
	int rc, both[2] = {-1, -1};

	assert(o->deadline_ms > 0 || o->deadline_ms == CHILD_SERVICE);
	if (!child_on_path(o->argv[0])) {
		err_set(e, ERR_LAB, "E_CHILD", "%s is not installed: run scripts/deps.sh",
			o->argv[0]);
		return NULL;
	}
	rc = o->merge ? uv_pipe(both, 0, 0) : 0;
	if (rc) {
		err_set(e, ERR_LAB, "E_CHILD", "cannot start %s: %s", o->argv[0], uv_strerror(rc));
		return NULL;
	}
	c = mem_alloc(sizeof(*c));
	c->done = done;
	c->arg = arg;
	c->on_data = o->on_data;
	c->kill_ms = o->kill_ms ? o->kill_ms : CHILD_KILL_MS;
	c->r.status = -1;
	buf_init(&c->r.out, o->out_max);
	buf_init(&c->r.err, o->out_max);
	uv_timer_init(loop, &c->timer);
	child_init_handle(c, (uv_handle_t *)&c->timer);
	uv_pipe_init(loop, &c->in, 0);
	child_init_handle(c, (uv_handle_t *)&c->in);
	uv_pipe_init(loop, &c->out, 0);
	child_init_handle(c, (uv_handle_t *)&c->out);
	uv_pipe_init(loop, &c->err, 0);
	child_init_handle(c, (uv_handle_t *)&c->err);

	if (o->merge)
		uv_pipe_open(&c->out, both[0]);
	for (int i = 0; i < 3; i++) {
		uv_stream_t *s[] = {
			(uv_stream_t *)&c->in, (uv_stream_t *)&c->out, (uv_stream_t *)&c->err};

		if (o->tty_fd > 0) {
			io[i].flags = UV_INHERIT_FD;
			io[i].data.fd = o->tty_fd;
		} else if (i && o->merge) {
			io[i].flags = UV_INHERIT_FD;
			io[i].data.fd = both[1];
		} else if (i == 0 && !o->stdin_data && !o->stdin_open) {
			io[i].flags = UV_IGNORE;
		} else {
			io[i].flags = UV_CREATE_PIPE | (i ? UV_WRITABLE_PIPE : UV_READABLE_PIPE);
			io[i].data.stream = s[i];
		}
	}
	po.stdio = io;
	po.stdio_count = 3;
	po.cwd = o->cwd;
	po.args = child_argv(o->argv, o->orphan_kill);
	po.env = child_env(o->env_set);
	po.file = po.args[0];
	rc = uv_spawn(loop, &c->proc, &po);
	if (both[1] >= 0)
		close(both[1]);
	free(po.args);
	free(po.env);
	child_init_handle(c, (uv_handle_t *)&c->proc);
	if (rc) {
		err_set(e, ERR_LAB, "E_CHILD", "cannot start %s: %s", o->argv[0], uv_strerror(rc));
		c->done = NULL;
		child_close_all(c);
		return NULL;
	}
	if (o->tty_fd <= 0) {
		c->open_pipes = o->merge ? 1 : 2;
		uv_read_start((uv_stream_t *)&c->out, child_on_alloc, child_on_read);
		if (!o->merge)
			uv_read_start((uv_stream_t *)&c->err, child_on_alloc, child_on_read);
	}
	if (o->tty_fd <= 0 && o->stdin_data) {
		uv_buf_t b;

		c->stdin_data = mem_strdup(o->stdin_data);
		b = uv_buf_init(c->stdin_data, (unsigned)strlen(c->stdin_data));
		c->write.data = c;
		if (uv_write(&c->write, (uv_stream_t *)&c->in, &b, 1, child_on_written))
			child_close((uv_handle_t *)&c->in);
	}
	if (o->deadline_ms != CHILD_SERVICE)
		uv_timer_start(&c->timer, child_on_deadline, (uint64_t)o->deadline_ms, 0);
	return c;
}

void child_result_release(struct child_result *r)
{
	buf_release(&r->out);
	buf_release(&r->err);
}

static void child_take_result(void *arg, struct child_result *r)
{
	struct child_result *to = arg;

	*to = *r;
	buf_init(&r->out, 0);
	buf_init(&r->err, 0);
}

struct child_watch {
	uv_timer_t timer;
	struct child *child;
	bool stopped;
};

static void child_on_watch(uv_timer_t *t)
{
	struct child_watch *w = t->data;

	if (w->stopped || !stop_asked())
		return;
	w->stopped = true;
	child_stop(w->child);
}

int child_run(const struct child_opts *o, struct child_result *r, struct err *e)
{
	struct child_opts copy = *o;
	struct child_watch watch = {.stopped = false};
	uv_loop_t loop;
	struct child *c;
	int rc;

	assert(!o->on_data);
	rc = uv_loop_init(&loop);
	if (rc)
		return err_set(
			e, ERR_LAB, "E_CHILD", "cannot start %s: %s", o->argv[0], uv_strerror(rc));
	c = child_start(&loop, &copy, child_take_result, r, e);
	watch.child = c;
	watch.timer.data = &watch;
	uv_timer_init(&loop, &watch.timer);
	uv_unref((uv_handle_t *)&watch.timer);
	if (c && o->stoppable)
		uv_timer_start(&watch.timer, child_on_watch, STOP_LOOK_MS, STOP_LOOK_MS);
	uv_run(&loop, UV_RUN_DEFAULT);
	uv_close((uv_handle_t *)&watch.timer, NULL);
	uv_run(&loop, UV_RUN_DEFAULT);
	uv_loop_close(&loop);
	if (c && watch.stopped) {
		child_result_release(r);
		return stop_err(o->argv[0], e);
	}
	return c ? 0 : -(int)e->cls;
}
