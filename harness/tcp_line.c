/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/tcp_line.h"

#include <netdb.h>
#include <netinet/tcp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/clock.h"
#include "harness/base/mem.h"

/* First probe after 4 s of silence, then one each 3 s. */
enum { KEEP_IDLE_S = 4, KEEP_INTERVAL_S = 3, KEEP_COUNT = 3, CHUNK = 65536, LAST_WORDS = 4096 };

struct tcp_line {
	uv_loop_t *loop;
	uv_getaddrinfo_t lookup;
	struct addrinfo *found, *next;
	uv_tcp_t tcp; /* of the address that is tried, or connected */
	uv_connect_t connect;
	uv_timer_t deadline;
	bool looking, tcp_open, over, again;
	int handles, deadline_ms;
	char where[300];
	struct tcp_line_events events;
	void *arg;
};

struct tcp_write {
	uv_write_t req;
	char bytes[];
};

static void line_free_if_over(struct tcp_line *l)
{
	if (!l->over || l->handles || l->looking)
		return;
	uv_freeaddrinfo(l->found);
	free(l);
}

static void line_try(struct tcp_line *l);

static void line_on_closed(uv_handle_t *h)
{
	struct tcp_line *l = h->data;

	l->handles--;
	if (h == (uv_handle_t *)&l->tcp)
		l->tcp_open = false;
	if (!l->over && l->again)
		line_try(l);
	else
		line_free_if_over(l);
}

void tcp_line_drop(struct tcp_line *l)
{
	if (!l || l->over)
		return;
	l->over = true;
	if (l->looking)
		uv_cancel((uv_req_t *)&l->lookup);
	if (l->tcp_open && !uv_is_closing((uv_handle_t *)&l->tcp))
		uv_close((uv_handle_t *)&l->tcp, line_on_closed);
	uv_close((uv_handle_t *)&l->deadline, line_on_closed);
}

static void __attribute__((format(printf, 2, 3)))
line_fail(struct tcp_line *l, const char *fmt, ...)
{
	struct err e = ERR_INIT;
	char text[600];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	err_set(&e, ERR_LAB, "E_CONSOLE", "%s", text);
	tcp_line_drop(l);
	l->events.connected(l->arg, &e);
}

static void line_on_deadline(uv_timer_t *t)
{
	struct tcp_line *l = t->data;
	char took[16];

	clock_human((int64_t)l->deadline_ms * 1000000, took, sizeof(took));
	line_fail(l,
		"nothing answers at %s within %s: is the console server up, and no firewall "
		"between?",
		l->where, took);
}

static void line_alloc(uv_handle_t *h, size_t suggested, uv_buf_t *b)
{
	static char space[CHUNK];

	(void)h;
	(void)suggested;
	*b = uv_buf_init(space, sizeof(space));
}

static void line_end(struct tcp_line *l, int status)
{
	struct err e = ERR_INIT;

	if (status == UV_EOF)
		err_set(&e, ERR_LAB, "E_CONSOLE", "the console server at %s closed the connection",
			l->where);
	else if (status == UV_ECONNRESET) /* it closed before it had read what we sent */
		err_set(&e, ERR_LAB, "E_CONSOLE", "the console server at %s reset the connection",
			l->where);
	else if (status == UV_ETIMEDOUT)
		err_set(&e, ERR_LAB, "E_CONSOLE",
			"the console server at %s does not answer any more", l->where);
	else
		err_set(&e, ERR_LAB, "E_CONSOLE",
			"the connection to the console server at %s broke: %s", l->where,
			uv_strerror(status));
	tcp_line_drop(l);
	l->events.ended(l->arg, &e);
}

static void line_on_read(uv_stream_t *s, ssize_t n, const uv_buf_t *b)
{
	struct tcp_line *l = s->data;

	if (l->over)
		return;
	if (n > 0)
		l->events.data(l->arg, b->base, (size_t)n);
	else if (n < 0)
		line_end(l, (int)n);
}

static void line_keep_alive(struct tcp_line *l)
{
	static const int idle = KEEP_IDLE_S, interval = KEEP_INTERVAL_S, count = KEEP_COUNT;
	static const unsigned dead = TCP_LINE_DEAD_MS;
	uv_os_fd_t fd;

	uv_tcp_nodelay(&l->tcp, 1);
	uv_tcp_keepalive(&l->tcp, 1, KEEP_IDLE_S);
	if (uv_fileno((uv_handle_t *)&l->tcp, &fd))
		return;
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof(idle));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &interval, sizeof(interval));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &count, sizeof(count));
	setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &dead, sizeof(dead));
}

