/* SPDX-License-Identifier: GPL-3.0-or-later */
/* In which order the boots of a run happen.
 *
 * Randomised complete blocks: each block boots every mode once, in an order drawn from the seed, so
 * that slow drift of a machine cannot look like a mode.  The same seed, modes and boots give the
 * same plan on every machine and in every version; a longer one begins with the
 * shorter one, so that a run can go on.  Pure.
 */
#ifndef HARNESS_PLAN_H
#define HARNESS_PLAN_H

#include <stddef.h>
#include <stdint.h>

struct plan_item {
	int mode;  /* index into the run's modes */
	int block; /* from 0 */
};

struct plan {
	struct plan_item *items; /* n = modes * boots; owned */
	size_t n;
};

/* seed: 1 .. 2^32-1 (the generator is MT19937; GSL would take 0 for its default seed). */
void plan_init(struct plan *p, int modes, int boots, uint32_t seed);
void plan_release(struct plan *p); /* safe to call twice */

#endif
