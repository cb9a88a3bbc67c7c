/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/run_hang.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/mem.h"

void run_hang_init(struct run_hang *h, const struct run_info *info)
{
	*h = (struct run_hang){.info = info, .err = ERR_INIT};
	h->pairs = mem_array(info->n_modes, sizeof(*h->pairs));
}

void run_hang_release(struct run_hang *h)
{
	free(h->pairs);
	h->pairs = NULL;
}

void run_hang_good(struct run_hang *h, size_t pair)
{
	h->pairs[pair].good = true;
	h->build = NULL;
}

bool run_hang_takes(struct run_hang *h, size_t pair, const struct boot_result *b)
{
	const char *build = h->info->modes[pair].build;

	if (!*build || !result_hung(b) || (h->build && strcmp(h->build, build) != 0))
		return false;
	h->pairs[pair].hung = true;
	h->build = build;
	if (!h->err.cls) {
		h->first = pair;
		h->err = b->err;
		h->stage = b->stage;
	}
	return true;
}

/* A build that boots the mode of this pair, or NULL. */
static const char *hang_other(const struct run_hang *h)
{
	const struct run_info *i = h->info;

	for (size_t m = 0; m < i->n_modes; m++)
		if (m != h->first && !strcmp(i->modes[m].mode, i->modes[h->first].mode) &&
			h->pairs[m].good && !h->pairs[m].hung)
			return i->modes[m].build;
	return NULL;
}

/* What follows "NAME: " at the beginning of a message, or all of it. */
static const char *hang_after(const char *msg, const char *name)
{
	size_t n = strlen(name);

	return !strncmp(msg, name, n) && !strncmp(msg + n, ": ", 2) ? msg + n + 2 : msg;
}

void run_hang_boot_err(const struct run_hang *h, const struct boot_result *b, struct err *e)
{
	const char *machine = h->info->target->name;
	char label[LABEL_MAX];

	*e = b->err;
	e->cls = outcome_class(b->outcome);
	if (!*b->build)
		return;
	result_label(b->build, b->mode, label);
	err_set(e, e->cls, b->err.code, "%s: %s: %s", machine, label,
		hang_after(b->err.msg, machine));
}

void run_hang_tell(const struct run_hang *h, struct err *e)
{
	const struct run_mode *m = &h->info->modes[h->first];
	const char *other = hang_other(h), *machine = h->info->target->name, *why;
	char label[LABEL_MAX], stage[32];

	if (!other)
		return;
	result_label(m->build, m->mode, label);
	snprintf(stage, sizeof(stage), "stage %s", stage_name(h->stage));
	why = hang_after(hang_after(h->err.msg, machine), stage);
	err_set(e, ERR_MEASURE, "E_HANG", "%s: %s: does not get through %s, %s does: %s", machine,
		label, stage, other, why);
}
