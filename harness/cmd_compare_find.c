/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/mem.h"
#include "harness/cmd_compare.h"

enum { FIND_TEXT_MAX = 4096 };

/* The run, loaded once however many sides have it. */
static int find_model(struct compare_found *f, struct store *s, const char *uuid,
	const struct model **out, struct err *e)
{
	struct model *m;
	int rc;

	for (size_t i = 0; i < f->n_models; i++)
		if (!strcmp(f->models[i]->uuid, uuid)) {
			*out = f->models[i];
			return 0;
		}
	m = mem_alloc(sizeof(*m));
	rc = store_load(s, uuid, m, e);
	if (rc) {
		free(m);
		return rc;
	}
	f->models = mem_grow(f->models, f->n_models + 1, sizeof(*f->models));
	f->models[f->n_models++] = m;
	*out = m;
	return 0;
}

static int find_load(struct compare_found *f, struct side *side, struct store *s,
	char (*uuids)[UUID_TEXT], size_t n, struct err *e)
{
	int rc = 0;

	side->runs = mem_array(n, sizeof(const struct model *));
	for (size_t i = 0; i < n && !rc; i++) {
		rc = find_model(f, s, uuids[i], &side->runs[i], e);
		side->n_runs += !rc;
	}
	return rc;
}

static int find_run(struct compare_found *f, struct side *side, char **word, struct store *s,
	const struct compare_ask *ask, const char *what, struct err *e)
{
	char uuid[1][UUID_TEXT];
	int rc = store_find(s, what, ask->machine, uuid[0], e);

	if (!rc)
		rc = find_load(f, side, s, uuid, 1, e);
	if (rc)
		return rc;
	if (ask->machine && strcmp(side->runs[0]->machine, ask->machine) != 0)
		return err_set(e, ERR_USAGE, NULL, "run %s is of machine %s, not of %s",
			side->runs[0]->id, side->runs[0]->machine, ask->machine);
	snprintf(side->name, sizeof(side->name), "%s", side->runs[0]->id);
	*word = mem_strdup(side->name);
	return 0;
}

static int find_image(struct compare_found *f, struct side *side, char **word, struct store *s,
	const struct compare_ask *ask, const char *what, struct err *e)
{
	struct store_filter filter = STORE_FILTER_ALL;
	char(*uuids)[UUID_TEXT] = NULL;
	size_t n = 0;
	int rc = store_find_image(s, what, side->image, e);

	filter.image = side->image;
	filter.machine = ask->machine;
	if (!rc)
		rc = store_select(s, &filter, &uuids, &n, e);
	if (!rc && !n)
		rc = err_set(e, ERR_USAGE, "E_NOIMAGE", "no run of machine %s has image %s",
			ask->machine, what);
	if (!rc)
		rc = find_load(f, side, s, uuids, n, e);
	if (!rc)
		*word = mem_printf("image:%s", side->image);
	free(uuids);
	return rc;
}

static int find_no_days(const struct compare_ask *ask, const struct side_word *w, struct err *e)
{
	const char *of = ask->machine ? " of machine " : "",
		   *machine = ask->machine ? ask->machine : "";
	char days[32];

	if (w->from_ns == INT64_MIN && w->to_ns == INT64_MAX)
		return err_set(e, ERR_USAGE, "E_NORUN", "no run%s%s is stored; see harness runs",
			of, machine);
	side_days(w->from_ns == INT64_MIN ? w->to_ns - 1 : w->from_ns,
		w->to_ns == INT64_MAX ? w->from_ns + 1 : w->to_ns, days, sizeof(days));
	return err_set(e, ERR_USAGE, "E_NORUN", "no run%s%s was begun on %s%s; see harness runs",
		of, machine, days,
		w->from_ns == INT64_MIN ? " or earlier"
		: w->to_ns == INT64_MAX ? " or later"
					: "");
}

/* An open end becomes the day of the first or the last run, so that the words find the same later.
 */
static int find_days(struct compare_found *f, struct side *side, char **word, struct store *s,
	const struct compare_ask *ask, const struct side_word *w, struct err *e)
{
	struct store_filter filter = STORE_FILTER_ALL;
	char(*uuids)[UUID_TEXT] = NULL;
	size_t n = 0;
	int rc;

	filter.machine = ask->machine;
	filter.from_ns = w->from_ns;
	filter.to_ns = w->to_ns;
	rc = store_select(s, &filter, &uuids, &n, e);
	if (!rc && !n)
		rc = find_no_days(ask, w, e);
	if (!rc)
		rc = find_load(f, side, s, uuids, n, e);
	if (!rc) {
		side_days(w->from_ns == INT64_MIN ? side->runs[0]->started_wall_ns : w->from_ns,
			w->to_ns == INT64_MAX ? side->runs[n - 1]->started_wall_ns + 1 : w->to_ns,
			side->name, sizeof(side->name));
		*word = mem_strdup(side->name);
	}
	free(uuids);
	return rc;
}

