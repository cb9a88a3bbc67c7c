/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Allocation that cannot fail: without memory the process prints one line and exits 70.
 *
 * For small, bounded things only.  Whatever a peer or a file can make large goes through struct
 * buf, whose limit turns it into an error.
 */
#ifndef HARNESS_BASE_MEM_H
#define HARNESS_BASE_MEM_H

#include <stddef.h>

void *mem_alloc(size_t n);			/* zeroed; free() it */
void *mem_array(size_t n, size_t size);		/* zeroed; exits 70 on overflow */
void *mem_grow(void *p, size_t n, size_t size); /* like reallocarray; new part not zeroed */
char *mem_strdup(const char *s);		/* NULL gives NULL */
char *mem_strndup(const char *s, size_t n);
char *mem_printf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
