/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The signals that end a command which holds a machine: SIGINT, SIGTERM and SIGHUP.
 *
 * The first one tells whoever listens to close down; it is kept for a listener that comes later, so
 * that none is lost between two phases.  A Ctrl-C some time after the first leaves at once with
 * 130, and the machine as it is.
 */
#ifndef HARNESS_SIGNALS_H
#define HARNESS_SIGNALS_H

#include <stdint.h>
#include <uv.h>

#include "harness/base/err.h"

enum { SIGNALS = 3 };

struct signals {
	uv_signal_t handles[SIGNALS];
	int64_t first_ns; /* monotonic; 0: none yet */
	const char *why;  /* "Ctrl-C", "SIGTERM", "SIGHUP", or NULL */
	void (*tell)(void *arg, const char *why);
	void *arg;
	void (*leaving)(void *arg); /* the last thing done before leaving at once; or NULL */
	void *leaving_arg;
};

/* Listen from now on.  s stays where it is until the loop has run after signals_close(). */
int signals_open(struct signals *s, uv_loop_t *loop, struct err *e) must_check;

/* Who is told of the first signal, from the loop; at once when it has come already.  NULL: nobody.
 */
void signals_tell(struct signals *s, void (*tell)(void *arg, const char *why), void *arg);

/* What a step may take that may take ms without a signal: what is left until CLOSING_RELEASE_MS
 * after the first one, at least `least`.  s NULL: ms. */
int signals_left_ms(const struct signals *s, int ms, int least);

void signals_close(struct signals *s); /* not twice; the loop must run on */

#endif
