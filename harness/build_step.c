/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/build_step.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "harness/base/clock.h"
#include "harness/base/str.h"

enum { TICK_MS = 200, QUIET_MS = 3000 };

bool build_line_is_error(const char *line)
{
	static const char *const marks[] = {": error: ", ": fatal error: ", ": Error: ",
		"undefined reference to", "No space left on device", "Disk quota exceeded"};

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
		if (strstr(line, marks[i]))
			return true;
	return false;
}

bool build_line_is_object(const char *line)
{
	size_t blanks = strspn(line, " ");

	line += blanks;
	return blanks && (!strncmp(line, "CC ", 3) || !strncmp(line, "AS ", 3));
}

static void step_report(struct build_steps *s)
{
	struct build_progress *p = &s->progress;

	p->step_ns = clock_mono_ns() - s->began_ns;
	/* A quiet step that is over soon is never mentioned. */
	if (s->quiet && (p->step_ns < QUIET_MS * INT64_C(1000000) || p->ends))
		return;
	if (s->quiet) {
		s->quiet = false;
		p->begins = true;
	}
	if (s->opts->progress)
		s->opts->progress(s->opts->arg, p);
	p->begins = false;
}

static void step_begin(struct build_steps *s, const char *what, int mode, int n_modes, bool quiet)
{
	s->progress = (struct build_progress){.recipe = s->opts->recipe,
		.step = what,
		.mode = mode,
		.n_modes = n_modes,
		.begins = true};
	s->began_ns = clock_mono_ns();
	s->quiet = quiet;
	step_report(s);
}

static void step_end(struct build_steps *s, bool failed)
{
	s->progress.ends = true;
	s->progress.failed = failed;
	step_report(s);
}

static void step_on_tick(uv_timer_t *t)
{
	step_report(t->data);
}

static void step_on_signal(uv_signal_t *h, int sig)
{
	struct build_steps *s = h->data;

	(void)sig;
	s->interrupted = true;
	if (s->child)
		child_stop(s->child);
}

void build_steps_init(struct build_steps *s, const struct build_opts *o, const char *const *env)
{
	*s = (struct build_steps){.opts = o, .env = env};
	uv_loop_init(&s->loop);
	uv_signal_init(&s->loop, &s->sigint);
	uv_signal_init(&s->loop, &s->sigterm);
	uv_timer_init(&s->loop, &s->tick);
	s->sigint.data = s->sigterm.data = s->tick.data = s;
	uv_signal_start(&s->sigint, step_on_signal, SIGINT);
	uv_signal_start(&s->sigterm, step_on_signal, SIGTERM);
	uv_timer_start(&s->tick, step_on_tick, TICK_MS, TICK_MS);
	buf_init(&s->out, BUILD_OUT_MAX);
	buf_init(&s->line[0], BUILD_LINE_MAX);
	buf_init(&s->line[1], BUILD_LINE_MAX);
}

void build_steps_release(struct build_steps *s)
{
	uv_close((uv_handle_t *)&s->sigint, NULL);
	uv_close((uv_handle_t *)&s->sigterm, NULL);
	uv_close((uv_handle_t *)&s->tick, NULL);
	uv_run(&s->loop, UV_RUN_DEFAULT);
	uv_loop_close(&s->loop);
	buf_release(&s->out);
	buf_release(&s->line[0]);
	buf_release(&s->line[1]);
}

static void step_line(struct build_steps *s, int fd, const char *line)
{
	int64_t n;

	if (s->log)
		fprintf(s->log, "%s\n", line);
	if (!*line)
		return;
	if (build_line_is_error(line) && !s->first_error[0])
		snprintf(s->first_error, sizeof(s->first_error), "%s", line);
	if (fd == 2) {
		snprintf(s->last_error, sizeof(s->last_error), "%s", line);
		return;
	}
	if (build_line_is_object(line))
		s->progress.objects++;
	else if (!strncmp(line, "objects=", 8) && !str_int(line + 8, 1, 1000000, &n))
		s->progress.total = (int)n;
}

/* Cut what comes into lines; a line's end past BUILD_LINE_MAX is dropped. */
static void step_on_data(void *arg, int fd, const char *p, size_t n)
{
	struct build_steps *s = arg;
	struct buf *b = &s->line[fd - 1];

	while (n) {
		const char *nl = memchr(p, '\n', n);
		size_t len = nl ? (size_t)(nl - p) : n, room = b->max - b->len;

		buf_add(b, p, len < room ? len : room);
		if (nl) {
			step_line(s, fd, b->data);
			buf_clear(b);
			len++;
		}
		p += len;
		n -= len;
	}
}

static void step_on_done(void *arg, struct child_result *r)
{
	struct build_steps *s = arg;

	for (int fd = 1; fd <= 2; fd++)
		if (s->line[fd - 1].len)
			step_line(s, fd, s->line[fd - 1].data);
	buf_add(&s->out, r->out.data, r->out.len);
	s->status = r->status;
	s->timed_out = r->timed_out;
	s->child = NULL;
	s->over = true;
}

static void step_reset(struct build_steps *s)
{
	buf_clear(&s->out);
	buf_clear(&s->line[0]);
	buf_clear(&s->line[1]);
	s->first_error[0] = s->last_error[0] = '\0';
	s->over = s->timed_out = false;
	s->status = -1;
}

