/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The console on a serial device of this controller.
 *
 * The device is held alone (flock(2), which other programs honour, and TIOCEXCL, which the kernel
 * enforces), set raw with 8 data bits, no parity and 1 stop bit, read back, and given back with the
 * settings that it had. */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "harness/base/log.h"
#include "harness/base/mem.h"
#include "harness/console.h"

enum { TTY_CHUNK = 16384 };

struct console_tty {
	struct console base;
	int fd; /* -1: not open */
	struct termios before;
	bool set;	 /* before is to be put back */
	uv_poll_t *poll; /* frees itself when it is closed */
	uv_timer_t timer;
	struct err err; /* of open() */
	void (*closed)(void *arg);
	void *closed_arg;
};

static void tty_free_handle(uv_handle_t *h)
{
	free(h);
}

/* Give it back. */
static void tty_drop(struct console_tty *c)
{
	uv_timer_stop(&c->timer);
	if (c->poll)
		uv_close((uv_handle_t *)c->poll, tty_free_handle);
	c->poll = NULL;
	if (c->set) {
		/* A device without a reader would hold what we typed, and us. */
		tcflush(c->fd, TCOFLUSH);
		if (tcsetattr(c->fd, TCSANOW, &c->before) && errno != EIO && errno != ENXIO)
			log_line(LOG_WARN, c->base.target->name, "%s: settings not restored: %s",
				c->base.target->console.device, strerror(errno));
		ioctl(c->fd, TIOCNXCL);
	}
	c->set = false;
	if (c->fd >= 0)
		close(c->fd);
	c->fd = -1;
}

static void tty_lose(struct console_tty *c, const char *why)
{
	struct err e = ERR_INIT;

	err_set(&e, ERR_LAB, "E_CONSOLE", "the serial device %s went away (%s)",
		c->base.target->console.device, why);
	tty_drop(c);
	c->base.events.lost(c->base.arg, &e);
}

static void tty_on_poll(uv_poll_t *p, int status, int events)
{
	struct console_tty *c = p->data;
	char chunk[TTY_CHUNK];
	ssize_t n;

	(void)events;
	n = status < 0 ? -1 : read(c->fd, chunk, sizeof(chunk));
	if (n > 0)
		c->base.events.data(c->base.arg, chunk, (size_t)n);
	else if (status < 0)
		tty_lose(c, uv_strerror(status));
	else if (!n)
		tty_lose(c, "hung up");
	else if (errno != EAGAIN && errno != EINTR)
		tty_lose(c, strerror(errno));
}

/* VMIN 1 with O_NONBLOCK: no data is EAGAIN, the end is 0. */
static void tty_settings(const struct target *t, struct termios *s)
{
	cfmakeraw(s);
	s->c_cflag &= ~(tcflag_t)(CSTOPB | CRTSCTS);
	s->c_cflag |= CLOCAL | CREAD;
	s->c_iflag &= ~(tcflag_t)(IXON | IXOFF | IXANY);
	if (t->console.flow == FLOW_RTSCTS)
		s->c_cflag |= CRTSCTS;
	if (t->console.flow == FLOW_XONXOFF)
		s->c_iflag |= IXON | IXOFF;
	s->c_cc[VMIN] = 1;
	s->c_cc[VTIME] = 0;
}

static int tty_set(struct console_tty *c, struct err *e)
{
	static const tcflag_t form = CSIZE | PARENB | CSTOPB | CRTSCTS;
	const struct target *t = c->base.target;
	struct termios want = c->before, have;

	tty_settings(t, &want);
	c->set = true;
	/* glibc takes the number of bauds as well as its B constant. */
	if (cfsetspeed(&want, (speed_t)t->console.speed) || tcsetattr(c->fd, TCSANOW, &want) ||
		tcgetattr(c->fd, &have))
		return err_set(e, ERR_LAB, "E_CONSOLE", "%s cannot be set to %d baud: %s",
			t->console.device, t->console.speed, strerror(errno));
	if (cfgetospeed(&have) != cfgetospeed(&want) ||
		(have.c_cflag & form) != (want.c_cflag & form))
		return err_set(e, ERR_LAB, "E_CONSOLE",
			"%s did not take %d baud, 8n1%s: the device has no such setting",
			t->console.device, t->console.speed,
			t->console.flow == FLOW_RTSCTS ? ", rtscts" : "");
	return 0;
}

