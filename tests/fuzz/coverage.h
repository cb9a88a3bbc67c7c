/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What of the code under test an input has reached: counted by edge, as gcc's
 * -fsanitize-coverage=trace-pc calls for each block.  The Makefile compiles the parsers that way
 * for the fuzz targets.  An edge's number depends on the program alone, not on where it was loaded.
 */
#ifndef TESTS_FUZZ_COVERAGE_H
#define TESTS_FUZZ_COVERAGE_H

#include <stdbool.h>
#include <stddef.h>

/* Before an input. */
void coverage_clear(void);

/* After it: has it reached an edge, or so many times, as none before it did? */
bool coverage_is_new(void);

/* Edges reached by any input. */
size_t coverage_edges(void);

#endif
