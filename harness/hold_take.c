/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A machine taken and given back by whoever has no other one to look after meanwhile. */
#include "harness/hold.h"

struct take {
	uv_loop_t *loop;
	struct hold *hold;
	bool over;
	struct err err;
};

static void take_over(struct take *t)
{
	t->over = true;
	/* Or the loop would go on to wait for something else, and there may be nothing. */
	uv_stop(t->loop);
}

static void take_on_done(void *arg, const struct err *e)
{
	struct take *t = arg;

	t->err = *e;
	take_over(t);
}

static void take_on_signal(void *arg, const char *why)
{
	struct take *t = arg;

	hold_stop(t->hold, why);
}

static void take_on_given(void *arg)
{
	take_over(arg);
}

int hold_take(struct hold **out, uv_loop_t *loop, struct signals *signals,
	const struct hold_opts *opts, struct err *e)
{
	struct take t = {.loop = loop, .err = ERR_INIT};
	struct hold_opts mine = *opts;

	mine.signals = signals;
	t.hold = hold_start(loop, &mine, take_on_done, &t);
	signals_tell(signals, take_on_signal, &t);
	while (!t.over)
		uv_run(loop, UV_RUN_DEFAULT);
	signals_tell(signals, NULL, NULL);
	if (t.err.cls) {
		*e = t.err;
		return -(int)e->cls;
	}
	*out = t.hold;
	return 0;
}

void hold_give(struct hold *h, uv_loop_t *loop)
{
	struct take t = {.loop = loop};

	if (!h)
		return;
	hold_end(h, take_on_given, &t);
	while (!t.over)
		uv_run(loop, UV_RUN_DEFAULT);
}
