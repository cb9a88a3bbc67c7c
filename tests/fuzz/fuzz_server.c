/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any bytes as what a peer sends to our HTTP server, through a socket and libmicrohttpd: it answers
 * in HTTP or hangs up, and serves the next one.  "/b/T/" stands for the boot's token. */
#include <arpa/inet.h>
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "harness/base/buf.h"
#include "harness/base/log.h"
#include "harness/netboot.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { WANTED_MAX = 70000, ANSWER_MAX = 4096, IDLE_TURNS = 6, TURNS = 300 };

static uv_loop_t loop;
static struct netboot *server;
static char token[40]; /* "/b/<token>/" */

static void on_event(void *arg, const struct netboot_event *ev)
{
	(void)arg;
	assert(ev->file && ev->detail && *ev->peer);
	assert(ev->bytes <= 4096);
}

static void on_stranger(void *arg, const char *mac, const char *peer)
{
	(void)arg;
	assert((!*mac || strlen(mac) == 17) && *peer);
}

static void start(void)
{
	static char text[3001];
	const struct netboot_file files[] = {
		{.name = "xen", .text = text}, {.name = "dummy", .text = "dummy\n"}};
	struct netboot_boot *b;
	struct err e = ERR_INIT;

	memset(text, 'x', sizeof(text) - 1);
	log_set_level(LOG_ERROR);
	uv_loop_init(&loop);
	server = netboot_new(&loop, "127.0.0.1:0", &e);
	assert(server);
	netboot_strangers(server, on_stranger, NULL);
	b = netboot_prepare(server, "52:54:00:00:00:01", on_event, NULL, &e);
	assert(b && !netboot_publish(b, "#!ipxe\necho one\n", files, 2, &e));
	snprintf(token, sizeof(token), "%s/", netboot_base(b, ""));
}

/* The input with the token filled in. */
static void fill(struct buf *out, const char *p, size_t n)
{
	for (const char *at; (at = memmem(p, n, "/b/T/", 5));
		n -= (size_t)(at + 5 - p), p = at + 5) {
		buf_add(out, p, (size_t)(at - p));
		buf_adds(out, token);
	}
	buf_add(out, p, n);
}

static int dial(void)
{
	struct sockaddr_in to = {
		.sin_family = AF_INET, .sin_port = htons((uint16_t)netboot_port(server))};
	const struct linger now = {.l_onoff = 1, .l_linger = 0}; /* no port is left waiting */
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert(fd >= 0 && !setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now)));
	assert(!connect(fd, (const struct sockaddr *)&to, sizeof(to)));
	return fd;
}

/* Send in two parts, take what comes.  Its first bytes are in answer. */
static void talk(int fd, const struct buf *b, char *answer, size_t *n)
{
	size_t sent = 0, half = b->len / 2;
	char more[ANSWER_MAX];

	*n = 0;
	for (int turn = 0, idle = 0; turn < TURNS && idle < IDLE_TURNS; turn++, idle++) {
		size_t upto = turn < 2 ? half : b->len;
		ssize_t k = sent < upto ? send(fd, b->data + sent, upto - sent,
						  MSG_DONTWAIT | MSG_NOSIGNAL)
					: 0;

		if (k > 0) {
			sent += (size_t)k;
			idle = 0;
			if (sent == b->len)
				shutdown(fd, SHUT_WR);
		}
		uv_run(&loop, UV_RUN_NOWAIT);
		k = recv(fd, more, sizeof(more), MSG_DONTWAIT);
		if (!k)
			return;
		if (k < 0)
			continue;
		idle = 0;
		if (!*n) {
			memcpy(answer, more, (size_t)k);
			*n = (size_t)k;
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char answer[ANSWER_MAX];
	struct buf b;
	size_t n;
	int fd;

	if (!server)
		start();
	buf_init(&b, 2 * WANTED_MAX);
	fill(&b, (const char *)data, size);
	fd = dial();
	talk(fd, &b, answer, &n);
	assert(n < 9 || !memcmp(answer, "HTTP/1.", 7));
	close(fd);
	uv_run(&loop, UV_RUN_NOWAIT);
	buf_release(&b);
	return 0;
}
