/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any bytes as a data file: the same values or the same error for two ways of cutting them; and
 * what the fast way reads as a number is what strtod() reads, to the last bit. */
#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/mem.h"
#include "harness/dataset.h"
#include "harness/decimal.h"
#include "harness/stats/moments.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int parse(struct dataset *d, const uint8_t *data, size_t size, size_t chunk, struct err *e)
{
	int rc = 0;

	for (size_t i = 0; i < size && !rc; i += chunk)
		rc = dataset_feed(
			d, (const char *)data + i, size - i < chunk ? size - i : chunk, e);
	return rc ? rc : dataset_finish(d, e);
}

static void check_cuts(const uint8_t *data, size_t size, size_t column, const char *delims)
{
	struct err we = ERR_INIT, pe = ERR_INIT;
	struct dataset whole, parts;
	int rc;

	dataset_init(&whole, "f", column, delims);
	dataset_init(&parts, "f", column, delims);
	rc = parse(&whole, data, size, size + 1, &we);
	assert(parse(&parts, data, size, 5, &pe) == rc && !strcmp(we.msg, pe.msg));
	assert(whole.n == parts.n);
	for (size_t i = 0; i < whole.n; i++)
		assert(whole.v[i] == parts.v[i] && fabs(whole.v[i]) <= MOMENTS_LIMIT);
	assert(rc == (rc ? -ERR_USAGE : 0) && (rc || whole.n >= DATASET_MIN_POINTS));
	dataset_release(&whole);
	dataset_release(&parts);
}

static void check_numbers(const uint8_t *data, size_t size)
{
	char *text = mem_alloc(size + 1);

	memcpy(text, data, size);
	text[size] = '\n';
	for (const char *p = text; p < text + size; p++) {
		double fast, slow;
		const char *end = decimal_fast(p, &fast);

		if (!end)
			continue;
		assert(end > p && end <= text + size);
		assert(!decimal_token(p, (size_t)(end - p), &slow));
		assert(!memcmp(&fast, &slow, sizeof(fast)));
	}
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* Long runs of digits make every start in them a number. */
	if (size > 4096)
		return 0;
	check_numbers(data, size);
	check_cuts(data, size, 1, " \t");
	check_cuts(data, size, 2, ",;");
	check_cuts(data, size, 1, "e.#");
	return 0;
}
