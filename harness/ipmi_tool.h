/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Command line and environment of every ipmitool that we start, and what its words mean.
 *
 * The password goes by environment only.  HOME is a folder of ours (harness/ipmitool/README.md says
 * why).  -v is always given: without it an unreachable BMC, a wrong password and a wrong cipher
 * suite all read "Unable to establish IPMI v2 / RMCP+ session".
 */
#ifndef HARNESS_IPMI_TOOL_H
#define HARNESS_IPMI_TOOL_H

#include <stdbool.h>

#include "harness/base/err.h"
#include "harness/base/secret.h"
#include "harness/ipmi_parse.h"
#include "targets/target.h"

/* A BMC and how to speak to it.  Borrows target and secret for its life. */
struct ipmi_bmc {
	const struct target *target;
	const struct secret *secret;
	char host[256];
	int port;
	char where[320]; /* "lab3-bmc:623", for messages */
	char *data;	 /* folder of harness/ipmitool; owned */
};

/* host NULL: host and port of the target. */
int ipmi_bmc_init(struct ipmi_bmc *b, const struct target *t, const struct secret *s,
	const char *host, int port, struct err *e) must_check;
void ipmi_bmc_release(struct ipmi_bmc *b); /* safe to call twice */

enum { IPMI_TOOL_ARGS = 32, IPMI_TOOL_ENV = 4 };

/* argv and env for child_start().  Borrow from the bmc; the environment is wiped by release. */
struct ipmi_tool {
	const char *argv[IPMI_TOOL_ARGS];
	const char *env[IPMI_TOOL_ENV];
	char port[8], cipher[8];
	char *commands, *password, *home;
};

/* ipmitool … VERB ARG.  file: ARG is a file of harness/ipmitool. */
void ipmi_tool_init(struct ipmi_tool *t, const struct ipmi_bmc *b, bool verbose, const char *verb,
	const char *arg, bool file);
/* Fewer repetitions of a request that gets no answer: 2.5 s in all. */
void ipmi_tool_hasten(struct ipmi_tool *t);
void ipmi_tool_release(struct ipmi_tool *t);

/* Say what the text of a failed ipmitool means: class lab, code E_AUTH or E_BMC.  `doing` is what
 * was tried ("chassis power status"). */
int ipmi_tool_explain(const struct ipmi_bmc *b, const char *doing, const char *text, struct err *e);

#endif
