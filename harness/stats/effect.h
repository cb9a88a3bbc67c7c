/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What could a comparison have seen?
 *
 * A t test of a true difference of d standard errors follows the noncentral t distribution with
 * noncentrality d.  Power is the probability that the two-sided test at `conf` percent calls it a
 * difference, in either direction (Cohen 1988; the distribution by integration over the chi
 * distribution of the standard deviation).  conf and power are in percent, 0 < both < 100; degrees
 * of freedom are 1 .. 1e6 and need not be whole.
 *
 * For equal variances all this is exact; with Welch's degrees of freedom it is as approximate as
 * these are.
 */
#ifndef HARNESS_STATS_EFFECT_H
#define HARNESS_STATS_EFFECT_H

#include <stddef.h>

enum { EFFECT_BOOTS_MAX = 100000 };

/* P(T <= t), T noncentral t; 0 .. 1, absolute error below 1e-10.  t is finite. */
double effect_noncentral(double t, double dof, double noncentrality);

/* Power in percent at a true difference of d standard errors, of either sign. */
double effect_power(double d, double dof, double conf);

/* The difference, in true standard errors, that is found with this power; 0 when chance alone
 * reaches it (power <= 100 - conf). */
double effect_smallest(double dof, double conf, double power);

/* The same for two sets of n each, in standard deviations of one value: d sqrt(2 / n). n >= 2. */
double effect_smallest_sd(size_t n, double conf, double power);

/* Fewest n >= 3 for each of two sets at which a difference of `effect` standard deviations (> 0) is
 * found with this power; EFFECT_BOOTS_MAX + 1 when more than EFFECT_BOOTS_MAX are needed. */
size_t effect_boots(double effect, double conf, double power);

/* The same for sets of unequal spread: `effect` in units of sqrt((s1^2 + s0^2) / 2), and n boots a
 * side have dof_boot (n - 1) degrees of freedom, 1 <= dof_boot <= 2. */
size_t effect_boots_unequal(double effect, double dof_boot, double conf, double power);

#endif
