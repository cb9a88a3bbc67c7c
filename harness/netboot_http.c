/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/clock.h"
#include "harness/base/log.h"
#include "harness/base/mem.h"
#include "harness/netboot_int.h"
#include "harness/netboot_tcp.h"
#include "harness/script.h"

enum { PART_BYTES = 32768 }; /* for each file that is on its way */

void netboot_emit(struct netboot_boot *b, enum netboot_event_type type, const char *file,
	uint64_t bytes, const char *detail, const char *peer)
{
	struct netboot_event ev = {
		.type = type,
		.mono_ns = clock_mono_ns(),
		.file = file,
		.bytes = bytes,
		.detail = detail,
		.peer = peer,
	};

	b->fn(b->arg, &ev);
}

static struct netboot_fetch *fetch_new(struct netboot *n, struct MHD_Connection *c)
{
	struct netboot_fetch *f = mem_alloc(sizeof(*f));
	const struct sockaddr *a =
		MHD_get_connection_info(c, MHD_CONNECTION_INFO_CLIENT_ADDRESS)->client_addr;

	f->server = n;
	f->file = "";
	f->sock = MHD_get_connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
	if (a->sa_family == AF_INET6)
		inet_ntop(AF_INET6, &((const struct sockaddr_in6 *)(const void *)a)->sin6_addr,
			f->peer, sizeof(f->peer));
	else
		inet_ntop(AF_INET, &((const struct sockaddr_in *)(const void *)a)->sin_addr,
			f->peer, sizeof(f->peer));
	f->next = n->fetches;
	if (f->next)
		f->next->prev = f;
	n->fetches = f;
	return f;
}

static void fetch_free(struct netboot_fetch *f)
{
	if (f->prev)
		f->prev->next = f->next;
	else
		f->server->fetches = f->next;
	if (f->next)
		f->next->prev = f->prev;
	free(f);
}

void netboot_http_completed(
	void *cls, struct MHD_Connection *c, void **request, enum MHD_RequestTerminationCode how)
{
	struct netboot_fetch *f = *request;
	bool whole = how == MHD_REQUEST_TERMINATED_COMPLETED_OK;

	(void)cls;
	if (!f)
		return;
	*request = NULL;
	netboot_conn_idle(c);
	if (f->boot && whole && f->served) {
		netboot_sent_add(f);
	} else if (f->boot && (whole || f->served)) {
		struct netboot_boot *b = f->boot;
		uint64_t bytes = whole ? f->bytes : netboot_tcp_acked(f->sock) - f->acked;

		/* Ending the boot from the callback must not cut what the kernel still sends. */
		f->boot = NULL;
		netboot_emit(b, whole ? NETBOOT_SCRIPT : NETBOOT_FILE_CUT, f->file,
			bytes < f->bytes ? bytes : f->bytes, "", f->peer);
	}
	fetch_free(f);
}

static enum MHD_Result send_response(
	struct MHD_Connection *c, unsigned status, struct MHD_Response *r, const char *type)
{
	enum MHD_Result ok;

