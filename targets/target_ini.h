/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The text of a target file into the keys of a struct target.
 *
 * What inih takes is narrowed: every section and key is known and stands once, an indented line
 * goes on with the value before it, nothing is cut or skipped in silence.  No I/O, no cross checks
 * and no defaults; target.c has those.
 */
#ifndef HARNESS_TARGET_INI_H
#define HARNESS_TARGET_INI_H

#include "targets/target_keys.h"

enum { TARGET_LINE_MAX = 196, TARGET_KEYS_MAX = 96, TARGET_FILE_MAX = 65536 };

/* Where each key of target_keys[] stood: its line, or 0 when it was not given. */
struct target_lines {
	int line[TARGET_KEYS_MAX];
	bool lab; /* the file has a section [lab] */
};

/* text: len bytes.  The message is "file:line: …", class usage. */
int target_ini_parse(struct target *t, struct target_lines *lines, const char *file,
	const char *text, size_t len, struct err *e) must_check;

#endif
