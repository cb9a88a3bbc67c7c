/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of check_online(), one file each.  They add rows; each returns 0, or what ended the
 * visit. */
#ifndef HARNESS_CHECK_INT_H
#define HARNESS_CHECK_INT_H

#include "harness/check.h"
#include "harness/netboot.h"
#include "harness/netboot_url.h"

/* Take away the rows of this name: a later check knows better. */
void check_drop(struct check *c, const char *name);

/* Is there such a row with this status? */
bool check_is(const struct check *c, const char *name, enum check_status s);

/* Boot override: read, set, read back, put back; and whether the user may do that.  p is the first
 * driver, whose readings went well. */
int check_boot_device(struct check *c, struct visit *v, struct power *p, struct err *e) must_check;

/* Open the console, unless that would end somebody else's session; it stays open for the visit. */
int check_console(struct check *c, struct visit *v, struct err *e) must_check;

/* Our HTTP server.  *out is it, to be freed before the visit is closed, and url how the machine
 * reaches it; NULL when it cannot be had. */
void check_server(
	struct check *c, struct visit *v, struct netboot **out, char url[NETBOOT_URL_MAX]);

/* Boot the machine once, from that server, by way of the session's drivers. */
int check_try(struct check *c, struct visit *v, struct netboot *n, const char *url,
	struct err *e) must_check;

#endif
