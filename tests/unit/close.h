/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers that agree to so many digits, and say by how much they do not. */
#ifndef TESTS_CLOSE_H
#define TESTS_CLOSE_H

#include <math.h>
#include <stdbool.h>

#include "tests/unit/unit.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static inline void close_check(
	double got, double want, double most, const char *what, const char *file, int line)
{
	if (fabs(got - want) <= most)
		return;
	print_error("%s: %.17g, expected %.17g within %.3g\n", what, got, want, most);
	_fail(file, line);
}

/* Relative to the wanted value, or absolute. */
#define CLOSE(got, want, rel) \
	close_check(got, want, (rel) * (want) * ((want) < 0 ? -1 : 1), #got, __FILE__, __LINE__)
#define CLOSE_ABS(got, want, most) close_check(got, want, most, #got, __FILE__, __LINE__)
/* As printed: half a unit of the last of so many digits after the point. */
#define PRINTED(got, want, digits) \
	close_check(got, want, .5000001 * pow(10, -(digits)), #got, __FILE__, __LINE__)

#endif
