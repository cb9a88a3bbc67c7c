/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the hypervisor's boot messages say about itself and its machine.
 *
 * Understands the messages of Xen 4.17 and later.  A console line carries no checksum, so these
 * facts explain a boot; they never decide about its samples where a checked record says the same.
 * Text is copied with '?' for what is not printable ASCII, cut at the field's size.  Pure.
 */
#ifndef HARNESS_FACTS_H
#define HARNESS_FACTS_H

#include <stddef.h>

#include "harness/result.h"

/* Nothing known: "" and -1 everywhere. */
void facts_init(struct facts *f);

/* Take one message: what stands after "(XEN) ", n bytes. */
void facts_message(struct facts *f, const char *msg, size_t n);

/* Copy n bytes into a field as described above. */
void facts_copy(char *to, size_t size, const char *from, size_t n);

#endif
