/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Console lines that a healthy machine does not write while it is measured.
 *
 * A machine check, a CPU that runs hot, a clock that is not trusted any more, a CPU that did not
 * come up, an interrupt that should not be: each may explain a strange time, and none is a reason
 * to drop it.  Known are the messages of Xen 4.17 and later, and what Linux says of the same
 * events.  What a hypervisor says at every boot ("Thermal monitoring enabled", "Machine check
 * polling timer started") is no remark; neither is what a machine always says before the
 * measurement and only then.
 *
 * Of each kind the first line is kept, with '?' for what is not printable ASCII and cut at
 * REMARK_TEXT - 1 bytes, and the lines are counted.  A struct remarks is plain data.  Pure.
 */
#ifndef HARNESS_REMARKS_H
#define HARNESS_REMARKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum remark_kind {
	REMARK_MACHINE_CHECK,
	REMARK_THERMAL,
	REMARK_CLOCK,
	REMARK_CPU,
	REMARK_INTERRUPT, /* NMI, watchdog, spurious or lost interrupts */
	REMARK_KINDS
};

/* Bytes of a line; of one kind in words, NULs included. */
enum { REMARK_TEXT = 81, REMARK_WORDS = 128 };

enum { REMARK_HASH_BITS = 12, REMARK_HASHES = (1 << REMARK_HASH_BITS) / 64 };

struct remarks {
	struct {
		int lines;
		char text[REMARK_TEXT]; /* of the first; no '"' in it */
	} of[REMARK_KINDS];
	/* Three bytes that patterns begin with at the beginning of a line, and anywhere. */
	uint64_t hashes[2][REMARK_HASHES];
};

/* No remarks. */
void remarks_init(struct remarks *r);

/* Take one line, n bytes, without prefix and time stamp.  measuring: the probe's report has begun,
 * so that a clock that is chosen, and a stray interrupt, are no part of starting up any more. */
void remarks_take(struct remarks *r, const char *line, size_t n, bool measuring);

/* The kind of a line, or REMARK_KINDS when it is none of these. */
enum remark_kind remarks_kind(const struct remarks *r, const char *line, size_t n, bool measuring);

/* One kind in words: `thermal: "CPU3: Temperature above threshold" (2 lines)`.  False and "" when
 * there is no such line.  out holds REMARK_WORDS. */
bool remarks_words(const struct remarks *r, enum remark_kind kind, char *out, size_t size);

#endif
