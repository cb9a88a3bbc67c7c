/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The lines that are open to one machine during a run: its BMC, its console, and for a virtual
 * machine the lab that stands behind both.
 *
 * The console stays open from boot to boot, so that opening it costs once; it is opened again when
 * it was lost.  Whoever runs a boot listens; nobody listening, the bytes are dropped.  All
 * callbacks come from the loop.
 */
#ifndef HARNESS_SESSION_H
#define HARNESS_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <uv.h>

#include "harness/base/err.h"
#include "harness/power.h"
#include "targets/target.h"

struct session;

struct session_listener {
	void (*data)(void *arg, const char *p, size_t n);
	void (*lost)(void *arg, const struct err *e);
	void *arg;
};

/* Load the password, start the lab of a virtual machine unless it runs, make the drivers.  Sends
 * the BMC nothing.  target and state are borrowed for the session's life. */
int session_open(struct session **out, uv_loop_t *loop, const struct target *t, const char *state,
	struct err *e) must_check;

struct power *session_power(struct session *s);
/* Another object for one driver alone, to be freed before the session. */
struct power *session_power_one(struct session *s, const char *driver, struct err *e) must_check;
/* Where the BMC is. */
void session_bmc(const struct session *s, char *out, size_t size);
/* "QEMU 10.0.2, tcg", or "" for hardware; borrowed for the session's life. */
const char *session_emulator(const struct session *s);

/* Tell a virtual machine's lab where our HTTP server is.  Nothing to do for hardware. */
int session_set_netboot(struct session *s, int http_port, struct err *e) must_check;

/* NULL: nobody. */
void session_listen(struct session *s, const struct session_listener *l);

/* Make the console live; done(arg, e) at once when it is already, else once it is, or why not. */
void session_console(
	struct session *s, int deadline_ms, void (*done)(void *, const struct err *), void *arg);

/* The console opens from now on only where that ends nobody else's session.  True from held: that
 * is why it did not. */
void session_console_polite(struct session *s);
bool session_console_held(const struct session *s);

/* Forget a pending session_console(); its done() is not called any more. */
void session_console_forget(struct session *s);

/* Type bytes on the console, which is live; else they are dropped. */
void session_type(struct session *s, const char *p, size_t n);

/* Close the console, leave the machine as `idle` says (nothing is sent to a BMC that never answered
 * us: see touched; nor for a machine that ends with its lab), end a lab that we started.  done()
 * once, at the latest after deadline_ms, and what the lab takes.  e tells what could not be done.
 */
void session_close(struct session *s, bool touched, int deadline_ms,
	void (*done)(void *arg, const struct err *e), void *arg);

/* The command has few seconds left (harness/closing.h), since a moment ago: a close that is under
 * way, or comes later, has no more than that. */
void session_hurry(struct session *s);

/* After done(): release.  Without session_close() first, children are ended at once. */
void session_free(struct session *s); /* NULL is fine */

#endif
