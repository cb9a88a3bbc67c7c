/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Commands to one BMC, one at a time, through one `ipmitool shell` that stays open between them.
 *
 * Starting ipmitool and opening an RMCP+ session costs 60 ms here (and more on a real BMC); a
 * command in an open one costs 5 ms.  The session is opened by the first command, and closed after
 * 10 s without one (a BMC forgets an idle session after 30 to 60 s).  A command that fails in a
 * session that was used before is repeated once in a new one: the BMC may have closed it, or
 * restarted.
 */
#ifndef HARNESS_IPMI_SESSION_H
#define HARNESS_IPMI_SESSION_H

#include <stdbool.h>
#include <uv.h>

#include "harness/base/err.h"
#include "harness/ipmi_tool.h"

struct ipmi_session;

/* text: what ipmitool printed for the command, both outputs, borrowed. */
typedef bool ipmi_session_ok_fn(const char *text);
/* e->cls is ERR_NONE when ok() accepted the text. */
typedef void ipmi_session_done_fn(void *arg, const char *text, const struct err *e);

/* Borrows bmc for the object's life. */
struct ipmi_session *ipmi_session_new(uv_loop_t *loop, const struct ipmi_bmc *bmc);

/* command: copied; a line of `ipmitool shell`.  done() is called once from the loop, at the latest
 * at the deadline (E_TIMEOUT); a second command before that is a bug. */
void ipmi_session_run(struct ipmi_session *s, const char *command, int deadline_ms,
	ipmi_session_ok_fn *ok, ipmi_session_done_fn *done, void *arg);

/* End what runs; done() is not called any more. */
void ipmi_session_cancel(struct ipmi_session *s);

/* Cancels; closes the session on the BMC if there is one; the loop must run on.  NULL is fine. */
void ipmi_session_free(struct ipmi_session *s);

#endif
