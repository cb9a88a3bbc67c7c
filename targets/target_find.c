/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/buf.h"
#include "harness/base/mem.h"
#include "harness/base/path.h"
#include "harness/base/str.h"
#include "targets/target.h"

enum { FOLDERS_MAX = 5, NAMES_MAX = 10000 };

/* Where target files are looked for, in this order. */
struct folders {
	char *dir[FOLDERS_MAX];
	size_t n;
};

static void folders_add(struct folders *f, char *dir)
{
	for (size_t i = 0; i < f->n; i++)
		if (!strcmp(f->dir[i], dir)) {
			free(dir);
			return;
		}
	f->dir[f->n++] = dir;
}

static void folders_init(struct folders *f, const char *dir)
{
	const char *env = getenv("HARNESS_TARGETS"), *xdg = getenv("XDG_CONFIG_HOME");
	const char *home = getenv("HOME");
	char *shipped, *here;
	struct err e;

	*f = (struct folders){0};
	if (dir) {
		folders_add(f, mem_strdup(dir));
		return;
	}
	if (env && *env)
		folders_add(f, mem_strdup(env));
	folders_add(f, mem_strdup("targets"));
	if (xdg && *xdg == '/')
		folders_add(f, mem_printf("%s/harness/targets", xdg));
	else if (home && *home == '/')
		folders_add(f, mem_printf("%s/.config/harness/targets", home));
	if (path_data("targets", &shipped, &e))
		return;
	/* In a source tree ./targets is the shipped folder. */
	here = realpath("targets", NULL);
	if (here && !strcmp(here, shipped))
		free(shipped);
	else
		folders_add(f, shipped);
	free(here);
}

static void folders_release(struct folders *f)
{
	for (size_t i = 0; i < f->n; i++)
		free(f->dir[i]);
	f->n = 0;
}

static int names_compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void names_read(const char *dir, char ***names, size_t *n)
{
	DIR *d = opendir(dir);
	struct dirent *de;

	while (d && *n < NAMES_MAX && (de = readdir(d))) {
		size_t len = strlen(de->d_name);
		char *name;

		if (len <= 4 || strcmp(de->d_name + len - 4, ".ini"))
			continue;
		name = mem_strndup(de->d_name, len - 4);
		if (!str_is_name(name)) {
			free(name);
			continue;
		}
		*names = mem_grow(*names, *n + 1, sizeof(**names));
		(*names)[(*n)++] = name;
	}
	if (d)
		closedir(d);
}

static void names_collect(const struct folders *f, char ***names, size_t *n)
{
	size_t kept = 0;

	*names = NULL;
	*n = 0;
	for (size_t i = 0; i < f->n; i++)
		names_read(f->dir[i], names, n);
	if (!*n)
		return;
	qsort(*names, *n, sizeof(**names), names_compare);
	for (size_t i = 0; i < *n; i++)
		if (kept && !strcmp((*names)[kept - 1], (*names)[i]))
			free((*names)[i]);
		else
			(*names)[kept++] = (*names)[i];
	*n = kept;
}

int target_names(const char *dir, char ***names, size_t *n, struct err *e)
{
	struct folders f;
	DIR *d;

	/* A folder that was asked for by name must be there. */
	if (dir) {
		d = opendir(dir);
		if (!d)
			return err_set(e, ERR_USAGE, NULL, "folder of target files %s: %s", dir,
				strerror(errno));
		closedir(d);
	}
	folders_init(&f, dir);
	names_collect(&f, names, n);
	folders_release(&f);
	return 0;
}

void target_names_free(char **names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(names[i]);
	free(names);
}

static int target_unknown(const struct folders *f, const char *name, struct err *e)
{
	const char *near;
	struct buf b;
	char **names;
	size_t n;

	names_collect(f, &names, &n);
	near = n ? str_nearest(name, (const char *const *)names, n) : NULL;
	buf_init(&b, 500);
	if (near)
		buf_addf(&b, ": did you mean %s?", near);
	buf_adds(&b, n ? " (machines:" : " (no machines");
	for (size_t i = 0; i < n; i++)
		if (buf_addf(&b, "%s %s", i ? "," : "", names[i]))
			break;
	b.failed = false;
	buf_adds(&b, n ? "; looked in" : " in");
	for (size_t i = 0; i < f->n; i++)
		if (buf_addf(&b, "%s %s", i ? "," : "", f->dir[i]))
			break;
	b.failed = false;
	buf_addc(&b, ')');
	err_set(e, ERR_USAGE, NULL, "no machine \"%s\"%s", name, b.data);
	buf_release(&b);
	target_names_free(names, n);
	return -ERR_USAGE;
}

int target_find(struct target *t, const char *dir, const char *name, struct err *e)
{
	struct folders f;
	int rc = 1;

	if (!str_is_name(name))
		return err_set(e, ERR_USAGE, NULL,
			"\"%.80s\" cannot be a machine's name (a-z, 0-9 and ._-); --targets DIR "
			"names a folder of target files",
			name);
	folders_init(&f, dir);
	for (size_t i = 0; i < f.n && rc > 0; i++) {
		char *file = mem_printf("%s/%s.ini", f.dir[i], name);

		if (path_exists(file))
			rc = target_load(t, file, e);
		free(file);
	}
	if (rc > 0)
		rc = target_unknown(&f, name, e);
	folders_release(&f);
	if (!rc)
		secret_hide(t->bmc.password_kind, t->bmc.password_from);
	return rc;
}
