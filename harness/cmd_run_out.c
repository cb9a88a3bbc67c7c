/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/cmd_run_out.h"

#include <poll.h>
#include <stdio.h>
#include <unistd.h>

enum { AGAIN_MS = 100, CHUNK = 4096 /* PIPE_BUF: there is room for all of it, or for none */ };
#define TEXT_MAX ((size_t)1 << 30)

void cmd_run_out_open(struct cmd_run_out *o, uv_loop_t *loop, struct display *display)
{
	buf_init(&o->text, TEXT_MAX);
	buf_init(&o->next, TEXT_MAX);
	o->display = display;
	uv_timer_init(loop, &o->timer);
	o->timer.data = o;
}

struct buf *cmd_run_out_next(struct cmd_run_out *o)
{
	buf_clear(&o->next);
	return &o->next;
}

static bool out_has_room(void)
{
	struct pollfd p = {.fd = STDOUT_FILENO, .events = POLLOUT};

	return poll(&p, 1, 0) > 0;
}

static void out_write(struct cmd_run_out *o, size_t n)
{
	size_t left = o->text.len - o->at;

	n = n < left ? n : left;
	fwrite(o->text.data + o->at, 1, n, stdout);
	fflush(stdout);
	o->at += n;
}

static void out_on_timer(uv_timer_t *t)
{
	struct cmd_run_out *o = t->data;

	display_hide(o->display);
	while (o->at < o->text.len && out_has_room())
		out_write(o, CHUNK);
	if (o->at < o->text.len) {
		uv_timer_start(&o->timer, out_on_timer, AGAIN_MS, 0);
		return;
	}
	buf_clear(&o->text);
	o->at = 0;
}

void cmd_run_out_go(struct cmd_run_out *o)
{
	if (!o->next.len)
		return;
	if (o->any)
		buf_addc(&o->text, '\n');
	o->any = true;
	buf_add(&o->text, o->next.data, o->next.len);
	out_on_timer(&o->timer);
}

void cmd_run_out_close(struct cmd_run_out *o)
{
	out_write(o, o->text.len);
	buf_release(&o->text);
	buf_release(&o->next);
	uv_close((uv_handle_t *)&o->timer, NULL);
}
