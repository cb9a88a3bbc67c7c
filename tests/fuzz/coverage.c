/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/fuzz/coverage.h"

#include <stdint.h>

enum { EDGES = 1 << 15 };

static uint8_t count[EDGES];	/* of this input */
static uint8_t seen[EDGES];	/* of all: a bit for each size of the count */
static uint16_t touched[EDGES]; /* edges with a count */
static size_t n_touched, n_edges;
static uintptr_t last;

void __sanitizer_cov_trace_pc(void);

__attribute__((no_sanitize("address", "undefined"))) void __sanitizer_cov_trace_pc(void)
{
	uintptr_t pc = (uintptr_t)__builtin_return_address(0) - (uintptr_t)&coverage_clear;
	uintptr_t h = pc * (uintptr_t)0x9e3779b97f4a7c15u >> 40;
	size_t edge = (h ^ last) % EDGES;

	last = h >> 1;
	if (!count[edge])
		touched[n_touched++] = (uint16_t)edge;
	if (count[edge] < UINT8_MAX)
		count[edge]++;
}

void coverage_clear(void)
{
	for (size_t i = 0; i < n_touched; i++)
		count[touched[i]] = 0;
	n_touched = 0;
	last = 0;
}

/* 1, 2, 3, 4-7, 8-15, 16-31, 32-127, more. */
static uint8_t size_of(uint8_t n)
{
	return n < 4	 ? (uint8_t)(1u << (n - 1))
	       : n < 8	 ? 8
	       : n < 16	 ? 16
	       : n < 32	 ? 32
	       : n < 128 ? 64
			 : 128;
}

bool coverage_is_new(void)
{
	bool is_new = false;

	for (size_t i = 0; i < n_touched; i++) {
		size_t edge = touched[i];
		uint8_t size = size_of(count[edge]);

		n_edges += !seen[edge];
		is_new |= !(seen[edge] & size);
		seen[edge] |= size;
	}
	return is_new;
}

size_t coverage_edges(void)
{
	return n_edges;
}
