/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One netboot of one image, from a machine in any state to a decided result.
 *
 * A state machine over the stages of DESIGN: each has a deadline, and running past it fails the
 * boot with an error that names machine, stage and cause.  Power is verified before the override is
 * set, the console is live before power-on, and only a report with our nonce counts.  done() is
 * called exactly once, from the loop, when no power command is under way any more.
 */
#ifndef HARNESS_BOOT_H
#define HARNESS_BOOT_H

#include <stdbool.h>
#include <stdint.h>

#include "firmware-images/image.h"
#include "harness/netboot.h"
#include "harness/result.h"
#include "harness/session.h"
#include "targets/target.h"

struct boot;

/* Copied, but what it points to is borrowed until done(). */
struct boot_spec {
	int index, block, attempt;
	const char *mode;
	const struct image *image;
	const char *workload;
	int samples, iterations, warmup, repeat;
	const char *extra_args;
	bool allow_debug;
	int64_t run_start_ns; /* monotonic; stage times count from it */
};

struct boot_events {
	void (*stage)(void *arg, const struct boot_result *r, enum stage s);
	/* boot fetches, power commands, remarks: for the run's log */
	void (*event)(void *arg, int64_t mono_ns, const char *what, const char *detail);
	/* r is borrowed until it returns.  touched: the BMC has answered us. */
	void (*done)(void *arg, const struct boot_result *r, bool touched);
};

/* Begin.  Everything passed is borrowed until done(). */
struct boot *boot_start(uv_loop_t *loop, struct session *s, struct netboot *n, const char *base_url,
	const struct target *t, const struct boot_spec *spec, const struct boot_events *events,
	void *arg);

/* End it now, for the reason in why (class interrupted: OUTCOME_INTERRUPTED, else OUTCOME_LAB);
 * done() follows.  Not from within one of its callbacks. */
void boot_cancel(struct boot *b, const struct err *why);

#endif
