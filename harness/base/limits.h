/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the system lets this process have. */
#ifndef HARNESS_BASE_LIMITS_H
#define HARNESS_BASE_LIMITS_H

#include <stddef.h>

#include "harness/base/err.h"

/* See that this process may have `need` open files, and if it can be had, `want` (>= need): the
 * soft limit is raised if it is lower.  It is not raised further than that, since children inherit
 * it, and some of them look at each descriptor that they might have.  Class lab, E_FILES, where the
 * hard limit is in the way of need. */
int limits_files(size_t need, size_t want, struct err *e) must_check;

#endif
