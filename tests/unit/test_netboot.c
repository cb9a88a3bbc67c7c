/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the server answers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/unit/netboot_fixture.h"

static void netboot_hands_the_script_to_its_machine(void **state)
{
	static const char *const requests[] = {GET("/ipxe?mac=" MAC),
		GET("/ipxe?mac=52-54-00-00-00-01&uuid=1"),
		GET("/ipxe?uuid=&mac=52%3A54%3a00%3a00%3a00%3a01")};
	struct fixture *f = *state;

	for (int i = 0; i < 3; i++) {
		const char *reply = ask(f, requests[i], 0);

		assert_int_equal(status_of(reply), 200);
		assert_string_equal(body_of(reply), SCRIPT);
		check_event(f, i, NETBOOT_SCRIPT, "", strlen(SCRIPT));
	}
	assert_int_equal(f->n_events, 3);
}

static void netboot_sends_other_machines_on(void **state)
{
	struct fixture *f = *state;
	const char *reply = ask(f, GET("/ipxe?mac=52:54:00:00:00:02"), 0);

	assert_int_equal(status_of(reply), 200);
	assert_non_null(strstr(body_of(reply), "\nexit\n"));
	assert_non_null(strstr(body_of(reply), "52:54:00:00:00:02"));
	assert_int_equal(f->n_events, 0);
	netboot_end(f->b);
	reply = ask(f, GET("/ipxe?mac=" MAC), 0);
	assert_non_null(strstr(body_of(reply), "\nexit\n"));
}

static void netboot_refuses_what_it_does_not_serve(void **state)
{
	static const struct {
		const char *request;
		int status;
	} cases[] = {
		{GET("/"), 404},
		{GET("/ipxe"), 400},
		{GET("/ipxe?mac=x"), 400},
		{GET("/ipxe/?mac=" MAC), 404},
		{GET("/b/00000000000000000000000000000000/xen"), 404},
		{GET("/b/../../../../etc/passwd"), 404},
		{GET("/etc/passwd"), 404},
		{GET("/%2e%2e/%2e%2e/etc/passwd"), 404},
		{"POST /ipxe?mac=" MAC " HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n"
		 "Connection: close\r\n\r\nabc",
			405},
		{"DELETE / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n", 405},
		{"GET /\r\n\r\n", 0},
		{"\x16\x03\x01\x02\r\n\r\n", 0},
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *reply = ask(f, cases[i].request, 0);

		if (cases[i].status)
			assert_int_equal(status_of(reply), cases[i].status);
		else
			assert_int_not_equal(status_of(reply), 200);
		if (cases[i].status == 405)
			assert_non_null(strstr(reply, "Allow: GET, HEAD\r\n"));
	}
	assert_int_equal(f->n_events, 0);
}

enum { HEAD_SIZE = 64 << 10 };

static void netboot_limits_the_head_of_a_request(void **state)
{
	struct fixture *f = *state;
	char *request = malloc(HEAD_SIZE);
	size_t n;
	int status;

	n = (size_t)snprintf(request, HEAD_SIZE,
		"GET /%0600d HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n", 0);
	assert_int_equal(status_of(ask(f, request, n)), 414);
	n = (size_t)snprintf(request, HEAD_SIZE, "GET /%040000d HTTP/1.1\r\nHost: h\r\n\r\n", 0);
	status = status_of(ask(f, request, n));
	assert_true(status == 414 || status == 0);
	n = (size_t)snprintf(
		request, HEAD_SIZE, "GET / HTTP/1.1\r\nHost: h\r\nX: %040000d\r\n\r\n", 0);
	status = status_of(ask(f, request, n));
	assert_true(status == 431 || status == 0);
	free(request);
}

static void netboot_serves_files_with_events(void **state)
{
	struct fixture *f = *state;
	const char *reply = fetch(f, "GET", f->base, "xen", "");

	assert_int_equal(status_of(reply), 200);
	assert_non_null(strstr(reply, "Content-Length: 1000\r\n"));
	assert_non_null(strstr(reply, "Accept-Ranges: bytes\r\n"));
	assert_int_equal(strlen(body_of(reply)), SMALL);
	assert_int_equal(strncmp(body_of(reply), "000000000\n000000010\n", 20), 0);
	check_event(f, 0, NETBOOT_FILE_START, "xen", 0);
	check_event(f, 1, NETBOOT_FILE_DONE, "xen", SMALL);
	assert_string_equal(body_of(fetch(f, "GET", f->base, "dummy", "")), "dummy\n");
	check_event(f, 2, NETBOOT_FILE_START, "dummy", 0);
	check_event(f, 3, NETBOOT_FILE_DONE, "dummy", 6);
	reply = fetch(f, "HEAD", f->base, "xen", "");
	assert_int_equal(status_of(reply), 200);
	assert_non_null(strstr(reply, "Content-Length: 1000\r\n"));
	assert_string_equal(body_of(reply), "");
	assert_int_equal(status_of(fetch(f, "GET", f->base, "xen2", "")), 404);
	assert_int_equal(status_of(fetch(f, "GET", f->base, "", "")), 404);
	assert_int_equal(f->n_events, 4);
}

