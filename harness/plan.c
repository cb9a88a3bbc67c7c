/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/plan.h"

#include <assert.h>
#include <gsl/gsl_rng.h>
#include <stdlib.h>

#include "harness/base/mem.h"

/* Fisher and Yates: every order of a block is equally likely. */
static void plan_shuffle(struct plan_item *items, int n, gsl_rng *rng)
{
	for (int i = n - 1; i > 0; i--) {
		int j = (int)gsl_rng_uniform_int(rng, (unsigned long)i + 1);
		struct plan_item t = items[i];

		items[i] = items[j];
		items[j] = t;
	}
}

void plan_init(struct plan *p, int modes, int boots, uint32_t seed)
{
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);

	assert(rng && modes > 0 && boots > 0 && seed > 0);
	gsl_rng_set(rng, seed);
	p->n = (size_t)modes * (size_t)boots;
	p->items = mem_array(p->n, sizeof(*p->items));
	for (int b = 0; b < boots; b++) {
		struct plan_item *block = p->items + (size_t)b * (size_t)modes;

		for (int m = 0; m < modes; m++)
			block[m] = (struct plan_item){.mode = m, .block = b};
		plan_shuffle(block, modes, rng);
	}
	gsl_rng_free(rng);
}

void plan_release(struct plan *p)
{
	free(p->items);
	p->items = NULL;
	p->n = 0;
}
