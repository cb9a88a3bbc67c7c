/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any bytes as a target file: read without harm, or refused with file, line and class usage. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "targets/target_ini.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct target t = {0};
	struct target_lines lines;
	struct err e = ERR_INIT;
	int rc = target_ini_parse(&t, &lines, "f.ini", (const char *)data, size, &e);

	if (rc) {
		assert(rc == -ERR_USAGE && e.cls == ERR_USAGE);
		assert(!strncmp(e.msg, "f.ini:", 6) && strtol(e.msg + 6, NULL, 10) > 0);
		return 0;
	}
	/* What was accepted can be written down and read again. */
	for (size_t i = 0; i < target_keys_n; i++) {
		const struct target_key *k = &target_keys[i];
		struct buf value, why;

		if (!lines.line[i])
			continue;
		buf_init(&value, 4096);
		buf_init(&why, 256);
		target_key_get(&t, k, &value);
		assert(!value.failed && !target_key_set(&t, k, value.data, &why));
		buf_release(&value);
		buf_release(&why);
	}
	return 0;
}
