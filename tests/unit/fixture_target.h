/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Target files for tests, in a folder that lives as long as the program. */
#ifndef TESTS_UNIT_FIXTURE_TARGET_H
#define TESTS_UNIT_FIXTURE_TARGET_H

#include "tests/unit/unit.h"

#include "targets/target.h"

/* Sections of a real machine that is complete; a test adds to the end of one of them. */
#define MACHINE "[machine]\nmac = 02:00:00:00:00:01\n"
#define BMC	"[bmc]\nhost = bmc1\nuser = u\npassword_env = SECRET\n"
#define NETBOOT "[netboot]\nlisten = 10.0.0.1:8070\n"
#define REAL	MACHINE NETBOOT BMC

static char *dir;

static int setup(void **state)
{
	(void)state;
	dir = unit_tmpdir();
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	unit_rmdir(dir);
	return 0;
}

static int load(struct target *t, const char *name, const char *text, size_t n, struct err *e)
{
	char file[512];

	*e = (struct err)ERR_INIT;
	snprintf(file, sizeof(file), "%s/%s", dir, name);
	assert_int_equal(path_write(file, text, n, 0644, e), 0);
	return target_load(t, file, e);
}

#endif
