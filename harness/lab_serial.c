/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/mem.h"
#include "harness/lab_priv.h"
#include "harness/lab_wire.h"

enum { QUEUE_HIGH = 256 << 10 };

struct lab_write {
	uv_write_t req;
	struct lab_serial *serial;
	char bytes[];
};

static void lab_serial_alloc(uv_handle_t *h, size_t suggested, uv_buf_t *b)
{
	(void)h;
	b->base = mem_alloc(suggested);
	b->len = suggested;
}

static void lab_serial_free(uv_handle_t *h)
{
	free(h);
}

static void lab_serial_drop(struct lab_serial *s, uv_stream_t **which)
{
	uv_stream_t *x = *which;

	if (!x)
		return;
	*which = NULL;
	if (which == &s->qemu)
		s->paused = false;
	uv_close((uv_handle_t *)x, lab_serial_free);
}

static void lab_serial_read(uv_stream_t *from, ssize_t n, const uv_buf_t *b);

/* QEMU is read on once nobody is behind. */
static void lab_serial_resume(struct lab_serial *s)
{
	if (!s->paused || !s->qemu || (s->bmc && uv_stream_get_write_queue_size(s->bmc)) ||
		(s->raw && uv_stream_get_write_queue_size(s->raw)))
		return;
	s->paused = false;
	uv_read_start(s->qemu, lab_serial_alloc, lab_serial_read);
}

static void lab_serial_written(uv_write_t *w, int status)
{
	struct lab_write *lw = (struct lab_write *)w;
	struct lab_serial *s = lw->serial;

	(void)status;
	lab_serial_resume(s);
	free(lw);
}

static void lab_serial_pass(struct lab_serial *s, uv_stream_t *to, const char *p, size_t n)
{
	struct lab_write *w = mem_alloc(sizeof(*w) + n);
	uv_buf_t b = uv_buf_init(w->bytes, (unsigned)n);

	memcpy(w->bytes, p, n);
	w->serial = s;
	if (uv_write(&w->req, to, &b, 1, lab_serial_written)) {
		free(w);
		return;
	}
	if (to != s->qemu && s->qemu && uv_stream_get_write_queue_size(to) > QUEUE_HIGH) {
		s->paused = true;
		uv_read_stop(s->qemu);
	}
}

static void lab_serial_read(uv_stream_t *from, ssize_t n, const uv_buf_t *b)
{
	struct lab_serial *s = from->data;
	bool down = from == s->qemu;

	if (n > 0 && down && s->bmc)
		lab_serial_pass(s, s->bmc, b->base, (size_t)n);
	if (n > 0 && down && s->raw)
		lab_serial_pass(s, s->raw, b->base, (size_t)n);
	if (n > 0 && !down && s->qemu)
		lab_serial_pass(s, s->qemu, b->base, (size_t)n);
	if (n < 0) {
		lab_serial_drop(s, down ? &s->qemu : from == s->bmc ? &s->bmc : &s->raw);
		lab_serial_resume(s);
	}
	free(b->base);
}

static void lab_serial_accept(uv_stream_t *server, int status)
{
	struct lab_serial *s = server->data;
	bool tcp = server != (uv_stream_t *)&s->listen_qemu;
	uv_stream_t **slot = !tcp				       ? &s->qemu
			     : server == (uv_stream_t *)&s->listen_raw ? &s->raw
								       : &s->bmc;
	uv_stream_t *x;

	if (status || s->closing)
		return;
	if (tcp) {
		x = mem_alloc(sizeof(uv_tcp_t));
		uv_tcp_init(s->loop, (uv_tcp_t *)x);
	} else {
		x = mem_alloc(sizeof(uv_pipe_t));
		uv_pipe_init(s->loop, (uv_pipe_t *)x, 0);
	}
	x->data = s;
	/* A second one is turned away while the first is there. */
	if (uv_accept(server, x) || *slot) {
		uv_close((uv_handle_t *)x, lab_serial_free);
		return;
	}
	if (tcp)
		uv_tcp_nodelay((uv_tcp_t *)x, 1);
	*slot = x;
	uv_read_start(x, lab_serial_alloc, lab_serial_read);
}

/* A port of the kernel's choice on loopback. */
static int lab_serial_listen(uv_tcp_t *t, int *port)
{
	struct sockaddr_in a;
	struct sockaddr_storage got;
	int len = sizeof(got), rc;

	uv_ip4_addr("127.0.0.1", 0, &a);
	rc = uv_tcp_bind(t, (const struct sockaddr *)&a, 0);
	if (!rc)
		rc = uv_listen((uv_stream_t *)t, 4, lab_serial_accept);
	if (!rc)
		rc = uv_tcp_getsockname(t, (struct sockaddr *)&got, &len);
	if (!rc)
		*port = ntohs(((const struct sockaddr_in *)&got)->sin_port);
	return rc;
}

int lab_serial_init(struct lab_serial *s, uv_loop_t *loop, struct err *e)
{
	int rc;

	s->loop = loop;
	uv_tcp_init(loop, &s->listen_bmc);
	uv_tcp_init(loop, &s->listen_raw);
	uv_pipe_init(loop, &s->listen_qemu, 0);
	s->listen_bmc.data = s->listen_raw.data = s->listen_qemu.data = s;
	unlink(LAB_SERIAL_SOCKET);
	rc = lab_serial_listen(&s->listen_bmc, &s->port);
	if (!rc)
		rc = lab_serial_listen(&s->listen_raw, &s->raw_port);
	if (!rc)
		rc = uv_pipe_bind(&s->listen_qemu, LAB_SERIAL_SOCKET);
	if (!rc)
		rc = uv_listen((uv_stream_t *)&s->listen_qemu, 4, lab_serial_accept);
	if (rc)
		return err_set(e, ERR_LAB, "E_LAB", "cannot listen for the serial line: %s",
			uv_strerror(rc));
	return 0;
}

void lab_serial_close(struct lab_serial *s)
{
	if (s->closing || !s->loop)
		return;
	s->closing = true;
	lab_serial_drop(s, &s->bmc);
	lab_serial_drop(s, &s->raw);
	lab_serial_drop(s, &s->qemu);
	uv_close((uv_handle_t *)&s->listen_bmc, NULL);
	uv_close((uv_handle_t *)&s->listen_raw, NULL);
	uv_close((uv_handle_t *)&s->listen_qemu, NULL);
}
