/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the sides of `harness compare` stand for in the store. */
#ifndef HARNESS_CMD_COMPARE_H
#define HARNESS_CMD_COMPARE_H

#include "db/store.h"
#include "reports/side.h"
#include "reports/sides.h"

struct compare_ask {
	const struct side_word *words; /* n_words; none: all runs of the machine */
	size_t n_words;
	const char *machine; /* NULL: any */
	bool machines;	     /* runs of several machines are fine */
};

struct compare_found {
	struct side *sides; /* one a word */
	size_t n_sides;
	char **words; /* per side: what finds the same again later, but for newer runs of an
		image or of a day that is not over */
	struct model **models; /* every run once */
	size_t n_models;
};

/* Find and load; release it whatever this returns.  Errors: class usage when there is no such run,
 * image or day, when a run is of another machine than asked for, and when days or images choose
 * runs of several machines. */
must_check int compare_find(
	struct compare_found *f, struct store *s, const struct compare_ask *ask, struct err *e);
void compare_found_release(struct compare_found *f); /* safe to call twice */

#endif
