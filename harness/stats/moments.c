/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/stats/moments.h"

#include <math.h>
#include <stdint.h>

static void moments_swap(double *a, double *b)
{
	double t = *a;

	*a = *b;
	*b = t;
}

static double moments_mid3(double a, double b, double c)
{
	if (a < b)
		return b < c ? b : a < c ? c : a;
	return a < c ? a : b < c ? c : b;
}

/* Put the k-th smallest of v at v[k], nothing larger before it.  Pivots are drawn by a fixed
 * generator: no input order met in practice is slow, and equal input gives equal work. */
static void moments_select(double *v, size_t n, size_t k)
{
	uint64_t seed = 0x9e3779b97f4a7c15u;
	size_t lo = 0, hi = n - 1;
	size_t r[3];

	while (lo < hi) {
		size_t i = lo, j = hi;
		double pivot;

		for (int q = 0; q < 3; q++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			r[q] = lo + (size_t)((seed >> 33) % (hi - lo + 1));
		}
		pivot = moments_mid3(v[r[0]], v[r[1]], v[r[2]]);
		for (;;) {
			while (v[i] < pivot)
				i++;
			while (v[j] > pivot)
				j--;
			if (i >= j)
				break;
			moments_swap(&v[i++], &v[j--]);
		}
		/* Now v[lo..i-1] <= pivot <= v[j+1..hi]; i == j leaves the pivot itself there. */
		if (i == j) {
			if (k == i)
				return;
			if (k < i)
				hi = i - 1;
			else
				lo = i + 1;
		} else if (k <= j) {
			hi = j;
		} else {
			lo = i;
		}
	}
}

static double moments_median(double *v, size_t n)
{
	size_t k = n / 2;
	double below;

	moments_select(v, n, k);
	if (n % 2)
		return v[k];
	below = v[0];
	for (size_t i = 1; i < k; i++)
		if (v[i] > below)
			below = v[i];
	return (v[k] + below) / 2;
}

int moments_init(struct moments *m, double *v, size_t n, struct err *e)
{
	double sum = 0, rest = 0, squares = 0, var;
	double min, max, avg;

	if (!n)
		return err_set(e, ERR_MEASURE, NULL, "no values");
	min = max = v[0];
	for (size_t i = 0; i < n; i++) {
		if (!(fabs(v[i]) <= MOMENTS_LIMIT))
			return err_set(e, ERR_MEASURE, NULL,
				"value %zu is %g: only finite numbers up to %g can be averaged",
				i + 1, v[i], MOMENTS_LIMIT);
		min = v[i] < min ? v[i] : min;
		max = v[i] > max ? v[i] : max;
		sum += v[i];
	}
	/* A plain sum in input order: decimal data often has a mean half way between two printed
	 * ones, and ministat's rounding of it can only be met by its own additions.  But equal
	 * values must give exactly zero spread, whatever sum / n rounds to. */
	avg = min == max ? min : sum / (double)n;
	for (size_t i = 0; i < n; i++) {
		double d = v[i] - avg;

		rest += d;
		squares += d * d;
	}
	var = (squares - rest * rest / (double)n) / ((double)n - 1);
	*m = (struct moments){
		.n = n,
		.avg = fmin(fmax(avg, min), max),
		.sd = n == 1 ? NAN : sqrt(fmax(var, 0)),
		.min = min,
		.max = max,
		.median = moments_median(v, n),
	};
	return 0;
}

int moments_init_summary(struct moments *m, const struct moments *given, struct err *e)
{
	const struct {
		const char *name;
		double value;
	} field[] = {
		{"min", given->min},
		{"max", given->max},
		{"median", given->median},
		{"avg", given->avg},
		{"sd", given->sd},
	};

	if (given->n < 2)
		return err_set(e, ERR_MEASURE, NULL, "a summary needs n >= 2, not %zu", given->n);
	for (size_t i = 0; i < sizeof(field) / sizeof(field[0]); i++)
		if (!(fabs(field[i].value) <= MOMENTS_LIMIT))
			return err_set(e, ERR_MEASURE, NULL,
				"summary field %s is %g, not a finite number", field[i].name,
				field[i].value);
	if (given->sd < 0)
		return err_set(
			e, ERR_MEASURE, NULL, "summary field sd is %g, below zero", given->sd);
	for (size_t i = 2; i < 4; i++)
		if (field[i].value < given->min || field[i].value > given->max)
			return err_set(e, ERR_MEASURE, NULL,
				"summary field %s is %g, outside min %g .. max %g", field[i].name,
				field[i].value, given->min, given->max);
	*m = *given;
	return 0;
}
