/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The machines' boot loaders: each asks the controller for its script and loads what that names, on
 * one connection that is kept, as iPXE does. */
#ifndef TESTS_TOOLS_SIM_IPXE_H
#define TESTS_TOOLS_SIM_IPXE_H

#include "tests/tools/sim_lab.h"

enum { IPXE_FILES = 2, IPXE_HEAD = 4096, IPXE_SCRIPT = 65536 };

struct sim_fetch {
	struct sim_machine *m; /* NULL: it lost interest */
	uv_tcp_t tcp;
	uv_connect_t connect;
	bool open, answered; /* of the request: any byte has come */
	int requests;	     /* on this connection */
	char path[256];	     /* of the request that runs */
	char file[IPXE_FILES][256];
	int next; /* file to be fetched; -1: the script */
	struct buf head, script;
	bool in_body;
	uint64_t left;
	unsigned char seen[36]; /* the body's last bytes, for a note that is cut in two */
	size_t n_seen;
};

static void ipxe_connect(struct sim_fetch *f);

static void ipxe_on_closed(uv_handle_t *h)
{
	struct sim_fetch *f = h->data;

	f->open = false;
	if (f->m) {
		ipxe_connect(f);
		return;
	}
	buf_release(&f->head);
	buf_release(&f->script);
	free(f);
}

static void ipxe_stop(struct sim_machine *m)
{
	struct sim_fetch *f = m->fetch;

	if (!f)
		return;
	m->fetch = NULL;
	f->m = NULL;
	if (!uv_is_closing((uv_handle_t *)&f->tcp))
		uv_close((uv_handle_t *)&f->tcp, ipxe_on_closed);
}

static void ipxe_fail(struct sim_fetch *f, const char *why)
{
	struct sim_machine *m = f->m;

	ipxe_stop(m);
	sim_loaded(m, why);
}

static void ipxe_ask(struct sim_fetch *f)
{
	char text[512];
	uv_buf_t b = uv_buf_init(text, 0);

	b.len = (size_t)snprintf(text, sizeof(text),
		"GET %s HTTP/1.1\r\nConnection: keep-alive\r\nUser-Agent: iPXE/sim\r\nHost: "
		"%s\r\n\r\n",
		f->path, f->m->lab->host);
	buf_clear(&f->head);
	f->in_body = f->answered = false;
	f->n_seen = 0;
	f->requests++;
	if (uv_try_write((uv_stream_t *)&f->tcp, &b, 1) != (int)b.len)
		ipxe_fail(f, "a request could not be sent");
}

/* The words of the script that matter: what to load, and with which arguments. */
static bool ipxe_read_script(struct sim_fetch *f)
{
	struct sim_machine *m = f->m;
	int n = 0;

	for (char *line = f->script.data, *end; *line; line = end + !!*end) {
		char *url, *stop;

		end = line + strcspn(line, "\n");
		if (strncmp(line, "kernel ", 7) && strncmp(line, "module ", 7))
			continue;
		url = strstr(line, "http://");
		stop = strstr(line, " || ");
		if (n == IPXE_FILES || !url || !stop || url > end || stop > end ||
			strncmp(url + 7, m->lab->host, strlen(m->lab->host)))
			return false;
		url += 7 + strlen(m->lab->host);
		snprintf(f->file[n++], sizeof(f->file[0]), "%.*s", (int)strcspn(url, " "), url);
		url += strcspn(url, " ");
		if (*line == 'k' && url < stop)
			snprintf(m->args, sizeof(m->args), "%.*s", (int)(stop - url - 1), url + 1);
	}
	return n == IPXE_FILES;
}

static void ipxe_on_file(struct sim_fetch *f)
{
	struct sim_machine *m = f->m;

	if (f->next < 0 && !ipxe_read_script(f)) {
		ipxe_fail(f, "the script loads nothing");
		return;
	}
	if (++f->next < IPXE_FILES) {
		snprintf(f->path, sizeof(f->path), "%s", f->file[f->next]);
		ipxe_ask(f);
		return;
	}
	ipxe_stop(m);
	sim_loaded(m, m->has_build_id || sim_scripted(m) ? NULL : "the image has no build-id");
}

/* The image's first line, as far as it is kept. */
static void ipxe_begin(struct sim_machine *m, const char *p, size_t n)
{
	size_t room = sizeof(m->script) - 1 - m->script_len;

	n = n < room ? n : room;
	memcpy(m->script + m->script_len, p, n);
	m->script_len += n;
}

