/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/stats/split.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/mem.h"

void split_init(struct split *s, const double *v, size_t n, size_t min)
{
	double **const arrays[] = {&s->sorted, &s->dist, &s->x, &s->prefix, &s->part, &s->top,
		&s->inverse, &s->count, &s->sum, &s->w[0], &s->w[1], &s->w[2]};
	size_t n_arrays = sizeof(arrays) / sizeof(arrays[0]);

	s->min = min;
	s->v = v;
	s->place = mem_array(n + 1, sizeof(*s->place));
	s->order = mem_array(n + 1, sizeof(*s->order));
	s->room = mem_array(n_arrays * (n + 1), sizeof(*s->room));
	for (size_t i = 0; i < n_arrays; i++)
		*arrays[i] = s->room + i * (n + 1);
	for (size_t i = 1; i <= n; i++)
		s->inverse[i] = 1 / (double)i;
}

void split_release(struct split *s)
{
	free(s->place);
	free(s->order);
	free(s->room);
}

/* Count and sum of the values up to a place, while values come one by one (Fenwick 1994). */
static void tree_add(struct split *s, size_t place, size_t n, double v)
{
	for (size_t i = place + 1; i <= n; i += i & -i) {
		s->count[i]++;
		s->sum[i] += v;
	}
}

static double tree_upto(const struct split *s, size_t place, double *sum)
{
	double count = 0;

	*sum = 0;
	for (size_t i = place + 1; i; i -= i & -i) {
		count += s->count[i];
		*sum += s->sum[i];
	}
	return count;
}

/* Values in the order of places[], distances within each prefix, and for each cut the Q of a Y that
 * reaches to the end. */
static void split_prefixes(struct split *s, const struct segment *g, const size_t *places)
{
	double sum = 0, across = 0;

	memset(s->count, 0, (g->n + 1) * sizeof(*s->count));
	memset(s->sum, 0, (g->n + 1) * sizeof(*s->sum));
	s->prefix[0] = 0;
	for (size_t i = 0; i < g->n; i++) {
		size_t t = i + 1, m = g->n - t, k = places[i];
		double x = s->sorted[g->from + k], below_sum, below, row;

		below = tree_upto(s, k, &below_sum);
		row = x * (2 * below - (double)i) + sum - 2 * below_sum;
		tree_add(s, k, g->n, x);
		sum += x;
		s->x[i] = x;
		s->prefix[t] = s->prefix[i] + row;
		s->top[t] = 0;
		across += s->dist[g->from + k] - 2 * row;
		if (t < s->min || m < s->min)
			continue;
		s->part[t] = s->prefix[t] * s->inverse[t - 1];
		s->top[t] = 2 * s->inverse[g->n] *
			    (across - (double)m * s->part[t] -
				    (double)t * s->inverse[m - 1] *
					    (g->whole - s->prefix[t] - across));
	}
}

/* The same for each Y that ends sooner, window by window. */
static void split_windows(struct split *s, size_t n)
{
	double *w2 = s->w[0], *w1 = s->w[1], *w = s->w[2], *old;

	memset(w2, 0, n * sizeof(*w2));
	memset(w1, 0, n * sizeof(*w1));
	for (size_t m = 2; m <= SPLIT_WINDOW && s->min + m < n; m++) {
		double per = m < s->min ? 0 : s->inverse[m - 1];

		for (size_t i = s->min; i + m <= n; i++) {
			double in = w1[i] + w1[i + 1] - w2[i + 1] + fabs(s->x[i + m - 1] - s->x[i]);
			double across = s->prefix[i + m] - s->prefix[i] - in;
			double q = across - (double)m * s->part[i] - (double)i * per * in;

			q *= 2 * s->inverse[i + m];
			w[i] = in;
			if (q > s->top[i] && m >= s->min)
				s->top[i] = q;
		}
		old = w2;
		w2 = w1;
		w1 = w;
		w = old;
	}
}

static double split_best(struct split *s, const struct segment *g, const size_t *places, size_t *at)
{
	double best = 0;

	split_prefixes(s, g, places);
	split_windows(s, g->n);
	*at = 0;
	for (size_t t = s->min; t + s->min <= g->n; t++)
		if (s->top[t] > best) {
			best = s->top[t];
			*at = t;
		}
	return best;
}

static int by_value(const void *l, const void *r, void *arg)
{
	const double *v = arg;
	size_t i = *(const size_t *)l, j = *(const size_t *)r;

	if (v[i] != v[j])
		return v[i] < v[j] ? -1 : 1;
	return (i > j) - (i < j);
}

void split_segment(struct split *s, struct segment *g, size_t from, size_t n)
{
	double below = 0, all = 0, *sorted = s->sorted + from;

	*g = (struct segment){.from = from, .n = n};
	for (size_t i = 0; i < n; i++) {
		s->order[i] = from + i;
		all += s->v[from + i];
	}
	qsort_r(s->order, n, sizeof(*s->order), by_value, (void *)s->v);
	for (size_t k = 0; k < n; k++) {
		double x = s->v[s->order[k]];

		s->place[s->order[k]] = k;
		sorted[k] = x;
		/* k values below, n - k from here on */
		s->dist[from + k] = x * (2 * (double)k - (double)n) + all - 2 * below;
		g->whole += s->dist[from + k] / 2;
		below += x;
	}
	/* What rounding leaves of equal values is no distance. */
	if (n >= 2 * s->min && sorted[0] < sorted[n - 1])
		g->q = split_best(s, g, s->place + from, &g->at);
}

double split_shuffled(struct split *s, const struct segment *g, gsl_rng *rng)
{
	size_t *p = s->order, at;

	if (!g->at)
		return 0;
	memcpy(p, s->place + g->from, g->n * sizeof(*p));
	for (size_t i = g->n - 1; i; i--) {
		size_t j = gsl_rng_uniform_int(rng, i + 1), t = p[i];

		p[i] = p[j];
		p[j] = t;
	}
	return split_best(s, g, p, &at);
}

double split_q(const double *v, size_t n, size_t at)
{
	double x = (double)at, y = (double)(n - at), across = 0, left = 0, right = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t k = i + 1; k < n; k++) {
			double d = fabs(v[i] - v[k]);

			if (k < at)
				left += d;
			else if (i >= at)
				right += d;
			else
				across += d;
		}
	return x * y / (x + y) *
	       (2 / (x * y) * across - 2 / (x * (x - 1)) * left - 2 / (y * (y - 1)) * right);
}
