/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the two halves of the writing sink share. */
#ifndef HARNESS_DB_STORE_WRITE_H
#define HARNESS_DB_STORE_WRITE_H

#include "db/store_private.h"

/* All rows of a run that begins, within the caller's transaction; sets w->run and w->workload. */
int write_rows(struct store_writer *w, const struct run_info *info, struct err *e) must_check;

/* The id of an image's row, which is made when there is none. */
int write_image(struct store *s, const struct image *i, int64_t *id, struct err *e) must_check;

/* Step once, take the id in the first column (*id stays when there is no row), end. */
int write_select_id(struct query *q, int64_t *id, struct err *e) must_check;

#endif
