/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Is a machine ready for its first run?  A list of checks with what to do about each.
 *
 * check_offline() touches nothing but this controller: no packet is sent, no command of the target
 * file is run.  What needs the machine adds its rows to the same list.
 */
#ifndef HARNESS_CHECK_H
#define HARNESS_CHECK_H

#include "harness/base/buf.h"
#include "harness/base/err.h"
#include "targets/target.h"

enum { CHECK_ROWS_MAX = 24 };

enum check_status { CHECK_OK, CHECK_WARN, CHECK_FAIL, CHECK_SKIPPED };

struct check_row {
	const char *name; /* "power reading"; a constant */
	enum check_status status;
	char text[256]; /* what was found */
	char hint[256]; /* what to do; "" */
};

struct check {
	const struct target *target; /* borrowed */
	struct check_row rows[CHECK_ROWS_MAX];
	size_t n;
};

void check_init(struct check *c, const struct target *t);

/* Add a row; hint may be NULL. */
void check_add(struct check *c, const char *name, enum check_status s, const char *hint,
	const char *fmt, ...) __attribute__((format(printf, 5, 6)));

void check_offline(struct check *c);

/* Ask the BMC: does it answer, does it take our credentials, does its power reading agree with
 * itself.  Nothing is switched.  Of a virtual machine only a lab that runs is asked.  Takes
 * `readings` readings, 20 s each at most. */
void check_online(struct check *c, const char *state);

/* How many rows have this status. */
size_t check_count(const struct check *c, enum check_status s);

/* The table alone. */
void check_rows(const struct check *c, struct buf *out);

/* The table with its summary; `how` says what was left out ("offline"), or "".  Pure. */
void check_table(const struct check *c, const char *how, struct buf *out);
void check_json(const struct check *c, struct buf *out);

#endif
