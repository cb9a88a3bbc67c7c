/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SIGINT, SIGTERM and SIGHUP for code that waits without an event loop.
 *
 * Between stop_hold() and stop_release() these signals stay pending; whoever waits asks
 * stop_asked() now and then (STOP_LOOK_MS) and gives up.  The signal itself is delivered by
 * stop_release(), to whatever handler there is.  Outside of that stop_asked() is always false.
 */
#ifndef HARNESS_BASE_STOP_H
#define HARNESS_BASE_STOP_H

#include <signal.h>
#include <stdbool.h>

#include "harness/base/err.h"

enum { STOP_LOOK_MS = 50 };

/* before: the signal mask to go back to.  Nesting is fine. */
void stop_hold(sigset_t *before);
void stop_release(const sigset_t *before);

/* In a forked child, before it starts another program. */
void stop_let_all(void);

bool stop_asked(void);

/* Class interrupted: "<doing>: interrupted". */
int stop_err(const char *doing, struct err *e) must_check;

#endif
