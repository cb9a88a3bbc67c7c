/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What was found in a series and made of it: text for a person, JSON for a program. */
#ifndef HARNESS_PATCH_VIEW_H
#define HARNESS_PATCH_VIEW_H

#include "harness/base/buf.h"
#include "harness/patch.h"

/* A line a patch, and each thing that was done to one or is not sure. */
void patch_view_short(const struct patch *p, struct buf *out);
void patch_view_text(const struct patch *p, struct buf *out);
void patch_view_json(const struct patch *p, struct buf *out);

#endif
