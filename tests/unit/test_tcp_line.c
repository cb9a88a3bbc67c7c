/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/tcp_line.h"

#include <arpa/inet.h>
#include <poll.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

enum { DEADLINE_MS = 30000 };

struct seen {
	int connected, ended;
	char said[64];
	struct err err;
};

static void on_connected(void *arg, const struct err *e)
{
	struct seen *s = arg;

	s->connected++;
	s->err = *e;
}

static void on_data(void *arg, char *p, size_t n)
{
	struct seen *s = arg;
	size_t at = strlen(s->said);

	snprintf(s->said + at, sizeof(s->said) - at, "%.*s", (int)n, p);
}

static void on_ended(void *arg, const struct err *e)
{
	struct seen *s = arg;

	s->ended++;
	s->err = *e;
}

static int listener(int *port)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(a);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	assert_int_equal(bind(fd, (struct sockaddr *)&a, sizeof(a)), 0);
	assert_int_equal(listen(fd, 1), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&a, &len), 0);
	*port = ntohs(a.sin_port);
	return fd;
}

/* The server speaks and resets while the loop stands still. */
static void reset_before_the_loop_has_looked_keeps_the_last_words(void **state)
{
	static const struct tcp_line_events events = {
		.connected = on_connected, .data = on_data, .ended = on_ended};
	static const struct linger now = {.l_onoff = 1};
	struct seen s = {.err = ERR_INIT};
	struct pollfd p;
	int port, fd;
	uv_loop_t loop;

	(void)state;
	p = (struct pollfd){.fd = listener(&port), .events = POLLIN};
	uv_loop_init(&loop);
	tcp_line_start(&loop, "127.0.0.1", port, DEADLINE_MS, &events, &s);
	while (poll(&p, 1, 0) == 0)
		uv_run(&loop, UV_RUN_ONCE);
	fd = accept(p.fd, NULL, NULL);
	assert_int_equal(write(fd, "in use\n", 7), 7);
	setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
	close(fd);
	while (!s.ended && !(s.connected && s.err.cls))
		uv_run(&loop, UV_RUN_ONCE);
	assert_int_equal(s.connected, 1);
	assert_int_equal(s.ended, 1);
	assert_string_equal(s.said, "in use\n");
	assert_non_null(strstr(s.err.msg, "reset the connection"));
	uv_run(&loop, UV_RUN_DEFAULT);
	assert_int_equal(uv_loop_close(&loop), 0);
	close(p.fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reset_before_the_loop_has_looked_keeps_the_last_words),
	};

	return cmocka_run_group_tests_name("tcp_line", tests, NULL, NULL);
}
