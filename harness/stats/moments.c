/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/stats/moments.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/mem.h"
#include "harness/stats/median.h"

#define SUMMARY_SLACK 1.001

/* Squares beyond these bounds have lost digits to the end of the range of a double. */
static const double moments_squares_min = 1e-250, moments_squares_max = 1e300;

/* The sd of values whose squares leave that range: about avg, in units of the largest distance. */
static double moments_sd_scaled(const double *v, size_t n, double avg, double unit)
{
	double squares = 0;

	for (size_t i = 0; i < n; i++)
		squares += pow((v[i] - avg) / unit, 2);
	return unit * sqrt(squares / ((double)n - 1));
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
		.median = median_of(v, n),
	};
	if (n > 1 && min < max && !(squares > moments_squares_min && squares < moments_squares_max))
		m->sd = moments_sd_scaled(v, n, avg, fmax(max - avg, avg - min));
	return 0;
}

int moments_init_copy(struct moments *m, const double *v, size_t n, struct err *e)
{
	double *copy = mem_array(n ? n : 1, sizeof(*copy));
	int rc;

	if (n)
		memcpy(copy, v, n * sizeof(*copy));
	rc = moments_init(m, copy, n, e);
	free(copy);
	return rc;
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
	double most;
	bool whole = !isnan(given->min) || !isnan(given->max) || !isnan(given->median);

	if (given->n < 2)
		return err_set(e, ERR_MEASURE, NULL, "a summary needs n >= 2, not %zu", given->n);
	for (size_t i = whole ? 0 : 3; i < sizeof(field) / sizeof(field[0]); i++)
		if (!(fabs(field[i].value) <= MOMENTS_LIMIT))
			return err_set(e, ERR_MEASURE, NULL,
				"summary field %s is %g, not a finite number", field[i].name,
				field[i].value);
	if (given->sd < 0)
		return err_set(
			e, ERR_MEASURE, NULL, "summary field sd is %g, below zero", given->sd);
	for (size_t i = 2; whole && i < 4; i++)
		if (field[i].value < given->min || field[i].value > given->max)
			return err_set(e, ERR_MEASURE, NULL,
				"summary field %s is %g, outside min %g .. max %g", field[i].name,
				field[i].value, given->min, given->max);
	/* Half of n at either end is the most that n numbers can vary; a rounded table may pass it
	 * by a little. */
	most = (given->max - given->min) / 2 * sqrt((double)given->n / (double)(given->n - 1));
	if (whole && (given->sd > most * SUMMARY_SLACK || (given->sd == 0 && most > 0)))
		return err_set(e, ERR_MEASURE, NULL,
			"summary field sd is %g, which no %zu numbers from %g to %g have",
			given->sd, given->n, given->min, given->max);
	*m = *given;
	return 0;
}
