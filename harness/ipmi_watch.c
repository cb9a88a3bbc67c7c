/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/ipmi_watch.h"

#include <stdlib.h>

#include "harness/base/mem.h"
#include "harness/ipmi_ping.h"
#include "harness/ipmi_session.h"
#include "harness/power_turn.h"

enum { WATCH_MS = 5000, WATCH_ANSWER_MS = 3000, WATCH_FIRST_MS = 9000 };

struct ipmi_watch {
	uv_loop_t *loop;
	const struct ipmi_bmc *bmc;
	struct ipmi_ping *ping;
	struct ipmi_session *session;
	struct turn *turn;
	uv_timer_t timer;
	bool first;	 /* look */
	bool heard;	 /* since the last one */
	bool told_there; /* the BMC knows whether SOL is active */
	struct ipmi_watch_events events;
	void *arg;
};

static void watch_on_timer(uv_timer_t *t);

/* What the first look misses can never be judged. */
static int watch_ms(const struct ipmi_watch *w)
{
	return w->first ? WATCH_FIRST_MS : WATCH_ANSWER_MS;
}

static void watch_later(struct ipmi_watch *w)
{
	int ms = WATCH_MS + 2 * w->bmc->target->bmc.quiet_ms;

	w->heard = false;
	uv_timer_start(&w->timer, watch_on_timer, (uint64_t)ms, 0);
	if (!w->first)
		return;
	w->first = false;
	w->events.seen(w->arg);
}

static void watch_lose(struct ipmi_watch *w, const char *how)
{
	ipmi_watch_stop(w);
	w->events.lost(w->arg, how);
}

static bool watch_ok(const char *text)
{
	return *text != '\0';
}

static void watch_on_active(void *arg, const char *text, const struct err *e)
{
	struct ipmi_watch *w = arg;
	int active = e->cls ? -1 : ipmi_parse_sol_active(text);

	turn_end(w->turn);
	if (!active && w->told_there) {
		watch_lose(w, "the BMC has ended it without a word");
		return;
	}
	w->told_there = w->told_there || active > 0;
	watch_later(w);
}

static void watch_on_turn(void *arg, const struct err *e)
{
	struct ipmi_watch *w = arg;

	if (e->cls) {
		watch_later(w);
		return;
	}
	if (!w->session)
		w->session = ipmi_session_new(w->loop, w->bmc);
	ipmi_session_run(
		w->session, "raw 0x06 0x4a 0x01", watch_ms(w), watch_ok, watch_on_active, w);
}

static void watch_on_ping(void *arg, const uint8_t *data, size_t len, const struct err *e)
{
	struct ipmi_watch *w = arg;

	(void)data;
	(void)len;
	w->ping = NULL;
	if (e->cls)
		watch_lose(w, "the BMC does not answer any more");
	else
		turn_take(w->turn, watch_ms(w), watch_on_turn, w);
}

static void watch_on_timer(uv_timer_t *t)
{
	struct ipmi_watch *w = t->data;

	if (w->heard)
		watch_later(w);
	else
		w->ping = ipmi_ping_start(w->loop, IPMI_ASK_AUTH, w->bmc->host, w->bmc->port,
			WATCH_ANSWER_MS, watch_on_ping, w);
}

struct ipmi_watch *ipmi_watch_new(uv_loop_t *loop, const struct ipmi_bmc *bmc, const char *host,
	int port, const struct ipmi_watch_events *events, void *arg)
{
	struct ipmi_watch *w = mem_alloc(sizeof(*w));

	w->loop = loop;
	w->bmc = bmc;
	w->turn = turn_new(loop, bmc->target, host, port);
	w->events = *events;
	w->arg = arg;
	uv_timer_init(loop, &w->timer);
	w->timer.data = w;
	return w;
}

void ipmi_watch_start(struct ipmi_watch *w)
{
	w->first = true;
	w->heard = false;
	uv_timer_start(&w->timer, watch_on_timer, 0, 0);
}

void ipmi_watch_heard(struct ipmi_watch *w)
{
	w->heard = true;
}

void ipmi_watch_stop(struct ipmi_watch *w)
{
	ipmi_ping_cancel(w->ping);
	w->ping = NULL;
	ipmi_session_free(w->session);
	w->session = NULL;
	turn_end(w->turn);
	uv_timer_stop(&w->timer);
}

static void watch_on_closed(uv_handle_t *h)
{
	free(h->data);
}

void ipmi_watch_free(struct ipmi_watch *w)
{
	if (!w)
		return;
	ipmi_watch_stop(w);
	turn_free(w->turn);
	uv_close((uv_handle_t *)&w->timer, watch_on_closed);
}