/* The image's GNU build-id note: what the hypervisor would say of itself. */
static void ipxe_look(struct sim_fetch *f, const char *p, size_t n)
{
	static const unsigned char note[16] = {
		4, 0, 0, 0, SIM_BUILD_ID, 0, 0, 0, 3, 0, 0, 0, 'G', 'N', 'U', 0};
	unsigned char both[2 * sizeof(f->seen)];
	size_t some = n < sizeof(f->seen) ? n : sizeof(f->seen), len = f->n_seen + some;
	const unsigned char *at;

	if (f->next || f->m->has_build_id)
		return;
	memcpy(both, f->seen, f->n_seen);
	memcpy(both + f->n_seen, p, some);
	at = memmem(both, len, note, sizeof(note));
	if (!at || (size_t)(both + len - at) < sizeof(note) + SIM_BUILD_ID) {
		at = memmem(p, n, note, sizeof(note));
		len = at ? (size_t)((const unsigned char *)p + n - at) : 0;
	} else {
		len = (size_t)(both + len - at);
	}
	if (len >= sizeof(note) + SIM_BUILD_ID) {
		memcpy(f->m->build_id, at + sizeof(note), SIM_BUILD_ID);
		f->m->has_build_id = true;
		return;
	}
	if (n >= sizeof(f->seen)) {
		memcpy(f->seen, p + n - sizeof(f->seen), sizeof(f->seen));
		f->n_seen = sizeof(f->seen);
	} else {
		size_t drop = f->n_seen + n > sizeof(f->seen) ? f->n_seen + n - sizeof(f->seen) : 0;

		memmove(f->seen, f->seen + drop, f->n_seen - drop);
		memcpy(f->seen + f->n_seen - drop, p, n);
		f->n_seen += n - drop;
	}
}

/* Returns the bytes of p that belong to the head, or -1. */
static ssize_t ipxe_head(struct sim_fetch *f, const char *p, size_t n)
{
	size_t before = f->head.len;
	const char *end, *length;
	char digits[24];
	int64_t left;

	if (buf_add(&f->head, p, n < IPXE_HEAD - before ? n : IPXE_HEAD - before))
		return -1;
	end = strstr(f->head.data, "\r\n\r\n");
	if (!end)
		return f->head.len < IPXE_HEAD ? (ssize_t)n : -1;
	length = strcasestr(f->head.data, "\r\nContent-Length: ");
	if (strncmp(f->head.data, "HTTP/1.1 200", 12) || !length || length > end)
		return -1;
	length += 18;
	snprintf(digits, sizeof(digits), "%.*s", (int)strcspn(length, "\r"), length);
	if (str_int(digits, 1, INT64_C(1) << 40, &left))
		return -1;
	f->left = (uint64_t)left;
	f->in_body = true;
	return (ssize_t)(end + 4 - f->head.data - (ssize_t)before);
}

static void ipxe_data(struct sim_fetch *f, const char *p, size_t n)
{
	f->answered = true;
	if (!f->in_body) {
		ssize_t used = ipxe_head(f, p, n);

		if (used < 0) {
			ipxe_fail(f, "an answer is not what iPXE takes");
			return;
		}
		p += used;
		n -= (size_t)used;
	}
	if (!n || !f->in_body)
		return;
	if (n > f->left) {
		ipxe_fail(f, "an answer is longer than it said");
		return;
	}
	f->left -= n;
	if (f->next < 0)
		buf_add(&f->script, p, n);
	else
		ipxe_look(f, p, n);
	if (!f->next)
		ipxe_begin(f->m, p, n);
	if (!f->left)
		ipxe_on_file(f);
}

static void ipxe_alloc(uv_handle_t *h, size_t suggested, uv_buf_t *b)
{
	static char space[1 << 18];

	(void)h;
	(void)suggested;
	*b = uv_buf_init(space, sizeof(space));
}

static void ipxe_on_read(uv_stream_t *s, ssize_t n, const uv_buf_t *b)
{
	struct sim_fetch *f = s->data;

	if (!f->m || !n)
		return;
	if (n > 0) {
		ipxe_data(f, b->base, (size_t)n);
	} else if (!f->answered && f->requests > 1) {
		/* A kept connection may end at any time between two requests. */
		f->m->lab->reopened++;
		uv_close((uv_handle_t *)s, ipxe_on_closed);
	} else {
		ipxe_fail(f, uv_strerror((int)n));
	}
}

static void ipxe_on_connect(uv_connect_t *c, int status)
{
	struct sim_fetch *f = c->data;

	if (!f->m)
		return;
	if (!status)
		status = uv_read_start((uv_stream_t *)&f->tcp, ipxe_alloc, ipxe_on_read);
	if (status)
		ipxe_fail(f, uv_strerror(status));
	else
		ipxe_ask(f);
}

static void ipxe_connect(struct sim_fetch *f)
{
	uv_tcp_init(f->m->lab->loop, &f->tcp);
	f->tcp.data = f->connect.data = f;
	f->open = true;
	f->requests = 0;
	if (uv_tcp_connect(&f->connect, &f->tcp, (const struct sockaddr *)&f->m->lab->controller,
		    ipxe_on_connect))
		ipxe_fail(f, "no connection");
}

static void ipxe_start(struct sim_machine *m)
{
	struct sim_fetch *f = mem_alloc(sizeof(*f));

	ipxe_stop(m);
	m->fetch = f;
	m->has_build_id = false;
	memset(m->script, 0, sizeof(m->script));
	m->script_len = 0;
	f->m = m;
	f->next = -1;
	buf_init(&f->head, IPXE_HEAD);
	buf_init(&f->script, IPXE_SCRIPT);
	snprintf(f->path, sizeof(f->path), "/ipxe?mac=%s", m->mac);
	ipxe_connect(f);
}

#endif
