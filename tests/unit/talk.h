/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A client for the tests of the HTTP server: blocking sockets in a thread, while the test's thread
 * runs the server's loop.  Assertions belong to the test's thread. */
#ifndef TESTS_UNIT_TALK_H
#define TESTS_UNIT_TALK_H

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <uv.h>

#include "harness/base/buf.h"

enum { TALK_SECONDS = 20, TALK_MAX = 64 << 20 };

struct talk {
	int port;
	const char *request; /* sent as it is, n bytes */
	size_t n;
	size_t pause_at;		/* stop reading after so many bytes, … */
	void (*paused)(struct talk *t); /* … call this in the loop's thread, and go on; or NULL */
	bool hang_up;			/* close after the pause instead */
	void *arg;

	struct buf reply; /* all that came until the server closed */
	bool failed;	  /* no connection, or nothing for TALK_SECONDS */

	uv_async_t wake;
	uv_sem_t go;
	uv_thread_t thread;
	enum { TALK_RUNS, TALK_PAUSED, TALK_ENDED } at;
	bool over;
};

static inline bool talk_read(struct talk *t, int fd, size_t upto)
{
	char chunk[65536];

	while (t->reply.len < upto) {
		size_t want = upto - t->reply.len < sizeof(chunk) ? upto - t->reply.len
								  : sizeof(chunk);
		ssize_t got = recv(fd, chunk, want, 0);

		if (got <= 0) {
			t->failed |= got < 0 && errno != ECONNRESET && errno != EPIPE;
			return false;
		}
		buf_add(&t->reply, chunk, (size_t)got);
	}
	return true;
}

static inline void talk_thread(void *arg)
{
	struct talk *t = arg;
	struct timeval deadline = {.tv_sec = TALK_SECONDS};
	struct sockaddr_in a = {
		.sin_family = AF_INET,
		.sin_port = htons((uint16_t)t->port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), small = 4096;

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &deadline, sizeof(deadline));
	if (t->pause_at)
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
	t->failed = connect(fd, (struct sockaddr *)&a, sizeof(a)) ||
		    send(fd, t->request, t->n, MSG_NOSIGNAL) != (ssize_t)t->n;
	if (!t->failed && t->pause_at && talk_read(t, fd, t->pause_at)) {
		t->at = TALK_PAUSED;
		uv_async_send(&t->wake);
		uv_sem_wait(&t->go);
	}
	if (!t->failed && !t->hang_up)
		talk_read(t, fd, TALK_MAX);
	close(fd);
	t->at = TALK_ENDED;
	uv_async_send(&t->wake);
}

static inline void talk_wake(uv_async_t *wake)
{
	struct talk *t = wake->data;

	if (t->at == TALK_ENDED) {
		t->over = true;
		uv_close((uv_handle_t *)wake, NULL);
		uv_stop(wake->loop);
	} else {
		if (t->paused)
			t->paused(t);
		uv_sem_post(&t->go);
	}
}

/* Send the request and run the loop until the server has closed the connection (so a request says
 * "Connection: close").  The caller releases t->reply. */
static inline void talk_run(struct talk *t, uv_loop_t *loop)
{
	buf_init(&t->reply, TALK_MAX);
	if (!t->n)
		t->n = strlen(t->request);
	uv_async_init(loop, &t->wake, talk_wake);
	t->wake.data = t;
	uv_sem_init(&t->go, 0);
	uv_thread_create(&t->thread, talk_thread, t);
	while (!t->over)
		uv_run(loop, UV_RUN_DEFAULT);
	uv_thread_join(&t->thread);
	uv_sem_destroy(&t->go);
	uv_run(loop, UV_RUN_NOWAIT);
}

#endif
