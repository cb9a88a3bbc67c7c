/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "harness/base/buf.h"
#include "harness/base/log.h"
#include "harness/base/mem.h"
#include "harness/base/str.h"
#include "targets/target.h"

static bool tag_among(const char *list, const char *tag)
{
	size_t want = strlen(tag);

	while (*list) {
		size_t n = strcspn(list, " ");

		if (n == want && !memcmp(list, tag, n))
			return true;
		list += n;
		list += strspn(list, " ");
	}
	return false;
}

bool target_has_tag(const struct target *t, const char *tag)
{
	return tag_among(t->tags, tag);
}

/* The tags of all machines, each once. */
struct tags {
	char **names;
	size_t n;
};

static void tags_add(struct tags *a, const char *list)
{
	while (*list) {
		size_t n = strcspn(list, " "), i = 0;

		while (i < a->n && (strncmp(a->names[i], list, n) || a->names[i][n]))
			i++;
		if (i == a->n) {
			a->names = mem_grow(a->names, a->n + 1, sizeof(*a->names));
			a->names[a->n++] = mem_strndup(list, n);
		}
		list += n;
		list += strspn(list, " ");
	}
}

static int tag_unknown(const struct tags *a, const char *tag, struct err *e)
{
	const char *near = a->n ? str_nearest(tag, (const char *const *)a->names, a->n) : NULL;
	struct buf b;

	buf_init(&b, 500);
	if (near)
		buf_addf(&b, ": did you mean %s?", near);
	buf_adds(&b, a->n ? " (tags:" : "; no target file has \"tags\" in [machine]");
	for (size_t i = 0; i < a->n; i++)
		if (buf_addf(&b, "%s %s", i ? "," : "", a->names[i]))
			break;
	b.failed = false;
	if (a->n)
		buf_addc(&b, ')');
	err_set(e, ERR_USAGE, NULL, "no machine has the tag \"%.64s\"%s", tag, b.data);
	buf_release(&b);
	return -ERR_USAGE;
}

int target_tagged(const char *dir, const char *tag, char ***names, size_t *n, struct err *e)
{
	struct tags tags = {NULL, 0};
	char **all = NULL;
	size_t n_all = 0;
	int rc = target_names(dir, &all, &n_all, e);

	*names = NULL;
	*n = 0;
	for (size_t i = 0; i < n_all && !rc; i++) {
		struct err bad = ERR_INIT;
		struct target t = {.file = NULL};

		if (!target_find(&t, dir, all[i], &bad)) {
			tags_add(&tags, t.tags);
			if (target_has_tag(&t, tag)) {
				*names = mem_grow(*names, *n + 1, sizeof(**names));
				(*names)[(*n)++] = mem_strdup(all[i]);
			}
			target_release(&t);
		} else if (tag_among(t.tags, tag)) {
			*e = bad;
			rc = -(int)bad.cls;
		} else {
			log_line(LOG_WARN, NULL, "%s; the machine is left out", bad.msg);
		}
	}
	if (!rc && !*n)
		rc = tag_unknown(&tags, tag, e);
	target_names_free(all, n_all);
	target_names_free(tags.names, tags.n);
	if (rc) {
		target_names_free(*names, *n);
		*names = NULL;
		*n = 0;
	}
	return rc;
}
