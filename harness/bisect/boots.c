/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/bisect/boots.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/mem.h"
#include "reports/alike_values.h"

static const enum alike_kind boots_machine[] = {
	ALIKE_CPU, ALIKE_CPUS, ALIKE_FIRMWARE, ALIKE_EMULATOR};
static const enum alike_kind boots_software[] = {ALIKE_ARGS, ALIKE_SHORTHAND, ALIKE_DEBUG};

static void boots_one_release(struct boots_one *o)
{
	free(o->machine);
	free(o->microcode);
	free(o->all);
}

void boots_release(struct boots *b)
{
	for (size_t i = 0; i < b->n; i++)
		boots_one_release(&b->v[i]);
	free(b->v);
	b->v = NULL;
	b->n = 0;
}

bool boots_is_broken(const struct boot_result *r)
{
	switch (r->outcome) {
	case OUTCOME_LAB:
		return result_hung(r);
	case OUTCOME_IMAGE:
	case OUTCOME_MODE_MISMATCH:
	case OUTCOME_CPU_MISMATCH:
	case OUTCOME_INCOMPLETE:
	case OUTCOME_CONFLICT:
	case OUTCOME_CRASH:
	case OUTCOME_REFUSED:
		return true;
	default:
		return false;
	}
}

static bool boots_suits(const struct model *m, const struct boots_ask *a)
{
	return !strcmp(m->machine, a->machine) && !strcmp(m->workload, a->workload) &&
	       !strcmp(m->extra_args ? m->extra_args : "", a->args) &&
	       !strcmp(m->target_text ? m->target_text : "", a->settings) &&
	       m->samples == a->samples && m->iterations == a->iterations &&
	       m->warmup == a->warmup && m->repeat == a->repeat;
}

static bool boots_has(const struct model *m, const char *image)
{
	for (size_t i = 0; i < m->n_modes; i++)
		if (!m->modes[i].skipped && !strcmp(m->modes[i].image_sha256, image))
			return true;
	return false;
}

/* What a boot said of itself, a line a kind. */
static void boots_said(
	const struct comparison_boot *c, const enum alike_kind *kinds, size_t n, struct buf *out)
{
	for (size_t i = 0; i < n; i++) {
		alike_getters[kinds[i]](c, out);
		buf_addc(out, '\n');
	}
}

static int boots_take(struct boots *b, const struct model *m, const struct model_boot *boot,
	bool own, struct err *e)
{
	struct comparison_boot c = {.run = m, .boot = boot};
	struct boots_one *o;
	struct moments kept;
	struct buf said;
	double *values;
	size_t n;
	int rc;

	model_boot_values(boot, &values, &n);
	if (!n)
		return 0;
	rc = moments_init(&kept, values, n, e);
	free(values);
	if (rc)
		return rc;
	b->v = mem_grow(b->v, b->n + 1, sizeof(*b->v));
	o = &b->v[b->n++];
	*o = (struct boots_one){
		.mean = kept.avg, .own = own, .started_ns = boot->r.started_wall_ns};
	snprintf(o->run, sizeof(o->run), "%s", m->uuid);
	snprintf(o->id, sizeof(o->id), "%s", m->id);
	buf_init(&said, ALIKE_TEXT_MAX);
	alike_getters[ALIKE_MICROCODE](&c, &said);
	o->microcode = mem_strdup(said.data);
	buf_clear(&said);
	boots_said(&c, boots_machine, sizeof(boots_machine) / sizeof(*boots_machine), &said);
	o->machine = mem_strdup(said.data);
	boots_said(&c, boots_software, sizeof(boots_software) / sizeof(*boots_software), &said);
	o->all = buf_detach(&said);
	return 0;
}

static int boots_of_run(struct boots *b, const struct model *m, const struct boots_ask *a,
	const char *image, struct err *e)
{
	bool own = m->started_wall_ns >= a->begun_ns;
	int rc = 0;

	for (size_t i = 0; i < m->n_list && !rc; i++) {
		const struct model_boot *boot = &m->list[i];

		if (strcmp(boot->r.image_sha256, image) != 0 || strcmp(boot->r.mode, a->mode) != 0)
			continue;
		if (boot->r.outcome == OUTCOME_OK) {
			rc = boots_take(b, m, boot, own, e);
			b->good++;
		} else if (own && !boot->will_retry && boots_is_broken(&boot->r)) {
			b->failed++;
			snprintf(b->why, sizeof(b->why), "does not boot (%s in stage %s): %.300s",
				outcome_name(boot->r.outcome), stage_name(boot->r.stage),
				boot->r.err.msg);
		}
	}
	return rc;
}

