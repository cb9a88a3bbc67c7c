/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/cmd_run_set.h"

#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "harness/base/mem.h"
#include "harness/base/path.h"
#include "harness/base/str.h"
#include "harness/cmd_run_build.h"
#include "harness/quarantine.h"
#include "harness/version.h"

/* The names that were given, then those with a tag; each once. */
static int set_names(const struct cmd_run_args *a, char ***names, size_t *n, struct err *e)
{
	int rc = 0;

	*names = NULL;
	*n = 0;
	for (size_t i = 0; i < a->machines.n; i++) {
		*names = mem_grow(*names, *n + 1, sizeof(**names));
		(*names)[(*n)++] = mem_strdup(a->machines.v[i]);
	}
	for (size_t t = 0; t < a->tags.n && !rc; t++) {
		char **tagged;
		size_t n_tagged;

		rc = target_tagged(a->common.targets, a->tags.v[t], &tagged, &n_tagged, e);
		for (size_t i = 0; i < n_tagged; i++) {
			size_t k = 0;

			while (k < *n && strcmp((*names)[k], tagged[i]) != 0)
				k++;
			if (k < *n)
				continue;
			*names = mem_grow(*names, *n + 1, sizeof(**names));
			(*names)[(*n)++] = mem_strdup(tagged[i]);
		}
		target_names_free(tagged, n_tagged);
	}
	return rc;
}

static int set_add_mode(struct cmd_run_modes *s, const struct cmd_run_args *a, const char *state,
	const char *mode, bool uefi, struct err *e)
{
	struct run_mode *m = &s->modes[s->n];
	struct image_ref ref;
	int rc;

	rc = image_ref_get(state, a->recipe, mode, &ref, e);
	if (rc)
		return rc;
	snprintf(m->mode, sizeof(m->mode), "%s", mode);
	m->skipped = ref.skipped;
	snprintf(m->reason, sizeof(m->reason), "%s", ref.reason);
	s->n++;
	if (ref.skipped)
		return 0;
	rc = image_open(&m->image, state, ref.sha256, e);
	if (!rc)
		rc = image_verify(&m->image, e);
	if (!rc && uefi)
		rc = image_for_uefi(&m->image, e);
	if (!rc && m->image.debug && !a->allow_debug)
		rc = err_set(e, ERR_IMAGE, "E_DEBUG",
			"the %s image of mode %s is a debug build, whose times say little: build "
			"without debug=y, or give --allow-debug",
			a->recipe, mode);
	return rc;
}

/* Machines with the same firmware boot the same files. */
static int set_modes(struct cmd_run_set *s, const struct cmd_run_args *a,
	enum target_firmware firmware, struct err *e)
{
	struct cmd_run_modes *m = &s->modes[firmware];
	const char *names[CMD_RUN_MODES_MAX];
	size_t n = CMD_RUN_MODES_MAX;
	int rc;

	if (m->n)
		return 0;
	if (a->n_builds)
		return cmd_run_build_modes(m, a, s->state, firmware == FIRMWARE_UEFI, e);
	rc = image_modes_parse(a->recipe, a->modes, names, &n, e);
	for (size_t i = 0; i < n && !rc; i++)
		rc = set_add_mode(m, a, s->state, names[i], firmware == FIRMWARE_UEFI, e);
	return rc;
}

/* Version 4, from the kernel's generator. */
static void set_uuid(char out[UUID_TEXT])
{
	char h[33];

	str_random_hex(16, h);
	snprintf(out, UUID_TEXT, "%.8s-%.4s-4%.3s-a%.3s-%.12s", h, h + 8, h + 13, h + 17, h + 20);
}

static uint64_t set_seed(void)
{
	uint32_t v;

	while (getrandom(&v, sizeof(v), 0) != sizeof(v))
		;
	return v % 99999 + 1;
}

static int set_config(
	struct cmd_run_set *s, struct cmd_run_one *m, const struct cmd_run_args *a, struct err *e)
{
	const struct target *t = &m->target;
	struct run_info *i = &m->cfg.info;
	int rc;

