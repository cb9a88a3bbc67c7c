/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Xen's debug keys: who is at the other end of a console, and what an answer says.
 *
 * Until Xen has built dom0, what is typed on its serial console goes to Xen itself, which has a
 * handler for each of some keys (targets/README.md, [hypervisor]).  Pure: no I/O.
 */
#ifndef HARNESS_DEBUG_KEYS_H
#define HARNESS_DEBUG_KEYS_H

#include <stdbool.h>
#include <stddef.h>

struct debug_answer {
	bool any;	/* Xen said something that is no record of the probe */
	int cpus;	/* whose registers it showed */
	int cpu;	/* 0, which starts the system, or else the first of them; -1: none */
	char where[96]; /* what that one is at: "flush_area_mask+0xf0/0x14f", or an address; "" */
};

/* Is Xen the last who spoke on this console?  A firmware, a boot loader or a system under Xen that
 * came after it has the line now, and would take keys for its own. */
bool debug_keys_xen_listens(const char *console, size_t n);

/* What came back after the keys were typed. */
void debug_keys_answer(struct debug_answer *a, const char *text, size_t n);

/* The answer in words, for an error: "Xen does not answer its debug keys". */
void debug_keys_words(const struct debug_answer *a, char *out, size_t size);

#endif