int boots_load(struct boots *b, struct store *s, const struct boots_ask *a, const char *image,
	const char *with, struct err *e)
{
	struct store_filter f = {.machine = a->machine,
		.from_ns = a->fresh ? a->begun_ns : INT64_MIN,
		.to_ns = INT64_MAX,
		.image = image};
	char(*uuids)[UUID_TEXT] = NULL;
	size_t n = 0;
	bool begun = !with;
	int rc = store_select(s, &f, &uuids, &n, e);

	*b = (struct boots){.v = NULL};
	for (size_t i = 0; i < n && !rc; i++) {
		struct model m;
		bool takes;

		rc = store_load(s, uuids[i], &m, e);
		takes = !rc && boots_suits(&m, a);
		if (takes && with && boots_has(&m, with))
			begun = true;
		else if (with && m.started_wall_ns < a->begun_ns)
			takes = false;
		if (takes && begun)
			rc = boots_of_run(b, &m, a, image, e);
		model_release(&m);
	}
	b->broken = b->failed > b->good;
	free(uuids);
	return rc;
}

const struct boots_one *boots_reference(const struct boots *a, const struct boots *b)
{
	const struct boots *both[] = {a, b};
	const struct boots_one *ref = NULL;

	for (int k = 0; k < 2; k++)
		for (size_t i = 0; i < both[k]->n; i++) {
			const struct boots_one *o = &both[k]->v[i];

			if (!ref || o->own > ref->own ||
				(o->own == ref->own && o->started_ns > ref->started_ns))
				ref = o;
		}
	return ref;
}

static int boots_sum(struct boots *b, struct err *e)
{
	double *means = mem_array(b->n + 1, sizeof(*means));
	int rc;

	for (size_t i = 0; i < b->n; i++)
		means[i] = b->v[i].mean;
	rc = b->n ? moments_init(&b->m, means, b->n, e) : 0;
	free(means);
	return rc;
}

/* Whether the hypervisor tells it can depend on the commit, and on one line of the console. */
static bool boots_microcode(const char *a, const char *b)
{
	return !*a || !*b || !strcmp(a, b);
}

int boots_keep(struct boots *b, const struct boots_one *ref, struct err *e)
{
	/* The reference may be one of these. */
	char *machine = ref ? mem_strdup(ref->machine) : NULL;
	char *all = ref ? mem_strdup(ref->all) : NULL;
	char *microcode = ref ? mem_strdup(ref->microcode) : NULL;
	size_t kept = 0;
	int rc = 0;

	for (size_t i = 0; i < b->n; i++) {
		struct boots_one *o = &b->v[i];

		bool same = !ref || (!strcmp(o->machine, machine) &&
					    boots_microcode(o->microcode, microcode));

		if (o->own && !same && !rc)
			rc = err_set(e, ERR_MEASURE, "E_DIFFERS",
				"the machine changed during the bisect (CPU, CPUs online, "
				"microcode, "
				"firmware or emulator; harness compare %s %s tells): begin anew "
				"with "
				"--fresh",
				o->id, ref->id);
		if (ref && !o->own && (!same || strcmp(o->all, all) != 0))
			boots_one_release(o);
		else
			b->v[kept++] = *o;
	}
	b->n = kept;
	free(machine);
	free(all);
	free(microcode);
	return rc ? rc : boots_sum(b, e);
}

void boots_runs(const struct boots *b, char *out, size_t size)
{
	size_t len = 0;

	*out = '\0';
	for (size_t i = 0; i < b->n; i++) {
		size_t k = 0;

		while (k < i && strcmp(b->v[k].run, b->v[i].run) != 0)
			k++;
		if (k == i && len + strlen(b->v[i].id) + 2 < size)
			len += (size_t)snprintf(
				out + len, size - len, "%s%s", len ? " " : "", b->v[i].id);
	}
}
