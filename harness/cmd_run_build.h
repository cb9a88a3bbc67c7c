/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The builds of a run: `--build NAME=IMAGE[,IMAGE…]`, and the (build, mode) pairs that come of it.
 */
#ifndef HARNESS_CMD_RUN_BUILD_H
#define HARNESS_CMD_RUN_BUILD_H

#include "harness/cmd_run_set.h"

/* Take the value of one --build.  Fails with class usage. */
int cmd_run_build_add(struct cmd_run_args *a, const char *value, struct err *e) must_check;

/* Find, open and check the images of a->builds (one or more), and make m of those that a->modes
 * asks for: build by build, with all modes that any of them has, or is said to lack for a reason.
 * Fails with class usage (unknown digits, two images of one mode, nothing to compare) or as a run
 * without builds does. */
int cmd_run_build_modes(struct cmd_run_modes *m, const struct cmd_run_args *a, const char *state,
	bool uefi, struct err *e) must_check;

#endif
