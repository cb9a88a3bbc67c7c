/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/stats/median.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

static void median_swap(double *a, double *b)
{
	double t = *a;

	*a = *b;
	*b = t;
}

static size_t median_random(uint64_t *seed, size_t n)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (size_t)((*seed >> 33) % n);
}

static double median_mid3(double a, double b, double c)
{
	if (a < b)
		return b < c ? b : a < c ? c : a;
	return a < c ? a : b < c ? c : b;
}

/* Put the k-th smallest of v at v[k], nothing larger before it.  Pivots are drawn by a fixed
 * generator: no input order met in practice is slow, and equal input gives equal work. */
static void median_select(double *v, size_t n, size_t k)
{
	uint64_t seed = 0x9e3779b97f4a7c15u;
	size_t lo = 0, hi = n - 1;
	size_t r[3];

	while (lo < hi) {
		size_t i = lo, j = hi;
		double pivot;

		for (int q = 0; q < 3; q++)
			r[q] = lo + median_random(&seed, hi - lo + 1);
		pivot = median_mid3(v[r[0]], v[r[1]], v[r[2]]);
		for (;;) {
			while (v[i] < pivot)
				i++;
			while (v[j] > pivot)
				j--;
			if (i >= j)
				break;
			median_swap(&v[i++], &v[j--]);
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

/* Where a pass over all values has found the middle to be. */
struct median_near {
	double lo, hi;	       /* of the values, drawn so that the middle lies between them */
	size_t below;	       /* values < lo */
	size_t at_lo, between; /* == lo; > lo and < hi */
	size_t at_hi;	       /* == hi, unless lo is */
	double *v;	       /* those between, in any order */
};

enum {
	NEAR_MIN = 1 << 16, /* values: fewer are selected from at once */
	NEAR_DRAWN = 1 << 12,
	NEAR_REACH = 160, /* ranks to either side of the middle: 5 deviations of a drawn rank, 32 */
};

/* Count and gather in one pass, without a jump that depends on a value.  False: too many lie
 * between for the room there is. */
static bool median_gather(struct median_near *m, const double *v, size_t n, size_t room)
{
	size_t below = 0, at_lo = 0, at_hi = 0, between = 0;
	const double lo = m->lo, hi = m->hi;

	for (size_t i = 0; i < n; i++) {
		double x = v[i];

		below += x < lo;
		at_lo += x == lo;
		at_hi += x == hi;
		m->v[between] = x;
		between += (x > lo) & (x < hi);
		if (between == room)
			return false;
	}
	m->below = below;
	m->at_lo = at_lo;
	m->between = between;
	m->at_hi = lo == hi ? 0 : at_hi;
	return true;
}

/* The k-th smallest of all; false: it is not near. */
static bool median_near_select(struct median_near *m, size_t k, double *x)
{
	if (k < m->below)
		return false;
	k -= m->below;
	if (k < m->at_lo) {
		*x = m->lo;
		return true;
	}
	k -= m->at_lo;
	if (k < m->between) {
		median_select(m->v, m->between, k);
		*x = m->v[k];
		return true;
	}
	*x = m->hi;
	return k - m->between < m->at_hi;
}

/* The median of many values in one pass: some of them, drawn at random, tell between which two it
 * lies (Floyd and Rivest, "Expected time bounds for selection", 1975).  False: they did not. */
static bool median_near_find(const double *v, size_t n, double *median)
{
	size_t room = n / 8, middle = NEAR_DRAWN / 2;
	double *drawn = malloc(NEAR_DRAWN * sizeof(*drawn)), low, high;
	struct median_near m = {.v = malloc(room * sizeof(*m.v))};
	uint64_t seed = 0x2545f4914f6cdd1du;
	bool found = false;

	if (!drawn || !m.v)
		goto out;
	for (size_t i = 0; i < NEAR_DRAWN; i++)
		drawn[i] = v[median_random(&seed, n)];
	median_select(drawn, NEAR_DRAWN, middle - NEAR_REACH);
	m.lo = drawn[middle - NEAR_REACH];
	median_select(drawn, NEAR_DRAWN, middle + NEAR_REACH);
	m.hi = drawn[middle + NEAR_REACH];
	found = median_gather(&m, v, n, room) && median_near_select(&m, n / 2, &high);
	if (found && n % 2) {
		*median = high;
	} else if (found) {
		found = median_near_select(&m, n / 2 - 1, &low);
		*median = (high + low) / 2;
	}
out:
	free(m.v);
	free(drawn);
	return found;
}

double median_of(double *v, size_t n)
{
	size_t k = n / 2;
	double below;

	if (n >= NEAR_MIN && median_near_find(v, n, &below))
		return below;
	median_select(v, n, k);
	if (n % 2)
		return v[k];
	below = v[0];
	for (size_t i = 1; i < k; i++)
		if (v[i] > below)
			below = v[i];
	return (v[k] + below) / 2;
}
