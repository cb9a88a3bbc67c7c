/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whose turn it is at a BMC: one command at a time, and quiet after each.
 *
 * Everybody on this host who speaks to the same BMC takes turns: drivers of one process, and other
 * runs under another machine's name.  The turn is an abstract socket of the BMC's name, so that it
 * ends with its holder, also by kill -9.  Its holder keeps it through the quiet time.
 */
#ifndef HARNESS_POWER_TURN_H
#define HARNESS_POWER_TURN_H

#include <uv.h>

#include "harness/base/err.h"
#include "targets/target.h"

struct turn;

typedef void turn_fn(void *arg, const struct err *e);

/* host NULL: host and port of the target.  Without any host the machine's own name counts. */
struct turn *turn_new(uv_loop_t *loop, const struct target *t, const char *host, int port);

/* Wait for the turn, and for the rest of the quiet time.  fn is called once, from the loop: with
 * the turn, or with E_TIMEOUT at the deadline.  A second call before turn_end() is a bug. */
void turn_take(struct turn *t, int deadline_ms, turn_fn *fn, void *arg);

/* The command is over, or nobody waits for the turn any more (fn is not called then). */
void turn_end(struct turn *t);

/* Ends it; the loop must run on, through the quiet time. */
void turn_free(struct turn *t);

#endif
