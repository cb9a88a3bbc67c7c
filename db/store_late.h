/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What could not be written because another process had the database: kept until it can be.
 *
 * Events are kept at once, since nobody reads the consoles while the store waits.  A boot is kept
 * after a wait that was in vain; the run ends then, and its end is the boot's second chance.
 */
#ifndef HARNESS_DB_STORE_LATE_H
#define HARNESS_DB_STORE_LATE_H

#include "harness/result.h"

enum { STORE_LATE_MAX = 10000 }; /* events */

struct late_event {
	struct late_event *next;
	int64_t place, boot_number, mono_ns;
	char *what, *detail;
};

struct late_boot {
	struct boot_result r; /* with samples and flags of its own, and no console */
	bool will_retry;
	void *packed; /* the console */
	size_t n;
};

/* Zeroes are an empty one. */
struct store_late {
	struct late_event *events, *last;
	size_t n_events;
	struct late_boot *boot; /* NULL: none */
};

void late_release(struct store_late *l);

/* Copies; -1 when there are too many. */
int late_add_event(struct store_late *l, int64_t place, int64_t boot_number, int64_t mono_ns,
	const char *what, const char *detail);
void late_drop_event(struct store_late *l); /* the first one, which is there */

/* Copies; one at a time. */
void late_add_boot(struct store_late *l, const struct boot_result *r, bool will_retry,
	const void *packed, size_t n);
void late_drop_boot(struct store_late *l); /* none is fine */

#endif
