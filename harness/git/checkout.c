/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/git/checkout.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/mem.h"
#include "harness/base/path.h"

enum { ALTERNATES_MAX = 8192 };

/* Where the user's repository keeps its objects, as a line of objects/info/alternates; and how it
 * hashes them. */
static int checkout_borrow(
	const char *repo, struct buf *alternates, struct buf *format, struct err *e)
{
	static const char *const where[] = {
		"rev-parse", "--path-format=absolute", "--git-path", "objects", NULL};
	static const char *const how[] = {"rev-parse", "--show-object-format", NULL};
	const struct git g = {.dir = repo};
	int rc = git_do(&g, where, repo, ERR_USAGE, "E_REV", alternates, e);

	if (!rc)
		rc = git_do(&g, how, repo, ERR_USAGE, "E_REV", format, e);
	if (!rc && strpbrk(alternates->data, "\n\""))
		rc = err_set(e, ERR_USAGE, "E_REV",
			"%s: a repository whose path holds a quote or a line end cannot be used",
			repo);
	buf_addc(alternates, '\n');
	return rc;
}

static bool checkout_is_of(const char *dir, const struct buf *alternates)
{
	char *file = mem_printf("%s/.git/objects/info/alternates", dir);
	struct err ignored;
	struct buf is;
	bool same;

	buf_init(&is, ALTERNATES_MAX);
	same = !path_read(file, &is, &ignored) && !strcmp(is.data, alternates->data);
	buf_release(&is);
	free(file);
	return same;
}

static int checkout_init(
	const char *dir, const struct buf *alternates, const char *format, struct err *e)
{
	char *object_format = mem_printf("--object-format=%s", format);
	char *file = mem_printf("%s/.git/objects/info/alternates", dir);
	const char *args[] = {"init", "-q", "--template=", object_format, ".", NULL};
	const struct git g = {.dir = dir, .ours = true};
	int rc = path_remove(dir, e);

	if (!rc)
		rc = path_mkdirs(dir, e);
	if (!rc)
		rc = git_do(&g, args, dir, ERR_LAB, "E_GIT", NULL, e);
	if (!rc)
		rc = path_write(file, alternates->data, alternates->len, 0644, e);
	free(file);
	free(object_format);
	return rc;
}

/* What a git that was killed leaves would stop the next one. */
static int checkout_unlock(const char *dir, struct err *e)
{
	static const char *const leftovers[] = {"index.lock", "HEAD.lock"};
	char *am = mem_printf("%s/.git/rebase-apply", dir);
	int rc = path_remove(am, e);

	for (size_t i = 0; i < 2; i++) {
		char *file = mem_printf("%s/.git/%s", dir, leftovers[i]);

		unlink(file);
		free(file);
	}
	free(am);
	return rc;
}

static int checkout_files(const char *dir, const char *repo, const char *commit, struct err *e)
{
	const char *checkout[] = {"checkout", "-q", "-f", "--detach", commit, NULL};
	static const char *const clean[] = {"clean", "-q", "-ffdx", NULL};
	const struct git g = {.dir = dir, .ours = true};
	char *what = mem_printf("%s: commit %.12s", repo, commit);
	int rc = checkout_unlock(dir, e);

	if (!rc)
		rc = git_do(&g, checkout, what, ERR_LAB, "E_GIT", NULL, e);
	if (!rc)
		rc = git_do(&g, clean, what, ERR_LAB, "E_GIT", NULL, e);
	free(what);
	return rc;
}

int checkout_make(const char *dir, const char *repo, const char *commit, struct err *e)
{
	struct buf alternates, format;
	bool fresh;
	int rc;

	buf_init(&alternates, ALTERNATES_MAX);
	buf_init(&format, 32);
	rc = checkout_borrow(repo, &alternates, &format, e);
	if (rc)
		goto out;
	fresh = !checkout_is_of(dir, &alternates);
	if (!fresh)
		rc = checkout_files(dir, repo, commit, e);
	/* Whatever is wrong with the folder that was there, a new one does not have it. */
	if (fresh || (rc && rc != -ERR_INTERRUPTED)) {
		rc = checkout_init(dir, &alternates, format.data, e);
		if (!rc)
			rc = checkout_files(dir, repo, commit, e);
	}
out:
	buf_release(&format);
	buf_release(&alternates);
	return rc;
}
