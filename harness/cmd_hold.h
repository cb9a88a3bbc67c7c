/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options of a command that takes a machine: whether it waits, and for whose lock. */
#ifndef HARNESS_CMD_HOLD_H
#define HARNESS_CMD_HOLD_H

#include <stdbool.h>
#include <stdint.h>

#include "harness/cmd.h"
#include "harness/hold.h"

struct cmd_hold {
	int64_t wait_ms; /* as in hold.h */
	const char *exec;
	int64_t renew_ms;
};

#define CMD_HOLD_INIT \
	{ \
		HOLD_NO_WAIT, NULL, 60000 \
	}

enum { CMD_OPT_WAIT = 1200, CMD_OPT_LOCK, CMD_OPT_RENEW };

#define CMD_HOLD_LONG \
	{"wait", optional_argument, NULL, CMD_OPT_WAIT}, \
		{"lock", required_argument, NULL, CMD_OPT_LOCK}, \
	{ \
		"renew", required_argument, NULL, CMD_OPT_RENEW \
	}

#define CMD_HOLD_USAGE \
	"  --wait[=TIME]    wait for a machine that is in use (30s, 2h; without TIME: for ever)\n" \
	"  --lock exec:CMD  ask a scheduler, too: CMD acquire|renew|release NAME\n" \
	"  --renew TIME     with --lock: time between two renewals (1m)\n"

static inline bool cmd_hold_is(int opt)
{
	return opt >= CMD_OPT_WAIT && opt <= CMD_OPT_RENEW;
}

/* Take one of these options.  0, or negative with *e filled, the command's name (argv[0]) in front.
 */
int cmd_hold_option(struct cmd_hold *h, int opt, char **argv, struct err *e) must_check;

/* Is this run under way: does it hold its machine just now? */
bool cmd_hold_is_by(const char *state, const char *machine, const char *uuid);

void cmd_hold_opts(const struct cmd_hold *h, struct hold_opts *o);

#endif
