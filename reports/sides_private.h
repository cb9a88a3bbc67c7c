/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of reports/sides.h share. */
#ifndef HARNESS_REPORTS_SIDES_PRIVATE_H
#define HARNESS_REPORTS_SIDES_PRIVATE_H

#include <stdbool.h>

#include "reports/sides.h"

enum { SIDES_TEXT_MAX = 65536 }; /* bytes of a list, or of what takes no part */

/* Modes, each once. */
struct modes {
	const char **names; /* the array is owned, the names are borrowed */
	size_t n;
};

bool modes_have(const struct modes *l, const char *mode);

struct sides {
	struct side *list; /* copies, with the runs of theirs that take part; owned, and these */
	size_t n;
	struct modes *have; /* per side: what it has of what was asked for */
	struct modes all;   /* of any side, asked for or not */
	struct modes asked; /* none: all */
	struct modes in;    /* those that take part */
	char *words;	    /* what asked borrows from */
	struct buf left;    /* runs that do not take part, a line each */
};

/* sides_builds.c: the sides with their runs, and those without in s->left. */
must_check int sides_take(struct sides *s, const struct side *sides, struct err *e);

/* Is a boot or a mode of this build one of the side's? */
bool sides_of_build(const struct side *s, const char *build);

/* Fails when a boot is in two sets. */
must_check int sides_apart(const struct comparison *c, struct err *e);

/* Fails when no block has two usable sets. */
must_check int sides_usable(const struct comparison *c, struct err *e);

/* What takes no part and why, a line each; NULL when there is nothing.  The caller frees it. */
char *sides_left(const struct sides *s, const struct comparison *c);

#endif
