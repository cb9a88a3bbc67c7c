/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "firmware-images/image.h"
#include "harness/base/buf.h"
#include "harness/base/mem.h"
#include "harness/base/path.h"
#include "harness/base/str.h"

enum { REF_MAX = 4096 };

static bool ref_is_address(const char *s)
{
	return strlen(s) == SHA256_HEX && strspn(s, "0123456789abcdef") == SHA256_HEX;
}

static int ref_check_names(const char *recipe, const char *mode, struct err *e)
{
	if (str_is_name(recipe) && str_is_name(mode) && strlen(mode) < MODE_MAX)
		return 0;
	return err_set(e, ERR_USAGE, NULL, "no recipe or mode can be called \"%.40s\", \"%.40s\"",
		recipe, mode);
}

int image_ref_get(
	const char *state, const char *recipe, const char *mode, struct image_ref *r, struct err *e)
{
	int rc = ref_check_names(recipe, mode, e);
	const char *sha256, *why;
	json_t *o = NULL;
	struct buf b;
	char *file;

	if (rc)
		return rc;
	*r = (struct image_ref){0};
	snprintf(r->mode, sizeof(r->mode), "%s", mode);
	file = mem_printf("%s/images/refs/%s/%s.json", state, recipe, mode);
	buf_init(&b, REF_MAX);
	if (!path_exists(file)) {
		rc = err_set(e, ERR_IMAGE, "E_NOIMAGE",
			"no image for mode %s: harness build --image %s --modes %s", mode, recipe,
			mode);
		goto out;
	}
	rc = path_read(file, &b, e);
	if (rc)
		goto out;
	o = json_loadb(b.data, b.len, 0, NULL);
	sha256 = json_string_value(json_object_get(o, "sha256"));
	why = json_string_value(json_object_get(o, "skipped"));
	if (sha256 && ref_is_address(sha256)) {
		memcpy(r->sha256, sha256, sizeof(r->sha256));
	} else if (why) {
		r->skipped = true;
		snprintf(r->reason, sizeof(r->reason), "%s", why);
	} else {
		rc = err_set(e, ERR_IMAGE, "E_NOIMAGE",
			"%s is damaged: harness build --image %s --modes %s", file, recipe, mode);
	}
out:
	json_decref(o);
	buf_release(&b);
	free(file);
	return rc;
}

int image_ref_set(const char *state, const char *recipe, const struct image_ref *r, struct err *e)
{
	int rc = ref_check_names(recipe, r->mode, e);
	char *dir, *file, *text;
	json_t *o;

	if (rc)
		return rc;
	dir = mem_printf("%s/images/refs/%s", state, recipe);
	file = mem_printf("%s/%s.json", dir, r->mode);
	o = json_pack(
		"{s:s}", r->skipped ? "skipped" : "sha256", r->skipped ? r->reason : r->sha256);
	text = o ? json_dumps(o, 0) : NULL;
	rc = path_mkdirs(dir, e);
	if (!rc && !text)
		rc = err_set(e, ERR_BUG, NULL, "%s: not UTF-8", file);
	if (!rc)
		rc = path_write(file, text, strlen(text), 0644, e);
	free(text);
	json_decref(o);
	free(file);
	free(dir);
	return rc;
}

int image_key_get(const char *state, const char *key, char sha256[SHA256_HEX + 1])
{
	char *file = mem_printf("%s/images/keys/%s", state, key), *dir = NULL;
	struct err e;
	struct buf b;
	int found = 0;

	buf_init(&b, SHA256_HEX + 2);
	if (path_exists(file) && !path_read(file, &b, &e) && b.len == SHA256_HEX + 1 &&
		b.data[SHA256_HEX] == '\n') {
		b.data[SHA256_HEX] = '\0';
		dir = mem_printf("%s/images/sha256/%s", state, b.data);
		found = ref_is_address(b.data) && path_exists(dir);
		if (found)
			memcpy(sha256, b.data, SHA256_HEX + 1);
	}
	free(dir);
	buf_release(&b);
	free(file);
	return found;
}

int image_key_set(const char *state, const char *key, const char *sha256, struct err *e)
{
	char *dir = mem_printf("%s/images/keys", state), *file = mem_printf("%s/%s", dir, key);
	char *line = mem_printf("%s\n", sha256);
	int rc = path_mkdirs(dir, e);

	if (!rc)
		rc = path_write(file, line, strlen(line), 0644, e);
	free(line);
	free(file);
	free(dir);
	return rc;
}
