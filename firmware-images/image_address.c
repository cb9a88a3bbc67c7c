/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "firmware-images/image_address.h"

#include <nettle/sha2.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/mem.h"
#include "harness/base/str.h"

static int image_compare(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

void image_address(const json_t *files, char out[SHA256_HEX + 1])
{
	const char **names = mem_array(json_object_size(files), sizeof(*names)), *name;
	uint8_t digest[SHA256_DIGEST_SIZE];
	struct sha256_ctx ctx;
	size_t n = 0;
	json_t *hash;

	json_object_foreach((json_t *)(uintptr_t)files, name, hash)
	{
		if (json_is_string(hash))
			names[n++] = name;
	}
	qsort(names, n, sizeof(*names), image_compare);
	sha256_init(&ctx);
	for (size_t i = 0; i < n; i++) {
		char *line = mem_printf(
			"%s  %s\n", json_string_value(json_object_get(files, names[i])), names[i]);

		sha256_update(&ctx, strlen(line), (const uint8_t *)line);
		free(line);
	}
	sha256_digest(&ctx, sizeof(digest), digest);
	str_hex(digest, sizeof(digest), out);
	free(names);
}
