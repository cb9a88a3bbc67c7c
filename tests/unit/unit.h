/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What every unit test includes, in the order that cmocka wants, and a folder of its own. */
#ifndef TESTS_UNIT_H
#define TESTS_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "harness/base/err.h"
#include "harness/base/path.h"

/* A new empty folder; the caller frees the name. */
static inline char *unit_tmpdir(void)
{
	const char *base = getenv("TMPDIR");
	char name[256];

	snprintf(name, sizeof(name), "%s/harness-unit-XXXXXX", base && *base ? base : "/tmp");
	assert_non_null(mkdtemp(name));
	return strdup(name);
}

static inline void unit_rmdir(char *dir)
{
	struct err e = ERR_INIT;

	assert_int_equal(path_remove(dir, &e), 0);
	free(dir);
}

#endif
