/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The median by selection, in linear time. */
#ifndef HARNESS_MEDIAN_H
#define HARNESS_MEDIAN_H

#include <stddef.h>

/* The middle one of n >= 1 values, none of them NaN; of an even count the mean of the middle two.
 * Exact, whatever the order, which is changed.  Of many values a few percent are copied for the
 * time of the call; where there is no memory for that, it only takes longer. */
double median_of(double *v, size_t n);

#endif