	if (!r)
		return MHD_NO;
	MHD_add_response_header(r, MHD_HTTP_HEADER_CONTENT_TYPE, type);
	MHD_add_response_header(r, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
	if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
		MHD_add_response_header(r, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
	ok = MHD_queue_response(c, status, r);
	MHD_destroy_response(r);
	return ok;
}

static enum MHD_Result send_text(struct MHD_Connection *c, unsigned status, const char *text)
{
	return send_response(c, status,
		MHD_create_response_from_buffer(
			strlen(text), (void *)(uintptr_t)text, MHD_RESPMEM_MUST_COPY),
		"text/plain");
}

static const char *argument(struct MHD_Connection *c, const char *key)
{
	return MHD_lookup_connection_value(c, MHD_GET_ARGUMENT_KIND, key);
}

static enum MHD_Result send_idle(
	struct netboot *n, struct MHD_Connection *c, const char *mac, const char *peer)
{
	struct err e = ERR_INIT;
	enum MHD_Result ok;
	struct buf b;
	char why[64];

	snprintf(why, sizeof(why), "no boot is waiting for %s", mac);
	log_line(LOG_INFO, "netboot", "%s (asked from %s): on to its next boot device", why, peer);
	if (n->stranger)
		n->stranger(n->stranger_arg, mac, peer);
	buf_init(&b, SCRIPT_TEXT_MAX);
	if (script_idle(&b, why, &e)) {
		log_line(LOG_ERROR, "netboot", "%s", e.msg);
		ok = send_text(c, MHD_HTTP_INTERNAL_SERVER_ERROR, "no script\n");
	} else {
		ok = send_text(c, MHD_HTTP_OK, b.data);
	}
	buf_release(&b);
	return ok;
}

static enum MHD_Result serve_script(struct netboot_fetch *f, struct MHD_Connection *c, bool head)
{
	const char *given = argument(c, "mac");
	struct netboot_boot *b = f->server->boots;
	char mac[18];

	if (!given || netboot_mac(given, mac)) {
		if (f->server->stranger)
			f->server->stranger(f->server->stranger_arg, "", f->peer);
		return send_text(c, MHD_HTTP_BAD_REQUEST, "mac= is missing or no MAC address\n");
	}
	while (b && strcmp(b->mac, mac))
		b = b->next;
	if (!b || !b->script)
		return send_idle(f->server, c, mac, f->peer);
	if (!head)
		f->boot = b;
	f->bytes = strlen(b->script);
	return send_text(c, MHD_HTTP_OK, b->script);
}

static enum MHD_Result serve_failed(
	struct netboot_fetch *f, struct MHD_Connection *c, bool head, struct netboot_boot *b)
{
	const char *given = argument(c, "errno");
	enum MHD_Result ok = send_text(c, MHD_HTTP_OK, "noted\n");
	char text[64], detail[128];
	size_t n = 0;

	for (; given && given[n] && n < sizeof(text) - 1; n++)
		text[n] = given[n] >= ' ' && given[n] <= '~' ? given[n] : '?';
	text[n] = '\0';
	/* iPXE explains each of its numbers on a page. */
	if (n == 10 && !strncmp(text, "0x", 2) && strspn(text + 2, "0123456789abcdef") == 8)
		snprintf(detail, sizeof(detail), "https://ipxe.org/%s", text + 2);
	else
		snprintf(detail, sizeof(detail), "%s", text);
	if (!head)
		netboot_emit(b, NETBOOT_FAILED, "", 0, detail, f->peer);
	return ok;
}

/* What libmicrohttpd reads a file from; the descriptor is its own. */
struct part {
	int fd;
	uint64_t from;
};

static ssize_t part_read(void *cls, uint64_t pos, char *to, size_t max)
{
	const struct part *p = cls;
	ssize_t n;

	do
		n = pread(p->fd, to, max, (off_t)(p->from + pos));
	while (n < 0 && errno == EINTR);
	return n > 0 ? n : MHD_CONTENT_READER_END_WITH_ERROR;
}

static void part_free(void *cls)
{
	struct part *p = cls;

	close(p->fd);
	free(p);
}

/* Not from the descriptor itself: a signal, such as that of a child that ends, cuts sendfile()
 * short, which libmicrohttpd 0.9.75 takes for a full socket, and waits for room that it has. */
static struct MHD_Response *body(const struct netboot_served *s, uint64_t from, uint64_t len)
{
	struct MHD_Response *r;
	struct part *p;
	int fd;

	if (s->fd < 0 || !len)
		return MHD_create_response_from_buffer((size_t)len,
			s->fd < 0 ? s->text + from : (char *)(uintptr_t) "", MHD_RESPMEM_MUST_COPY);
	fd = fcntl(s->fd, F_DUPFD_CLOEXEC, 3);
	if (fd < 0)
		return NULL;
	p = mem_alloc(sizeof(*p));
	*p = (struct part){.fd = fd, .from = from};
	r = MHD_create_response_from_callback(len, PART_BYTES, part_read, p, part_free);
	if (!r)
		part_free(p);
	return r;
}

static enum MHD_Result serve_file(struct netboot_fetch *f, struct MHD_Connection *c, bool head,
	struct netboot_boot *b, struct netboot_served *s)
{
	const char *wanted = MHD_lookup_connection_value(c, MHD_HEADER_KIND, MHD_HTTP_HEADER_RANGE);
	uint64_t from = 0, len = s->size;
	enum netboot_range range = RANGE_ALL;
	struct MHD_Response *r;
	enum MHD_Result ok;
	char text[96];

	/* Nothing here has a validator, so a conditional range can only mean the whole. */
	if (!head && !MHD_lookup_connection_value(c, MHD_HEADER_KIND, MHD_HTTP_HEADER_IF_RANGE))
		range = netboot_range(wanted, s->size, &from, &len);
	r = range == RANGE_BAD ? MHD_create_response_from_buffer(0, NULL, MHD_RESPMEM_PERSISTENT)
			       : body(s, from, len);
	if (!r) {
		log_line(LOG_ERROR, "netboot", "cannot serve %s to %s: no descriptor left", s->name,
			f->peer);
		return send_text(c, MHD_HTTP_SERVICE_UNAVAILABLE, "try again\n");
	}
	MHD_add_response_header(r, MHD_HTTP_HEADER_ACCEPT_RANGES, "bytes");
	if (range == RANGE_PART)
		snprintf(text, sizeof(text), "bytes %llu-%llu/%llu", (unsigned long long)from,
			(unsigned long long)(from + len - 1), (unsigned long long)s->size);
	else
		snprintf(text, sizeof(text), "bytes */%llu", (unsigned long long)s->size);
	if (range != RANGE_ALL)
		MHD_add_response_header(r, MHD_HTTP_HEADER_CONTENT_RANGE, text);
	ok = send_response(c,
		range == RANGE_ALL    ? MHD_HTTP_OK
		: range == RANGE_PART ? MHD_HTTP_PARTIAL_CONTENT
				      : MHD_HTTP_RANGE_NOT_SATISFIABLE,
		r, "application/octet-stream");
	if (ok == MHD_NO || head || range == RANGE_BAD)
		return ok;
	f->boot = b;
	f->file = s->name;
	f->served = s;
	f->from = from;
	f->bytes = len;
	f->acked = netboot_tcp_acked(f->sock);
	netboot_emit(b, NETBOOT_FILE_START, s->name, 0, "", f->peer);
	return ok;
}

static enum MHD_Result serve_path(
	struct netboot_fetch *f, struct MHD_Connection *c, const char *path, bool head)
{
	struct netboot_boot *b = f->server->boots;
	const char *token, *name;

	if (netboot_path(path, &token, &name)) {
		while (b && (!b->script || memcmp(b->token, token, NETBOOT_TOKEN)))
			b = b->next;
		if (b && !strcmp(name, "failed"))
			return serve_failed(f, c, head, b);
		for (size_t i = 0; b && i < b->n_files; i++)
			if (!strcmp(name, b->files[i].name))
				return serve_file(f, c, head, b, &b->files[i]);
	}
	return send_text(c, MHD_HTTP_NOT_FOUND, "not here\n");
}

enum MHD_Result netboot_http_request(void *cls, struct MHD_Connection *c, const char *url,
	const char *method, const char *version, const char *upload, size_t *upload_size,
	void **request)
{
	struct netboot_fetch *f = *request;
	bool head = !strcmp(method, MHD_HTTP_METHOD_HEAD);

	(void)version;
	(void)upload;
	if (!f) {
		*request = fetch_new(cls, c);
		netboot_conn_busy(c);
		if (!head && strcmp(method, MHD_HTTP_METHOD_GET))
			return send_text(c, MHD_HTTP_METHOD_NOT_ALLOWED, "GET and HEAD only\n");
		if (strlen(url) > NETBOOT_PATH_MAX)
			return send_text(c, MHD_HTTP_URI_TOO_LONG, "too long\n");
		return MHD_YES;
	}
	if (*upload_size) {
		*upload_size = 0;
		return MHD_YES;
	}
	if (!strcmp(url, "/ipxe"))
		return serve_script(f, c, head);
	return serve_path(f, c, url, head);
}
