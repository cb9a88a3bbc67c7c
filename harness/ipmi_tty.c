/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/ipmi_tty.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pty.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/child.h"
#include "harness/base/mem.h"

enum { TTY_CHUNK = 16384, TTY_CHUNKS = 16 };

struct ipmi_tty {
	struct child *child;
	int fd; /* master side */
	uv_poll_t poll;
	int open; /* poll and child */
	bool dropped;
	struct ipmi_tty_events events;
	void *arg;
};

static void tty_unref(struct ipmi_tty *t)
{
	if (--t->open)
		return;
	close(t->fd);
	free(t);
}

static void tty_on_closed(uv_handle_t *h)
{
	tty_unref(h->data);
}

static void tty_read(struct ipmi_tty *t)
{
	char chunk[TTY_CHUNK];
	ssize_t n = 0;

	for (int i = 0; i < TTY_CHUNKS; i++) {
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

static void tty_on_poll(uv_poll_t *h, int status, int events)
{
	(void)events;
	if (status < 0)
		uv_poll_stop(h);
	else
		tty_read(h->data);
}

static void tty_on_exit(void *arg, struct child_result *r)
{
	struct ipmi_tty *t = arg;

	(void)r;
	tty_read(t); /* what it said last */
	uv_close((uv_handle_t *)&t->poll, tty_on_closed);
	if (!t->dropped)
		t->events.ended(t->arg);
	tty_unref(t);
}

static int tty_open(struct ipmi_tty *t, int *slave, struct err *e)
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

struct ipmi_tty *ipmi_tty_start(uv_loop_t *loop, const struct ipmi_bmc *bmc, const char *file,
	const struct ipmi_tty_events *events, void *arg, struct err *e)
{
	struct ipmi_tty *t = mem_alloc(sizeof(*t));
	struct child_opts o = {.deadline_ms = INT_MAX};
	struct ipmi_tool tool;

	t->events = *events;
	t->arg = arg;
	if (tty_open(t, &o.tty_fd, e))
		goto fail;
	/* Without -v, which would chatter on the console. */
	ipmi_tool_init(&tool, bmc, false, "exec", file, true);
	o.argv = tool.argv;
	o.env_set = tool.env;
	t->child = child_start(loop, &o, tty_on_exit, t, e);
	ipmi_tool_release(&tool);
	close(o.tty_fd);
	if (!t->child) {
		close(t->fd);
		goto fail;
	}
	uv_poll_init(loop, &t->poll, t->fd);
	t->poll.data = t;
	t->open = 2;
	uv_poll_start(&t->poll, UV_READABLE, tty_on_poll);
	return t;
fail:
	free(t);
	return NULL;
}

int ipmi_tty_type(struct ipmi_tty *t, const char *p, size_t n)
{
	return write(t->fd, p, n) == (ssize_t)n ? 0 : -1;
}

void ipmi_tty_drop(struct ipmi_tty *t)
{
	if (!t || t->dropped)
		return;
	t->dropped = true;
	child_stop(t->child);
}
