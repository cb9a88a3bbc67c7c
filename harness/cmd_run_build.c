/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/cmd_run_build.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/mem.h"

static struct cmd_run_build *build_find(const struct cmd_run_args *a, const char *name, size_t n)
{
	for (size_t i = 0; i < a->n_builds; i++)
		if (!strncmp(a->builds[i].build.name, name, n) && !a->builds[i].build.name[n])
			return &a->builds[i];
	return NULL;
}

int cmd_run_build_add(struct cmd_run_args *a, const char *value, struct err *e)
{
	size_t n = strspn(value, "abcdefghijklmnopqrstuvwxyz0123456789-"), len = strlen(value);
	struct cmd_run_build *b;

	if (!n || value[n] != '=' || !value[n + 1] || value[n + 1] == ',' ||
		value[len - 1] == ',' || strstr(value, ",,"))
		return err_set(e, ERR_USAGE, NULL,
			"run: --build takes NAME=IMAGE[,IMAGE…], a name of a-z, 0-9 and -, such as "
			"base=1a2b3c4d, not \"%s\"",
			value);
	if (n >= BUILD_NAME_MAX)
		return err_set(e, ERR_USAGE, NULL,
			"run: --build \"%.*s\": a name has at most %d letters", (int)n, value,
			BUILD_NAME_MAX - 1);
	if (build_find(a, value, n))
		return err_set(e, ERR_USAGE, NULL,
			"run: --build %.*s is there twice; a build's images go into one, separated "
			"by commas",
			(int)n, value);
	if (a->n_builds == CMD_RUN_BUILDS_MAX)
		return err_set(e, ERR_USAGE, NULL, "run: more than %d --build", CMD_RUN_BUILDS_MAX);
	a->builds = mem_grow(a->builds, a->n_builds + 1, sizeof(*a->builds));
	b = &a->builds[a->n_builds++];
	*b = (struct cmd_run_build){.images = {NULL, 0}};
	snprintf(b->build.name, sizeof(b->build.name), "%.*s", (int)n, value);
	return cmd_run_names_add(&b->images, value + n + 1, "--build", e) ? err_prefix(e, "run")
									  : 0;
}

static struct run_mode *build_mode(
	struct run_mode *list, size_t n, const char *build, const char *mode)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(list[i].build, build) && !strcmp(list[i].mode, mode))
			return &list[i];
	return NULL;
}

/* One image of a build into found, which knows its mode. */
static int build_open(struct cmd_run_modes *found, const struct cmd_run_args *a,
	const struct cmd_run_build *b, const char *digits, const char *state, bool uefi,
	struct err *e)
{
	struct run_mode *m = &found->modes[found->n], *same;
	char sha256[SHA256_HEX + 1];
	int rc;

	if (found->n == CMD_RUN_MODES_MAX)
		return err_set(
			e, ERR_USAGE, NULL, "more than %d images in one run", CMD_RUN_MODES_MAX);
	*m = (struct run_mode){.skipped = false};
	rc = image_find(state, digits, sha256, e);
	if (rc)
		return rc;
	rc = image_open(&m->image, state, sha256, e);
	if (rc)
		return rc;
	same = build_mode(found->modes, found->n, b->build.name, m->image.mode);
	memcpy(m->build, b->build.name, sizeof(m->build));
	memcpy(m->mode, m->image.mode, sizeof(m->mode));
	found->n++;
	if (same)
		return err_set(e, ERR_USAGE, NULL, "images %.12s and %.12s are both of mode %s",
			same->image.sha256, sha256, m->mode);
	if (strcmp(m->image.recipe, found->modes[0].image.recipe) != 0)
		return err_set(e, ERR_USAGE, NULL, "image %.12s is of recipe %s, and %.12s of %s",
			sha256, m->image.recipe, found->modes[0].image.sha256,
			found->modes[0].image.recipe);
	rc = image_verify(&m->image, e);
	if (!rc && uefi)
		rc = image_for_uefi(&m->image, e);
	if (!rc && m->image.debug && !a->allow_debug)
		rc = err_set(e, ERR_IMAGE, "E_DEBUG",
			"image %.12s of mode %s is a debug build, whose times say little: build "
			"without debug=y, or give --allow-debug",
			sha256, m->mode);
	return rc;
}

static int build_open_all(struct cmd_run_modes *found, const struct cmd_run_args *a,
	const char *state, bool uefi, struct err *e)
{
	for (size_t i = 0; i < a->n_builds; i++)
		for (size_t k = 0; k < a->builds[i].images.n; k++)
			if (build_open(found, a, &a->builds[i], a->builds[i].images.v[k], state,
				    uefi, e))
				return err_prefix(e, "run: --build %s", a->builds[i].build.name);
	return 0;
}

