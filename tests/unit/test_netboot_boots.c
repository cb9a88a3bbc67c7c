/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Boots of the server: begun, ended, cut. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "tests/unit/netboot_fixture.h"

static void netboot_keeps_boots_apart(void **state)
{
	struct fixture *f = *state;
	struct err e = ERR_INIT;
	struct netboot_boot *other = publish(f, "52:54:00:00:00:02", "#!ipxe\ntwo\n", f->small);
	char base[128];

	snprintf(base, sizeof(base), "%s", netboot_base(other, "http://h:1/"));
	assert_int_equal(strncmp(base, "http://h:1/b/", 13), 0);
	memmove(base, base + 10, strlen(base + 10) + 1);
	assert_string_not_equal(base, f->base);
	assert_string_equal(
		body_of(ask(f, GET("/ipxe?mac=52:54:00:00:00:02"), 0)), "#!ipxe\ntwo\n");
	assert_null(netboot_prepare(f->n, "525400000001", on_event, f, &e));
	assert_int_equal(e.cls, ERR_BUSY);

	/* An ended boot is gone; the other, and a new one of the machine, are not. */
	netboot_end(f->b);
	assert_int_equal(status_of(fetch(f, "GET", f->base, "xen", "")), 404);
	assert_int_equal(status_of(fetch(f, "GET", f->base, "failed?errno=1", "")), 404);
	assert_int_equal(status_of(fetch(f, "GET", base, "xen", "")), 200);
	f->b = publish(f, MAC, SCRIPT, f->small);
	assert_string_not_equal(netboot_base(f->b, ""), f->base);
	assert_int_equal(status_of(fetch(f, "GET", netboot_base(f->b, ""), "xen", "")), 200);
	assert_int_equal(status_of(fetch(f, "GET", f->base, "xen", "")), 404);
}

static void netboot_holds_a_machine_before_and_after_its_boot(void **state)
{
	struct fixture *f = *state;
	struct netboot_file file = {.name = "xen", .path = f->small};
	struct err e = ERR_INIT;

	/* After: another script, and the files are still there. */
	netboot_hold(f->b, "#!ipxe\nagain\n");
	assert_string_equal(body_of(ask(f, GET("/ipxe?mac=" MAC), 0)), "#!ipxe\nagain\n");
	assert_int_equal(status_of(fetch(f, "GET", f->base, "xen", "")), 200);
	netboot_end(f->b);

	/* Before: a script, and no file yet. */
	f->b = netboot_prepare(f->n, MAC, on_event, f, &e);
	assert_non_null(f->b);
	netboot_hold(f->b, "#!ipxe\nagain\n");
	assert_string_equal(body_of(ask(f, GET("/ipxe?mac=" MAC), 0)), "#!ipxe\nagain\n");
	assert_int_equal(status_of(fetch(f, "GET", netboot_base(f->b, ""), "xen", "")), 404);
	assert_int_equal(netboot_publish(f->b, SCRIPT, &file, 1, &e), 0);
	assert_string_equal(body_of(ask(f, GET("/ipxe?mac=" MAC), 0)), SCRIPT);
	assert_int_equal(status_of(fetch(f, "GET", netboot_base(f->b, ""), "xen", "")), 200);
}

static void end_boot(struct talk *t)
{
	struct fixture *f = t->arg;

	netboot_end(f->b);
	f->b = NULL;
}

/* Fetch a file of this size up to the pause. */
static void fetch_some(struct fixture *f, struct talk *t, size_t size)
{
	static char request[512];

	netboot_end(f->b);
	write_file(f->big, size);
	f->b = publish(f, MAC, SCRIPT, f->big);
	snprintf(request, sizeof(request),
		"GET %s/xen HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n",
		netboot_base(f->b, ""));
	t->port = netboot_port(f->n);
	t->request = request;
	t->arg = f;
	talk_run(t, &f->loop);
}

static void fetch_big(struct fixture *f, struct talk *t)
{
	fetch_some(f, t, BIG);
}

static void netboot_end_cuts_a_slow_reader(void **state)
{
	struct fixture *f = *state;
	struct talk t = {.pause_at = 65536, .paused = end_boot};

	fetch_big(f, &t);
	assert_false(t.failed);
	assert_int_equal(status_of(t.reply.data), 200);
	assert_true(t.reply.len >= 65536 && t.reply.len < BIG / 2);
	/* Not a word to the owner after the end. */
	assert_int_equal(f->n_events, 1);
	check_event(f, 0, NETBOOT_FILE_START, "xen", 0);
	buf_release(&t.reply);
}

static void netboot_reports_a_reader_that_hangs_up(void **state)
{
	struct fixture *f = *state;
	struct talk t = {.pause_at = 65536, .hang_up = true};

	fetch_big(f, &t);
	while (f->n_events < 2)
		uv_run(&f->loop, UV_RUN_ONCE);
	assert_int_equal(f->events[1].type, NETBOOT_FILE_CUT);
	/* Its last window may have been read and not acknowledged; the window is a few KiB. */
	assert_true(f->events[1].bytes >= 32768 && f->events[1].bytes < BIG);
	buf_release(&t.reply);
}

/* A file that fits into the socket's buffer has been written long before it has come. */
static void netboot_does_not_take_what_is_in_a_buffer_for_sent(void **state)
{
	struct fixture *f = *state;
	struct talk t = {.pause_at = 4096, .hang_up = true};

	fetch_some(f, &t, 256 << 10);
	while (f->n_events < 2)
		uv_run(&f->loop, UV_RUN_ONCE);
	assert_int_equal(f->events[1].type, NETBOOT_FILE_CUT);
	assert_true(f->events[1].bytes < 256 << 10);
	buf_release(&t.reply);
}

