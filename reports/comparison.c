/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/comparison.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/mem.h"

void comparison_init(
	struct comparison *c, enum comparison_kind kind, const struct verdict_opts *opts)
{
	*c = (struct comparison){.kind = kind, .opts = *opts};
}

void comparison_release(struct comparison *c)
{
	for (size_t i = 0; i < c->n_sets; i++) {
		free(c->sets[i].boots);
		free(c->sets[i].means);
		free(c->sets[i].values);
	}
	free(c->sets);
	free(c->runs);
	free(c->title);
	free(c->again);
	free(c->differs);
	free(c->left);
	*c = (struct comparison){.kind = c->kind};
}

static bool comparison_older(const struct model *a, const struct model *b)
{
	if (a->started_wall_ns != b->started_wall_ns)
		return a->started_wall_ns < b->started_wall_ns;
	return strcmp(a->uuid, b->uuid) < 0;
}

void comparison_note_run(struct comparison *c, const struct model *m)
{
	size_t at = 0;

	while (at < c->n_runs && comparison_older(c->runs[at], m))
		at++;
	if (at < c->n_runs && !strcmp(c->runs[at]->uuid, m->uuid))
		return;
	c->runs = mem_grow(c->runs, c->n_runs + 1, sizeof(*c->runs));
	memmove(c->runs + at + 1, c->runs + at, (c->n_runs - at) * sizeof(*c->runs));
	c->runs[at] = m;
	c->n_runs++;
}

static bool comparison_takes(const struct comparison_pick *p, const struct model_boot *b)
{
	return b->r.outcome == OUTCOME_OK && !strcmp(b->r.mode, p->mode) &&
	       (!p->build || !strcmp(b->r.build, p->build)) &&
	       !strncmp(b->r.image_sha256, p->image, strlen(p->image));
}

static int comparison_add_boot(
	struct comparison_set *s, const struct model *m, const struct model_boot *b, struct err *e)
{
	double *v;
	size_t n;
	int rc;

	model_boot_values(b, &v, &n);
	if (!n)
		return 0;
	s->values = mem_grow(s->values, s->n_values + n, sizeof(*s->values));
	memcpy(s->values + s->n_values, v, n * sizeof(*v));
	s->n_values += n;
	s->boots = mem_grow(s->boots, s->n_boots + 1, sizeof(*s->boots));
	s->means = mem_grow(s->means, s->n_boots + 1, sizeof(*s->means));
	s->boots[s->n_boots] = (struct comparison_boot){.run = m, .boot = b};
	rc = moments_init(&s->boots[s->n_boots].kept, v, n, e);
	s->means[s->n_boots] = s->boots[s->n_boots].kept.avg;
	s->n_boots++;
	free(v);
	return rc;
}

/* A mode may be planned by two builds of the same image. */
static int comparison_planned(const struct comparison_pick *p, const struct model *m)
{
	int n = 0;

	if (!m->n_builds)
		return m->boots;
	for (size_t i = 0; i < m->n_modes; i++) {
		const struct model_mode *d = &m->modes[i];

		n += !d->skipped && !strcmp(d->mode, p->mode) &&
		     (!p->build || !strcmp(d->build, p->build)) &&
		     !strncmp(d->image_sha256, p->image, strlen(p->image));
	}
	return n * m->boots;
}

/* The boots of one run.  How many of them belong to a pilot is only known when no other run gave
 * any. */
static int comparison_add_run(struct comparison_set *s, const struct comparison_pick *p,
	const struct model *m, struct err *e)
{
	size_t before = s->n_boots, pilot = 0;
	int rc = 0;

	for (size_t i = 0; i < m->n_list && !rc; i++) {
		if (!comparison_takes(p, &m->list[i]))
			continue;
		rc = comparison_add_boot(s, m, &m->list[i], e);
		pilot += m->list[i].r.block < m->until.pilot;
	}
	s->planned += comparison_planned(p, m);
	if (s->n_boots > before)
		s->pilot = !before && m->until.wanted ? pilot : 0;
	return rc;
}

/* The same arithmetic a level higher: boots within runs. */
static int comparison_runs(struct comparison_set *s, struct err *e)
{
	struct moments *runs = mem_array(s->n_boots, sizeof(*runs));
	double *v = mem_array(s->n_boots, sizeof(*v));
	size_t n = 0;
	int rc = 0;

	for (size_t i = 0, j; i < s->n_boots && !rc; i = j) {
		for (j = i; j < s->n_boots && s->boots[j].run == s->boots[i].run; j++)
			v[j - i] = s->means[j];
		rc = moments_init(&runs[n++], v, j - i, e);
	}
	s->has_runs = n > 1 && n < s->n_boots;
	if (!rc && s->has_runs)
		rc = variance_init(&s->runs, runs, n, e);
	free(v);
	free(runs);
	return rc;
}

