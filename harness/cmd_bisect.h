/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What `harness bisect` prints on standard output. */
#ifndef HARNESS_CMD_BISECT_H
#define HARNESS_CMD_BISECT_H

#include "harness/bisect/bisect.h"

struct cmd_bisect_out {
	const struct bisect_opts *opts;
	const struct bisect_result *r;
	struct store *s;
	bool json;
};

/* The answer with its evidence, the log, and how git takes it; or the same as JSON. */
int cmd_bisect_print(const struct cmd_bisect_out *o, struct buf *out, struct err *e) must_check;

#endif
