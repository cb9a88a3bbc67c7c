/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/ipmi_ping.h"

#include <netdb.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/clock.h"
#include "harness/base/mem.h"

enum {
	PING_AGAIN_MS = 500,
	PING_GARBAGE_MAX = 3,
	PING_GARBAGE_MS = 20,
	/* RMCP header 4, session header 10 (no authentication), IPMI message. */
	RMCP_LEN = 4,
	SESSION_LEN = 10,
	BMC_ADDR = 0x20,
	OUR_ADDR = 0x81,
	NETFN_APP = 0x06,
	CHANNEL_THIS_V2 = 0x8e, /* this channel, and tell about IPMI 2.0 */
	PRIV_ADMIN = 0x04,
	AUTH_V2_MIN = 4
};

struct ipmi_ping {
	uv_getaddrinfo_t lookup;
	uv_udp_t udp;
	uv_timer_t timer;
	enum ipmi_ask ask;
	char where[320], host[256];
	int64_t end_ns;
	int handles, garbage;
	bool looking, over;
	uint8_t in[2048];
	ipmi_ping_done_fn *done;
	void *arg;
};

static uint8_t ipmi_sum(const uint8_t *p, size_t n)
{
	unsigned sum = 0;

	while (n--)
		sum += *p++;
	return (uint8_t)(0x100 - (sum & 0xff));
}

size_t ipmi_packet_make(enum ipmi_ask ask, uint8_t *out)
{
	static const uint8_t rmcp[RMCP_LEN] = {0x06, 0x00, 0xff, 0x07};
	uint8_t *m = out + RMCP_LEN + SESSION_LEN;
	size_t n = 0;

	memset(out, 0, IPMI_PACKET_MAX);
	memcpy(out, rmcp, sizeof(rmcp));
	m[n++] = BMC_ADDR;
	m[n++] = NETFN_APP << 2;
	m[n] = ipmi_sum(m, n);
	n++;
	m[n++] = OUR_ADDR;
	m[n++] = 0; /* sequence */
	m[n++] = (uint8_t)ask;
	if (ask == IPMI_ASK_AUTH) {
		m[n++] = CHANNEL_THIS_V2;
		m[n++] = PRIV_ADMIN;
	}
	m[n] = ipmi_sum(m + 3, n - 3);
	n++;
	out[RMCP_LEN + SESSION_LEN - 1] = (uint8_t)n;
	return RMCP_LEN + SESSION_LEN + n;
}

const uint8_t *ipmi_packet_answer(enum ipmi_ask ask, const uint8_t *p, size_t n, size_t *len)
{
	const uint8_t *m = p + RMCP_LEN + SESSION_LEN;
	size_t size;

	/* Header, both checksums and a completion code are 8 bytes. */
	if (n < RMCP_LEN + SESSION_LEN + 8 || p[0] != 0x06 || (p[3] & 0x1f) != 0x07 || p[4])
		return NULL;
	size = p[RMCP_LEN + SESSION_LEN - 1];
	if (size < 8 || size > n - RMCP_LEN - SESSION_LEN)
		return NULL;
	if (m[1] >> 2 != NETFN_APP + 1 || m[5] != ask || m[6])
		return NULL;
	if (ipmi_sum(m, 2) != m[2] || ipmi_sum(m + 3, size - 4) != m[size - 1])
		return NULL;
	*len = size - 8;
	return m + 7;
}

static void ping_on_closed(uv_handle_t *h)
{
	struct ipmi_ping *p = h->data;

	if (!--p->handles && !p->looking)
		free(p);
}

static void ping_end(struct ipmi_ping *p)
{
	p->over = true;
	uv_close((uv_handle_t *)&p->udp, ping_on_closed);
	uv_close((uv_handle_t *)&p->timer, ping_on_closed);
	if (p->looking)
		uv_cancel((uv_req_t *)&p->lookup);
}

static void ping_done(struct ipmi_ping *p, const uint8_t *data, size_t len, const struct err *e)
{
	if (p->over)
		return;
	ping_end(p);
	p->done(p->arg, data, len, e);
}

void ipmi_ping_cancel(struct ipmi_ping *p)
{
	if (p && !p->over)
		ping_end(p);
}

static void ping_fail_net(struct ipmi_ping *p, int rc)
{
	struct err e = ERR_INIT;

	if (rc == UV_ECONNREFUSED)
		err_set(&e, ERR_LAB, "E_BMC",
			"nothing listens for IPMI at %s: check host and port in [bmc], and that "
			"IPMI "
			"over LAN is enabled",
			p->where);
	else
		err_set(&e, ERR_LAB, "E_BMC", "cannot reach the BMC at %s: %s", p->where,
			uv_strerror(rc));
	ping_done(p, NULL, 0, &e);
}

