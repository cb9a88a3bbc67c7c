/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Print many values for `make bench`: the same for the same arguments.
 *
 * usage: bench_values integers|decimals|digits COUNT SEED SHIFT
 *
 * Bell-shaped around 50000 + SHIFT with a deviation near 10000; integers; with three decimals; or
 * with the 17 digits that a double may need.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* xorshift64*; the sum of four of its 16-bit parts is bell-shaped enough. */
static double bench_value(uint64_t *state, double shift)
{
	uint64_t r, sum;

	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	r = *state * 0x2545f4914f6cdd1du;
	sum = (r & 0xffff) + (r >> 16 & 0xffff) + (r >> 32 & 0xffff) + (r >> 48);
	return 50000 + shift + ((double)sum - 131070) * .2643;
}

int main(int argc, char **argv)
{
	int digits = argc != 5			    ? -1
		     : !strcmp(argv[1], "integers") ? 0
		     : !strcmp(argv[1], "decimals") ? 3
		     : !strcmp(argv[1], "digits")   ? 12
						    : -1;
	uint64_t state;
	double shift;
	size_t n;

	if (digits < 0) {
		fprintf(stderr, "usage: bench_values integers|decimals|digits COUNT SEED SHIFT\n");
		return 2;
	}
	n = strtoull(argv[2], NULL, 10);
	state = strtoull(argv[3], NULL, 10) * 0x9e3779b97f4a7c15u + 1;
	shift = strtod(argv[4], NULL);
	for (int i = 0; i < 8; i++)
		bench_value(&state, 0);
	for (size_t i = 0; i < n; i++)
		printf("%.*f\n", digits, bench_value(&state, shift));
	return fflush(stdout) || ferror(stdout);
}
