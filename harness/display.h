/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs as they are watched: a sink for each, which write to standard error.
 *
 * On a terminal, one live line a machine (stage, boot i of n, time left), as many as there is room
 * for, the finished boots scrolling above them.  Elsewhere one plain line an event, with a time
 * stamp and the machine's name.  Quiet: nothing.
 */
#ifndef HARNESS_DISPLAY_H
#define HARNESS_DISPLAY_H

#include <stdbool.h>
#include <uv.h>

#include "harness/sink.h"

struct display;

/* several: lines of the terminal name their machine, too. */
struct display *display_new(uv_loop_t *loop, bool quiet, bool several);

/* The sink of one more machine, good until display_free(). */
struct run_sink display_sink(struct display *d);

/* Take the live lines away, for somebody else to write to the terminal; they come back with the
 * next event or within a second. */
void display_hide(struct display *d);

/* Takes the live lines away and closes its timer; frees once the loop has run on. */
void display_free(struct display *d);

#endif