static int comparison_describe(struct comparison_set *s, struct err *e)
{
	struct moments *boots;
	int rc;

	if (!s->n_boots)
		return 0;
	s->usable = s->n_values >= COMPARISON_SAMPLES_MIN;
	rc = moments_init_copy(&s->all, s->values, s->n_values, e);
	if (!rc)
		rc = moments_init_copy(&s->between, s->means, s->n_boots, e);
	if (!rc)
		rc = comparison_runs(s, e);
	s->has_variance = s->n_boots > 1;
	if (rc || !s->has_variance)
		return rc;
	boots = mem_array(s->n_boots, sizeof(*boots));
	for (size_t i = 0; i < s->n_boots; i++)
		boots[i] = s->boots[i].kept;
	rc = variance_init(&s->variance, boots, s->n_boots, e);
	free(boots);
	return rc;
}

int comparison_add(struct comparison *c, const struct comparison_pick *p, struct err *e)
{
	struct comparison_set *s;
	int rc = 0;

	c->sets = mem_grow(c->sets, c->n_sets + 1, sizeof(*c->sets));
	s = &c->sets[c->n_sets];
	*s = (struct comparison_set){.block = p->block, .ref = c->n_sets};
	c->n_sets++;
	c->n_blocks = p->block + 1;
	snprintf(s->name, sizeof(s->name), "%s", p->name);
	snprintf(s->build, sizeof(s->build), "%s", p->build ? p->build : "");
	s->any_build = !p->build;
	snprintf(s->mode, sizeof(s->mode), "%s", p->mode);
	for (size_t i = 0; i < p->n_runs && !rc; i++) {
		comparison_note_run(c, p->runs[i]);
		rc = comparison_add_run(s, p, p->runs[i], e);
	}
	return rc ? rc : comparison_describe(s, e);
}

static struct verdict_side comparison_side(const struct comparison_set *s)
{
	return (struct verdict_side){s->means, s->n_boots, s->pilot};
}

int comparison_judge(struct comparison *c, struct err *e)
{
	struct verdict *list = mem_array(c->n_sets + 1, sizeof(*list));
	size_t ref = 0, n = 0;
	int rc = 0;

	for (size_t i = 0; i < c->n_sets && !rc; i++) {
		struct comparison_set *s = &c->sets[i];
		struct verdict_side a, b;

		if (i && s->block != c->sets[i - 1].block)
			ref = i;
		if (!c->sets[ref].usable)
			ref = i;
		if (!s->usable || ref == i)
			continue;
		s->ref = ref;
		a = comparison_side(&c->sets[ref]);
		b = comparison_side(s);
		rc = verdict_init(&list[n], &a, &b, &c->opts, e);
		c->n_compared += list[n++].kind != VERDICT_TOO_FEW;
	}
	if (!rc)
		verdict_together(list, n, &c->opts);
	n = 0;
	for (size_t i = 0; i < c->n_sets && !rc; i++)
		if (c->sets[i].ref != i)
			c->sets[i].verdict = list[n++];
	free(list);
	return rc;
}

bool comparison_judged(const struct comparison *c, size_t set)
{
	const struct comparison_set *s = &c->sets[set];

	return c->kind == COMPARISON_SIDES && s->ref != set &&
	       !strcmp(s->mode, c->sets[s->ref].mode);
}

bool comparison_regressed(const struct comparison *c)
{
	for (size_t i = 0; i < c->n_sets; i++)
		if (comparison_judged(c, i) && c->sets[i].verdict.kind == VERDICT_HIGHER)
			return true;
	return false;
}

bool comparison_wants(const struct comparison_set *s, const struct boot_result *r)
{
	return !strcmp(s->mode, r->mode) && (s->any_build || !strcmp(s->build, r->build));
}

bool comparison_again(const struct comparison *c, size_t set)
{
	for (size_t i = 0; i < set && c->of_run; i++)
		if (!strcmp(c->sets[i].mode, c->sets[set].mode) &&
			!strcmp(c->sets[i].build, c->sets[set].build))
			return true;
	return false;
}

void comparison_block_name(const struct comparison *c, size_t block, char *out, size_t size)
{
	const struct comparison_set *first = NULL;
	bool modes = false, builds = false;

	for (size_t i = 0; i < c->n_sets; i++) {
		const struct comparison_set *s = &c->sets[i];

		if (s->block != block)
			continue;
		first = first ? first : s;
		modes = modes || strcmp(first->mode, s->mode);
		builds = builds || strcmp(first->build, s->build);
	}
	if (first && modes && !builds && *first->build)
		snprintf(out, size, "modes of %s", first->build);
	else
		snprintf(out, size, "%s", first ? first->mode : "");
}
