/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Are the boots of a comparison alike in all but what is compared?
 *
 * Times of different machines, firmware or settings cannot be told from a change of the software.
 * All boots of all sets must therefore agree in each of these kinds, within a side and between
 * sides, unless a kind is allowed to differ: then the report says how.  What a boot did not say is
 * "unknown", a value of its own.  Builds, compilers and versions are what is compared; compilers,
 * probes, ways of sampling and ways from boot to boot that differ are only noted.  Pure.
 */
#ifndef HARNESS_REPORTS_ALIKE_H
#define HARNESS_REPORTS_ALIKE_H

#include "harness/base/buf.h"
#include "reports/comparison.h"

enum alike_kind {
	ALIKE_MACHINE,
	ALIKE_CPU,
	ALIKE_MICROCODE,
	ALIKE_FIRMWARE, /* kind and version */
	ALIKE_CPUS,	/* online, and those that the work goes to */
	ALIKE_ITERATIONS,
	ALIKE_ARGS, /* the hypervisor's command line without hp_* words, which are the probe's */
	ALIKE_SHORTHAND,
	ALIKE_DEBUG,
	ALIKE_EMULATOR,
	ALIKE_KINDS, /* those that can be allowed */
};

/* A set of kinds: bit 1 << kind. */
typedef unsigned alike_set;

#define ALIKE_ALL ((1U << ALIKE_KINDS) - 1)

/* "microcode,args" or "all".  An unknown word: class usage, with the nearest one. */
must_check int alike_allow(const char *list, alike_set *out, struct err *e);

/* Look at all boots of c, whose sets have been added.  Class measurement, E_DIFFERS, with one line
 * that names the first kind that differs, where, and the words that allow it.  Else what differs
 * all the same goes to out, a line each: "microcode: 0x1 in 7f3a (5 boots); 0x2 in 8b2c (5
 * boots)". */
must_check int alike_check(
	const struct comparison *c, alike_set allow, struct buf *out, struct err *e);

#endif