static int step_failed(const struct build_steps *s, const struct build_step *st, struct err *e)
{
	const char *why = s->first_error[0]  ? s->first_error
			  : s->last_error[0] ? s->last_error
					     : "it printed no reason";
	char head[64] = "", secs[16];

	if (s->interrupted)
		return err_set(e, ERR_INTERRUPTED, NULL,
			"interrupted while %s; nothing half made "
			"was kept",
			st->mode ? "building" : st->what);
	if (st->mode)
		snprintf(head, sizeof(head), "build of mode %s", st->what);
	else
		snprintf(head, sizeof(head), "%s", st->what);
	clock_human((int64_t)st->deadline_ms * 1000000, secs, sizeof(secs));
	if (s->timed_out)
		return err_set(e, ERR_IMAGE, "E_BUILD", "%s %s: ended after %s%s%s",
			s->opts->recipe, head, secs, st->log ? "; log: " : "",
			st->log ? st->log : "");
	return err_set(e, ERR_IMAGE, "E_BUILD", "%s %s failed: %s%s%s", s->opts->recipe, head, why,
		st->log ? "; log: " : "", st->log ? st->log : "");
}

/* When this process is killed, only the head of the group is told (base/child.h), and a shell that
 * waits for make would not pass it on.  This one does, at once. */
static const char step_head[] = "trap 'trap \"\" TERM; kill 0; exit 143' TERM; \"$@\" & wait $!";

enum { STEP_ARGS_MAX = 16 };

int build_step_run(struct build_steps *s, const struct build_step *st, struct err *e)
{
	const char *argv[STEP_ARGS_MAX] = {"/bin/sh", "-c", step_head, "harness-build"};
	struct child_opts co = {.argv = argv,
		.env_set = s->env,
		.deadline_ms = st->deadline_ms,
		.out_max = BUILD_OUT_MAX,
		.on_data = step_on_data};
	int rc = 0;

	for (size_t i = 0; st->argv[i]; i++) {
		assert(i + 5 < STEP_ARGS_MAX);
		argv[i + 4] = st->argv[i];
	}
	step_reset(s);
	if (s->interrupted)
		return step_failed(s, st, e);
	if (st->log) {
		s->log = fopen(st->log, "we");
		if (!s->log)
			return err_set(e, ERR_LAB, "E_STATE", "cannot write %s: %s", st->log,
				strerror(errno));
	}
	step_begin(s, st->what, st->mode, st->n_modes, st->quiet);
	s->child = child_start(&s->loop, &co, step_on_done, s, e);
	if (!s->child) {
		rc = -(int)e->cls;
		goto out;
	}
	while (!s->over)
		uv_run(&s->loop, UV_RUN_ONCE);
	step_end(s, s->interrupted || s->timed_out || s->status);
	if (s->progress.failed)
		rc = step_failed(s, st, e);
out:
	if (s->log && fclose(s->log) && !rc)
		rc = err_set(
			e, ERR_LAB, "E_STATE", "cannot write %s: %s", st->log, strerror(errno));
	s->log = NULL;
	return rc;
}

/* Who holds the lock, as its holder wrote it there. */
static int step_lock_holder(int fd)
{
	char text[16] = "";
	int64_t pid = 0;

	if (pread(fd, text, sizeof(text) - 1, 0) > 0) {
		text[strcspn(text, "\n")] = '\0';
		if (str_int(text, 1, INT32_MAX, &pid))
			pid = 0;
	}
	return (int)pid;
}

int build_step_lock(struct build_steps *s, const char *file, int *out, struct err *e)
{
	char what[64] = "", pid[16];
	/* Children inherit it: should this process be killed, the next build waits for theirs to
	 * end before it empties the folders that they work in. */
	int fd = open(file, O_RDWR | O_CREAT, 0600), n, rc;

	if (fd < 0)
		return err_set(e, ERR_LAB, "E_STATE", "cannot open %s: %s", file, strerror(errno));
	while ((rc = flock(fd, LOCK_EX | LOCK_NB)) && errno == EWOULDBLOCK && !s->interrupted) {
		if (!*what) {
			snprintf(what, sizeof(what), "waiting for another build (process %d)",
				step_lock_holder(fd));
			step_begin(s, what, 0, 0, false);
		}
		/* The ticking timer ends this wait. */
		uv_run(&s->loop, UV_RUN_ONCE);
	}
	if (*what)
		step_end(s, rc != 0);
	if (s->interrupted)
		rc = err_set(e, ERR_INTERRUPTED, NULL, "interrupted");
	else if (rc)
		rc = err_set(e, ERR_LAB, "E_STATE", "cannot lock %s: %s", file, strerror(errno));
	if (rc) {
		close(fd);
		return rc;
	}
	n = snprintf(pid, sizeof(pid), "%d\n", (int)getpid());
	if (ftruncate(fd, 0) || pwrite(fd, pid, (size_t)n, 0) != n) {
		rc = err_set(e, ERR_LAB, "E_STATE", "cannot write %s: %s", file, strerror(errno));
		close(fd);
		return rc;
	}
	*out = fd;
	return 0;
}
