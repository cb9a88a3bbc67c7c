/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/pty.h"

#include <errno.h>
#include <fcntl.h>
#include <pty.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/mem.h"

enum { PTY_CHUNK = 16384, PTY_CHUNKS = 16 };

struct pty {
	struct child *child;
	int fd; /* master side */
	uv_poll_t poll;
	int open; /* poll and child */
	bool dropped;
	struct pty_events events;
	void *arg;
};

static void pty_unref(struct pty *t)
{
	if (--t->open)
		return;
	close(t->fd);
	free(t);
}

static void pty_on_closed(uv_handle_t *h)
{
	pty_unref(h->data);
}

static void pty_read(struct pty *t)
{
	char chunk[PTY_CHUNK];
	ssize_t n = 0;

	for (int i = 0; i < PTY_CHUNKS; i++) {
		n = read(t->fd, chunk, sizeof(chunk));
		if (n <= 0)
			break;
		if (!t->dropped)
			t->events.data(t->arg, chunk, (size_t)n);
	}
	/* EIO: the other side has no user left; its exit is told by the child. */
	if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
		uv_poll_stop(&t->poll);
}

static void pty_on_poll(uv_poll_t *h, int status, int events)
{
	(void)events;
	if (status < 0)
		uv_poll_stop(h);
	else
		pty_read(h->data);
}

static void pty_on_exit(void *arg, struct child_result *r)
{
	struct pty *t = arg;

	pty_read(t); /* what it said last */
	uv_close((uv_handle_t *)&t->poll, pty_on_closed);
	if (!t->dropped)
		t->events.ended(t->arg, r);
	pty_unref(t);
}

static int pty_open(struct pty *t, int *slave, struct err *e)
{
	struct termios raw = {0};

	cfmakeraw(&raw);
	raw.c_cflag |= CREAD;
	raw.c_cc[VMIN] = 1;
	if (openpty(&t->fd, slave, NULL, &raw, NULL))
		return err_set(e, ERR_LAB, "E_CONSOLE", "cannot open a pseudo terminal: %s",
			strerror(errno));
	fcntl(t->fd, F_SETFD, FD_CLOEXEC);
	fcntl(t->fd, F_SETFL, O_NONBLOCK);
	fcntl(*slave, F_SETFD, FD_CLOEXEC);
	return 0;
}

struct pty *pty_start(uv_loop_t *loop, const struct child_opts *opts,
	const struct pty_events *events, void *arg, struct err *e)
{
	struct pty *t = mem_alloc(sizeof(*t));
	struct child_opts o = *opts;

	t->events = *events;
	t->arg = arg;
	if (pty_open(t, &o.tty_fd, e))
		goto fail;
	t->child = child_start(loop, &o, pty_on_exit, t, e);
	close(o.tty_fd);
	if (!t->child) {
		close(t->fd);
		goto fail;
	}
	uv_poll_init(loop, &t->poll, t->fd);
	t->poll.data = t;
	t->open = 2;
	uv_poll_start(&t->poll, UV_READABLE, pty_on_poll);
	return t;
fail:
	free(t);
	return NULL;
}

int pty_type(struct pty *t, const char *p, size_t n)
{
	return write(t->fd, p, n) == (ssize_t)n ? 0 : -1;
}

void pty_end(struct pty *t)
{
	if (t)
		child_stop(t->child);
}

void pty_drop(struct pty *t)
{
	if (!t || t->dropped)
		return;
	t->dropped = true;
	child_stop(t->child);
}
