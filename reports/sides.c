/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/sides.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/buf.h"
#include "harness/base/mem.h"
#include "harness/base/str.h"
#include "reports/ministat.h"
#include "reports/sides_private.h"

enum { SIDES_DIGITS = 8 /* of an image's sha256 in a name, at least */ };

bool modes_have(const struct modes *l, const char *mode)
{
	for (size_t i = 0; i < l->n; i++)
		if (!strcmp(l->names[i], mode))
			return true;
	return false;
}

static void modes_add(struct modes *l, const char *mode)
{
	if (modes_have(l, mode))
		return;
	l->names = mem_grow(l->names, l->n + 1, sizeof(*l->names));
	l->names[l->n++] = mode;
}

static void modes_of_side(struct modes *l, const struct side *s)
{
	for (size_t i = 0; i < s->n_runs; i++)
		for (size_t j = 0; j < s->runs[i]->n_modes; j++) {
			const struct model_mode *m = &s->runs[i]->modes[j];

			if (!m->skipped && sides_of_build(s, m->build) &&
				!strncmp(m->image_sha256, s->image, strlen(s->image)))
				modes_add(l, m->mode);
		}
}

static void modes_text(struct buf *out, const struct modes *l)
{
	for (size_t i = 0; i < l->n; i++)
		buf_addf(out, "%s%s", i ? ", " : "", l->names[i]);
	if (!l->n)
		buf_adds(out, "none");
}

static void sides_release(struct sides *s)
{
	for (size_t i = 0; i < s->n; i++) {
		free(s->have[i].names);
		free(s->list[i].runs);
	}
	free(s->list);
	free(s->have);
	free(s->all.names);
	free(s->asked.names);
	free(s->in.names);
	free(s->words);
	buf_release(&s->left);
}

static int sides_no_mode(const struct modes *l, const char *where, const char *mode, struct err *e)
{
	const char *near = str_nearest(mode, l->names, l->n);
	struct buf has;
	int rc;

	buf_init(&has, SIDES_TEXT_MAX);
	modes_text(&has, l);
	if (near)
		rc = err_set(e, ERR_USAGE, NULL, "%s no mode \"%s\" (did you mean \"%s\"?)", where,
			mode, near);
	else
		rc = err_set(e, ERR_USAGE, NULL, "%s no mode \"%s\"; there is: %s", where, mode,
			has.data);
	buf_release(&has);
	return rc;
}

static int sides_ask(struct sides *s, const char *modes, struct err *e)
{
	char *save = NULL;

	if (!modes || !strcmp(modes, "all"))
		return 0;
	s->words = mem_strdup(modes);
	for (char *w = strtok_r(s->words, ",", &save); w; w = strtok_r(NULL, ",", &save)) {
		if (!modes_have(&s->all, w))
			return sides_no_mode(
				&s->all, s->n > 1 ? "the sides have" : "there is", w, e);
		modes_add(&s->asked, w);
	}
	return s->asked.n ? 0 : err_set(e, ERR_USAGE, NULL, "--modes names no mode");
}

/* What each side has, in the order asked for or of its runs. */
static int sides_modes(struct sides *s, const char *modes, struct err *e)
{
	int rc;

	for (size_t i = 0; i < s->n; i++)
		modes_of_side(&s->all, &s->list[i]);
	rc = sides_ask(s, modes, e);
	for (size_t i = 0; i < s->n && !rc; i++) {
		const struct side *side = &s->list[i];
		struct modes has = {NULL, 0};
		const struct modes *from = s->asked.n ? &s->asked : &has;
		char where[SIDES_NAME_MAX + 8];

		modes_of_side(&has, side);
		for (size_t j = 0; j < from->n; j++)
			if (modes_have(&has, from->names[j]) &&
				(!*side->mode || !strcmp(side->mode, from->names[j])))
				modes_add(&s->have[i], from->names[j]);
		snprintf(where, sizeof(where), "%s has", side->name);
		if (*side->mode && !modes_have(&has, side->mode))
			rc = sides_no_mode(&has, where, side->mode, e);
		free(has.names);
	}
	return rc;
}

/* Every side has one mode, and not all the same: then these are compared with each other. */
static bool sides_cross_modes(const struct sides *s)
{
	bool same = true;

	for (size_t i = 0; i < s->n; i++) {
		if (s->have[i].n != 1)
			return false;
		same = same && !strcmp(s->have[i].names[0], s->have[0].names[0]);
	}
	return !same;
}

static bool sides_share(const struct sides *s, const char *mode)
{
	for (size_t i = 0; i < s->n; i++)
		if (!modes_have(&s->have[i], mode))
			return false;
	return true;
}

static int sides_none_shared(const struct sides *s, struct err *e)
{
	struct buf b;
	int rc;

	buf_init(&b, SIDES_TEXT_MAX);
	for (size_t i = 0; i < s->n; i++) {
		buf_addf(&b, "%s%s: ", i ? "; " : "", s->list[i].name);
		modes_text(&b, &s->have[i]);
	}
	rc = err_set(e, ERR_USAGE, NULL,
		"the sides have no mode in common (%s); to compare two modes write each behind its "
		"side, as in 7f3a/mixed",
		b.data);
	buf_release(&b);
	return rc;
}

