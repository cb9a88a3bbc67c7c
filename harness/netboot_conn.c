/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Keeps room for machines: connections that ask for nothing are cut, the oldest first, when there
 * are many of them, and after a short time in any case. */
#include <stdlib.h>
#include <sys/socket.h>

#include "harness/base/mem.h"
#include "harness/netboot_int.h"

enum { IDLE_SPARE = 64, BUSY_SECONDS = 30 };

static void unlink_idle(struct netboot_conn *k)
{
	struct netboot *n = k->server;

	if (!k->idle)
		return;
	k->idle = false;
	n->n_idle--;
	*(k->prev ? &k->prev->next : &n->idle) = k->next;
	*(k->next ? &k->next->prev : &n->idle_last) = k->prev;
}

/* A machine keeps its connection from one file to the next, and all may connect at once. */
static int idle_max(const struct netboot *n)
{
	int max = n->n_boots + IDLE_SPARE;

	return max < NETBOOT_CONNECTIONS - IDLE_SPARE ? max : NETBOOT_CONNECTIONS - IDLE_SPARE;
}

static void link_idle(struct netboot_conn *k)
{
	struct netboot *n = k->server;

	if (n->n_idle >= idle_max(n)) {
		/* libmicrohttpd sees the end of the stream, and closes it. */
		shutdown(n->idle->sock, SHUT_RDWR);
		unlink_idle(n->idle);
	}
	k->idle = true;
	n->n_idle++;
	k->next = NULL;
	k->prev = n->idle_last;
	*(k->prev ? &k->prev->next : &n->idle) = k;
	n->idle_last = k;
}

static struct netboot_conn *conn_of(struct MHD_Connection *c)
{
	return MHD_get_connection_info(c, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;
}

void netboot_conn_busy(struct MHD_Connection *c)
{
	unlink_idle(conn_of(c));
	MHD_set_connection_option(c, MHD_CONNECTION_OPTION_TIMEOUT, (unsigned)BUSY_SECONDS);
}

void netboot_conn_idle(struct MHD_Connection *c)
{
	link_idle(conn_of(c));
}

void netboot_http_connection(void *cls, struct MHD_Connection *c, void **context,
	enum MHD_ConnectionNotificationCode code)
{
	struct netboot_conn *k = *context;

	if (code == MHD_CONNECTION_NOTIFY_STARTED) {
		*context = k = mem_alloc(sizeof(*k));
		k->server = cls;
		k->sock = MHD_get_connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
		link_idle(k);
	} else if (k) {
		*context = NULL;
		unlink_idle(k);
		free(k);
	}
}