/* Why this build has no image of a mode, or NULL. */
static const char *build_lacks(const struct cmd_run_build *b, const char *mode)
{
	size_t n = strlen(mode);

	for (size_t i = 0; i < b->skipped.n; i++)
		if (!strncmp(b->skipped.v[i], mode, n) && !strncmp(b->skipped.v[i] + n, ": ", 2))
			return b->skipped.v[i] + n + 2;
	return NULL;
}

/* How many builds have the mode; -1: none has, and none is said to lack it. */
static int build_count(
	const struct cmd_run_modes *found, const struct cmd_run_args *a, const char *mode)
{
	bool told = false;
	int n = 0;

	for (size_t i = 0; i < found->n; i++)
		n += !strcmp(found->modes[i].mode, mode);
	for (size_t i = 0; i < a->n_builds; i++)
		told = told || build_lacks(&a->builds[i], mode);
	return n || told ? n : -1;
}

/* Of names, those that the run is to have. */
static int build_choose(const struct cmd_run_modes *found, const struct cmd_run_args *a,
	const char **names, size_t *n, struct err *e)
{
	bool all = !strcmp(a->modes, "all");
	size_t kept = 0;
	int most = 0;

	for (size_t i = 0; i < *n; i++) {
		int count = build_count(found, a, names[i]);

		if (count < 0 && !all)
			return err_set(e, ERR_USAGE, NULL,
				"run: --modes: no build has an image of mode %s", names[i]);
		most = count > most ? count : most;
		if (count >= 0)
			names[kept++] = names[i];
	}
	*n = kept;
	if (most < 2 && a->n_builds > 1)
		return err_set(e, ERR_USAGE, NULL,
			"run: no two builds have images of the same mode: there is nothing to "
			"compare");
	return 0;
}

static void build_pair(struct run_mode *m, struct cmd_run_modes *found,
	const struct cmd_run_build *b, const char *mode)
{
	struct run_mode *f = build_mode(found->modes, found->n, b->build.name, mode);
	const char *why = build_lacks(b, mode);

	*m = (struct run_mode){.skipped = !f};
	memcpy(m->build, b->build.name, sizeof(m->build));
	snprintf(m->mode, sizeof(m->mode), "%s", mode);
	if (f) {
		m->image = f->image;
		f->image = (struct image){.dir = NULL};
	} else if (why) {
		snprintf(m->reason, sizeof(m->reason), "%s", why);
	} else {
		snprintf(m->reason, sizeof(m->reason), "no image of mode %s was given", mode);
	}
}

/* What the manifests of a build's images say, each thing once. */
static void build_text(struct run_build *b, const struct run_mode *modes, size_t n)
{
	char line[sizeof(b->text) / 2];

	for (size_t i = 0; i < n; i++) {
		const struct image *im = &modes[i].image;
		size_t len = strlen(b->text);

		if (modes[i].skipped || strcmp(modes[i].build, b->name) != 0)
			continue;
		snprintf(line, sizeof(line), "%s %s%s%s%s%s\n", im->recipe, im->version,
			*im->commit ? " (" : "", im->commit, *im->commit ? ")" : "",
			im->dirty ? ", with changes that no commit holds" : "");
		if (!strstr(b->text, line) && len + strlen(line) < sizeof(b->text))
			snprintf(b->text + len, sizeof(b->text) - len, "%s", line);
	}
}

int cmd_run_build_modes(struct cmd_run_modes *m, const struct cmd_run_args *a, const char *state,
	bool uefi, struct err *e)
{
	struct cmd_run_modes *found = mem_alloc(sizeof(*found));
	const char *names[CMD_RUN_MODES_MAX];
	size_t n = CMD_RUN_MODES_MAX;
	int rc = build_open_all(found, a, state, uefi, e);

	if (!rc && a->n_builds > CMD_RUN_BUILDS_MAX)
		rc = err_set(e, ERR_BUG, NULL, "%zu builds in one run", a->n_builds);
	if (!rc)
		rc = image_modes_parse(found->n ? found->modes[0].image.recipe : a->recipe,
			a->modes, names, &n, e);
	if (!rc)
		rc = build_choose(found, a, names, &n, e);
	if (!rc && n * a->n_builds > CMD_RUN_MODES_MAX)
		rc = err_set(e, ERR_USAGE, NULL, "run: %zu modes of %zu builds are more than %d", n,
			a->n_builds, CMD_RUN_MODES_MAX);
	for (size_t i = 0; i < a->n_builds && !rc; i++) {
		for (size_t k = 0; k < n; k++)
			build_pair(&m->modes[m->n++], found, &a->builds[i], names[k]);
		m->builds[m->n_builds] = a->builds[i].build;
		if (!*a->builds[i].build.text)
			build_text(&m->builds[m->n_builds], m->modes, m->n);
		m->n_builds++;
	}
	for (size_t i = 0; i < found->n; i++)
		image_release(&found->modes[i].image);
	free(found);
	return rc;
}