/* It had been connected, and was reset before this loop came to look; what the server said first
 * can still be read. */
static void line_was_reset(struct tcp_line *l)
{
	struct err none = ERR_INIT;
	char text[LAST_WORDS];
	uv_os_fd_t fd;
	ssize_t n = 0;

	uv_timer_stop(&l->deadline);
	if (!uv_fileno((uv_handle_t *)&l->tcp, &fd))
		n = recv(fd, text, sizeof(text), MSG_DONTWAIT);
	l->events.connected(l->arg, &none);
	if (n > 0 && !l->over)
		l->events.data(l->arg, text, (size_t)n);
	if (!l->over)
		line_end(l, UV_ECONNRESET);
}

static void line_on_connect(uv_connect_t *c, int status)
{
	struct tcp_line *l = c->data;
	struct err none = ERR_INIT;

	if (l->over || uv_is_closing((uv_handle_t *)&l->tcp))
		return;
	if (!status)
		status = uv_read_start((uv_stream_t *)&l->tcp, line_alloc, line_on_read);
	if (!status) {
		uv_timer_stop(&l->deadline);
		line_keep_alive(l);
		l->events.connected(l->arg, &none);
	} else if (status == UV_ECONNRESET) {
		line_was_reset(l);
	} else if (l->next) {
		l->again = true;
		uv_close((uv_handle_t *)&l->tcp, line_on_closed);
	} else if (status == UV_ECONNREFUSED) {
		line_fail(l,
			"nothing listens at %s: is the console server running, and is that its "
			"port?",
			l->where);
	} else {
		line_fail(l, "cannot connect to the console server at %s: %s", l->where,
			uv_strerror(status));
	}
}

static void line_try(struct tcp_line *l)
{
	struct addrinfo *a = l->next;
	int rc;

	l->again = false;
	l->next = a->ai_next;
	uv_tcp_init(l->loop, &l->tcp);
	l->tcp.data = l->connect.data = l;
	l->tcp_open = true;
	l->handles++;
	rc = uv_tcp_connect(&l->connect, &l->tcp, a->ai_addr, line_on_connect);
	if (rc)
		line_on_connect(&l->connect, rc);
}

static void line_on_lookup(uv_getaddrinfo_t *r, int status, struct addrinfo *found)
{
	struct tcp_line *l = r->data;

	l->looking = false;
	l->found = l->next = found;
	if (l->over)
		line_free_if_over(l);
	else if (status)
		line_fail(l, "the console server's name in %s has no address: %s", l->where,
			uv_strerror(status));
	else
		line_try(l);
}

static void line_on_no_lookup(uv_timer_t *t)
{
	struct tcp_line *l = t->data;

	line_fail(l, "cannot look up the console server in %s", l->where);
}

struct tcp_line *tcp_line_start(uv_loop_t *loop, const char *host, int port, int deadline_ms,
	const struct tcp_line_events *events, void *arg)
{
	const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_family = AF_UNSPEC};
	struct tcp_line *l = mem_alloc(sizeof(*l));
	char service[8];

	l->loop = loop;
	l->events = *events;
	l->arg = arg;
	l->deadline_ms = deadline_ms;
	snprintf(service, sizeof(service), "%d", port);
	snprintf(l->where, sizeof(l->where), strchr(host, ':') ? "[%s]:%d" : "%s:%d", host, port);
	uv_timer_init(loop, &l->deadline);
	l->deadline.data = l->lookup.data = l;
	l->handles = 1;
	uv_timer_start(&l->deadline, line_on_deadline, (uint64_t)deadline_ms, 0);
	l->looking = !uv_getaddrinfo(loop, &l->lookup, line_on_lookup, host, service, &hints);
	if (!l->looking)
		uv_timer_start(&l->deadline, line_on_no_lookup, 0, 0);
	return l;
}

static void line_on_written(uv_write_t *w, int status)
{
	(void)status;
	free(w);
}

int tcp_line_write(struct tcp_line *l, const char *p, size_t n)
{
	uv_stream_t *s = (uv_stream_t *)&l->tcp;
	struct tcp_write *w;
	uv_buf_t b;

	if (l->over || uv_stream_get_write_queue_size(s) + n > TCP_LINE_QUEUE_MAX)
		return -1;
	w = mem_alloc(sizeof(*w) + n);
	memcpy(w->bytes, p, n);
	b = uv_buf_init(w->bytes, (unsigned)n);
	if (uv_write(&w->req, s, &b, 1, line_on_written))
		free(w);
	return 0;
}
