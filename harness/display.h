/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A run as it is watched: a sink that writes to standard error.
 *
 * On a terminal, one live line for the machine (stage, boot i of n, time left), the finished boots
 * scrolling above it.  Elsewhere one plain line an event, with a time stamp.  Quiet: nothing.
 */
#ifndef HARNESS_DISPLAY_H
#define HARNESS_DISPLAY_H

#include <stdbool.h>
#include <uv.h>

#include "harness/sink.h"

struct display;

struct display *display_new(uv_loop_t *loop, bool quiet);
struct run_sink display_sink(struct display *d); /* borrows d */

/* Takes the live line away and closes its timer; frees once the loop has run on. */
void display_free(struct display *d);

#endif
