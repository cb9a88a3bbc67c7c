/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Is a machine ready for its first run?  A list of checks with what to do about each.
 *
 * check_offline() touches nothing but this controller: no packet is sent, no command of the target
 * file is run.  check_online() tries each part of the chain under the machine's lock, and leaves
 * the machine as it was; only with boot it is switched, and left as `idle` says.
 */
#ifndef HARNESS_CHECK_H
#define HARNESS_CHECK_H

#include "harness/base/buf.h"
#include "harness/base/err.h"
#include "harness/visit.h"
#include "targets/target.h"

enum { CHECK_ROWS_MAX = 40 };

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

/* BMC, credentials, power readings and fallbacks, boot device (set, read back, put back) and the
 * privilege for it, console (opened unless somebody has it), our HTTP server; with boot the machine
 * is netbooted once, up to one small file that it fetches from us.  The visit is open and has no
 * lines.  Of a virtual machine only a lab that runs is asked, unless boot.  Fails only with what
 * ended the visit. */
int check_online(struct check *c, struct visit *v, bool boot, struct err *e) must_check;

/* How many rows have this status. */
size_t check_count(const struct check *c, enum check_status s);

/* The table alone. */
void check_rows(const struct check *c, struct buf *out);

/* The table with its summary; `how` says what was left out ("offline"), or "".  Pure. */
void check_table(const struct check *c, const char *how, struct buf *out);
void check_json(const struct check *c, struct buf *out);

#endif