static void netboot_serves_ranges(void **state)
{
	static const struct {
		const char *header;
		int status;
		const char *range, *body;
	} cases[] = {
		{"Range: bytes=10-19\r\n", 206, "bytes 10-19/1000", "000000010\n"},
		{"Range: bytes=990-\r\n", 206, "bytes 990-999/1000", "000000990\n"},
		{"Range: bytes=-5\r\n", 206, "bytes 995-999/1000", "0990\n"},
		{"Range: bytes=1000-\r\n", 416, "bytes */1000", ""},
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *reply = fetch(f, "GET", f->base, "xen", cases[i].header);

		assert_int_equal(status_of(reply), cases[i].status);
		assert_non_null(strstr(reply, cases[i].range));
		assert_string_equal(body_of(reply), cases[i].body);
	}
	check_event(f, 5, NETBOOT_FILE_CUT, "xen", 5);
	check_event(f, 1, NETBOOT_FILE_CUT, "xen", 10);
	assert_string_equal(f->events[1].detail, "a part of the file");
	assert_int_equal(f->n_events, 6);
	assert_int_equal(
		status_of(fetch(f, "GET", f->base, "xen", "Range: bytes=0-1,5-6\r\n")), 200);
	assert_int_equal(status_of(fetch(f, "GET", f->base, "xen",
				 "Range: bytes=0-1\r\nIf-Range: \"x\"\r\n")),
		200);
	assert_string_equal(
		body_of(fetch(f, "GET", f->base, "dummy", "Range: bytes=1-2\r\n")), "um");
}

/* A file has come when its end has, and nothing before it was left out. */
static void netboot_takes_parts_for_a_file_when_they_cover_it(void **state)
{
	static const struct {
		const char *range;
		bool done;
	} parts[] = {
		{"0-0", false},
		{"500-", false},
		{"1-499", false},
		{"400-799", false},
		{"900-", false},
		{"800-", true},
		{"-1", true},
	};
	struct fixture *f = *state;

	for (int i = 0; i < (int)(sizeof(parts) / sizeof(parts[0])); i++) {
		char header[64];

		snprintf(header, sizeof(header), "Range: bytes=%s\r\n", parts[i].range);
		assert_int_equal(status_of(fetch(f, "GET", f->base, "xen", header)), 206);
		while (f->n_events < 2 * i + 2)
			uv_run(&f->loop, UV_RUN_ONCE);
		assert_int_equal(f->events[2 * i + 1].type,
			parts[i].done ? NETBOOT_FILE_DONE : NETBOOT_FILE_CUT);
	}
}

enum { IDLE = 520 };

static void netboot_answers_while_idle_connections_take_all_places(void **state)
{
	struct fixture *f = *state;
	struct sockaddr_in a = {
		.sin_family = AF_INET,
		.sin_port = htons((uint16_t)netboot_port(f->n)),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	int fds[IDLE];

	for (int i = 0; i < IDLE; i++) {
		fds[i] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
		assert_true(fds[i] >= 0);
		if (connect(fds[i], (struct sockaddr *)&a, sizeof(a)))
			assert_int_equal(errno, EINPROGRESS);
		uv_run(&f->loop, UV_RUN_NOWAIT);
	}
	/* Many of them have asked before. */
	for (int i = 0; i < IDLE; i += 2)
		send(fds[i], "GET / HTTP/1.1\r\nHost: h\r\n\r\n", 27, MSG_NOSIGNAL);
	assert_string_equal(body_of(ask(f, GET("/ipxe?mac=" MAC), 0)), SCRIPT);
	for (int i = 0; i < IDLE; i++)
		close(fds[i]);
}

static void netboot_reports_what_ipxe_says_failed(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(status_of(fetch(f, "GET", f->base, "failed?errno=0x2d0c613b", "")), 200);
	check_event(f, 0, NETBOOT_FAILED, "", 0);
	assert_string_equal(f->events[0].detail, "https://ipxe.org/2d0c613b");
	fetch(f, "GET", f->base, "failed?errno=a%0ab%1b%5b2J", "");
	assert_string_equal(f->events[1].detail, "a?b?[2J");
	fetch(f, "GET", f->base, "failed", "");
	assert_string_equal(f->events[2].detail, "");
	assert_int_equal(f->n_events, 3);
}

static void netboot_answers_more_than_once_on_a_connection(void **state)
{
	struct fixture *f = *state;
	char request[512];
	const char *reply;

	snprintf(request, sizeof(request),
		"GET %s/dummy HTTP/1.1\r\nHost: h\r\n\r\nGET %s/xen HTTP/1.1\r\nHost: h\r\n"
		"Connection: close\r\n\r\n",
		f->base, f->base);
	reply = ask(f, request, 0);
	assert_non_null(strstr(reply, "dummy\nHTTP/1.1 200 "));
	assert_int_equal(f->n_events, 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
		T(netboot_hands_the_script_to_its_machine),
		T(netboot_sends_other_machines_on),
		T(netboot_refuses_what_it_does_not_serve),
		T(netboot_limits_the_head_of_a_request),
		T(netboot_serves_files_with_events),
		T(netboot_serves_ranges),
		T(netboot_takes_parts_for_a_file_when_they_cover_it),
		T(netboot_answers_while_idle_connections_take_all_places),
		T(netboot_reports_what_ipxe_says_failed),
		T(netboot_answers_more_than_once_on_a_connection),
	};
	return cmocka_run_group_tests_name("netboot", tests, NULL, NULL);
}
