/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Turn a machine on and off, and choose what it boots from next.
 *
 * Every operation is asynchronous: it returns at once and calls done() from the event loop exactly
 * once, also after power_cancel() (then with class interrupted).  One operation at a time: starting
 * a second before done() is a bug (assert).  Deadlines are milliseconds from now.
 */
#ifndef HARNESS_POWER_H
#define HARNESS_POWER_H

#include <stdbool.h>
#include <uv.h>

#include "harness/base/err.h"
#include "harness/base/secret.h"
#include "targets/target.h"

enum power_state { POWER_UNKNOWN = -1, POWER_OFF, POWER_ON };
enum power_action {
	POWER_DO_OFF,
	POWER_DO_ON,
	POWER_DO_CYCLE,
	POWER_DO_RESET,
	POWER_DO_OFF_BLIND /* off, whatever is read */
};

struct power;
struct power_wait;

const char *power_state_name(enum power_state s);   /* "on", "off", "unknown" */
const char *power_action_name(enum power_action a); /* "off", "on", "cycle", "reset", "off" */

/* e->cls is ERR_NONE on success.  state is what was read (or POWER_UNKNOWN).  Borrows e until it
 * returns. */
typedef void power_done_fn(void *arg, enum power_state state, const struct err *e);

/* What the next boot is forced to, as the BMC tells it. */
struct power_boot {
	bool network;	  /* from the network */
	bool efi, legacy; /* in which mode; neither: the BMC does not tell */
	char text[96];	  /* "PXE once, legacy", "nothing" */
	char saved[160];  /* for boot_put(); the driver's own words */
};

/* A step that the caller did not ask for, for the log of the run: what is "power" or "boot-device".
 */
typedef void power_note_fn(void *arg, const char *what, const char *text);

struct power_ops {
	const char *name; /* as in [bmc] driver= */
	/* Read the state once. */
	void (*get)(struct power *, int deadline_ms, power_done_fn *, void *arg);
	/* Send one command.  `cycle` and `reset` while off become `on`; `off` while off is success.
	 * Success means that the BMC accepted it; power_wait() tells when it is so. */
	void (*set)(struct power *, enum power_action, int deadline_ms, power_done_fn *, void *arg);
	/* Next boot from the network, read back; set again once if the BMC lost it, then E_BOOTDEV.
	 * The "valid" flag that is read back is not trusted: simulators and some BMCs never set it.
	 */
	void (*boot_net)(struct power *, int deadline_ms, power_done_fn *, void *arg);
	/* Both or neither: NULL where the driver has no way.  Read what the next boot is forced to
	 * into power->boot; put back what was read before, and read it back (E_BOOTDEV). */
	void (*boot_get)(struct power *, int deadline_ms, power_done_fn *, void *arg);
	void (*boot_put)(struct power *, const struct power_boot *, int deadline_ms,
		power_done_fn *, void *arg);
	/* Some time after boot_net(): read it back, and set it again as boot_net() does where it is
	 * gone.  What cannot be read back is set again. */
	void (*boot_keep)(struct power *, int deadline_ms, power_done_fn *, void *arg);
	void (*cancel)(struct power *);
	void (*free)(struct power *);
	/* Both or neither.  The command was accepted, but power_wait() found that the machine did
	 * not obey (why): send it by another way.  spares: how many others there are. */
	size_t (*spares)(const struct power *);
	void (*insist)(struct power *, enum power_action, const struct err *why, int deadline_ms,
		power_done_fn *, void *arg);
};

/* Drivers embed this as their first member. */
struct power {
	const struct power_ops *ops;
	uv_loop_t *loop;
	const struct target *target; /* borrowed for the object's life */
	const struct secret *secret; /* the same */
	struct power_wait *wait;     /* of power_wait(); NULL: none */
	struct power_boot boot;	     /* what boot_get() has read */
	int goodbye_ms; /* how long a session is waited for that ends, or is just being opened */
	power_note_fn *note; /* NULL: steps go to the log alone */
	void *note_arg;
};

enum { POWER_DRIVERS_MAX = 8, POWER_GOODBYE_MS = 2500 };

/* Make the driver that target->bmc.driver names, with those of fallback behind it.  host and port
 * override the target's when the machine is virtual (host NULL: the target's).  Returns NULL with
 * *e filled. */
struct power *power_new(uv_loop_t *loop, const struct target *t, const struct secret *s,
	const char *host, int port, struct err *e) must_check;

/* The same for one driver, without any fallback. */
struct power *power_new_one(uv_loop_t *loop, const char *driver, const struct target *t,
	const struct secret *s, const char *host, int port, struct err *e) must_check;

/* The i-th of the words in target->bmc.fallback; false: there is none. */
bool power_fallback(const struct target *t, size_t i, char *name, size_t size);

/* Who hears of steps from now on; note NULL: nobody. */
void power_listen(struct power *p, power_note_fn *note, void *arg);

/* For drivers: tell who listens, else the log. */
void power_note(struct power *p, const char *what, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* End the operation or the wait: done() is called with class interrupted.  NULL is fine. */
void power_cancel(struct power *p);

/* Cancels without calling done() any more, ends its children, frees. NULL is fine.  The loop must
 * run on until its handles are closed. */
void power_free(struct power *p);

/* Read until `readings` agreeing readings, `gap_ms` apart, show `want`.  Built on ops->get, used by
 * every driver.  A reading that fails is tried again until the deadline, but for E_AUTH; then the
 * error is the last reading's, or E_POWER.  With a fallback, a machine that does not obey is told
 * again by the next driver, each with an equal share of the time.  settle_ns is kept by the caller:
 * it knows when it asked.
 */
void power_wait(struct power *p, enum power_state want, int readings, int gap_ms, int deadline_ms,
	power_done_fn *done, void *arg);

/* Drivers; called through power_new(). */
struct power *power_ipmi_new(uv_loop_t *loop, const struct target *t, const struct secret *s,
	const char *host, int port, struct err *e) must_check;
struct power *power_command_new(uv_loop_t *loop, const struct target *t, const struct secret *s,
	const char *host, int port, struct err *e) must_check;
struct power *power_redfish_new(uv_loop_t *loop, const struct target *t, const struct secret *s,
	const char *host, int port, struct err *e) must_check;
/* Takes the drivers, n of them. */
struct power *power_chain_new(
	uv_loop_t *loop, const struct target *t, struct power *const *drivers, size_t n);

#endif