static int sides_add(struct comparison *c, const struct side *s, const char *mode, bool named,
	size_t block, struct err *e)
{
	char name[SIDES_NAME_MAX + MODE_MAX];
	struct comparison_pick p = {.name = name,
		.build = *s->image && !*s->build ? NULL : s->build,
		.mode = mode,
		.image = s->image,
		.runs = s->runs,
		.n_runs = s->n_runs,
		.block = block};

	snprintf(name, sizeof(name), "%s%s%s", named ? s->name : "", named ? " " : "", mode);
	return comparison_add(c, &p, e);
}

static int sides_one(struct comparison *c, struct sides *s, struct err *e)
{
	struct buf has;
	int rc = 0;

	for (size_t i = 0; i < s->have[0].n; i++)
		modes_add(&s->in, s->have[0].names[i]);
	if (s->in.n < 2) {
		buf_init(&has, SIDES_TEXT_MAX);
		modes_text(&has, s->all.n ? &s->all : &s->in);
		rc = err_set(e, ERR_USAGE, NULL,
			"one side alone is compared mode by mode, and that takes two modes; %s "
			"has: %s",
			s->list[0].name, has.data);
		buf_release(&has);
	}
	for (size_t i = 0; i < s->in.n && !rc; i++)
		rc = sides_add(c, &s->list[0], s->in.names[i], false, 0, e);
	return rc;
}

static int sides_several(struct comparison *c, struct sides *s, struct err *e)
{
	bool cross = sides_cross_modes(s);
	int rc = 0;

	for (size_t i = 0; i < s->n && cross && !rc; i++) {
		modes_add(&s->in, s->have[i].names[0]);
		rc = sides_add(c, &s->list[i], s->have[i].names[0], true, 0, e);
	}
	if (cross || rc)
		return rc;
	for (size_t i = 0; i < s->have[0].n; i++)
		if (sides_share(s, s->have[0].names[i]))
			modes_add(&s->in, s->have[0].names[i]);
	if (!s->in.n)
		return sides_none_shared(s, e);
	for (size_t m = 0; m < s->in.n; m++)
		for (size_t i = 0; i < s->n && !rc; i++)
			rc = sides_add(c, &s->list[i], s->in.names[m], true, m, e);
	return rc;
}

/* The reference comes last: "8b2c against 7f3a", "7f3a: physical and cluster against mixed". */
static char *sides_title(const struct sides *s)
{
	size_t n = s->n > 1 ? s->n : s->in.n;
	struct buf b;

	buf_init(&b, SIDES_TEXT_MAX);
	if (s->n == 1)
		buf_addf(&b, "%s: ", s->list[0].name);
	for (size_t i = 1; i <= n; i++) {
		size_t at = i % n;

		buf_adds(&b, i == 1 ? "" : i == n ? " against " : i + 1 < n ? ", " : " and ");
		if (s->n == 1)
			buf_adds(&b, s->in.names[at]);
		else
			buf_addf(&b, "%s%s%s", s->list[at].name, *s->list[at].mode ? " " : "",
				s->list[at].mode);
	}
	return buf_detach(&b);
}

static bool sides_told_apart(const struct side *sides, size_t n, int digits)
{
	for (size_t i = 0; i < n; i++)
		for (size_t j = i + 1; j < n; j++)
			if (*sides[i].image && strcmp(sides[i].image, sides[j].image) != 0 &&
				!strncmp(sides[i].image, sides[j].image, (size_t)digits))
				return false;
	return true;
}

void sides_name_images(struct side *sides, size_t n)
{
	int digits = SIDES_DIGITS;

	while (digits < SHA256_HEX && !sides_told_apart(sides, n, digits))
		digits++;
	for (size_t i = 0; i < n; i++)
		if (*sides[i].image)
			snprintf(sides[i].name, sizeof(sides[i].name), "image %.*s", digits,
				sides[i].image);
}

int sides_compare(struct comparison *c, const struct side *sides, size_t n, const char *modes,
	const struct verdict_opts *opts, struct err *e)
{
	struct sides s = {.list = mem_array(n, sizeof(*s.list)),
		.n = n,
		.have = mem_array(n, sizeof(*s.have))};
	int rc;

	comparison_init(c, COMPARISON_SIDES, opts);
	buf_init(&s.left, SIDES_TEXT_MAX);
	rc = sides_take(&s, sides, e);
	if (!rc)
		rc = sides_modes(&s, modes, e);
	if (!rc)
		rc = n == 1 ? sides_one(c, &s, e) : sides_several(c, &s, e);
	if (!rc && (n > MINISTAT_MAX_SETS || (n == 1 && s.in.n > MINISTAT_MAX_SETS)))
		rc = err_set(e, ERR_USAGE, NULL,
			"at most %d sets can be compared with each other, not %zu",
			MINISTAT_MAX_SETS, n == 1 ? s.in.n : n);
	if (!rc)
		rc = sides_apart(c, e);
	if (!rc)
		rc = sides_usable(c, e);
	if (!rc) {
		c->title = sides_title(&s);
		c->left = sides_left(&s, c);
	}
	sides_release(&s);
	return rc;
}
