/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "db/store_private.h"
#include "targets/target_keys.h"

/* What says nothing about the machine is left out, or a change would make it count as another one:
 * its tags, and a virtual machine's addresses, which are others each time its lab starts. */
static bool settings_skip(const struct target *t, const struct target_key *k)
{
	if (k->type == KEY_SECRET || k->type == KEY_NAMES)
		return true;
	if (!t->lab.present)
		return !strcmp(k->section, "lab");
	return (!strcmp(k->section, "bmc") &&
		       (!strcmp(k->name, "host") || !strcmp(k->name, "port"))) ||
	       !strcmp(k->section, "netboot");
}

void store_settings(struct buf *out, const struct target *t)
{
	const char *section = "";
	struct buf value;

	buf_init(&value, 4096);
	for (size_t i = 0; i < target_keys_n; i++) {
		const struct target_key *k = &target_keys[i];

		if (settings_skip(t, k))
			continue;
		buf_clear(&value);
		target_key_get(t, k, &value);
		if (!value.len)
			continue;
		if (strcmp(section, k->section))
			buf_addf(out, "[%s]\n", k->section);
		section = k->section;
		buf_addf(out, "%s = %s\n", k->name, value.data);
	}
	buf_release(&value);
}
