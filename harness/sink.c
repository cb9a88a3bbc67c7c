/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/sink.h"

/* Every sink sees every call, also when an earlier one failed: a full disk must not blank the
 * display.  The first failure is what the run learns of. */
#define SINK_EACH(list, member, ...) \
	do { \
		struct err own = ERR_INIT; \
		int first = 0; \
\
		for (size_t i = 0; i < (list)->n; i++) { \
			const struct run_sink *to = &(list)->sinks[i]; \
			int rc = to->member ? to->member(to->arg, __VA_ARGS__, &own) : 0; \
\
			if (rc && !first) { \
				first = rc; \
				*e = own; \
			} \
		} \
		return first; \
	} while (0)

static int sink_begin(void *arg, const struct run_info *info, struct err *e)
{
	SINK_EACH((struct sink_list *)arg, begin, info);
}

static int sink_stage(void *arg, const struct boot_result *r, enum stage s, struct err *e)
{
	SINK_EACH((struct sink_list *)arg, stage, r, s);
}

static int sink_event(
	void *arg, int boot, int64_t mono_ns, const char *what, const char *detail, struct err *e)
{
	SINK_EACH((struct sink_list *)arg, event, boot, mono_ns, what, detail);
}

static int sink_boot(void *arg, const struct boot_result *r, bool will_retry, struct err *e)
{
	SINK_EACH((struct sink_list *)arg, boot, r, will_retry);
}

static int sink_replan(void *arg, const struct run_info *info, struct err *e)
{
	SINK_EACH((struct sink_list *)arg, replan, info);
}

static int sink_end(void *arg, const struct run_totals *t, struct err *e)
{
	SINK_EACH((struct sink_list *)arg, end, t);
}

struct run_sink sink_list_sink(struct sink_list *list)
{
	return (struct run_sink){.begin = sink_begin,
		.stage = sink_stage,
		.event = sink_event,
		.boot = sink_boot,
		.replan = sink_replan,
		.end = sink_end,
		.arg = list};
}
