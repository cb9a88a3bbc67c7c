/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/base/path.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/base/mem.h"

bool path_exists(const char *path)
{
	return access(path, F_OK) == 0;
}

char *path_self(void)
{
	char *s = realpath("/proc/self/exe", NULL);

	return s ? s : mem_strdup("harness");
}

int path_mkdirs(const char *dir, struct err *e)
{
	char *copy = mem_strdup(dir);
	int rc = 0;

	for (char *p = copy + 1; *copy && !rc; p++) {
		char c = *p;

		if (c != '/' && c != '\0')
			continue;
		*p = '\0';
		if (mkdir(copy, 0700) && errno != EEXIST)
			rc = err_set(e, ERR_LAB, "E_STATE", "cannot make folder %s: %s", copy,
				strerror(errno));
		*p = c;
		if (!c)
			break;
	}
	free(copy);
	return rc;
}

int path_state(const char *option, char **out, struct err *e)
{
	const char *dir = option ? option : getenv("HARNESS_STATE");
	char *made = NULL, *abs;
	int rc;

	if (!dir || !*dir) {
		const char *xdg = getenv("XDG_STATE_HOME"), *home = getenv("HOME");

		if (xdg && *xdg == '/')
			made = mem_printf("%s/harness", xdg);
		else if (home && *home == '/')
			made = mem_printf("%s/.local/state/harness", home);
		else
			return err_set(e, ERR_USAGE, "E_STATE",
				"no state folder: give --state DIR or set HARNESS_STATE or HOME");
		dir = made;
	}
	rc = path_mkdirs(dir, e);
	if (rc)
		goto out;
	abs = realpath(dir, NULL);
	if (!abs || access(abs, R_OK | W_OK | X_OK)) {
		rc = err_set(e, ERR_LAB, "E_STATE",
			"state folder %s: %s; give another one with --state", dir, strerror(errno));
		free(abs);
		goto out;
	}
	*out = abs;
out:
	free(made);
	return rc;
}

int path_data(const char *rel, char **out, struct err *e)
{
	char *self = path_self(), *slash = strrchr(self, '/');
	const char *roots[4];
	char *tree, *share;
	int rc;

	if (slash)
		*slash = '\0';
	tree = mem_printf("%s/..", self);
	share = mem_printf("%s/../share/harness", self);
	roots[0] = getenv("HARNESS_DATA") ? getenv("HARNESS_DATA") : share;
	roots[1] = share;
	roots[2] = tree;
	roots[3] = HARNESS_PREFIX "/share/harness";
	rc = err_set(e, ERR_USAGE, "E_DATA",
		"%s is missing beside %s: run from a source tree, or make install", rel, self);
	for (size_t i = 0; i < 4; i++) {
		char *p = mem_printf("%s/%s", roots[i], rel);
		char *abs = realpath(p, NULL);

		free(p);
		if (!abs)
			continue;
		*out = abs;
		*e = (struct err)ERR_INIT;
		rc = 0;
		break;
	}
	free(self);
	free(tree);
	free(share);
	return rc;
}

int path_read(const char *file, struct buf *b, struct err *e)
{
	char chunk[65536];
	ssize_t n;
	int rc = 0, fd = open(file, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return err_set(e, ERR_USAGE, "E_FILE", "cannot open %s: %s", file, strerror(errno));
	while ((n = read(fd, chunk, sizeof(chunk))) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			rc = err_set(e, ERR_USAGE, "E_FILE", "cannot read %s: %s", file,
				strerror(errno));
			break;
		}
		if (buf_add(b, chunk, (size_t)n)) {
			rc = err_set(e, ERR_USAGE, "E_FILE", "%s is larger than %zu bytes", file,
				b->max);
			break;
		}
	}
	close(fd);
	return rc;
}

int path_write_fd(int fd, const void *p, size_t n)
{
	const char *from = p;

	while (n) {
		ssize_t k = write(fd, from, n);

		if (k < 0 && errno == EINTR)
			continue;
		if (k < 0)
			return -1;
		from += k;
		n -= (size_t)k;
	}
	return 0;
}

/* A device, a pipe: nothing that another file may take the place of. */
static int path_write_into(const char *file, path_fill_fn *fill, void *arg, struct err *e)
{
	int fd = open(file, O_WRONLY | O_CLOEXEC), rc = 0;

	if (fd < 0 || fill(arg, fd))
		rc = err_set(e, ERR_LAB, "E_STATE", "cannot write %s: %s", file, strerror(errno));
	if (fd >= 0)
		close(fd);
	return rc;
}

/* The file's name, or where its links lead to.  The caller frees it. */
static char *path_follow(const char *file)
{
	char *real = realpath(file, NULL);

	return real ? real : mem_strdup(file);
}

int path_write_by(const char *file, path_fill_fn *fill, void *arg, unsigned mode, struct err *e)
{
	char *to, *tmp;
	int fd, rc = 0;
	struct stat st;

	if (!stat(file, &st) && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
		return path_write_into(file, fill, arg, e);
	to = path_follow(file);
	tmp = mem_printf("%s.XXXXXX", to);
	fd = mkostemp(tmp, O_CLOEXEC);
	if (fd < 0) {
		rc = err_set(e, ERR_LAB, "E_STATE", "cannot write %s: %s", file, strerror(errno));
		goto out;
	}
	if (fill(arg, fd) || fchmod(fd, mode) || fsync(fd))
		goto fail;
	if (close(fd)) {
		fd = -1;
		goto fail;
	}
	fd = -1;
	if (!rename(tmp, to))
		goto out;
fail:
	rc = err_set(e, ERR_LAB, "E_STATE", "cannot write %s: %s", file, strerror(errno));
	if (fd >= 0)
		close(fd);
	unlink(tmp);
out:
	free(tmp);
	free(to);
	return rc;
}

struct path_text {
	const void *p;
	size_t n;
};

static int path_fill_text(void *arg, int fd)
{
	const struct path_text *t = arg;

	return path_write_fd(fd, t->p, t->n);
}

int path_write(const char *file, const void *p, size_t n, unsigned mode, struct err *e)
{
	struct path_text t = {.p = p, .n = n};

	return path_write_by(file, path_fill_text, &t, mode, e);
}

int path_check_write(const char *file, struct err *e)
{
	char *copy = mem_strdup(file);
	const char *slash = strrchr(copy, '/');
	const char *dir = !slash ? "." : slash == copy ? "/" : copy;
	struct stat st;
	bool there;
	int rc = 0;

	if (slash)
		copy[slash - copy] = '\0';
	there = !stat(file, &st);
	if (there && S_ISDIR(st.st_mode))
		rc = err_set(e, ERR_USAGE, NULL, "cannot write %s: it is a folder", file);
	else if (access(there && !S_ISREG(st.st_mode) ? file : *dir ? dir : "/", W_OK))
		rc = err_set(e, ERR_USAGE, NULL, "cannot write %s: %s", file, strerror(errno));
	free(copy);
	return rc;
}

static int path_remove_one(const char *p, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st;
	(void)flag;
	(void)ftw;
	return remove(p) && errno != ENOENT ? -1 : 0;
}

int path_remove(const char *dir, struct err *e)
{
	if (!nftw(dir, path_remove_one, 32, FTW_DEPTH | FTW_PHYS) || errno == ENOENT)
		return 0;
	return err_set(e, ERR_LAB, "E_STATE", "cannot remove %s: %s", dir, strerror(errno));
}