static int tty_take(struct console_tty *c, struct err *e)
{
	const char *device = c->base.target->console.device;

	c->fd = open(device, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
	if (c->fd < 0 && errno == EBUSY)
		return err_set(e, ERR_LAB, "E_CONSOLE",
			"%s is in use by another program; see who: fuser %s", device, device);
	if (c->fd < 0)
		return err_set(e, ERR_LAB, "E_CONSOLE", "cannot open %s: %s%s", device,
			strerror(errno), errno == EACCES ? " (is this user in its group?)" : "");
	if (tcgetattr(c->fd, &c->before))
		return err_set(e, ERR_LAB, "E_CONSOLE", "%s is no serial device: %s", device,
			strerror(errno));
	if (flock(c->fd, LOCK_EX | LOCK_NB) || ioctl(c->fd, TIOCEXCL))
		return err_set(e, ERR_LAB, "E_CONSOLE",
			"%s is in use by another program (it holds a lock on it); see who: fuser "
			"%s",
			device, device);
	return tty_set(c, e);
}

static void tty_on_opened(uv_timer_t *t)
{
	struct console_tty *c = t->data;

	if (!c->err.cls)
		uv_poll_start(c->poll, UV_READABLE, tty_on_poll);
	c->base.events.ready(c->base.arg, &c->err);
}

static void tty_open(struct console *base, int deadline_ms)
{
	struct console_tty *c = (struct console_tty *)base;
	int rc;

	(void)deadline_ms;
	c->err = (struct err)ERR_INIT;
	if (tty_take(c, &c->err)) {
		tty_drop(c);
	} else {
		c->poll = mem_alloc(sizeof(*c->poll));
		rc = uv_poll_init(base->loop, c->poll, c->fd);
		c->poll->data = c;
		if (rc) {
			err_set(&c->err, ERR_LAB, "E_CONSOLE", "cannot wait for %s: %s",
				base->target->console.device, uv_strerror(rc));
			free(c->poll);
			c->poll = NULL;
			tty_drop(c);
		}
	}
	uv_timer_start(&c->timer, tty_on_opened, 0, 0);
}

static void tty_send(struct console *base, const char *p, size_t n)
{
	struct console_tty *c = (struct console_tty *)base;

	if (c->fd >= 0 && write(c->fd, p, n) != (ssize_t)n)
		log_line(LOG_WARN, base->target->name, "console takes no input");
}

static void tty_on_closed(uv_timer_t *t)
{
	struct console_tty *c = t->data;

	c->closed(c->closed_arg);
}

static void tty_close(struct console *base, int deadline_ms, void (*closed)(void *arg), void *arg)
{
	struct console_tty *c = (struct console_tty *)base;

	(void)deadline_ms;
	tty_drop(c);
	c->closed = closed;
	c->closed_arg = arg;
	uv_timer_start(&c->timer, tty_on_closed, 0, 0);
}

static void tty_on_handle_closed(uv_handle_t *h)
{
	free(h->data);
}

static void tty_free(struct console *base)
{
	struct console_tty *c = (struct console_tty *)base;

	tty_drop(c);
	uv_close((uv_handle_t *)&c->timer, tty_on_handle_closed);
}

static const struct console_ops tty_ops = {
	.name = "tty",
	.open = tty_open,
	.send = tty_send,
	.close = tty_close,
	.free = tty_free,
};

struct console *console_tty_new(uv_loop_t *loop, const struct target *t,
	const struct secret *secret, const char *host, int port,
	const struct console_events *events, void *arg, struct err *e)
{
	struct console_tty *c = mem_alloc(sizeof(*c));

	(void)host;
	(void)port;
	(void)e;
	c->base = (struct console){.ops = &tty_ops,
		.loop = loop,
		.target = t,
		.secret = secret,
		.events = *events,
		.arg = arg};
	c->fd = -1;
	uv_timer_init(loop, &c->timer);
	c->timer.data = c;
	return &c->base;
}
