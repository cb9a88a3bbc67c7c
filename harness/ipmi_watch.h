/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Does a SOL session that says nothing still live?
 *
 * ipmitool needs half a minute to notice that the BMC is gone, and never notices that the BMC has
 * ended no more than SOL: somebody else told it to, and it told nobody.  So when nothing was heard
 * for a while the BMC is asked whether it is there, and whether SOL is active (which is believed of
 * a BMC that has once said yes).  Its other commands get their turn in between.
 */
#ifndef HARNESS_IPMI_WATCH_H
#define HARNESS_IPMI_WATCH_H

#include "harness/ipmi_tool.h"

#include <uv.h>

struct ipmi_watch;

struct ipmi_watch_events {
	void (*seen)(void *arg); /* the first look is over, whatever it has shown */
	void (*lost)(void *arg, const char *how);
};

/* Borrows bmc for the object's life.  host, port: as for ipmi_bmc_init(). */
struct ipmi_watch *ipmi_watch_new(uv_loop_t *loop, const struct ipmi_bmc *bmc, const char *host,
	int port, const struct ipmi_watch_events *events, void *arg);

/* The session has just opened: look at once, which takes 21 s at most.  From now on seen() is
 * called at most once, and so is lost(), last. */
void ipmi_watch_start(struct ipmi_watch *w);

/* Something was heard. */
void ipmi_watch_heard(struct ipmi_watch *w);

/* No event comes any more.  Also when it does not run. */
void ipmi_watch_stop(struct ipmi_watch *w);

/* Stops; the loop must run on.  NULL is fine. */
void ipmi_watch_free(struct ipmi_watch *w);

#endif
