/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/power_turn.h"

#include <assert.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "harness/base/clock.h"
#include "harness/base/mem.h"

enum { TURN_POLL_MS = 20 };

struct turn {
	uv_timer_t timer;
	struct sockaddr_un name;
	socklen_t name_len;
	char where[320];
	int quiet_ms;
	int fd; /* -1: somebody else's turn, or nobody's */
	int64_t quiet_ns;
	bool freed;
	/* Who waits; NULL: nobody. */
	turn_fn *fn;
	void *arg;
	int64_t end_ns;
	int deadline_ms;
};

static bool turn_is_local(const char *host)
{
	return !strncmp(host, "127.", 4) || !strcmp(host, "::1") || !strcmp(host, "localhost");
}

struct turn *turn_new(uv_loop_t *loop, const struct target *t, const char *host, int port)
{
	struct turn *turn = mem_alloc(sizeof(*turn));
	int n;

	port = host ? port : t->bmc.port;
	host = host ? host : t->bmc.host;
	/* One BMC has several ports; on loopback each port is another one. */
	if (!*host)
		snprintf(turn->where, sizeof(turn->where), "of %s", t->name);
	else if (turn_is_local(host))
		snprintf(turn->where, sizeof(turn->where), "%s:%d", host, port);
	else
		snprintf(turn->where, sizeof(turn->where), "%s", host);
	/* A name that is cut only makes more of them wait for each other. */
	turn->name.sun_family = AF_UNIX;
	n = snprintf(turn->name.sun_path + 1, sizeof(turn->name.sun_path) - 1, "harness-bmc-%.90s",
		turn->where);
	turn->name_len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n);
	turn->quiet_ms = t->bmc.quiet_ms;
	turn->fd = -1;
	uv_timer_init(loop, &turn->timer);
	turn->timer.data = turn;
	return turn;
}

static void turn_let_go(struct turn *t)
{
	if (t->fd >= 0)
		close(t->fd);
	t->fd = -1;
}

static void turn_on_closed(uv_handle_t *h)
{
	free(h->data);
}

static void turn_on_timer(uv_timer_t *timer);

static void turn_look_in(struct turn *t, int64_t ms)
{
	uv_timer_start(&t->timer, turn_on_timer, (uint64_t)(ms > 0 ? ms : 0), 0);
}

/* 0, 1 when it is somebody else's, or negative. */
static int turn_bind(struct turn *t, struct err *e)
{
	if (t->fd >= 0)
		return 0;
	t->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (t->fd >= 0 && !bind(t->fd, (const struct sockaddr *)&t->name, t->name_len))
		return 0;
	if (t->fd >= 0 && errno == EADDRINUSE) {
		turn_let_go(t);
		return 1;
	}
	err_set(e, ERR_LAB, "E_BMC", "cannot take turns at BMC %s: %s", t->where, strerror(errno));
	turn_let_go(t);
	return -(int)e->cls;
}

static void turn_tell(struct turn *t, const struct err *e)
{
	turn_fn *fn = t->fn;

	t->fn = NULL;
	fn(t->arg, e);
}

static void turn_try(struct turn *t)
{
	int64_t now = clock_mono_ns();
	struct err e = ERR_INIT;
	char took[16];
	int rc = turn_bind(t, &e);

	if (rc <= 0) {
		turn_tell(t, &e);
		return;
	}
	if (now < t->end_ns) {
		turn_look_in(t, TURN_POLL_MS);
		return;
	}
	clock_human((int64_t)t->deadline_ms * 1000000, took, sizeof(took));
	err_set(&e, ERR_LAB, "E_TIMEOUT",
		"BMC %s was in use by another command on this host for all of %s", t->where, took);
	turn_tell(t, &e);
}

/* The quiet time is over, or another look at the turn is due. */
static void turn_on_timer(uv_timer_t *timer)
{
	struct turn *t = timer->data;

	if (t->fn) {
		turn_try(t);
		return;
	}
	turn_let_go(t);
	if (t->freed)
		uv_close((uv_handle_t *)&t->timer, turn_on_closed);
}

static int64_t turn_quiet_left_ms(const struct turn *t)
{
	return (t->quiet_ns - clock_mono_ns() + 999999) / 1000000;
}

void turn_take(struct turn *t, int deadline_ms, turn_fn *fn, void *arg)
{
	assert(!t->fn && !t->freed);
	t->fn = fn;
	t->arg = arg;
	t->deadline_ms = deadline_ms;
	t->end_ns = clock_mono_ns() + (int64_t)deadline_ms * 1000000;
	turn_look_in(t, t->fd >= 0 ? turn_quiet_left_ms(t) : 0);
}

void turn_end(struct turn *t)
{
	bool waited = t->fn != NULL;

	t->fn = NULL;
	if (t->fd < 0) {
		uv_timer_stop(&t->timer);
		return;
	}
	/* Who only waited through the quiet time does not make it longer. */
	if (!waited)
		t->quiet_ns = clock_mono_ns() + (int64_t)t->quiet_ms * 1000000;
	if (turn_quiet_left_ms(t) > 0)
		turn_look_in(t, turn_quiet_left_ms(t));
	else
		turn_let_go(t);
}

void turn_free(struct turn *t)
{
	if (t->fn || (t->fd >= 0 && !uv_is_active((uv_handle_t *)&t->timer)))
		turn_end(t);
	t->freed = true;
	if (t->fd < 0)
		uv_close((uv_handle_t *)&t->timer, turn_on_closed);
}
