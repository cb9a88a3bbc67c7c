/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Standard output while machines still measure: a reader that takes its time (a pager) must not
 * make them wait, so that it is given what it has room for, and the rest at the end. */
#ifndef HARNESS_CMD_RUN_OUT_H
#define HARNESS_CMD_RUN_OUT_H

#include <uv.h>

#include "harness/base/buf.h"
#include "harness/display.h"

struct cmd_run_out {
	struct buf text; /* what is still to be written, from at */
	size_t at;
	bool any; /* something was */
	struct buf next;
	uv_timer_t timer;
	struct display *display;
};

void cmd_run_out_open(struct cmd_run_out *o, uv_loop_t *loop, struct display *display);

/* An empty text for the next report; good until cmd_run_out_go(), which begins to write it, an
 * empty line before it unless it is the first or empty. */
struct buf *cmd_run_out_next(struct cmd_run_out *o);
void cmd_run_out_go(struct cmd_run_out *o);

/* Write what is left, however long that takes.  The live lines are gone by now; the loop must run
 * on. */
void cmd_run_out_close(struct cmd_run_out *o);

#endif
