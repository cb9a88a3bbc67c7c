/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/ipmi_tty.h"

#include <limits.h>

struct pty *ipmi_tty_start(uv_loop_t *loop, const struct ipmi_bmc *bmc, const char *file,
	bool hasty, const struct pty_events *events, void *arg, struct err *e)
{
	struct child_opts o = {.deadline_ms = INT_MAX};
	struct ipmi_tool tool;
	struct pty *t;

	/* Without -v, which would chatter on the console. */
	ipmi_tool_init(&tool, bmc, false, "exec", file, true);
	if (hasty)
		ipmi_tool_hasten(&tool);
	o.argv = tool.argv;
	o.env_set = tool.env;
	t = pty_start(loop, &o, events, arg, e);
	ipmi_tool_release(&tool);
	return t;
}