static int find_any(struct store *s, const struct store_filter *f, bool *any, struct err *e)
{
	char(*uuids)[UUID_TEXT] = NULL;
	size_t n = 0;
	int rc = store_select(s, f, &uuids, &n, e);

	*any = n > 0;
	free(uuids);
	return rc;
}

/* Digits alone are a run, also when several begin so; else an image, if there is one. */
static int find_is_image(struct store *s, const struct side_word *w, bool *is, struct err *e)
{
	struct store_filter run = STORE_FILTER_ALL, image = STORE_FILTER_ALL;
	bool runs = false;
	int rc = 0;

	*is = w->kind == SIDE_IMAGE;
	if (!w->maybe_image)
		return 0;
	run.run = image.image = w->what;
	rc = find_any(s, &run, &runs, e);
	if (!rc && !runs)
		rc = find_any(s, &image, is, e);
	return rc;
}

static int find_side(struct compare_found *f, struct store *s, const struct compare_ask *ask,
	const struct side_word *w, struct err *e)
{
	struct side *side = &f->sides[f->n_sides];
	char **word = &f->words[f->n_sides++];
	bool image;
	int rc = find_is_image(s, w, &image, e);

	side->days = w->kind == SIDE_DATES;
	snprintf(side->build, sizeof(side->build), "%s", w->build);
	snprintf(side->mode, sizeof(side->mode), "%s", w->mode);
	if (rc)
		return rc;
	if (w->kind == SIDE_DATES)
		return find_days(f, side, word, s, ask, w, e);
	if (image)
		return find_image(f, side, word, s, ask, w->what, e);
	return find_run(f, side, word, s, ask, w->what, e);
}

/* Days and images choose from all machines, which is hardly what was meant; whoever names runs of
 * two machines knows it. */
static int find_machines(
	const struct compare_found *f, const struct compare_ask *ask, struct err *e)
{
	struct buf list;
	size_t chosen = 0, n = 0;
	int rc = 0;

	for (size_t i = 0; i < ask->n_words; i++)
		chosen += *f->sides[i].image || ask->words[i].kind == SIDE_DATES;
	if (!chosen || ask->machine || ask->machines)
		return 0;
	buf_init(&list, FIND_TEXT_MAX);
	for (size_t i = 0; i < f->n_models; i++) {
		size_t j = 0;

		while (strcmp(f->models[j]->machine, f->models[i]->machine) != 0)
			j++;
		if (j == i)
			buf_addf(&list, "%s%s", n++ ? ", " : "", f->models[i]->machine);
	}
	if (n > 1)
		rc = err_set(e, ERR_USAGE, NULL,
			"the runs chosen are of several machines (%s): choose one with --machine",
			list.data);
	buf_release(&list);
	return rc;
}

int compare_find(
	struct compare_found *f, struct store *s, const struct compare_ask *ask, struct err *e)
{
	static const struct side_word all = {
		.kind = SIDE_DATES, .from_ns = INT64_MIN, .to_ns = INT64_MAX};
	size_t n = ask->n_words ? ask->n_words : 1;
	int rc = 0;

	*f = (struct compare_found){
		.sides = mem_array(n, sizeof(*f->sides)), .words = mem_array(n, sizeof(*f->words))};
	for (size_t i = 0; i < n && !rc; i++)
		rc = find_side(f, s, ask, ask->n_words ? &ask->words[i] : &all, e);
	if (!rc)
		rc = find_machines(f, ask, e);
	if (!rc) {
		sides_name_images(f->sides, f->n_sides);
		sides_name_builds(f->sides, f->n_sides);
	}
	return rc;
}

void compare_found_release(struct compare_found *f)
{
	for (size_t i = 0; i < f->n_sides; i++) {
		free(f->sides[i].runs);
		free(f->words[i]);
	}
	for (size_t i = 0; i < f->n_models; i++) {
		model_release(f->models[i]);
		free(f->models[i]);
	}
	free(f->sides);
	free(f->words);
	free(f->models);
	*f = (struct compare_found){.sides = NULL};
}
