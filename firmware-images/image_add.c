/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "firmware-images/image.h"
#include "firmware-images/image_address.h"
#include "harness/base/buf.h"
#include "harness/base/mem.h"
#include "harness/base/path.h"

enum { MANIFEST_MAX = 65536, VALUE_MAX = 1024 };

/* A folder's entries, or a file's bytes, are on disk. */
static int add_sync(const char *path, struct err *e)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), rc = 0;

	if (fd < 0 || fsync(fd))
		rc = err_set(e, ERR_LAB, "E_STATE", "cannot write %s to disk: %s", path,
			strerror(errno));
	if (fd >= 0)
		close(fd);
	return rc;
}

/* The recipe's key=value lines into o. */
static int add_read_manifest(const char *dir, json_t *o, struct err *e)
{
	char *file = mem_printf("%s/manifest", dir), *line, *save = NULL;
	struct buf b;
	int rc, n = 0;

	buf_init(&b, MANIFEST_MAX);
	rc = path_read(file, &b, e);
	if (rc) {
		e->cls = ERR_IMAGE;
		goto out;
	}
	for (line = strtok_r(b.data, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		char *eq = strchr(line, '=');

		n++;
		if (!eq || eq == line || strlen(eq + 1) > VALUE_MAX) {
			rc = err_set(
				e, ERR_IMAGE, "E_MANIFEST", "%s:%d: not a line key=value", file, n);
			break;
		}
		*eq = '\0';
		if (json_object_set_new(o, line, json_string(eq + 1))) {
			rc = err_set(e, ERR_IMAGE, "E_MANIFEST", "%s:%d: not UTF-8", file, n);
			break;
		}
	}
out:
	buf_release(&b);
	free(file);
	return rc < 0 ? -(int)e->cls : 0;
}

/* Hash and sync every file but the manifest; names and hashes go to files. */
static int add_files(const char *dir, json_t *files, struct err *e)
{
	DIR *d = opendir(dir);
	struct dirent *de;
	int rc = 0;

	if (!d)
		return err_set(e, ERR_LAB, "E_STATE", "cannot open %s: %s", dir, strerror(errno));
	while (!rc && (de = readdir(d))) {
		char hash[SHA256_HEX + 1], *path;
		struct stat st;

		if (!strcmp(de->d_name, ".") || !strcmp(de->d_name, "..") ||
			!strcmp(de->d_name, "manifest") || !strcmp(de->d_name, "manifest.json"))
			continue;
		path = mem_printf("%s/%s", dir, de->d_name);
		if (lstat(path, &st) || !S_ISREG(st.st_mode))
			rc = err_set(e, ERR_IMAGE, "E_MANIFEST", "%s is not a file", path);
		else if (json_object_size(files) == IMAGE_FILES_MAX)
			rc = err_set(e, ERR_IMAGE, "E_MANIFEST", "%s holds more than %d files", dir,
				IMAGE_FILES_MAX);
		if (!rc)
			rc = image_hash_file(path, hash, NULL, e);
		if (!rc)
			rc = add_sync(path, e);
		if (!rc)
			json_object_set_new(files, de->d_name, json_string(hash));
		free(path);
	}
	closedir(d);
	return rc;
}

static int add_write_json(const char *dir, const json_t *o, struct err *e)
{
	char *file = mem_printf("%s/manifest.json", dir), *text;
	int rc;

	text = json_dumps(o, JSON_INDENT(2) | JSON_SORT_KEYS);
	if (!text) {
		rc = err_set(e, ERR_BUG, NULL, "cannot write %s as JSON", file);
	} else {
		char *line = mem_printf("%s\n", text);

		rc = path_write(file, line, strlen(line), 0644, e);
		free(line);
	}
	free(text);
	free(file);
	return rc;
}

/* True when the store has this image and nothing is wrong with it. */
static bool add_is_there(const char *state, const char *sha256)
{
	struct image i;
	struct err e;
	bool sound;

	if (image_open(&i, state, sha256, &e))
		return false;
	sound = !image_verify(&i, &e);
	image_release(&i);
	return sound;
}

static int add_rename(const char *state, const char *dir, const char *sha256, struct err *e)
{
	char *parent = mem_printf("%s/images/sha256", state);
	char *to = mem_printf("%s/%s", parent, sha256);
	int rc = path_mkdirs(parent, e);

	if (rc)
		goto out;
	if (add_is_there(state, sha256)) {
		rc = path_remove(dir, e);
		goto out;
	}
	/* What lies there is damaged, or nothing does. */
	rc = path_remove(to, e);
	if (rc)
		goto out;
	if (rename(dir, to)) {
		rc = err_set(e, ERR_LAB, "E_STATE", "cannot move %s to %s: %s", dir, to,
			strerror(errno));
		goto out;
	}
	rc = add_sync(parent, e);
out:
	free(to);
	free(parent);
	return rc;
}

int image_add(const char *state, const char *recipe, const char *dir, char sha256[SHA256_HEX + 1],
	struct err *e)
{
	char *manifest = mem_printf("%s/manifest", dir);
	json_t *o = json_object(), *files = json_object();
	int rc;

	rc = add_read_manifest(dir, o, e);
	if (!rc)
		rc = add_files(dir, files, e);
	if (rc)
		goto out;
	if (!json_object_get(files, recipe)) {
		rc = err_set(e, ERR_IMAGE, "E_MANIFEST", "the recipe made no file \"%s\" in %s",
			recipe, dir);
		goto out;
	}
	image_address(files, sha256);
	json_object_set_new(o, "recipe", json_string(recipe));
	json_object_set_new(o, "sha256", json_string(sha256));
	json_object_set(o, "files", files);
	rc = add_write_json(dir, o, e);
	if (!rc && unlink(manifest))
		rc = err_set(
			e, ERR_LAB, "E_STATE", "cannot remove %s: %s", manifest, strerror(errno));
	if (!rc)
		rc = add_sync(dir, e);
	if (!rc)
		rc = add_rename(state, dir, sha256, e);
out:
	json_decref(files);
	json_decref(o);
	free(manifest);
	return rc;
}
