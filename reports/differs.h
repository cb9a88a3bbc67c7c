/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Facts of one run that should have stayed the same over the boots that count, and did not. */
#ifndef HARNESS_REPORTS_DIFFERS_H
#define HARNESS_REPORTS_DIFFERS_H

#include "harness/base/buf.h"
#include "reports/model.h"

/* Add a line each: "microcode: 0x1 in boots 1-3; 0x2 in boots 4, 5".  Nothing when nothing
 * differs.  In a run with builds what a build is (version, commit, build-id) is only held to be the
 * same within it, and what differs from build to build names these: "compiler: gcc 12.2.0 in base;
 * gcc 14.2.0 in patched".  Values are as the boot said them, any bytes but ends of lines, which
 * become '?'. */
void differs_lines(struct buf *out, const struct model *m);

#endif