	*i = (struct run_info){.target = t,
		.workload = a->workload ? a->workload : t->measure.workload,
		.samples = a->samples ? (int)a->samples : t->measure.samples,
		.iterations = a->iterations ? (int)a->iterations : t->measure.iterations,
		.warmup = a->warmup >= 0 ? (int)a->warmup : t->measure.warmup,
		.repeat = t->measure.repeat,
		.seed = a->seed ? (uint64_t)a->seed : set_seed(),
		.extra_args = a->extra,
		.harness_version = harness_version,
		.user = s->user,
		.host = s->host,
		.emulator = ""};
	rc = cmd_run_args_boots(a, t, i, e);
	if (rc)
		return rc;
	settle_rule(m->keep_rule, sizeof(m->keep_rule), i->warmup);
	i->keep_rule = m->keep_rule;
	set_uuid(i->uuid);
	m->cfg.state = s->state;
	m->cfg.allow_debug = a->allow_debug;
	m->cfg.trial = a->trial;
	rc = set_modes(s, a, t->firmware, e);
	if (rc)
		return rc;
	i->modes = s->modes[t->firmware].modes;
	i->n_modes = s->modes[t->firmware].n;
	i->builds = s->modes[t->firmware].builds;
	i->n_builds = s->modes[t->firmware].n_builds;
	cmd_run_args_again(&m->again, i, a);
	i->again = m->again.data;
	return run_check(&m->cfg, e);
}

int cmd_run_set_open(struct cmd_run_set *s, struct cmd_run_args *a, struct err *e)
{
	struct passwd *pw;
	char **names = NULL;
	size_t n = 0;
	int rc = set_names(a, &names, &n, e);

	*s = (struct cmd_run_set){.host = "?"};
	if (!rc)
		rc = cmd_run_args_files(a, (const char *const *)names, n, e);
	if (rc)
		goto out;
	pw = getpwuid(getuid());
	snprintf(s->user, sizeof(s->user), "%s", pw ? pw->pw_name : "?");
	gethostname(s->host, sizeof(s->host) - 1);
	s->machines = mem_array(n, sizeof(*s->machines));
	for (; s->n < n && !rc; s->n++) {
		buf_init(&s->machines[s->n].again, 4096);
		s->machines[s->n].err = (struct err)ERR_INIT;
		rc = target_find(&s->machines[s->n].target, a->common.targets, names[s->n], e);
	}
	if (!rc)
		rc = path_state(a->common.state, &s->state, e);
	/* One among several is told apart when its turn comes. */
	if (!rc && n == 1)
		rc = quarantine_check(s->state, names[0], e);
	for (size_t i = 0; i < s->n && !rc; i++) {
		rc = set_config(s, &s->machines[i], a, e);
		if (rc && n > 1)
			err_prefix(e, "%s", names[i]);
	}
out:
	target_names_free(names, n);
	return rc;
}

void cmd_run_set_close(struct cmd_run_set *s)
{
	for (size_t i = 0; i < s->n; i++) {
		target_release(&s->machines[i].target);
		buf_release(&s->machines[i].again);
	}
	for (size_t f = 0; f < 2; f++)
		for (size_t i = 0; i < s->modes[f].n; i++)
			image_release(&s->modes[f].modes[i].image);
	free(s->machines);
	free(s->state);
}

static int set_check_machine(const struct cmd_run_args *a, const char *name, struct err *e)
{
	struct run_info info = {0};
	struct target t;
	int rc = target_find(&t, a->common.targets, name, e);

	if (!rc)
		rc = cmd_run_args_boots(a, &t, &info, e);
	target_release(&t);
	return rc;
}

int cmd_run_set_check(struct cmd_run_args *a, size_t *machines, struct err *e)
{
	char **names = NULL, *state = NULL;
	size_t n = 0;
	int rc = set_names(a, &names, &n, e);

	if (!rc)
		rc = cmd_run_args_files(a, (const char *const *)names, n, e);
	for (size_t i = 0; i < n && !rc; i++)
		rc = set_check_machine(a, names[i], e);
	if (!rc && n == 1)
		rc = path_state(a->common.state, &state, e);
	if (!rc && n == 1)
		rc = quarantine_check(state, names[0], e);
	*machines = n;
	free(state);
	target_names_free(names, n);
	return rc;
}
