/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/unit.h"

#include "harness/stats/median.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static int order(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static uint64_t next(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return *seed >> 33;
}

static double value(size_t pattern, size_t i, size_t n, uint64_t *seed)
{
	double r = (double)next(seed);

	switch (pattern) {
	case 0:
		return r;
	case 1: /* ties everywhere */
		return (double)((uint64_t)r % 3);
	case 2: /* two values: the middle of an even count lies between them */
		return i < n / 2 ? 1 : 2;
	case 3:
		return (double)i;
	case 4:
		return (double)(n - i);
	case 5: /* organ pipe */
		return (double)(i < n / 2 ? i : n - i);
	case 6: /* equal, but for one */
		return i == n / 3 ? -1 : 5;
	case 7: /* half of them equal */
		return i % 2 ? 0 : r;
	case 8: /* far apart */
		return i % 2 ? r * 1e-140 : -r * 1e140;
	default: /* negative */
		return -r / 7;
	}
}

/* From one value to many: small sets are selected from at once, large ones by a sample. */
static void median_is_that_of_the_sorted_values(void **state)
{
	static const size_t size[] = {
		1, 2, 3, 4, 5, 10, 101, 1000, 65535, 65536, 65537, 200000, 200001};
	double *v = malloc(200001 * sizeof(*v)), *sorted = malloc(200001 * sizeof(*v));
	uint64_t seed = 42;

	(void)state;
	for (size_t s = 0; s < COUNT(size); s++)
		for (size_t pattern = 0; pattern < 10; pattern++) {
			size_t n = size[s];
			double want, got;

			for (size_t i = 0; i < n; i++)
				v[i] = sorted[i] = value(pattern, i, n, &seed);
			qsort(sorted, n, sizeof(*sorted), order);
			want = n % 2 ? sorted[n / 2] : (sorted[n / 2] + sorted[n / 2 - 1]) / 2;
			got = median_of(v, n);
			if (got != want)
				fail_msg("pattern %zu, %zu values: %.17g is not %.17g", pattern, n,
					got, want);
			/* The same values are there, in whatever order. */
			qsort(v, n, sizeof(*v), order);
			assert_memory_equal(v, sorted, n * sizeof(*v));
		}
	free(sorted);
	free(v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(median_is_that_of_the_sorted_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
