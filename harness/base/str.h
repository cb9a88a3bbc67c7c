/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Small helpers on C strings: bounded numbers, nearest names, hex, clean text.  No I/O. */
#ifndef HARNESS_BASE_STR_H
#define HARNESS_BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A whole decimal number within [lo, hi]; no sign but '-', no blanks, nothing after it.
 * Returns 0, or -1 with *out untouched. */
int str_int(const char *s, int64_t lo, int64_t hi, int64_t *out);

/* A duration as "300", "300s", "5m", "2h" or "250ms", in milliseconds; a bare number is seconds.
 * Returns 0, or -1 with *out untouched (also past hi). */
int str_duration_ms(const char *s, int64_t hi, int64_t *out);

/* A share as "1%" or "0.5%", 0.01 and 0.005; lo and hi are percent.  Digits and one point, nothing
 * else; the % must be there.  Returns 0, or -1 with *out untouched. */
int str_percent(const char *s, double lo, double hi, double *out);

/* yes/no, true/false, on/off, 1/0.  Returns 0 or -1. */
int str_bool(const char *s, bool *out);

/* The nearest of n names (edit distance at most a third of the word, 1 at least), or NULL.
 * Borrows from names. */
const char *str_nearest(const char *word, const char *const *names, size_t n);

/* True when the name is [a-z0-9][a-z0-9._-]*, 63 bytes at most: safe as a file name and in a URL.
 */
bool str_is_name(const char *s);

/* Bytes of the UTF-8 sequence at s: 1 to 4; 0 when what stands there is none (overlong forms,
 * surrogates and what lies past U+10FFFF included), or at the end of s. */
size_t str_utf8(const char *s);

/* Make text from outside fit for a terminal, in place: control characters (C0, DEL, and C1 in
 * UTF-8) and bytes that are no UTF-8 become one '?' each.  Never grows. */
void str_clean(char *s);

/* Lower-case hex of n bytes; out holds 2n+1. */
void str_hex(const void *p, size_t n, char *out);

/* n bytes from the kernel's generator as lower-case hex; out holds 2n+1.  n <= 64. */
void str_random_hex(size_t n, char *out);

#endif
