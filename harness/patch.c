/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/patch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "harness/base/clock.h"
#include "harness/base/log.h"
#include "harness/base/mem.h"
#include "harness/base/path.h"
#include "harness/git/checkout.h"
#include "harness/mail/mbox.h"

enum { WAIT_S = 7200, LOOK_US = 50000 };

void patch_unlock(struct patch *p)
{
	if (p->lock >= 0)
		close(p->lock);
	p->lock = -1;
}

void patch_release(struct patch *p)
{
	patch_unlock(p);
	free(p->tree);
	p->tree = NULL;
	series_release(&p->series);
	apply_release(&p->apply);
}

static int patch_read(const struct patch_opts *o, struct patch *p, struct err *e)
{
	int rc = 0;

	for (size_t i = 0; i < o->n_files && !rc; i++) {
		bool in = !strcmp(o->files[i], "-");
		struct buf b;

		buf_init(&b, MBOX_MAX);
		rc = path_read(in ? "/dev/stdin" : o->files[i], &b, e);
		if (!rc)
			rc = series_add(
				&p->series, in ? "standard input" : o->files[i], b.data, b.len, e);
		buf_release(&b);
	}
	return rc ? rc : series_finish(&p->series, e);
}

static int patch_find_base(
	const struct patch_opts *o, struct patch *p, char base[GIT_HASH_MAX], struct err *e)
{
	int rc = -ERR_USAGE;

	p->from = PATCH_BASE_GIVEN;
	if (o->base)
		return git_resolve(o->source, o->base, base, e);
	p->from = PATCH_BASE_MAIL;
	if (*p->series.base_commit)
		rc = git_resolve(o->source, p->series.base_commit, base, e);
	/* Only what git said for certain leads to another base. */
	if (rc != -ERR_USAGE)
		return rc;
	p->from = PATCH_BASE_HEAD;
	if (*p->series.base_commit)
		mends_add(&p->series.notes,
			"the series was made for %.12s, which the repository does not have",
			p->series.base_commit);
	return git_resolve(o->source, "HEAD", base, e);
}

/* Children inherit the lock: should this process be killed, the next one waits for its git. */
static int patch_lock(const char *file, int *fd, struct err *e)
{
	int64_t until = clock_mono_ns() + INT64_C(1000000000) * WAIT_S;
	bool told = false;

	*fd = open(file, O_RDWR | O_CREAT, 0600);
	if (*fd < 0)
		return err_set(e, ERR_LAB, "E_STATE", "cannot open %s: %s", file, strerror(errno));
	while (flock(*fd, LOCK_EX | LOCK_NB)) {
		if (errno != EWOULDBLOCK)
			return err_set(
				e, ERR_LAB, "E_STATE", "cannot lock %s: %s", file, strerror(errno));
		if (clock_mono_ns() > until)
			return err_set(e, ERR_BUSY, "E_BUSY",
				"another harness patch has %s for more than %d hours", file,
				WAIT_S / 3600);
		if (!told)
			log_line(LOG_WARN, "patch", "waiting for another harness patch");
		told = true;
		usleep(LOOK_US);
	}
	return 0;
}

int patch_check(const struct patch_opts *o, struct patch *p, struct err *e)
{
	char *dir = mem_printf("%s/patch", o->state), *lock = mem_printf("%s/lock", dir);
	char base[GIT_HASH_MAX];
	int rc;

	series_init(&p->series);
	p->tree = mem_printf("%s/tree", dir);
	rc = patch_read(o, p, e);
	if (!rc)
		rc = patch_find_base(o, p, base, e);
	if (!rc)
		rc = path_mkdirs(dir, e);
	if (!rc)
		rc = patch_lock(lock, &p->lock, e);
	if (!rc)
		rc = checkout_make(p->tree, o->source, base, e);
	if (!rc)
		rc = apply_series(p->tree, base, &p->series, &p->apply, e);
	/* The children to come only read the checkout, and may outlive us for long. */
	if (p->lock >= 0)
		fcntl(p->lock, F_SETFD, FD_CLOEXEC);
	free(lock);
	free(dir);
	return rc;
}
