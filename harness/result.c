/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/result.h"

#include <stdio.h>
#include <string.h>

static const char *const stage_names[STAGE_COUNT] = {
	[STAGE_ACQUIRE] = "acquire",
	[STAGE_POWER_OFF] = "power-off",
	[STAGE_BOOT_DEVICE] = "boot-device",
	[STAGE_CONSOLE] = "console",
	[STAGE_POWER_ON] = "power-on",
	[STAGE_FIRMWARE] = "firmware",
	[STAGE_IPXE] = "ipxe",
	[STAGE_LOAD] = "load",
	[STAGE_HYPERVISOR] = "hypervisor",
	[STAGE_PROBE] = "probe",
	[STAGE_DONE] = "done",
};

static const struct {
	const char *name;
	enum err_class cls;
} outcomes[OUTCOME_COUNT] = {
	[OUTCOME_OK] = {"ok", ERR_NONE},
	[OUTCOME_LAB] = {"lab", ERR_LAB},
	[OUTCOME_IMAGE] = {"image", ERR_IMAGE},
	[OUTCOME_WRONG_IMAGE] = {"wrong-image", ERR_MEASURE},
	[OUTCOME_MODE_MISMATCH] = {"mode-mismatch", ERR_MEASURE},
	[OUTCOME_CPU_MISMATCH] = {"cpu-mismatch", ERR_MEASURE},
	[OUTCOME_INCOMPLETE] = {"incomplete", ERR_MEASURE},
	[OUTCOME_CONFLICT] = {"conflict", ERR_MEASURE},
	[OUTCOME_CRASH] = {"crash", ERR_MEASURE},
	[OUTCOME_REFUSED] = {"refused", ERR_IMAGE},
	[OUTCOME_INTERRUPTED] = {"interrupted", ERR_INTERRUPTED},
};

const char *stage_name(enum stage s)
{
	return s < STAGE_COUNT ? stage_names[s] : "?";
}

const char *outcome_name(enum outcome o)
{
	return o < OUTCOME_COUNT ? outcomes[o].name : "?";
}

int outcome_parse(const char *name, enum outcome *out)
{
	for (int i = 0; i < OUTCOME_COUNT; i++)
		if (!strcmp(name, outcomes[i].name)) {
			*out = (enum outcome)i;
			return 0;
		}
	return -1;
}

enum err_class outcome_class(enum outcome o)
{
	return o < OUTCOME_COUNT ? outcomes[o].cls : ERR_BUG;
}

bool result_hung(const struct boot_result *r)
{
	return r->outcome == OUTCOME_LAB &&
	       (r->stage == STAGE_HYPERVISOR || r->stage == STAGE_PROBE) &&
	       (!strcmp(r->err.code, "E_TIMEOUT") || !strcmp(r->err.code, "E_SILENT"));
}

void result_label(const char *build, const char *mode, char out[LABEL_MAX])
{
	snprintf(out, LABEL_MAX, "%s%s%s", build, *build ? " " : "", mode);
}
