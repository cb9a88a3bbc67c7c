/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A server with one boot, for tests with real requests over loopback.  Includes after cmocka.h. */
#ifndef TESTS_UNIT_NETBOOT_FIXTURE_H
#define TESTS_UNIT_NETBOOT_FIXTURE_H

#include <errno.h>

#include "harness/netboot.h"
#include "tests/unit/talk.h"

#define MAC	  "52:54:00:00:00:01"
#define SCRIPT	  "#!ipxe\necho one\n"
#define GET(path) "GET " path " HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"

enum { BIG = 24 << 20, SMALL = 1000, EVENTS = 16 };

struct fixture {
	uv_loop_t loop;
	struct netboot *n;
	struct netboot_boot *b;
	char dir[32], small[64], big[64];
	char base[128]; /* "/b/<token>" of b */
	struct {
		enum netboot_event_type type;
		uint64_t bytes;
		char file[16], detail[64], peer[64];
	} events[EVENTS];
	int n_events;
	bool end_in_event, free_in_event;
};

static inline void on_event(void *arg, const struct netboot_event *ev)
{
	struct fixture *f = arg;
	int i = f->n_events++;

	assert_true(i < EVENTS);
	assert_true(ev->mono_ns > 0);
	f->events[i].type = ev->type;
	f->events[i].bytes = ev->bytes;
	snprintf(f->events[i].file, sizeof(f->events[i].file), "%s", ev->file);
	snprintf(f->events[i].detail, sizeof(f->events[i].detail), "%s", ev->detail);
	snprintf(f->events[i].peer, sizeof(f->events[i].peer), "%s", ev->peer);
	uv_stop(&f->loop); /* or UV_RUN_ONCE waits for I/O after a timer's event */
	if (f->end_in_event) {
		netboot_end(f->b);
		f->b = NULL;
	}
	if (f->free_in_event) {
		netboot_free(f->n);
		f->n = NULL;
		f->b = NULL;
	}
}

static inline void write_file(const char *path, size_t n)
{
	FILE *out = fopen(path, "w");

	assert_non_null(out);
	for (size_t i = 0; i < n; i += 10)
		fprintf(out, "%09zu\n", i);
	assert_int_equal(fclose(out), 0);
}

static inline struct netboot_boot *publish(
	struct fixture *f, const char *mac, const char *script, const char *file)
{
	const struct netboot_file files[] = {{"xen", file, NULL}, {"dummy", NULL, "dummy\n"}};
	struct err e = ERR_INIT;
	struct netboot_boot *b = netboot_prepare(f->n, mac, on_event, f, &e);

	assert_non_null(b);
	assert_int_equal(netboot_publish(b, script, files, 2, &e), 0);
	return b;
}

static inline int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct err e = ERR_INIT;

	snprintf(f->dir, sizeof(f->dir), "/tmp/netboot-XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	snprintf(f->small, sizeof(f->small), "%s/small", f->dir);
	snprintf(f->big, sizeof(f->big), "%s/big", f->dir);
	write_file(f->small, SMALL);
	uv_loop_init(&f->loop);
	f->n = netboot_new(&f->loop, "127.0.0.1:0", &e);
	assert_non_null(f->n);
	f->b = publish(f, "52-54-00-00-00-01", SCRIPT, f->small);
	snprintf(f->base, sizeof(f->base), "%s", netboot_base(f->b, "/"));
	*state = f;
	return 0;
}

static inline int tear_down(void **state)
{
	struct fixture *f = *state;

	netboot_free(f->n);
	uv_run(&f->loop, UV_RUN_DEFAULT);
	assert_int_equal(uv_loop_close(&f->loop), 0);
	unlink(f->small);
	unlink(f->big);
	rmdir(f->dir);
	free(f);
	return 0;
}

/* One request; the reply stays valid until the next. */
static const char *ask(struct fixture *f, const char *request, size_t n)
{
	static struct talk t;

	buf_release(&t.reply);
	t = (struct talk){.port = netboot_port(f->n), .request = request, .n = n};
	talk_run(&t, &f->loop);
	assert_false(t.failed);
	return t.reply.data;
}

/* A request for a file of the boot, with one more header line ("" or "X: y\r\n"). */
static const char *fetch(struct fixture *f, const char *method, const char *base, const char *file,
	const char *header)
{
	char request[512];

	snprintf(request, sizeof(request),
		"%s %s/%s HTTP/1.1\r\nHost: h\r\n%sConnection: close\r\n\r\n", method, base, file,
		header);
	return ask(f, request, 0);
}

static inline int status_of(const char *reply)
{
	int status = 0;

	sscanf(reply, "HTTP/1.1 %d ", &status);
	return status;
}

static const char *body_of(const char *reply)
{
	const char *p = strstr(reply, "\r\n\r\n");

	assert_non_null(p);
	return p + 4;
}

static inline void check_event(
	struct fixture *f, int i, enum netboot_event_type type, const char *file, uint64_t bytes)
{
	/* The last acknowledgement may come after the last byte. */
	while (f->n_events <= i)
		uv_run(&f->loop, UV_RUN_ONCE);
	assert_int_equal(f->events[i].type, type);
	assert_string_equal(f->events[i].file, file);
	assert_int_equal(f->events[i].bytes, bytes);
	assert_string_equal(f->events[i].peer, "127.0.0.1");
}

#endif
