/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A child process with an owner, a deadline and bounded output.
 *
 * Each child leads a process group of its own: a Ctrl-C on our terminal does not reach it, and
 * ending it ends what it started.  It is started through setpriv(1) with a parent-death signal, so
 * that it also ends when this process is killed with -9; that signal reaches the child alone, not
 * what it has started.  done() is called exactly once, from the
 * loop, after the process has been reaped and both pipes are drained; the child is freed after it.
 */
#ifndef HARNESS_BASE_CHILD_H
#define HARNESS_BASE_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <uv.h>

#include "harness/base/buf.h"
#include "harness/base/err.h"

struct child;

/* For a service that runs until its owner ends it. */
enum { CHILD_SERVICE = -1 };

/* From SIGTERM to SIGKILL. */
enum { CHILD_KILL_MS = 1000 };

struct child_result {
	int status;	/* exit status, or -1 when ended by a signal */
	int sig;	/* signal that ended it, or 0 */
	bool timed_out; /* the deadline passed and it was ended */
	struct buf out; /* what it wrote to stdout, cut at out_max */
	struct buf err; /* the same for stderr */
};

struct child_opts {
	const char *const *argv; /* NULL-terminated; argv[0] is looked up on PATH */
	const char *const
		*env_set;	/* "NAME=value" entries added to ours, NULL-terminated, or NULL */
	const char *cwd;	/* or NULL */
	const char *stdin_data; /* written to its stdin, which is then closed; NULL: /dev/null */
	bool stdin_open;	/* stdin is a pipe for child_write() instead */
	bool merge;		/* stderr joins stdout, in the order in which it was written */
	bool orphan_kill;	/* the parent-death signal is SIGKILL (else SIGTERM) */
	int tty_fd;		/* > 0: used for stdin, stdout and stderr; nothing is collected */
	bool stoppable;		/* child_run(): ended by stop_asked(), too (class interrupted) */
	int deadline_ms;	/* > 0; then SIGTERM, and SIGKILL kill_ms later */
	int kill_ms;		/* 0: CHILD_KILL_MS */
	size_t out_max;		/* bytes kept of each output */
	/* Optional: sees each chunk as it comes (fd 1 or 2), before it is kept. */
	void (*on_data)(void *arg, int fd, const char *p, size_t n);
};

/* Borrows the result until it returns. */
typedef void child_done_fn(void *arg, struct child_result *r);

/* opts and what it points to are copied.  Returns NULL with *e filled (class lab, E_CHILD) when the
 * program cannot be started; done() is not called then. */
struct child *child_start(uv_loop_t *loop, const struct child_opts *opts, child_done_fn *done,
	void *arg, struct err *e) must_check;

/* Ask it to end: SIGTERM, SIGKILL kill_ms later.  done() is still called.  May be called again. */
void child_stop(struct child *c);

/* With stdin_open: type a string (copied), or end its input.  Both do nothing after its exit. */
void child_write(struct child *c, const char *text);
void child_end_input(struct child *c);

/* Is there an executable of this name on PATH (or at this path)? */
bool child_on_path(const char *name);

/* Process id, for the log. */
int child_pid(const struct child *c);

/* Run to the end on a loop of its own.  r must be released by child_result_release() on success. */
int child_run(const struct child_opts *opts, struct child_result *r, struct err *e) must_check;
void child_result_release(struct child_result *r);

#endif
