/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "firmware-images/image.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <nettle/sha2.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "firmware-images/image_address.h"
#include "harness/base/buf.h"
#include "harness/base/mem.h"
#include "harness/base/path.h"
#include "harness/base/str.h"

enum { MANIFEST_MAX = 65536, HASH_CHUNK = 262144 };

int image_hash_file(const char *file, char out[SHA256_HEX + 1], uint64_t *size, struct err *e)
{
	int fd = open(file, O_RDONLY | O_CLOEXEC), rc = 0;
	uint8_t digest[SHA256_DIGEST_SIZE];
	struct sha256_ctx ctx;
	uint64_t total = 0;
	uint8_t *chunk;
	ssize_t n;

	if (fd < 0)
		return err_set(
			e, ERR_IMAGE, "E_IMAGE", "cannot open %s: %s", file, strerror(errno));
	chunk = mem_alloc(HASH_CHUNK);
	sha256_init(&ctx);
	while ((n = read(fd, chunk, HASH_CHUNK)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			rc = err_set(e, ERR_IMAGE, "E_IMAGE", "cannot read %s: %s", file,
				strerror(errno));
			break;
		}
		sha256_update(&ctx, (size_t)n, chunk);
		total += (uint64_t)n;
	}
	if (!rc) {
		sha256_digest(&ctx, sizeof(digest), digest);
		str_hex(digest, sizeof(digest), out);
		if (size)
			*size = total;
	}
	free(chunk);
	close(fd);
	return rc;
}

static bool image_is_address(const char *s)
{
	return strlen(s) == SHA256_HEX && strspn(s, "0123456789abcdef") == SHA256_HEX;
}

static int image_manifest_bad(const struct image *i, const char *what, struct err *e)
{
	return err_set(e, ERR_IMAGE, "E_MANIFEST",
		"image %.12s: %s/manifest.json %s; build it again: harness build --image xen "
		"--modes all --force",
		i->sha256, i->dir, what);
}

static int image_load_json(const struct image *i, json_t **out, struct err *e)
{
	char *file = mem_printf("%s/manifest.json", i->dir);
	json_error_t je;
	struct buf b;
	int rc;

	buf_init(&b, MANIFEST_MAX);
	rc = path_read(file, &b, e);
	if (rc)
		rc = image_manifest_bad(i, "cannot be read", e);
	else if (!(*out = json_loadb(b.data, b.len, JSON_REJECT_DUPLICATES, &je)))
		rc = image_manifest_bad(i, "is not JSON", e);
	buf_release(&b);
	free(file);
	return rc;
}

static void image_take(const json_t *o, const char *key, char *to, size_t size)
{
	const char *s = json_string_value(json_object_get(o, key));

	snprintf(to, size, "%s", s ? s : "");
}

static bool image_flag(const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s && (!strcmp(s, "y") || !strcmp(s, "1"));
}

int image_open(struct image *i, const char *state, const char *sha256, struct err *e)
{
	json_t *o = NULL;
	int rc;

	*i = (struct image){0};
	if (!image_is_address(sha256))
		return err_set(
			e, ERR_IMAGE, "E_NOIMAGE", "\"%.70s\" is not an image's address", sha256);
	memcpy(i->sha256, sha256, sizeof(i->sha256));
	i->dir = mem_printf("%s/images/sha256/%s", state, sha256);
	if (!path_exists(i->dir)) {
		rc = err_set(e, ERR_IMAGE, "E_NOIMAGE",
			"image %.12s is not in %s/images: harness build --image xen --modes all",
			sha256, state);
		goto out;
	}
	rc = image_load_json(i, &o, e);
	if (rc)
		goto out;
	image_take(o, "recipe", i->recipe, sizeof(i->recipe));
	image_take(o, "mode", i->mode, sizeof(i->mode));
	image_take(o, "version", i->version, sizeof(i->version));
	image_take(o, "commit", i->commit, sizeof(i->commit));
	image_take(o, "compiler", i->compiler, sizeof(i->compiler));
	image_take(o, "build-id", i->build_id, sizeof(i->build_id));
	image_take(o, "efi-build-id", i->efi_build_id, sizeof(i->efi_build_id));
	image_take(o, "config", i->config_hash, sizeof(i->config_hash));
	image_take(o, "probe", i->probe_version, sizeof(i->probe_version));
	image_take(o, "srchash", i->source_hash, sizeof(i->source_hash));
	snprintf(i->main_file, sizeof(i->main_file), "%s", i->recipe);
	i->debug = image_flag(o, "debug") || image_flag(o, "ubsan") || image_flag(o, "gcov");
	i->dirty = image_flag(o, "dirty");
	if (!str_is_name(i->recipe) || !str_is_name(i->mode) || !i->version[0])
		rc = image_manifest_bad(i, "lacks recipe, mode or version", e);
out:
	json_decref(o);
	if (rc)
		image_release(i);
	return rc;
}

static int image_damaged(const struct image *i, const char *file, const char *what, struct err *e)
{
	return err_set(e, ERR_IMAGE, "E_DAMAGED",
		"image %.12s is damaged: %s/%s %s; build it again: harness build --image %s "
		"--modes %s --force",
		i->sha256, i->dir, file, what, i->recipe, i->mode);
}

int image_verify(const struct image *i, struct err *e)
{
	json_t *o = NULL, *files, *want;
	char have[SHA256_HEX + 1];
	const char *name;
	int rc;

	rc = image_load_json(i, &o, e);
	if (rc)
		return rc;
	files = json_object_get(o, "files");
	json_object_foreach(files, name, want)
	{
		const char *hash = json_string_value(want);
		char *path = mem_printf("%s/%s", i->dir, name);

		if (!hash || strchr(name, '/'))
			rc = image_damaged(i, "manifest.json", "lists no hash", e);
		else if (image_hash_file(path, have, NULL, e))
			rc = image_damaged(i, name, "cannot be read", e);
		else if (strcmp(have, hash))
			rc = image_damaged(i, name, "has other bytes", e);
		free(path);
		if (rc)
			break;
	}
	image_address(files, have);
	if (!rc && strcmp(have, i->sha256) != 0)
		rc = image_damaged(
			i, "manifest.json", "lists other files than the address says", e);
	json_decref(o);
	return rc;
}

int image_for_uefi(struct image *i, struct err *e)
{
	if (!i->efi_build_id[0])
		return err_set(e, ERR_IMAGE, "E_NOIMAGE",
			"image %.12s of mode %s has no file for UEFI machines: the linker could "
			"not make "
			"one; see the build's log",
			i->sha256, i->mode);
	snprintf(i->main_file, sizeof(i->main_file), "%s.efi", i->recipe);
	memcpy(i->build_id, i->efi_build_id, sizeof(i->build_id));
	return 0;
}

void image_release(struct image *i)
{
	free(i->dir);
	i->dir = NULL;
}
