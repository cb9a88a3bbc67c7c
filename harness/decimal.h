/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Text to the nearest double, as strtod() in the C locale reads it.
 *
 * Two ways to the same value: decimal_fast() for what data files are full of, decimal_token() for
 * everything.  Where the fast way cannot be sure of the last bit it says so.
 */
#ifndef HARNESS_DECIMAL_H
#define HARNESS_DECIMAL_H

#include <stddef.h>

/* Read [+-]digits[.digits][e[+-]digits] at p, as far as it goes; return where it ends.  p needs no
 * end but a byte that cannot go on in such a number, as an end of line.  NULL, with *v untouched:
 * ask decimal_token(), since here stands no such number, or one with more than 19 digits, or with
 * a power of ten that is not exact, or one half way between two doubles.
 *
 * One rounding gives the nearest value: the digits are an exact integer below 2^53 and the power of
 * ten is exact up to 10^22, so that their product or quotient is rounded once.  Longer integers go
 * through a 64-bit significand, where only a result right on the middle of two doubles could be
 * rounded twice (Clinger, "How to read floating point numbers accurately", 1990). */
const char *decimal_fast(const char *p, double *v);

/* The n bytes at p as one number: all that strtod() takes, hexadecimal, infinities and NaN
 * included, also white space before it.  Returns 0; or -1 with *v untouched when a byte is left
 * over, or n is 0.  Out of range gives an infinity or the nearest of 0 and the subnormals, as
 * strtod() does. */
int decimal_token(const char *p, size_t n, double *v);

#endif
