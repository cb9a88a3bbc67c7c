/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a set of numbers looks like: size, mean, spread, extremes and middle.
 *
 * A struct moments is plain data: copy it freely, nothing to release.  It is made either from the
 * values themselves or from a published summary whose values are gone.  Invariants after either:
 * n >= 1, min <= median <= max, min <= avg <= max, all finite, none beyond MOMENTS_LIMIT (the sd
 * not far beyond); the sd is NAN when n is 1, and of a summary that does not tell them min, max and
 * median are NAN, all three.  The unit is the unit of the values.
 */
#ifndef HARNESS_MOMENTS_H
#define HARNESS_MOMENTS_H

#include <stddef.h>

#include "harness/base/err.h"

/* No magnitude may pass this, so that no later sum of squares can overflow. */
#define MOMENTS_LIMIT 1e150

struct moments {
	size_t n;
	double avg;
	double sd; /* of the sample: divisor n - 1 */
	double min;
	double max;
	double median; /* even n: mean of the middle two */
};

/* From n values.  v is borrowed for the call and reordered (the median is found by selection in
 * place, in linear time).  The variance is the corrected two-pass one: squares are taken of
 * distances from the mean, so a large common offset costs no digits.  The mean is a sum in the
 * order given, over n, as ministat's.  Fails with ERR_MEASURE and v untouched when n is 0 or a
 * value is NaN, infinite or beyond MOMENTS_LIMIT. */
must_check int moments_init(struct moments *m, double *v, size_t n, struct err *e);

/* The same, of values that keep their order. */
must_check int moments_init_copy(struct moments *m, const double *v, size_t n, struct err *e);

/* From a summary (its own rounding is taken as it is); min, max and median NAN: not known.  Fails
 * with ERR_MEASURE, naming the field, when the invariants do not hold; n must be at least 2 here,
 * since an sd is given. */
must_check int moments_init_summary(struct moments *m, const struct moments *given, struct err *e);

#endif
