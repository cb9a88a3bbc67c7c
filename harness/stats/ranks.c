/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/stats/ranks.h"

#include <math.h>
#include <stdlib.h>

#include "harness/base/mem.h"

struct ranks_item {
	double value;
	bool of_a;
};

static int ranks_order(const void *l, const void *r)
{
	double a = ((const struct ranks_item *)l)->value;
	double b = ((const struct ranks_item *)r)->value;

	return (a > b) - (a < b);
}

static int ranks_take(struct ranks_item *to, const double *v, size_t n, bool of_a, struct err *e)
{
	for (size_t i = 0; i < n; i++) {
		if (!isfinite(v[i]))
			return err_set(e, ERR_MEASURE, NULL,
				"value %zu of the %s set is no finite number: it has no rank",
				i + 1, of_a ? "first" : "second");
		to[i] = (struct ranks_item){v[i], of_a};
	}
	return 0;
}

/* U of a, and the sum of t^3 - t over the ties. */
static double ranks_u(const struct ranks_item *v, size_t n, double *ties)
{
	double u = 0, below = 0; /* values of b that are smaller */

	*ties = 0;
	for (size_t i = 0, next; i < n; i = next) {
		double a = 0, t;

		for (next = i; next < n && v[next].value == v[i].value; next++)
			a += v[next].of_a;
		t = (double)(next - i);
		u += a * (below + (t - a) / 2);
		below += t - a;
		*ties += t * t * t - t;
	}
	return u;
}

/* P(U <= u) when no order is likelier than another; u <= na nb / 2.  f[i] holds the counts of i
 * values of a beside the j values of b taken so far. */
static double ranks_tail(size_t u, size_t na, size_t nb)
{
	size_t width = u + 1;
	double *f = mem_array((na + 1) * width, sizeof(*f));
	double tail = 0, all = 1;

	for (size_t i = 0; i <= na; i++)
		f[i * width] = 1;
	for (size_t j = 1; j <= nb; j++)
		for (size_t i = 1; i <= na; i++)
			for (size_t s = j; s < width; s++)
				f[i * width + s] += f[(i - 1) * width + s - j];
	for (size_t s = 0; s < width; s++)
		tail += f[na * width + s];
	for (size_t i = 1; i <= na; i++)
		all *= (double)(nb + i) / (double)i;
	free(f);
	return tail / all;
}

int ranks_mann_whitney(
	struct ranks *r, const double *a, size_t na, const double *b, size_t nb, struct err *e)
{
	double n = (double)na + (double)nb, pairs = (double)na * (double)nb;
	double ties, var, off;
	struct ranks_item *v;
	int rc;

	if (!na || !nb)
		return err_set(e, ERR_MEASURE, NULL,
			"a rank test needs a value a side, not %zu and %zu", na, nb);
	v = mem_array(na + nb, sizeof(*v));
	rc = ranks_take(v, a, na, true, e);
	if (!rc)
		rc = ranks_take(v + na, b, nb, false, e);
	if (rc)
		goto out;
	qsort(v, na + nb, sizeof(*v), ranks_order);
	r->u = ranks_u(v, na + nb, &ties);
	var = pairs / 12 * (n + 1 - ties / (n * (n - 1)));
	off = fmax(fabs(r->u - pairs / 2) - .5, 0);
	r->z = off > 0 ? copysign(off / sqrt(var), r->u - pairs / 2) : 0;
	r->exact = na <= RANKS_EXACT && nb <= RANKS_EXACT && ties == 0;
	if (r->exact)
		r->p = fmin(2 * ranks_tail((size_t)fmin(r->u, pairs - r->u), na, nb), 1);
	else
		r->p = erfc(fabs(r->z) * M_SQRT1_2);
out:
	free(v);
	return rc;
}
