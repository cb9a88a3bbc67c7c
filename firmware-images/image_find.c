/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "firmware-images/image.h"
#include "harness/base/buf.h"
#include "harness/base/mem.h"

enum { FIND_DIGITS_MIN = 4, FIND_SHOWN = 12, FIND_CANDIDATES = 4 };

static int find_order(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* The addresses that begin so, sorted; the caller frees *found. */
static int find_all(const char *state, const char *prefix, char (**found)[SHA256_HEX + 1],
	size_t *n, struct err *e)
{
	char *dir = mem_printf("%s/images/sha256", state);
	DIR *d = opendir(dir);
	struct dirent *de;
	int rc = 0;

	*found = NULL;
	*n = 0;
	if (!d && errno != ENOENT)
		rc = err_set(e, ERR_IMAGE, "E_IMAGE", "cannot read %s: %s", dir, strerror(errno));
	while (d && (de = readdir(d))) {
		if (strncmp(de->d_name, prefix, strlen(prefix)) != 0 ||
			strlen(de->d_name) != SHA256_HEX)
			continue;
		*found = mem_grow(*found, *n + 1, sizeof(**found));
		memcpy((*found)[(*n)++], de->d_name, sizeof(**found));
	}
	if (*n)
		qsort(*found, *n, sizeof(**found), find_order);
	if (d)
		closedir(d);
	free(dir);
	return rc;
}

/* With digits enough to tell them apart. */
static int find_several(const char *prefix, char (*found)[SHA256_HEX + 1], size_t n, struct err *e)
{
	int digits = FIND_SHOWN, rc;
	struct buf list;

	n = n > FIND_CANDIDATES ? FIND_CANDIDATES + 1 : n;
	for (size_t i = 1; i < n; i++)
		while (digits < SHA256_HEX && !strncmp(found[i - 1], found[i], (size_t)digits))
			digits++;
	buf_init(&list, 1024);
	for (size_t i = 0; i < n && i < FIND_CANDIDATES; i++)
		buf_addf(&list, "%s%.*s", i ? ", " : "", digits, found[i]);
	rc = err_set(e, ERR_USAGE, "E_NOIMAGE", "\"%s\" begins %s images: %s%s", prefix,
		n > FIND_CANDIDATES ? "many" : "several", list.data,
		n > FIND_CANDIDATES ? ", …" : "");
	buf_release(&list);
	return rc;
}

int image_find(const char *state, const char *prefix, char sha256[SHA256_HEX + 1], struct err *e)
{
	char p[SHA256_HEX + 1] = "", (*found)[SHA256_HEX + 1];
	size_t len = strlen(prefix), n;
	int rc;

	for (size_t i = 0; i < SHA256_HEX && prefix[i]; i++)
		p[i] = (char)tolower((unsigned char)prefix[i]);
	if (len < FIND_DIGITS_MIN || len > SHA256_HEX || p[strspn(p, "0123456789abcdef")])
		return err_set(e, ERR_USAGE, "E_NOIMAGE",
			"\"%s\" is not an image: give the first digits of its sha256, %d or more",
			prefix, FIND_DIGITS_MIN);
	rc = find_all(state, p, &found, &n, e);
	if (!rc && !n)
		rc = err_set(e, ERR_USAGE, "E_NOIMAGE",
			"no image \"%s\" is in %s/images; harness build tells those that it makes",
			prefix, state);
	else if (!rc && n > 1)
		rc = find_several(prefix, found, n, e);
	else if (!rc)
		memcpy(sha256, found[0], sizeof(found[0]));
	free(found);
	return rc;
}
