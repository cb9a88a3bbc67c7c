/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A target as text for people and programs: every setting, no secret.  Pure. */
#ifndef HARNESS_TARGET_SHOW_H
#define HARNESS_TARGET_SHOW_H

#include "harness/base/buf.h"
#include "targets/target.h"

/* In the form of a target file; unset keys are comments.  A password command is not shown, since
 * somebody may have put a password into it. */
void target_show_ini(const struct target *t, struct buf *out);

/* {"name", "file", "virtual", "settings": {section: {key: value}}}; numbers and yes/no are JSON's
 * own, everything else is as in a target file. */
void target_show_json(const struct target *t, struct buf *out);

#endif
