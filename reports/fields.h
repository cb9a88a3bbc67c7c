/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A verdict as a list of named values: what JSON and CSV say of a comparison.
 *
 * One list for both, so that they have the same names, units and digits, and leave out the same: a
 * value that a flag of the verdict rules out, or that is not finite, has no type.  The names are
 * part of the formats (FORMATS.md): changing one raises their version.  Pure.
 */
#ifndef HARNESS_REPORTS_FIELDS_H
#define HARNESS_REPORTS_FIELDS_H

#include <stdbool.h>
#include <stddef.h>

#include "harness/verdict.h"

enum field_type { FIELD_NONE, FIELD_BOOL, FIELD_INT, FIELD_REAL };

/* Plain data. */
struct field {
	const char *name; /* constant; a unit at its end: _ns, _pct */
	enum field_type type;
	bool yes;
	size_t count;
	double real; /* finite */
};

enum { FIELDS_VERDICT = 28 };

/* All of v but its kind (verdict_name()), always in this order. */
void fields_verdict(struct field list[FIELDS_VERDICT], const struct verdict *v);

#endif