static void ping_send(uv_timer_t *t)
{
	struct ipmi_ping *p = t->data;
	uint8_t out[IPMI_PACKET_MAX];
	uv_buf_t b = uv_buf_init((char *)out, (unsigned)ipmi_packet_make(p->ask, out));
	struct err e = ERR_INIT;
	int64_t left = (p->end_ns - clock_mono_ns()) / 1000000;
	int rc;

	if (left <= 0) {
		err_set(&e, ERR_LAB, "E_BMC",
			"BMC %s does not answer: check host and port in [bmc], the network, and "
			"that "
			"IPMI over LAN is enabled",
			p->where);
		ping_done(p, NULL, 0, &e);
		return;
	}
	rc = uv_udp_try_send(&p->udp, &b, 1, NULL);
	if (rc < 0 && rc != UV_EAGAIN) {
		ping_fail_net(p, rc);
		return;
	}
	uv_timer_start(
		&p->timer, ping_send, (uint64_t)(left < PING_AGAIN_MS ? left : PING_AGAIN_MS), 0);
}

static void ping_on_alloc(uv_handle_t *h, size_t suggested, uv_buf_t *b)
{
	struct ipmi_ping *p = h->data;

	(void)suggested;
	*b = uv_buf_init((char *)p->in, sizeof(p->in));
}

static void ping_on_packet(
	uv_udp_t *u, ssize_t n, const uv_buf_t *b, const struct sockaddr *from, unsigned flags)
{
	struct ipmi_ping *p = u->data;
	struct err e = ERR_INIT;
	const uint8_t *data;
	size_t len = 0;

	(void)flags;
	if (n < 0) {
		ping_fail_net(p, (int)n);
		return;
	}
	if (!from)
		return;
	data = ipmi_packet_answer(p->ask, (const uint8_t *)b->base, (size_t)n, &len);
	if (data && p->ask == IPMI_ASK_AUTH && (len < AUTH_V2_MIN || !(data[1] & 0x80))) {
		err_set(&e, ERR_LAB, "E_BMC",
			"BMC %s speaks IPMI 1.5 only; IPMI 2.0 (RMCP+) is needed", p->where);
		data = NULL;
	} else if (!data && ++p->garbage >= PING_GARBAGE_MAX) {
		err_set(&e, ERR_LAB, "E_BMC",
			"what answers at %s is no BMC (the answers are not IPMI): check host and "
			"port in "
			"[bmc]",
			p->where);
	} else if (!data) {
		uv_timer_start(&p->timer, ping_send, PING_GARBAGE_MS, 0);
		return;
	}
	ping_done(p, data, len, &e);
}

static void ping_on_address(uv_getaddrinfo_t *r, int status, struct addrinfo *ai)
{
	struct ipmi_ping *p = r->data;
	struct err e = ERR_INIT;
	int rc = status;

	p->looking = false;
	if (p->over) {
		uv_freeaddrinfo(ai);
		if (!p->handles)
			free(p);
		return;
	}
	if (status) {
		err_set(&e, ERR_LAB, "E_BMC",
			"the BMC's name \"%s\" has no address (%s): check host in [bmc]", p->host,
			uv_strerror(status));
		ping_done(p, NULL, 0, &e);
	} else {
		rc = uv_udp_connect(&p->udp, ai->ai_addr);
		if (!rc)
			rc = uv_udp_recv_start(&p->udp, ping_on_alloc, ping_on_packet);
		if (rc)
			ping_fail_net(p, rc);
		else
			ping_send(&p->timer);
	}
	uv_freeaddrinfo(ai);
}

/* A failure that is found while starting is still told from the loop. */
static void ping_late_lookup(uv_timer_t *t)
{
	struct ipmi_ping *p = t->data;

	ping_fail_net(p, UV_EINVAL);
}

struct ipmi_ping *ipmi_ping_start(uv_loop_t *loop, enum ipmi_ask ask, const char *host, int port,
	int deadline_ms, ipmi_ping_done_fn *done, void *arg)
{
	struct addrinfo hints = {.ai_socktype = SOCK_DGRAM};
	struct ipmi_ping *p = mem_alloc(sizeof(*p));
	char service[8];

	p->ask = ask;
	p->done = done;
	p->arg = arg;
	p->handles = 2;
	p->end_ns = clock_mono_ns() + (int64_t)deadline_ms * 1000000;
	snprintf(p->host, sizeof(p->host), "%s", host);
	snprintf(p->where, sizeof(p->where), "%s:%d", host, port);
	snprintf(service, sizeof(service), "%d", port);
	uv_udp_init(loop, &p->udp);
	uv_timer_init(loop, &p->timer);
	p->udp.data = p->timer.data = p->lookup.data = p;
	p->looking = !uv_getaddrinfo(loop, &p->lookup, ping_on_address, host, service, &hints);
	if (!p->looking)
		uv_timer_start(&p->timer, ping_late_lookup, 0, 0);
	return p;
}
