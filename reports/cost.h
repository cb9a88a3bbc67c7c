/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the boots of a run cost, and where their time went.
 *
 * A boot costs the time of all stages that it entered.  How it began is seen by these, too: a
 * restart goes on at the firmware, a reset at the boot device, and only a cycle begins with the
 * power off; so a boot that was meant to be a restart and fell to a cycle counts as what it was.
 * Boots that do not count in the numbers are not in the medians, but their time is told.  Pure.
 */
#ifndef HARNESS_REPORTS_COST_H
#define HARNESS_REPORTS_COST_H

#include "harness/base/buf.h"
#include "reports/model.h"

enum cost_way { COST_CYCLE, COST_RESET, COST_RESTART, COST_UNKNOWN, COST_WAYS };

enum cost_way cost_way(const struct boot_result *r);

/* "cycle", "reset", "restart": the words of between_boots in target files.  NULL: not known, since
 * the boot ended before it began to move the machine. */
const char *cost_way_name(enum cost_way w);

int64_t cost_boot_ns(const struct boot_result *r);

/* The boots of one way whose outcome is ok. */
struct cost_group {
	size_t boots;
	int64_t median_ns;		/* of what a boot cost */
	int64_t stages_ns[STAGE_COUNT]; /* medians; a boot that did not enter it counts as 0 */
};

struct cost {
	struct cost_group ways[COST_WAYS];
	size_t failed; /* boots with another outcome */
	int64_t failed_ns;
};

void cost_init(struct cost *c, const struct model *m);

/* The same in words, a line each: the run and the shares of machine and harness (of a run that has
 * ended), boots by way and the stages that matter, boots that do not count. */
void cost_lines(struct buf *out, const struct model *m);

#endif
