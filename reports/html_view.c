/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/html_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/mem.h"

static size_t view_run_at(const struct comparison *c, const struct model *m)
{
	size_t i = 0;

	/* By name: a run may have been loaded twice. */
	while (i + 1 < c->n_runs && strcmp(c->runs[i]->uuid, m->uuid) != 0)
		i++;
	return i;
}

static int view_before(const void *a, const void *b)
{
	const struct html_boot *x = a, *y = b;

	if (x->run_at != y->run_at)
		return x->run_at < y->run_at ? -1 : 1;
	if (x->boot->number != y->boot->number)
		return x->boot->number < y->boot->number ? -1 : 1;
	return x->set < y->set ? -1 : x->set > y->set;
}

static void view_add(struct html_view *v, size_t *cap, const struct html_boot *b)
{
	if (v->n_boots == *cap) {
		*cap = *cap ? 2 * *cap : 64;
		v->boots = mem_grow(v->boots, *cap, sizeof(*v->boots));
	}
	v->boots[v->n_boots++] = *b;
}

static void view_take_sets(struct html_view *v, size_t *cap)
{
	for (size_t i = 0; i < v->c->n_sets; i++) {
		const struct comparison_set *s = &v->c->sets[i];
		const double *values = s->values;

		for (size_t k = 0; k < s->n_boots; k++) {
			const struct comparison_boot *b = &s->boots[k];

			view_add(v, cap,
				&(struct html_boot){.run = b->run,
					.boot = b->boot,
					.run_at = view_run_at(v->c, b->run),
					.kept = &b->kept,
					.values = values,
					.set = i});
			values += b->kept.n;
		}
	}
}

static bool view_wants(const struct comparison *c, const struct boot_result *r)
{
	for (size_t i = 0; i < c->n_sets; i++)
		if (comparison_wants(&c->sets[i], r))
			return true;
	return false;
}

/* Boots that give no set a value; the list so far is sorted, and so are the runs. */
static void view_take_lost(struct html_view *v, size_t *cap)
{
	size_t counted = v->n_boots, at = 0;

	for (size_t i = 0; i < v->c->n_runs; i++) {
		const struct model *m = v->c->runs[i];

		for (size_t k = 0; k < m->n_list; k++) {
			struct html_boot b = {
				.run = m, .boot = &m->list[k], .run_at = i, .set = v->c->n_sets};

			while (at < counted && view_before(&v->boots[at], &b) < 0 &&
				(v->boots[at].run_at != i ||
					v->boots[at].boot->number != b.boot->number))
				at++;
			if (at < counted && v->boots[at].run_at == i &&
				v->boots[at].boot->number == b.boot->number)
				continue;
			/* One that counts, but in no set here, is another image's. */
			if (view_wants(v->c, &b.boot->r) &&
				(b.boot->r.outcome != OUTCOME_OK || v->c->of_run))
				view_add(v, cap, &b);
		}
	}
}

static void view_number_sets(struct html_view *v)
{
	size_t n = 0;

	for (size_t i = 0; i < v->c->n_sets; i++) {
		if (i && v->c->sets[i].block != v->c->sets[i - 1].block)
			n = 0;
		if (v->c->sets[i].usable)
			v->symbol[i] = ++n;
	}
}

void html_view_init(struct html_view *v, const struct comparison *c)
{
	size_t cap = 0;

	*v = (struct html_view){.c = c, .symbol = mem_array(c->n_sets + 1, sizeof(*v->symbol))};
	view_number_sets(v);
	view_take_sets(v, &cap);
	if (v->n_boots)
		qsort(v->boots, v->n_boots, sizeof(*v->boots), view_before);
	view_take_lost(v, &cap);
	if (v->n_boots)
		qsort(v->boots, v->n_boots, sizeof(*v->boots), view_before);
	for (size_t i = 0; i < c->n_runs; i++)
		v->emulated = v->emulated || c->runs[i]->emulated;
}

void html_view_release(struct html_view *v)
{
	free(v->symbol);
	free(v->boots);
	*v = (struct html_view){0};
}

struct html_word html_boot_name(const struct html_view *v, const struct html_boot *b)
{
	struct html_word w;

	if (v->c->n_runs > 1)
		snprintf(w.s, sizeof(w.s), "%.16s boot %d", b->run->id, b->boot->number);
	else
		snprintf(w.s, sizeof(w.s), "boot %d", b->boot->number);
	return w;
}

struct html_name html_name_of(const char *build, const char *mode)
{
	struct html_name n;

	result_label(build, mode, n.s);
	return n;
}

size_t html_block(const struct comparison *c, size_t block, size_t *first)
{
	size_t i = 0;

	while (i < c->n_sets && c->sets[i].block < block)
		i++;
	*first = i;
	while (i < c->n_sets && c->sets[i].block == block)
		i++;
	return i;
}

const char *html_called(const char *workload)
{
	return strcmp(workload, "flush-all") ? workload : "flush_tlb_all";
}
