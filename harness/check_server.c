/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Row "HTTP server": can we listen, and does the address that the machine is told lead to us?  It
 * is asked for a boot script, with a MAC address that nobody else has. */
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/str.h"
#include "harness/check_int.h"

enum { SERVER_MS = 5000 };

/* One request to ourselves.  It lives in the frame that waits for it to be closed. */
struct server_ask {
	struct visit *v;
	uv_tcp_t tcp;
	uv_connect_t connect;
	uv_write_t write;
	char mac[18], request[512];
	bool heard, closed;
	int failed; /* uv's code; 0: none */
};

static void server_over(struct server_ask *a)
{
	static const struct err none = ERR_INIT;

	visit_over(a->v, &none);
}

/* Host and port of an http URL; the port is 80 when it has none. */
static void server_split(const char *url, char *host, size_t size, char port[8])
{
	const char *p = url + strlen("http://"), *end;

	if (*p == '[') {
		end = p + strcspn(p, "]");
		snprintf(host, size, "%.*s", (int)(end - p - 1), p + 1);
		end += *end == ']';
	} else {
		end = p + strcspn(p, ":/");
		snprintf(host, size, "%.*s", (int)(end - p), p);
	}
	snprintf(port, 8, "%.5s", *end == ':' ? end + 1 : "80");
}

/* An address is of this host if a socket can have it. */
static bool server_is_here(const struct addrinfo *at)
{
	struct sockaddr_storage any = {.ss_family = AF_UNSPEC};
	int fd = socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bool ok;

	memcpy(&any, at->ai_addr, at->ai_addrlen);
	/* Any port. */
	if (any.ss_family == AF_INET6)
		((struct sockaddr_in6 *)(void *)&any)->sin6_port = 0;
	else
		((struct sockaddr_in *)(void *)&any)->sin_port = 0;
	ok = fd >= 0 && !bind(fd, (const struct sockaddr *)&any, at->ai_addrlen);
	if (fd >= 0)
		close(fd);
	return ok;
}

static void server_on_stranger(void *arg, const char *mac, const char *peer)
{
	struct server_ask *a = arg;

	(void)peer;
	if (strcmp(mac, a->mac) != 0)
		return;
	a->heard = true;
	server_over(a);
}

static void server_on_connect(uv_connect_t *r, int status)
{
	struct server_ask *a = r->data;
	uv_buf_t b = uv_buf_init(a->request, (unsigned)strlen(a->request));

	if (status == UV_ECANCELED)
		return;
	if (!status)
		status = uv_write(&a->write, (uv_stream_t *)&a->tcp, &b, 1, NULL);
	a->failed = status;
	if (status)
		server_over(a);
}

static void server_on_closed(uv_handle_t *h)
{
	((struct server_ask *)h->data)->closed = true;
}

/* Ask, wait for the question to arrive here. */
static void server_ask(
	struct server_ask *a, struct netboot *n, const char *host, const struct addrinfo *at)
{
	struct err ended = ERR_INIT;
	char hex[11];

	str_random_hex(5, hex);
	snprintf(a->mac, sizeof(a->mac), "02:%.2s:%.2s:%.2s:%.2s:%.2s", hex, hex + 2, hex + 4,
		hex + 6, hex + 8);
	snprintf(a->request, sizeof(a->request),
		"GET /ipxe?mac=%s HTTP/1.1\r\nHost: %.255s\r\nConnection: close\r\n\r\n", a->mac,
		host);
	netboot_strangers(n, server_on_stranger, a);
	uv_tcp_init(&a->v->loop, &a->tcp);
	a->tcp.data = a->connect.data = a;
	a->failed = uv_tcp_connect(&a->connect, &a->tcp, at->ai_addr, server_on_connect);
	/* What ends the visit is told by whoever goes on with it. */
	if (!a->failed)
		(void)!visit_pause(a->v, SERVER_MS, &ended);
	netboot_strangers(n, NULL, NULL);
	uv_close((uv_handle_t *)&a->tcp, server_on_closed);
	while (!a->closed)
		uv_run(&a->v->loop, UV_RUN_ONCE);
}

static void server_url(struct check *c, struct visit *v, struct netboot *n, const char *url)
{
	const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
	struct server_ask a = {.v = v};
	struct addrinfo *at = NULL;
	char host[256], port[8];
	const char *why;
	int rc;

	server_split(url, host, sizeof(host), port);
	rc = getaddrinfo(host, port, &hints, &at);
	if (rc) {
		check_add(c, "HTTP server", CHECK_FAIL, "check [netboot] url",
			"%s: \"%s\" has no address: %s", url, host, gai_strerror(rc));
		return;
	}
	server_ask(&a, n, host, at);
	why = a.failed ? uv_strerror(a.failed) : "no answer of ours";
	if (a.heard)
		check_add(c, "HTTP server", CHECK_OK, NULL, "%s leads to us", url);
	else if (server_is_here(at))
		check_add(c, "HTTP server", CHECK_FAIL, "make [netboot] listen and url agree",
			"the machine is told %s, which does not lead to us (%s): we listen on %s",
			url, why, c->target->netboot.listen);
	else
		check_add(c, "HTTP server", CHECK_WARN,
			"right only if the machine reaches us that way; else set [netboot] url",
			"%s is no address of this host, and does not lead to us from here (%s)",
			url, why);
	freeaddrinfo(at);
}

void check_server(struct check *c, struct visit *v, struct netboot **out, char url[NETBOOT_URL_MAX])
{
	const struct target *t = c->target;
	struct err bad = ERR_INIT;

	*out = netboot_new(&v->loop, t->netboot.listen, &bad);
	if (!*out)
		check_add(c, "HTTP server", CHECK_FAIL, NULL, "%s", bad.msg);
	else if (netboot_url(t, netboot_port(*out), url, &bad))
		check_add(c, "HTTP server", CHECK_FAIL, "set [netboot] url", "%s", bad.msg);
	else if (t->lab.present)
		/* Its network has an address of its own for this host. */
		check_add(c, "HTTP server", CHECK_OK, NULL, "%s, as the virtual machine sees us",
			url);
	else
		server_url(c, v, *out, url);
}