static void netboot_sends_a_big_file_to_a_slow_reader(void **state)
{
	struct fixture *f = *state;
	struct talk t = {.pause_at = 65536};

	fetch_big(f, &t);
	assert_false(t.failed);
	assert_true(t.reply.len > BIG);
	assert_string_equal(t.reply.data + t.reply.len - 20, "025165810\n025165820\n");
	check_event(f, 1, NETBOOT_FILE_DONE, "xen", (BIG + 9) / 10 * 10);
	buf_release(&t.reply);
}

struct nagger {
	pthread_t victim;
	atomic_bool over;
};

static void nag(void *arg)
{
	struct nagger *n = arg;

	while (!n->over) {
		pthread_kill(n->victim, SIGUSR1);
		usleep(100);
	}
}

static void nothing(int signal)
{
	(void)signal;
}

/* As those of children that end: power commands do while a machine loads its image.  What a signal
 * cuts short goes on at once, not when the connection has been idle for so long that it is cut. */
static void netboot_is_not_held_up_by_signals(void **state)
{
	struct fixture *f = *state;
	struct talk t = {.pause_at = 0};
	struct nagger n = {.victim = pthread_self()};
	const struct sigaction act = {.sa_handler = nothing, .sa_flags = SA_RESTART};
	uv_thread_t thread;
	struct sigaction was;

	assert_int_equal(sigaction(SIGUSR1, &act, &was), 0);
	assert_int_equal(uv_thread_create(&thread, nag, &n), 0);
	fetch_big(f, &t);
	n.over = true;
	uv_thread_join(&thread);
	assert_int_equal(sigaction(SIGUSR1, &was, NULL), 0);
	assert_false(t.failed);
	check_event(f, 1, NETBOOT_FILE_DONE, "xen", (BIG + 9) / 10 * 10);
	buf_release(&t.reply);
}

static void netboot_can_be_ended_from_an_event(void **state)
{
	struct fixture *f = *state;

	f->end_in_event = true;
	fetch(f, "GET", f->base, "failed?errno=1", "");
	assert_int_equal(f->n_events, 1);
	assert_int_equal(status_of(fetch(f, "GET", f->base, "xen", "")), 404);
	f->end_in_event = false;
	f->b = publish(f, MAC, SCRIPT, f->small);
	snprintf(f->base, sizeof(f->base), "%s", netboot_base(f->b, ""));
	f->end_in_event = true;
	/* The first event of a file is its start: nothing of it is sent. */
	assert_int_not_equal(strlen(fetch(f, "GET", f->base, "xen", "")), SMALL);
	assert_int_equal(f->n_events, 2);
}

static void netboot_end_after_the_last_byte_loses_nothing(void **state)
{
	struct fixture *f = *state;

	f->end_in_event = true; /* the only event of a script is its end */
	assert_string_equal(body_of(ask(f, GET("/ipxe?mac=" MAC), 0)), SCRIPT);
	assert_null(f->b);
}

static void netboot_can_be_freed_from_an_event(void **state)
{
	struct fixture *f = *state;

	f->free_in_event = true;
	ask(f, GET("/ipxe?mac=" MAC), 0);
	assert_null(f->n);
}

static void netboot_says_which_port_is_in_use(void **state)
{
	struct fixture *f = *state;
	struct err e = ERR_INIT;
	char listen_on[32];

	snprintf(listen_on, sizeof(listen_on), "127.0.0.1:%d", netboot_port(f->n));
	assert_null(netboot_new(&f->loop, listen_on, &e));
	assert_int_equal(e.cls, ERR_LAB);
	assert_string_equal(e.code, "E_PORT");
	assert_non_null(strstr(e.msg, listen_on));
	assert_non_null(strstr(e.msg, "in use"));
	assert_null(netboot_new(&f->loop, "192.0.2.1:0", &e));
	assert_int_equal(e.cls, ERR_LAB);
	assert_null(netboot_new(&f->loop, "nonsense", &e));
	assert_int_equal(e.cls, ERR_USAGE);
}

static void netboot_publish_fails_on_a_missing_file(void **state)
{
	struct fixture *f = *state;
	const char *const missing[] = {"/nonexistent/xen", "/tmp"};

	for (int i = 0; i < 2; i++) {
		const struct netboot_file file = {"xen", missing[i], NULL};
		struct err e = ERR_INIT;
		struct netboot_boot *b = netboot_prepare(
			f->n, "52:54:00:00:00:09", on_event, f, &e);

		assert_int_equal(netboot_publish(b, SCRIPT, &file, 1, &e), -ERR_IMAGE);
		assert_string_equal(e.code, "E_FILE");
		assert_non_null(strstr(e.msg, missing[i]));
		netboot_end(b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
		T(netboot_keeps_boots_apart),
		T(netboot_holds_a_machine_before_and_after_its_boot),
		T(netboot_end_cuts_a_slow_reader),
		T(netboot_reports_a_reader_that_hangs_up),
		T(netboot_does_not_take_what_is_in_a_buffer_for_sent),
		T(netboot_sends_a_big_file_to_a_slow_reader),
		T(netboot_is_not_held_up_by_signals),
		T(netboot_can_be_ended_from_an_event),
		T(netboot_end_after_the_last_byte_loses_nothing),
		T(netboot_can_be_freed_from_an_event),
		T(netboot_says_which_port_is_in_use),
		T(netboot_publish_fails_on_a_missing_file),
	};
	return cmocka_run_group_tests_name("netboot_boots", tests, NULL, NULL);
}
