/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What netboot.c (server and boots), netboot_http.c (requests), netboot_sent.c (what is on its way)
 * and netboot_conn.c (connections) share.  Not for anybody else. */
#ifndef HARNESS_NETBOOT_INT_H
#define HARNESS_NETBOOT_INT_H

#include <microhttpd.h>
#include <netinet/in.h>

#include "harness/netboot.h"
#include "harness/netboot_parse.h"

enum { NETBOOT_CONNECTIONS = 512 };

struct netboot_served {
	char *name;
	int fd;	    /* or -1: text */
	char *text; /* or NULL */
	uint64_t size;
	char peer[INET6_ADDRSTRLEN]; /* who last had bytes of it, and … */
	uint64_t upto;		     /* … the length of its gapless beginning that it has */
};

/* A connection.  Idle: between requests, or before its first. */
struct netboot_conn {
	struct netboot *server;
	struct netboot_conn *next, *prev; /* among the idle */
	bool idle;
	int sock;
};

struct netboot_boot {
	struct netboot *server;
	struct netboot_boot *next;
	char mac[18];
	char token[NETBOOT_TOKEN + 1];
	netboot_event_fn *fn;
	void *arg;
	char *base;
	char *script; /* NULL before netboot_publish() */
	struct netboot_served *files;
	size_t n_files;
};

/* One request, from its head to its end. */
struct netboot_fetch {
	struct netboot *server;
	struct netboot_fetch *next, *prev;
	struct netboot_boot *boot;     /* NULL: reports to nobody, or the boot has ended */
	const char *file;	       /* of the boot; "" for the script */
	struct netboot_served *served; /* the same, or NULL */
	uint64_t from, bytes;	       /* the body: where in the file, and its length */
	uint64_t acked;		       /* bytes that the peer had acknowledged when it began */
	int sock;
	char peer[INET6_ADDRSTRLEN];
};

/* The handles close on their own time, after the server is gone. */
struct netboot_io {
	uv_poll_t poll;
	uv_timer_t timer, sent;
	int open;
	struct netboot *server; /* NULL once it is gone */
};

struct netboot {
	struct MHD_Daemon *daemon;
	struct netboot_io *io;
	struct netboot_boot *boots;
	int n_boots;
	struct netboot_fetch *fetches;
	struct netboot_sent *sent;
	struct netboot_conn *idle, *idle_last; /* oldest first */
	int n_idle;
	netboot_stranger_fn *stranger; /* NULL: nobody */
	void *stranger_arg;
	int port;
	bool running;	 /* inside MHD_run() or a timer: a callback may be on the stack */
	bool free_later; /* netboot_free() came from such a callback */
};

/* libmicrohttpd's callbacks; cls is the server. */
enum MHD_Result netboot_http_request(void *cls, struct MHD_Connection *c, const char *url,
	const char *method, const char *version, const char *upload, size_t *upload_size,
	void **request);
void netboot_http_completed(
	void *cls, struct MHD_Connection *c, void **request, enum MHD_RequestTerminationCode how);

void netboot_http_connection(void *cls, struct MHD_Connection *c, void **context,
	enum MHD_ConnectionNotificationCode code);

/* The connection of this request is busy now, or idle again. */
void netboot_conn_busy(struct MHD_Connection *c);
void netboot_conn_idle(struct MHD_Connection *c);

void netboot_emit(struct netboot_boot *b, enum netboot_event_type type, const char *file,
	uint64_t bytes, const char *detail, const char *peer);

/* The body of this fetch was handed to the kernel: say so to its boot once it has arrived. */
void netboot_sent_add(struct netboot_fetch *f);
/* Say nothing more to this boot. */
void netboot_sent_forget(struct netboot_boot *b);

#endif
