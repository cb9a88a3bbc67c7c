/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any console: the same outcome and samples for two ways of cutting it, and a decision always. */
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/probe.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct probe *decide(const uint8_t *data, size_t size, size_t chunk, struct boot_result *r)
{
	struct probe *p = probe_new("0123456789abcdef0123456789abcdef");
	const char *at = (const char *)data;

	memset(r, 0, sizeof(*r));
	snprintf(r->mode, sizeof(r->mode), "cluster");
	for (; size > chunk; at += chunk, size -= chunk)
		probe_feed(p, at, chunk);
	if (size)
		probe_feed(p, at, size);
	probe_finish(p, r,
		&(struct probe_expect){8, 1, "5ba1f4c3d2e1f0a9b8c7d6e5f4a3b2c1d0e9f8a7",
			"flush-all", 100, 3, 1, false});
	assert(r->outcome != OUTCOME_OK || r->n_samples == 4);
	for (size_t i = 0; i < r->n_samples; i++)
		assert(r->samples[i].ns > 0);
	return p;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct boot_result whole, parts;
	struct probe *a = decide(data, size, size + 1, &whole);
	struct probe *b = decide(data, size, 7, &parts);

	assert(whole.outcome == parts.outcome && whole.n_samples == parts.n_samples);
	for (size_t i = 0; i < whole.n_samples; i++)
		assert(whole.samples[i].ns == parts.samples[i].ns);
	free(whole.samples);
	free(parts.samples);
	probe_free(a);
	probe_free(b);
	return 0;
}
