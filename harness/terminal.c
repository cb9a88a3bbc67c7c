/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "harness/base/mem.h"

/* 16 bytes in 2 ms are somewhat less than 115200 baud carries. */
enum { CHUNK = 16, PAUSE_MS = 2, STUCK_MS = 10000 };

struct terminal {
	struct terminal_events events;
	int in, log;
	bool tty, pollable, ended;
	struct termios before;
	struct terminal_escape escape;
	uv_poll_t poll;
	uv_timer_t pause;
	int handles;
};

bool terminal_keys(struct terminal_escape *s, const char *p, size_t n, char *out, size_t *out_n)
{
	*out_n = 0;
	for (size_t i = 0; i < n; i++) {
		bool tilde = s->tilde;

		s->tilde = false;
		if (tilde && p[i] == '.')
			return true;
		if (tilde && p[i] != '~')
			out[(*out_n)++] = '~';
		if (!tilde && !s->inside && p[i] == '~') {
			s->tilde = true;
			continue;
		}
		out[(*out_n)++] = p[i];
		s->inside = p[i] != '\r' && p[i] != '\n';
	}
	return false;
}

static void terminal_end(struct terminal *t, const struct err *e)
{
	static const struct err none = ERR_INIT;

	if (t->ended)
		return;
	t->ended = true;
	uv_timer_stop(&t->pause);
	if (t->pollable)
		uv_poll_stop(&t->poll);
	t->events.ended(t->events.arg, e ? e : &none);
}

static void terminal_read(struct terminal *t);

static void terminal_on_readable(uv_poll_t *p, int status, int events)
{
	struct terminal *t = p->data;

	(void)status;
	(void)events;
	uv_poll_stop(&t->poll);
	terminal_read(t);
}

static void terminal_on_pause(uv_timer_t *timer)
{
	struct terminal *t = timer->data;

	if (t->pollable)
		uv_poll_start(&t->poll, UV_READABLE | UV_DISCONNECT, terminal_on_readable);
	else
		terminal_read(t);
}

static void terminal_read(struct terminal *t)
{
	char keys[CHUNK], out[2 * CHUNK];
	ssize_t n = read(t->in, keys, sizeof(keys));
	size_t out_n = 0;
	bool end = false;

	if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) {
		terminal_end(t, NULL);
		return;
	}
	if (n > 0 && t->tty)
		end = terminal_keys(&t->escape, keys, (size_t)n, out, &out_n);
	if (n > 0)
		t->events.typed(t->events.arg, t->tty ? out : keys, t->tty ? out_n : (size_t)n);
	if (end)
		terminal_end(t, NULL);
	else if (!t->ended)
		uv_timer_start(&t->pause, terminal_on_pause, PAUSE_MS, 0);
}

/* The shell's terminal stays as it was for others who have it open: ours is opened again. */
static void terminal_open_input(struct terminal *t)
{
	struct termios raw;

	t->tty = !tcgetattr(STDIN_FILENO, &t->before);
	t->in = t->tty ? open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC) : -1;
	if (t->in < 0)
		t->in = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
	if (!t->tty)
		return;
	raw = t->before;
	cfmakeraw(&raw);
	tcsetattr(STDIN_FILENO, TCSADRAIN, &raw);
}

int terminal_open(struct terminal **out, uv_loop_t *loop, const char *log_file,
	const struct terminal_events *events, struct err *e)
{
	struct terminal *t = mem_alloc(sizeof(*t));

	t->events = *events;
	t->log = -1;
	if (log_file) {
		t->log = open(log_file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
		if (t->log < 0) {
			free(t);
			return err_set(e, ERR_USAGE, NULL, "cannot write %s: %s", log_file,
				strerror(errno));
		}
	}
	terminal_open_input(t);
	uv_timer_init(loop, &t->pause);
	t->pause.data = t;
	t->handles = 1;
	/* A file cannot be polled: it is read at the same speed. */
	t->pollable = !uv_poll_init(loop, &t->poll, t->in);
	t->poll.data = t;
	t->handles += t->pollable;
	uv_timer_start(&t->pause, terminal_on_pause, 0, 0);
	*out = t;
	return 0;
}

bool terminal_is_tty(const struct terminal *t)
{
	return t->tty;
}

static int terminal_write(int fd, const char *p, size_t n)
{
	while (n) {
		struct pollfd ready = {.fd = fd, .events = POLLOUT};
		ssize_t k = write(fd, p, n);

		if (k < 0 && errno == EINTR)
			continue;
		if (k < 0 && errno == EAGAIN && poll(&ready, 1, STUCK_MS) > 0)
			continue;
		if (k < 0)
			return -1;
		p += k;
		n -= (size_t)k;
	}
	return 0;
}

void terminal_show(struct terminal *t, const char *p, size_t n)
{
	struct err e = ERR_INIT;

	if (t->ended)
		return;
	if (terminal_write(STDOUT_FILENO, p, n))
		err_set(&e, ERR_LAB, NULL, "cannot write to standard output: %s", strerror(errno));
	else if (t->log >= 0 && terminal_write(t->log, p, n))
		err_set(&e, ERR_LAB, NULL, "cannot write the log: %s", strerror(errno));
	if (e.cls)
		terminal_end(t, &e);
}

static void terminal_on_closed(uv_handle_t *h)
{
	struct terminal *t = h->data;

	if (--t->handles)
		return;
	close(t->in);
	free(t);
}

void terminal_free(struct terminal *t)
{
	if (!t)
		return;
	t->ended = true;
	if (t->tty)
		tcsetattr(STDIN_FILENO, TCSADRAIN, &t->before);
	if (t->log >= 0)
		close(t->log);
	if (t->pollable)
		uv_close((uv_handle_t *)&t->poll, terminal_on_closed);
	uv_close((uv_handle_t *)&t->pause, terminal_on_closed);
}
