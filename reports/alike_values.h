/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The different values of one fact over the boots of a comparison, for reports/alike.c.  Pure. */
#ifndef HARNESS_REPORTS_ALIKE_VALUES_H
#define HARNESS_REPORTS_ALIKE_VALUES_H

#include <stdbool.h>
#include <stddef.h>

#include "harness/base/buf.h"
#include "reports/alike.h"

enum { ALIKE_TEXT_MAX = 65536 }; /* bytes of any text here */

/* Appends a boot's value as a person reads it; nothing when it is unknown. */
typedef void alike_get(const struct comparison_boot *b, struct buf *out);

extern alike_get *const alike_getters[ALIKE_KINDS];
alike_get alike_get_workload, alike_get_compiler, alike_get_probe, alike_get_sampling,
	alike_get_timer, alike_get_way, alike_get_later_way;

/* Where a value was seen. */
struct alike_place {
	const struct model *run; /* borrowed */
	const char *build;	 /* borrowed */
	int first;		 /* number of the run's first boot with it */
	size_t boots;
};

struct alike_value {
	char *text; /* owned */
	struct alike_place *places;
	size_t n_places;
};

/* In the order in which the sets first show them. */
struct alike_values {
	struct alike_value *list;
	size_t n;
	bool words; /* show only words that differ; set after the init, which leaves it false */
};

/* Borrows from c until the release. */
void alike_values_init(struct alike_values *v, const struct comparison *c, alike_get *get);
void alike_values_release(struct alike_values *v);

/* The first two of several values: "0x1 in run 7f3a, 0x2 in run 8b2c". */
void alike_values_pair(const struct alike_values *v, struct buf *out);

/* "0x1 in 7f3a (5 boots); 0x2 in 8b2c patched (5 boots)" */
void alike_values_list(const struct alike_values *v, struct buf *out);

#endif
