/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/base/secret.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/base/buf.h"
#include "harness/base/child.h"
#include "harness/base/mem.h"

enum { SECRET_PAGE = 4096, SECRET_DEADLINE_MS = 10000 };

/* What was in our environment.  Beside the log the only thing that is kept for the whole process:
 * the environment it comes from is one, too. */
struct secret_taken {
	struct secret_taken *next;
	char *value; /* own page */
	char name[];
};

static struct secret_taken *secret_taken;

/* Out of core dumps; NULL: no memory. */
static char *secret_page(void)
{
	char *page = mmap(
		NULL, SECRET_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (page == MAP_FAILED)
		return NULL;
	madvise(page, SECRET_PAGE, MADV_DONTDUMP);
	return page;
}

static struct secret_taken *secret_find(const char *name)
{
	struct secret_taken *t = secret_taken;

	while (t && strcmp(t->name, name) != 0)
		t = t->next;
	return t;
}

void secret_hide(enum secret_kind kind, const char *from)
{
	char *v = kind == SECRET_ENV ? getenv(from) : NULL, *page;
	struct secret_taken *t;
	size_t n;

	page = v ? secret_page() : NULL;
	if (!page)
		return;
	n = strlen(v);
	memcpy(page, v, n < SECRET_PAGE - 1 ? n : SECRET_PAGE - 1);
	explicit_bzero(v, n);
	unsetenv(from);
	t = secret_find(from);
	if (t) {
		munmap(t->value, SECRET_PAGE);
	} else {
		t = mem_alloc(sizeof(*t) + strlen(from) + 1);
		memcpy(t->name, from, strlen(from) + 1);
		t->next = secret_taken;
		secret_taken = t;
	}
	t->value = page;
}

bool secret_is_set(const char *name)
{
	const struct secret_taken *t;

	secret_hide(SECRET_ENV, name);
	t = secret_find(name);
	return t && *t->value;
}

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
	page = secret_page();
	if (!page)
		return err_set(e, ERR_BUG, NULL, "no memory for a password");
	memcpy(page, v, n);
	s->value = page;
	return 0;
}

static int secret_from_file(struct buf *b, const char *file, struct err *e)
{
	char chunk[SECRET_PAGE];
	struct stat st;
	int fd, rc = 0;
	ssize_t n;

	if (!stat(file, &st) && (st.st_mode & 077))
		return err_set(e, ERR_USAGE, "E_SECRET",
			"password file %s can be read by others: chmod 600 it", file);
	fd = open(file, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return err_set(e, ERR_USAGE, "E_FILE", "cannot open %s: %s", file, strerror(errno));
	/* Not by path_read(), which would leave it on the stack. */
	do {
		n = read(fd, chunk, sizeof(chunk));
		if (n > 0 && buf_add(b, chunk, (size_t)n))
			rc = err_set(e, ERR_USAGE, "E_FILE", "%s is larger than %zu bytes", file,
				b->max);
	} while (!rc && (n > 0 || (n < 0 && errno == EINTR)));
	if (n < 0)
		rc = err_set(e, ERR_USAGE, "E_FILE", "cannot read %s: %s", file, strerror(errno));
	close(fd);
	explicit_bzero(chunk, sizeof(chunk));
	return rc;
}

static int secret_from_command(struct buf *b, const char *command, struct err *e)
{
	const char *argv[] = {"/bin/sh", "-c", command, NULL};
	struct child_opts o = {.argv = argv,
		.stoppable = true,
		.deadline_ms = SECRET_DEADLINE_MS,
		.out_max = b->max};
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
	const struct secret_taken *t;
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
		secret_hide(kind, from);
		t = secret_find(from);
		if (!t)
			rc = err_set(e, ERR_USAGE, "E_SECRET",
				"environment variable %s for the password is not set", from);
		else
			buf_adds(&b, t->value);
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

char *secret_env(const char *name, const struct secret *s)
{
	const char *v = s && s->value ? s->value : "";
	size_t n = strlen(name), k = strlen(v);
	char *entry = mem_alloc(n + k + 2);

	/* mem_printf() would leave copies behind. */
	memcpy(entry, name, n);
	entry[n] = '=';
	memcpy(entry + n + 1, v, k + 1);
	return entry;
}

void secret_env_free(char *entry)
{
	if (entry)
		explicit_bzero(entry, strlen(entry));
	free(entry);
}
