/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/base/secret.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "harness/base/buf.h"
#include "harness/base/child.h"
#include "harness/base/path.h"

enum { SECRET_PAGE = 4096, SECRET_DEADLINE_MS = 10000 };

static int secret_store(
	struct secret *s, const char *v, size_t n, size_t max, const char *from, struct err *e)
{
	char *page;

	if (n && v[n - 1] == '\n')
		n--;
	if (n && v[n - 1] == '\r')
		n--;
	if (!n)
		return err_set(e, ERR_USAGE, "E_SECRET", "password from %s is empty", from);
	if (n > max || n >= SECRET_PAGE)
		return err_set(e, ERR_USAGE, "E_SECRET",
			"password from %s is longer than %zu bytes", from, max);
	for (size_t i = 0; i < n; i++)
		if ((unsigned char)v[i] < 0x20)
			return err_set(e, ERR_USAGE, "E_SECRET",
				"password from %s holds a control character", from);
	page = mmap(NULL, SECRET_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED)
		return err_set(e, ERR_BUG, NULL, "no memory for a password");
	madvise(page, SECRET_PAGE, MADV_DONTDUMP);
	memcpy(page, v, n);
	s->value = page;
	return 0;
}

static int secret_from_file(struct buf *b, const char *file, struct err *e)
{
	struct stat st;

	if (!stat(file, &st) && (st.st_mode & 077))
		return err_set(e, ERR_USAGE, "E_SECRET",
			"password file %s can be read by others: chmod 600 it", file);
	return path_read(file, b, e);
}

static int secret_from_command(struct buf *b, const char *command, struct err *e)
{
	const char *argv[] = {"/bin/sh", "-c", command, NULL};
	struct child_opts o = {.argv = argv, .deadline_ms = SECRET_DEADLINE_MS, .out_max = b->max};
	struct child_result r;
	int rc = child_run(&o, &r, e);

	if (rc)
		return rc;
	if (r.timed_out)
		rc = err_set(e, ERR_USAGE, "E_SECRET", "password command took longer than 10 s");
	else if (r.status)
		/* What it wrote to stderr may be the password. */
		rc = err_set(e, ERR_USAGE, "E_SECRET", "password command ended with status %d",
			r.status);
	else
		buf_add(b, r.out.data, r.out.len);
	explicit_bzero(r.out.data, r.out.len);
	explicit_bzero(r.err.data, r.err.len);
	child_result_release(&r);
	return rc;
}

int secret_load(
	struct secret *s, enum secret_kind kind, const char *from, size_t max, struct err *e)
{
	const char *v;
	struct buf b;
	int rc = 0;

	secret_release(s);
	buf_init(&b, SECRET_PAGE);
	switch (kind) {
	case SECRET_FILE:
		rc = secret_from_file(&b, from, e);
		break;
	case SECRET_COMMAND:
		rc = secret_from_command(&b, from, e);
		break;
	case SECRET_ENV:
		v = getenv(from);
		if (!v)
			rc = err_set(e, ERR_USAGE, "E_SECRET",
				"environment variable %s for the password is not set", from);
		else
			buf_adds(&b, v);
		break;
	case SECRET_NONE:
		rc = err_set(e, ERR_USAGE, "E_SECRET", "no password is configured");
		break;
	}
	if (!rc)
		rc = secret_store(s, b.data, b.len, max,
			kind == SECRET_COMMAND ? "the password command" : from, e);
	explicit_bzero(b.data, b.len);
	buf_release(&b);
	return rc;
}

void secret_release(struct secret *s)
{
	if (!s->value)
		return;
	explicit_bzero(s->value, SECRET_PAGE);
	munmap(s->value, SECRET_PAGE);
	s->value = NULL;
}
