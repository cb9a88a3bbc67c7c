/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An ipmitool on a pseudo terminal of its own, for serial-over-LAN.
 *
 * The terminal is raw: every byte passes unchanged.  The object frees itself after its exit.
 */
#ifndef HARNESS_IPMI_TTY_H
#define HARNESS_IPMI_TTY_H

#include <stddef.h>
#include <uv.h>

#include "harness/base/err.h"
#include "harness/ipmi_tool.h"

struct ipmi_tty;

struct ipmi_tty_events {
	void (*data)(void *arg, char *p, size_t n); /* p may be changed in place */
	void (*ended)(void *arg); /* the last event; the object is gone after it */
};

/* Run `ipmitool exec FILE`, a file of harness/ipmitool. */
struct ipmi_tty *ipmi_tty_start(uv_loop_t *loop, const struct ipmi_bmc *bmc, const char *file,
	const struct ipmi_tty_events *events, void *arg, struct err *e) must_check;

/* Type bytes.  Returns 0, or -1 when the terminal did not take them all. */
int ipmi_tty_type(struct ipmi_tty *t, const char *p, size_t n);

/* No more events; ends the process.  NULL is fine. */
void ipmi_tty_drop(struct ipmi_tty *t);

#endif
