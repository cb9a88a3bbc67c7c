/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Can these sets be compared, and what takes no part in them? */
#include <string.h>

#include "harness/base/buf.h"
#include "reports/sides_private.h"

enum { SIDES_RUNS_SHOWN = 8 }; /* runs with failed boots that have a line of their own */

static const struct comparison_boot *sides_shared(
	const struct comparison_set *a, const struct comparison_set *b)
{
	for (size_t i = 0; i < a->n_boots; i++)
		for (size_t j = 0; j < b->n_boots; j++)
			if (a->boots[i].boot->number == b->boots[j].boot->number &&
				!strcmp(a->boots[i].run->uuid, b->boots[j].run->uuid))
				return &a->boots[i];
	return NULL;
}

static int sides_twice(const struct comparison_boot *both, const struct comparison_set *a,
	const struct comparison_set *b, struct err *e)
{
	if (!strcmp(a->name, b->name))
		return err_set(e, ERR_USAGE, NULL,
			"\"%s\" is on two sides: a run compared with itself proves nothing",
			a->name);
	return err_set(e, ERR_USAGE, NULL,
		"boot %d of run %s is on two sides, \"%s\" and \"%s\": a run compared with itself "
		"proves nothing",
		both->boot->number, both->run->id, a->name, b->name);
}

int sides_apart(const struct comparison *c, struct err *e)
{
	for (size_t i = 0; i < c->n_sets; i++)
		for (size_t j = i + 1; j < c->n_sets; j++) {
			const struct comparison_set *a = &c->sets[i], *b = &c->sets[j];
			const struct comparison_boot *both;

			if (strcmp(a->mode, b->mode) != 0)
				continue;
			both = sides_shared(a, b);
			if (both)
				return sides_twice(both, a, b, e);
		}
	return 0;
}

int sides_usable(const struct comparison *c, struct err *e)
{
	struct buf b;
	int rc;

	for (size_t block = 0; block < c->n_blocks; block++) {
		size_t usable = 0;

		for (size_t i = 0; i < c->n_sets; i++)
			usable += c->sets[i].block == block && c->sets[i].usable;
		if (usable > 1)
			return 0;
	}
	buf_init(&b, SIDES_TEXT_MAX);
	for (size_t i = 0; i < c->n_sets; i++)
		if (!c->sets[i].usable)
			buf_addf(&b, "%s\"%s\" has %zu", b.len ? ", " : "", c->sets[i].name,
				c->sets[i].n_boots);
	rc = err_set(e, ERR_USAGE, NULL,
		"nothing to compare, for want of boots that count: %s; harness show tells how the "
		"boots of a run ended",
		b.data);
	buf_release(&b);
	return rc;
}

/* "cluster: only in 7f3a".  Not where a side was asked for one mode: then the rest is left on
 * purpose. */
static void sides_left_modes(const struct sides *s, struct buf *out)
{
	struct buf in;

	for (size_t i = 0; i < s->n; i++)
		if (*s->list[i].mode)
			return;
	buf_init(&in, SIDES_TEXT_MAX);
	for (size_t m = 0; m < s->all.n; m++) {
		const char *mode = s->all.names[m];

		buf_clear(&in);
		for (size_t i = 0; i < s->n; i++)
			if (modes_have(&s->have[i], mode))
				buf_addf(&in, "%s%s", in.len ? ", " : "", s->list[i].name);
		if (in.len && !modes_have(&s->in, mode))
			buf_addf(out, "%s: only in %s\n", mode, in.data);
	}
	buf_release(&in);
}

/* Would the boot be in a set if it were ok? */
static bool sides_want(const struct sides *s, const struct model *run, const struct boot_result *r)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct side *side = &s->list[i];

		if (!modes_have(&s->have[i], r->mode) || !modes_have(&s->in, r->mode) ||
			!sides_of_build(side, r->build) ||
			strncmp(r->image_sha256, side->image, strlen(side->image)) != 0)
			continue;
		for (size_t k = 0; k < side->n_runs; k++)
			if (side->runs[k] == run)
				return true;
	}
	return false;
}

/* "8b2c: 2 of 15 boots failed, see harness show 8b2c" */
static void sides_left_boots(const struct sides *s, const struct comparison *c, struct buf *out)
{
	size_t more_runs = 0, more_failed = 0;

	for (size_t i = 0, shown = 0; i < c->n_runs; i++) {
		const struct model *m = c->runs[i];
		size_t all = 0, failed = 0;

		for (size_t j = 0; j < m->n_list; j++)
			if (sides_want(s, m, &m->list[j].r)) {
				all++;
				failed += m->list[j].r.outcome != OUTCOME_OK;
			}
		if (!failed)
			continue;
		if (shown++ < SIDES_RUNS_SHOWN) {
			buf_addf(out, "%s: %zu of %zu boots failed, see harness show %s\n", m->id,
				failed, all, m->id);
		} else {
			more_runs++;
			more_failed += failed;
		}
	}
	if (more_runs)
		buf_addf(out, "%zu more runs: %zu boots failed\n", more_runs, more_failed);
}

char *sides_left(const struct sides *s, const struct comparison *c)
{
	struct buf b;

	buf_init(&b, SIDES_TEXT_MAX);
	buf_add(&b, s->left.data, s->left.len);
	sides_left_modes(s, &b);
	sides_left_boots(s, c, &b);
	if (b.len)
		return buf_detach(&b);
	buf_release(&b);
	return NULL;
}

void sides_stages(struct buf *out, const struct comparison *c)
{
	for (size_t i = 0; i < c->n_sets; i++) {
		const struct comparison_set *s = &c->sets[i];
		bool stages = false, several = false;

		for (size_t j = 0; j < s->n_boots; j++) {
			stages = stages || s->boots[j].run->until.wanted;
			several = several || s->boots[j].run != s->boots[0].run;
		}
		if (stages && several)
			buf_addf(out,
				"stages: %s is of several runs, of which some had two stages; they "
				"are taken as one stage\n",
				s->name);
	}
}
