/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A person, or a script, at a machine's console: standard input to the machine, the machine to
 * standard output and a log file.
 *
 * A terminal is raw meanwhile, so that every key goes to the machine; ~. at the start of a line
 * ends it, and ~~ is one ~.  What is no terminal is sent as it is, at the speed of a serial line,
 * until its end.
 */
#ifndef HARNESS_TERMINAL_H
#define HARNESS_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <uv.h>

#include "harness/base/err.h"

struct terminal;

/* Where a person is within ~. */
struct terminal_escape {
	bool inside; /* of a line: ~ means nothing */
	bool tilde;  /* one was typed and nothing after it yet */
};

struct terminal_events {
	void (*typed)(void *arg, const char *p, size_t n); /* borrowed until it returns */
	void (*ended)(void *arg, const struct err *e);	   /* class none: end of input, or ~. */
	void *arg;
};

/* Take n bytes of keys; what goes to the machine is put into out, which holds 2 n.  True at ~.
 * Pure.
 */
bool terminal_keys(struct terminal_escape *s, const char *p, size_t n, char *out, size_t *out_n);

/* log_file: is appended to; NULL: none. */
int terminal_open(struct terminal **out, uv_loop_t *loop, const char *log_file,
	const struct terminal_events *events, struct err *e) must_check;
bool terminal_is_tty(const struct terminal *t);

/* The machine said this; all of it is written before this returns. */
void terminal_show(struct terminal *t, const char *p, size_t n);

/* The terminal is what it was; the loop must run on.  NULL is fine. */
void terminal_free(struct terminal *t);

#endif
