/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/cmd_hold.h"

#include <stdio.h>
#include <string.h>

#include "harness/base/str.h"
#include "harness/lock.h"

enum { RENEW_MIN_MS = 100, HOUR_MS = 3600 * 1000, WAIT_MAX_H = 500 };

int cmd_hold_option(struct cmd_hold *h, int opt, char **argv, struct err *e)
{
	switch (opt) {
	case CMD_OPT_WAIT:
		h->wait_ms = HOLD_FOREVER;
		if (optarg && str_duration_ms(optarg, (int64_t)WAIT_MAX_H * HOUR_MS, &h->wait_ms))
			return err_set(e, ERR_USAGE, NULL,
				"%s: --wait takes a time such as 30s, 10m or 2h (500h at most), "
				"not \"%s\"",
				argv[0], optarg);
		return 0;
	case CMD_OPT_LOCK:
		if (strncmp(optarg, "exec:", 5) != 0 || !optarg[5])
			return err_set(e, ERR_USAGE, NULL,
				"%s: --lock takes exec:PROGRAM, not \"%s\"", argv[0], optarg);
		h->exec = optarg + 5;
		return 0;
	default:
		if (str_duration_ms(optarg, HOUR_MS, &h->renew_ms) || h->renew_ms < RENEW_MIN_MS)
			return err_set(e, ERR_USAGE, NULL,
				"%s: --renew takes a time from 100ms to 1h, not \"%s\"", argv[0],
				optarg);
		return 0;
	}
}

void cmd_hold_opts(const struct cmd_hold *h, struct hold_opts *o)
{
	o->exec = h->exec;
	o->wait_ms = h->wait_ms;
	o->renew_ms = (int)h->renew_ms;
}

bool cmd_hold_is_by(const char *state, const char *machine, const char *uuid)
{
	char holder[256], run[16];

	/* As cmd_run.c calls itself. */
	snprintf(run, sizeof(run), "run %.8s ", uuid);
	return lock_look(state, machine, holder, sizeof(holder)) &&
	       !strncmp(holder, run, strlen(run));
}
