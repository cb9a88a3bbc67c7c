/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/mem.h"
#include "harness/base/str.h"
#include "harness/git/apply_int.h"

/* git cuts ids to 7 digits at least, unless it is told otherwise: fewer are met by chance. */
enum { LOG_MAX = 16 << 20, DIGITS_MIN = 7 };

const char *apply_proof_name(enum apply_proof p)
{
	switch (p) {
	case APPLY_PROVEN:
		return "proven";
	case APPLY_OTHER_BASE:
		return "other base";
	case APPLY_NO_ID:
		return "no id";
	case APPLY_DIFFERS:
		break;
	}
	return "differs";
}

/* Ids of the patch are cut, and those of another hash function are no ids of ours. */
static bool is_cut_of(const char *cut, const char *id)
{
	size_t n = strlen(cut);

	return n && n <= strlen(id) && !strncmp(cut, id, n);
}

/* What git log has printed: lines of the commit, NUL, and for each file ":mode mode OLD NEW X",
 * NUL, path, NUL. */
static bool find(
	const struct buf *log, const char *path, char old[GIT_HASH_MAX], char new[GIT_HASH_MAX])
{
	const char *p = log->data + strlen(log->data) + 1, *end = log->data + log->len;

	while (p < end) {
		const char *name = p + strlen(p) + 1;

		if (name >= end)
			return false;
		if (!strcmp(name, path))
			return sscanf(p, " :%*s %*s %64s %64s", old, new) == 2;
		p = name + strlen(name) + 1;
	}
	return false;
}

static enum apply_proof judge(const struct diff_file *f, const struct buf *log)
{
	char old[GIT_HASH_MAX], new[GIT_HASH_MAX];

	/* A rename or a mode alone has none, either. */
	if (strlen(f->new_id) < DIGITS_MIN || strlen(f->old_id) < DIGITS_MIN ||
		!find(log, f->path, old, new))
		return APPLY_NO_ID;
	if (is_cut_of(f->new_id, new))
		return APPLY_PROVEN;
	return is_cut_of(f->old_id, old) ? APPLY_DIFFERS : APPLY_OTHER_BASE;
}

/* The lines of the commit: id, tree, author. */
static void take_commit(const struct buf *log, struct apply_patch *p)
{
	const char *tree = log->data + strcspn(log->data, "\n"), *author;

	snprintf(p->commit, GIT_HASH_MAX, "%.*s", (int)(tree - log->data), log->data);
	tree += *tree == '\n';
	author = tree + strcspn(tree, "\n");
	snprintf(p->tree, GIT_HASH_MAX, "%.*s", (int)(author - tree), tree);
	author += *author == '\n';
	snprintf(p->author, sizeof(p->author), "%s", author);
	str_clean(p->author);
}

int apply_prove(const char *dir, const struct diff *d, struct apply_patch *p, size_t *differs,
	struct err *e)
{
	static const char *const args[] = {"log", "-1", "-z", "--raw", "-r", "--no-renames",
		"--no-abbrev", "--no-ext-diff", "--format=%H%n%T%n%an <%ae>", NULL};
	const struct git g = {.dir = dir, .ours = true};
	struct git_result r;
	int rc = git_run(&g, args, NULL, LOG_MAX, &r, e);

	if (rc)
		return rc;
	take_commit(&r.out, p);
	free(p->files);
	p->files = mem_array(d->n ? d->n : 1, sizeof(*p->files));
	p->n_files = d->n;
	p->proven = *differs = 0;
	for (size_t i = 0; i < d->n; i++) {
		struct apply_file *f = &p->files[i];

		memcpy(f->path, d->files[i].path, sizeof(f->path));
		f->proof = judge(&d->files[i], &r.out);
		p->proven += f->proof == APPLY_PROVEN;
		*differs += f->proof == APPLY_DIFFERS;
	}
	git_result_release(&r);
	return 0;
}
