/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The bytes of a machine's serial console, as they come.
 *
 * open() calls ready() exactly once: the console is live, or why not (not after a close() that
 * came first).  After that data() is called for each chunk, and lost() at most once per connection
 * when it breaks; the driver does not reconnect by itself: open() may be called again after a
 * failed ready(), lost() or closed().  All from the event loop.
 */
#ifndef HARNESS_CONSOLE_H
#define HARNESS_CONSOLE_H

#include <stdbool.h>
#include <stddef.h>
#include <uv.h>

#include "harness/base/err.h"
#include "harness/base/secret.h"
#include "targets/target.h"

struct console;

struct console_events {
	void (*ready)(void *arg, const struct err *e);	  /* e->cls ERR_NONE: live */
	void (*data)(void *arg, const char *p, size_t n); /* borrowed until it returns */
	void (*lost)(void *arg, const struct err *e);
};

struct console_ops {
	const char *name; /* as in [console] driver= */
	/* End a stale session first; then connect. */
	void (*open)(struct console *, int deadline_ms);
	/* Type bytes on the console (for debug keys). */
	void (*send)(struct console *, const char *p, size_t n);
	/* Close the session properly; closed() is called from the loop once it is, at the latest
	 * after deadline_ms, also when nothing is open.  No other event comes after the call. */
	void (*close)(struct console *, int deadline_ms, void (*closed)(void *arg), void *arg);
	void (*free)(
		struct console *); /* ends children at once; close() first when there is time */
};

/* Drivers embed this as their first member. */
struct console {
	const struct console_ops *ops;
	uv_loop_t *loop;
	const struct target *target; /* borrowed for the object's life */
	const struct secret *secret; /* the same */
	struct console_events events;
	void *arg;
	bool polite; /* open() leaves a session of somebody else's alone, and fails */
	bool held;   /* for that reason; the error says who, as far as can be told */
};

/* Make the driver that target->console.driver names.  host and port: of the BMC for "sol", else of
 * the serial line, when the machine is virtual; host NULL: the target's. */
struct console *console_new(uv_loop_t *loop, const struct target *t, const struct secret *s,
	const char *host, int port, const struct console_events *events, void *arg,
	struct err *e) must_check;

static inline void console_free(struct console *c)
{
	if (c)
		c->ops->free(c);
}

/* The last line of text that says anything, with `before` in front of it and in quotes; "" when
 * there is none.  For messages. */
void console_last_words(const char *text, const char *before, char *out, size_t size);

/* Drivers; called through console_new(). */
typedef struct console *console_new_fn(uv_loop_t *loop, const struct target *t,
	const struct secret *s, const char *host, int port, const struct console_events *events,
	void *arg, struct err *e);

console_new_fn console_sol_new must_check;
/* tcp, telnet and rfc2217. */
console_new_fn console_tcp_new must_check;
console_new_fn console_tty_new must_check;
console_new_fn console_command_new must_check;

#endif
