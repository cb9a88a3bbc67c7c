/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Several hundred machines at one server, all at the same time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "harness/base/clock.h"
#include "harness/netboot.h"
#include "tests/unit/talk.h"

enum { MANY = 300, REPLY = 4096 };

struct machine {
	struct netboot_boot *boot;
	char mac[18];
	int fd, events;
	char reply[REPLY];
};

static struct machine machines[MANY];
static uv_loop_t loop;

static void on_event(void *arg, const struct netboot_event *ev)
{
	struct machine *m = arg;

	m->events++;
	assert_int_not_equal(ev->type, NETBOOT_FILE_CUT);
}

static void connect_all(int port)
{
	struct sockaddr_in a = {.sin_family = AF_INET,
		.sin_port = htons((uint16_t)port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK)};

	for (int i = 0; i < MANY; i++) {
		int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

		assert_true(fd >= 0);
		if (connect(fd, (struct sockaddr *)&a, sizeof(a)))
			assert_int_equal(errno, EINPROGRESS);
		machines[i].fd = fd;
	}
}

static void ask_all(bool script)
{
	char text[512], path[256];

	for (int i = 0; i < MANY; i++) {
		struct machine *m = &machines[i];

		if (script)
			snprintf(path, sizeof(path), "/ipxe?mac=%s", m->mac);
		else
			snprintf(path, sizeof(path), "%s/dummy", netboot_base(m->boot, ""));
		snprintf(text, sizeof(text), "GET %s HTTP/1.1\r\nHost: h\r\n\r\n", path);
		m->reply[0] = '\0';
		assert_int_equal(
			send(m->fd, text, strlen(text), MSG_NOSIGNAL), (ssize_t)strlen(text));
	}
}

/* Run until each has a whole answer that ends in this. */
static void hear_all(const char *end)
{
	int64_t until = clock_mono_ns() + INT64_C(60000000000);

	for (int heard = 0; heard < MANY && clock_mono_ns() < until;) {
		uv_run(&loop, UV_RUN_NOWAIT);
		heard = 0;
		for (int i = 0; i < MANY; i++) {
			struct machine *m = &machines[i];
			size_t have = strlen(m->reply);
			ssize_t n = recv(m->fd, m->reply + have, REPLY - 1 - have, 0);

			/* 0: the server has cut this machine's connection. */
			assert_int_not_equal(n, 0);
			assert_true(n > 0 || errno == EAGAIN);
			if (n > 0)
				m->reply[have + (size_t)n] = '\0';
			heard += strstr(m->reply, end) != NULL;
		}
	}
	for (int i = 0; i < MANY; i++)
		assert_non_null(strstr(machines[i].reply, end));
}

static void netboot_keeps_the_connections_of_many_machines(void **state)
{
	const struct netboot_file files[] = {{"dummy", NULL, "dummy\n"}};
	struct err e = ERR_INIT;
	struct netboot *n;

	(void)state;
	uv_loop_init(&loop);
	n = netboot_new(&loop, "127.0.0.1:0", &e);
	assert_non_null(n);
	for (int i = 0; i < MANY; i++) {
		struct machine *m = &machines[i];

		snprintf(m->mac, sizeof(m->mac), "52:54:00:00:%02x:%02x", i >> 8, i & 255);
		m->boot = netboot_prepare(n, m->mac, on_event, m, &e);
		assert_non_null(m->boot);
		assert_int_equal(netboot_publish(m->boot, "#!ipxe\nend\n", files, 1, &e), 0);
	}
	connect_all(netboot_port(n));
	for (int i = 0; i < MANY; i++)
		uv_run(&loop, UV_RUN_NOWAIT); /* they are there, and have not asked yet */
	ask_all(true);
	hear_all("end\n");
	ask_all(false);
	hear_all("dummy\n");
	for (int i = 0; i < MANY; i++)
		close(machines[i].fd);
	netboot_free(n);
	uv_run(&loop, UV_RUN_DEFAULT);
	assert_int_equal(uv_loop_close(&loop), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(netboot_keeps_the_connections_of_many_machines),
	};

	return cmocka_run_group_tests_name("netboot_many", tests, NULL, NULL);
}
