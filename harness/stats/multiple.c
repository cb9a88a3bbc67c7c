/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/stats/multiple.h"

#include <math.h>
#include <stdlib.h>

#include "harness/base/mem.h"

struct multiple {
	double p;
	size_t at;
};

static int multiple_order(const void *a, const void *b)
{
	const struct multiple *x = a, *y = b;

	if (x->p != y->p)
		return x->p < y->p ? -1 : 1;
	return x->at < y->at ? -1 : 1;
}

/* Rising, with where each stood.  NAN would have no place.  The caller frees it. */
static struct multiple *multiple_sorted(const double *p, size_t n)
{
	struct multiple *list = mem_array(n ? n : 1, sizeof(*list));

	for (size_t i = 0; i < n; i++)
		list[i] = (struct multiple){isnan(p[i]) ? 1 : p[i], i};
	qsort(list, n, sizeof(*list), multiple_order);
	return list;
}

void multiple_holm(const double *p, double *adjusted, size_t n)
{
	struct multiple *list = multiple_sorted(p, n);
	double least = 0;

	for (size_t i = 0; i < n; i++) {
		least = fmax(least, fmin(1, list[i].p * (double)(n - i)));
		adjusted[list[i].at] = least;
	}
	free(list);
}

void multiple_holm_factors(const double *p, size_t *factor, size_t n)
{
	struct multiple *list = multiple_sorted(p, n);

	for (size_t i = 0; i < n; i++)
		factor[list[i].at] = n - i;
	free(list);
}

void multiple_holm_divisors(const double *p, double alpha, size_t *divisor, size_t n)
{
	struct multiple *list = multiple_sorted(p, n);

	/* Of the others, in their own order, so many are rejected before this one's turn. */
	for (size_t i = 0; i < n; i++) {
		size_t k = 0;

		for (size_t s = 0; s < n; s++) {
			if (s == i)
				continue;
			if (list[s].p > alpha / (double)(n - k))
				break;
			k++;
		}
		divisor[list[i].at] = n - k;
	}
	free(list);
}

void multiple_bh(const double *p, double *adjusted, size_t n)
{
	struct multiple *list = multiple_sorted(p, n);
	double most = 1;

	for (size_t i = n; i-- > 0;) {
		most = fmin(most, list[i].p * (double)n / (double)(i + 1));
		adjusted[list[i].at] = most;
	}
	free(list);
}
