/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One netboot of one image, from a machine in any state to a decided result.
 *
 * A state machine over the stages of DESIGN: each has a deadline, and running past it fails the
 * boot with an error that names machine, stage and cause.  Power is verified before the override is
 * set, the console is live before power-on, and only a report with our nonce counts.  done() is
 * called exactly once, from the loop, when no power command is under way any more.
 *
 * A boot may also begin with the restart that ended the one before it, or with a reset: then
 * nothing is verified off, and what the console still has of the old boot is told by its nonce.
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
	const char *build, *mode;
	const struct image *image;
	const char *workload;
	int samples, iterations, warmup, repeat;
	const char *extra_args;
	bool allow_debug;
	int64_t run_start_ns; /* monotonic; stage times count from it */

	/* How the machine gets here from the boot before it, which was a good one unless this is
	 * BETWEEN_CYCLE; and why it is that although the target asks for less ("": it does not). */
	enum target_between from;
	const char *from_why;
	int64_t armed_ns; /* BETWEEN_RESTART: as the boot before it left it */
	bool restarts;	  /* the machine's own restart shall lead to the next boot */
};

/* What a boot leaves to the next one. */
struct boot_left {
	bool touched;	  /* the BMC has answered */
	int64_t armed_ns; /* monotonic; since when the machine's next restart is a netboot; 0: no */
};

struct boot_events {
	void (*stage)(void *arg, const struct boot_result *r, enum stage s);
	/* boot fetches, power commands, remarks: for the run's log */
	void (*event)(void *arg, int64_t mono_ns, const char *what, const char *detail);
	/* Borrows until it returns.  To go on by a restart, start the next boot from here: nobody
	 * is served between the end of this one and the beginning of the next. */
	void (*done)(void *arg, const struct boot_result *r, const struct boot_left *left);
};

/* Begin.  Everything passed is borrowed until done(). */
struct boot *boot_start(uv_loop_t *loop, struct session *s, struct netboot *n, const char *base_url,
	const struct target *t, const struct boot_spec *spec, const struct boot_events *events,
	void *arg);

/* End it now, for the reason in why (class interrupted: OUTCOME_INTERRUPTED, else OUTCOME_LAB);
 * done() follows.  Not from within one of its callbacks. */
void boot_cancel(struct boot *b, const struct err *why);

#endif
