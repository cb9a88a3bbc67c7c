/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How a comparison is laid out, in a line. */
#ifndef TESTS_UNIT_LAYOUT_H
#define TESTS_UNIT_LAYOUT_H

#include "harness/base/buf.h"
#include "reports/comparison.h"

/* "0 base mixed | 0 patched mixed <base mixed": blocks, names, references; "?" is not usable. */
static inline void laid_out(struct buf *b, const struct comparison *c)
{
	buf_clear(b);
	for (size_t i = 0; i < c->n_sets; i++) {
		const struct comparison_set *s = &c->sets[i];

		buf_addf(b, "%s%zu %s%s", i ? " | " : "", s->block, s->name, s->usable ? "" : "?");
		if (s->ref != i)
			buf_addf(b, " <%s", c->sets[s->ref].name);
	}
}

#endif
