/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "firmware-images/image.h"
#include "harness/base/mem.h"
#include "harness/base/str.h"

const char *const *image_modes(const char *recipe)
{
	static const char *const xen[] = {"mixed", "physical", "cluster", NULL};

	return strcmp(recipe, "xen") ? NULL : xen;
}

static int modes_take(const char *const *all, const char *word, const char **names, size_t *n,
	size_t room, struct err *e)
{
	size_t count = 0;
	const char *near;

	while (all[count])
		count++;
	for (size_t i = 0; i < *n; i++)
		if (!strcmp(names[i], word))
			return err_set(e, ERR_USAGE, NULL, "mode %s is listed twice", word);
	for (size_t i = 0; i < count; i++)
		if (!strcmp(all[i], word) && *n < room) {
			names[(*n)++] = all[i];
			return 0;
		}
	if (!strcmp(word, "all"))
		return err_set(e, ERR_USAGE, NULL, "\"all\" stands alone, not in a list of modes");
	if (!*word)
		return err_set(e, ERR_USAGE, NULL, "a mode is missing in the list of modes");
	near = str_nearest(word, all, count);
	err_set(e, ERR_USAGE, NULL, "no mode \"%.40s\"%s%s%s; there are all, %s, %s and %s", word,
		near ? " (did you mean \"" : "", near ? near : "", near ? "\"?)" : "", all[0],
		all[1], all[2]);
	return -ERR_USAGE;
}

int image_modes_parse(
	const char *recipe, const char *list, const char **names, size_t *n, struct err *e)
{
	const char *const *all = image_modes(recipe);
	size_t room = *n;
	char *copy, *rest, *word;
	int rc = 0;

	*n = 0;
	if (!all)
		return err_set(e, ERR_USAGE, NULL, "no image \"%.40s\"; there is xen", recipe);
	if (!strcmp(list, "all")) {
		for (; *all && *n < room; all++)
			names[(*n)++] = *all;
		return 0;
	}
	rest = copy = mem_strdup(list);
	while (!rc && (word = strsep(&rest, ",")))
		rc = modes_take(all, word, names, n, room, e);
	free(copy);
	return rc;
}
