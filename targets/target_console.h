/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which keys of [console] go with which driver.  No I/O. */
#ifndef HARNESS_TARGET_CONSOLE_H
#define HARNESS_TARGET_CONSOLE_H

#include <stdbool.h>

#include "targets/target_ini.h"

/* Does this key of [console] say anything with the machine's driver? */
bool target_console_takes(const struct target *t, const char *key);

/* What the driver needs is there, and nothing that it would not look at; "file:line: …", class
 * usage. */
int target_console_check(
	const struct target *t, const struct target_lines *lines, struct err *e) must_check;

#endif
