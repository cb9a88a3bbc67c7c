/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bodies that libmicrohttpd has handed to the kernel, until the peer has acknowledged them: a whole
 * image fits into a socket's buffer, and a peer that is gone never gets it. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/clock.h"
#include "harness/base/mem.h"
#include "harness/netboot_int.h"
#include "harness/netboot_tcp.h"

enum { SENT_POLL_MS = 5 };

#define SENT_MAX_NS (INT64_C(30) * 1000000000)

struct netboot_sent {
	struct netboot_sent *next;
	struct netboot_boot *boot;
	struct netboot_served *file;
	uint64_t from, len;
	uint64_t target; /* acknowledged bytes of the connection that end the body */
	int64_t until;
	int sock; /* a duplicate: libmicrohttpd closes its own when it likes */
	char peer[INET6_ADDRSTRLEN];
};

static void sent_free(struct netboot_sent *s)
{
	close(s->sock);
	free(s);
}

/* Whether with these bytes the peer has all of the file.  Parts count as long as none is left out;
 * one peer at a time. */
static bool covers(struct netboot_served *file, const struct netboot_sent *s)
{
	if (strcmp(file->peer, s->peer)) {
		memcpy(file->peer, s->peer, sizeof(file->peer));
		file->upto = 0;
	}
	if (s->from <= file->upto && s->from + s->len > file->upto)
		file->upto = s->from + s->len;
	return s->from + s->len == file->size && file->upto == file->size;
}

static void sent_end(struct netboot_sent *s, bool all)
{
	bool done = all && covers(s->file, s);
	uint64_t left = all ? 0 : s->target - netboot_tcp_acked(s->sock);

	netboot_emit(s->boot, done ? NETBOOT_FILE_DONE : NETBOOT_FILE_CUT, s->file->name,
		left < s->len ? s->len - left : 0, done || !all ? "" : "a part of the file",
		s->peer);
}

static void on_timer(uv_timer_t *timer);

static void poll_all(struct netboot *n)
{
	struct netboot_sent **link = &n->sent, *s;
	int64_t now = clock_mono_ns();

	while ((s = *link)) {
		enum netboot_tcp at = netboot_tcp_reached(s->sock, s->target);

		if (at == NET_WAITS && now < s->until) {
			link = &s->next;
			continue;
		}
		*link = s->next;
		sent_end(s, at == NET_REACHED);
		sent_free(s);
		/* The event may have ended any boot. */
		link = &n->sent;
	}
	if (n->sent)
		uv_timer_start(&n->io->sent, on_timer, SENT_POLL_MS, 0);
}

static void on_timer(uv_timer_t *timer)
{
	struct netboot_io *io = timer->data;
	struct netboot *n = io->server;

	if (!n)
		return;
	n->running = true;
	poll_all(n);
	n->running = false;
	if (n->free_later)
		netboot_free(n);
}

void netboot_sent_add(struct netboot_fetch *f)
{
	struct netboot *n = f->server;
	struct netboot_sent *s = mem_alloc(sizeof(*s));

	s->boot = f->boot;
	s->file = f->served;
	s->from = f->from;
	s->len = f->bytes;
	s->until = clock_mono_ns() + SENT_MAX_NS;
	memcpy(s->peer, f->peer, sizeof(s->peer));
	/* An event from here on may end the boot, which must not cut the connection. */
	f->boot = NULL;
	s->sock = netboot_tcp_watch(f->sock, &s->target);
	if (s->sock < 0) {
		/* No descriptor left: nothing will say that it came. */
		sent_end(s, false);
		free(s);
		return;
	}
	s->next = n->sent;
	n->sent = s;
	uv_timer_start(&n->io->sent, on_timer, 0, 0);
}

void netboot_sent_forget(struct netboot_boot *b)
{
	struct netboot_sent **link = &b->server->sent, *s;

	while ((s = *link)) {
		if (s->boot != b) {
			link = &s->next;
			continue;
		}
		*link = s->next;
		sent_free(s);
	}
}
