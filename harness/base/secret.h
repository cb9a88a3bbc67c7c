/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A password: where it comes from, and its value for as long as it is needed.
 *
 * The value lies in memory that is wiped on release and left out of core dumps.  It goes to a child
 * by environment only; no function here puts it into a log, an argument or a message, nor what a
 * password command wrote to stderr.
 */
#ifndef HARNESS_BASE_SECRET_H
#define HARNESS_BASE_SECRET_H

#include <stdbool.h>
#include <stddef.h>

#include "harness/base/err.h"

enum secret_kind { SECRET_NONE, SECRET_FILE, SECRET_ENV, SECRET_COMMAND };

struct secret {
	char *value; /* NUL-terminated; own page; NULL before secret_load() */
};

/* Get the value.  from: a file's path, the name of an environment variable, or a command line for
 * /bin/sh (10 s; its stdout).  One trailing newline is dropped.  Empty, longer than max bytes, or
 * holding control characters is an error.  A file that others may read is refused. */
int secret_load(struct secret *s, enum secret_kind kind, const char *from, size_t max,
	struct err *e) must_check;

/* Take the variable that a password will come from out of our environment, so that no child
 * inherits it and no core dump shows it; secret_load() still finds it, also more than once.  Does
 * nothing for other kinds, and for a variable that is not there. */
void secret_hide(enum secret_kind kind, const char *from);

/* Is there a value in the variable of this name?  Hides it. */
bool secret_is_set(const char *name);

/* "NAME=value" for child_opts.env_set; s NULL: without a value.  Once the child is started, give it
 * to secret_env_free(), which wipes it. */
char *secret_env(const char *name, const struct secret *s);
void secret_env_free(char *entry); /* NULL is fine */

void secret_release(struct secret *s); /* wipes; safe to call twice */

#endif
