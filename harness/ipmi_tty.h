/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An ipmitool on a pseudo terminal, for serial-over-LAN. */
#ifndef HARNESS_IPMI_TTY_H
#define HARNESS_IPMI_TTY_H

#include "harness/ipmi_tool.h"
#include "harness/pty.h"

/* Run `ipmitool exec FILE`, a file of harness/ipmitool.  hasty: give up on a request that one
 * repetition does not help. */
struct pty *ipmi_tty_start(uv_loop_t *loop, const struct ipmi_bmc *bmc, const char *file,
	bool hasty, const struct pty_events *events, void *arg, struct err *e) must_check;

#endif
