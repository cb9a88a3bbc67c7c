/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "targets/target.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "harness/base/buf.h"
#include "harness/base/mem.h"
#include "harness/base/path.h"
#include "harness/base/str.h"
#include "targets/target_console.h"
#include "targets/target_ini.h"
#include "targets/target_keys.h"

static void target_defaults(struct target *t)
{
	struct buf why;

	buf_init(&why, 256);
	for (size_t i = 0; i < target_keys_n; i++) {
		const struct target_key *k = &target_keys[i];
		int rc = k->dflt ? target_key_set(t, k, k->dflt, &why) : 0;

		assert(!rc);
		(void)rc;
	}
	buf_release(&why);
}

/* The file's stem, if it can be a machine's name. */
static int target_set_name(struct target *t, struct err *e)
{
	const char *slash = strrchr(t->file, '/'), *stem = slash ? slash + 1 : t->file;
	size_t n = strlen(stem);

	if (n > 4 && !strcmp(stem + n - 4, ".ini") && n - 4 < sizeof(t->name)) {
		memcpy(t->name, stem, n - 4);
		t->name[n - 4] = '\0';
	}
	if (!str_is_name(t->name))
		return err_set(e, ERR_USAGE, NULL,
			"%s: the file's name must be NAME.ini, NAME of a-z, 0-9 and ._- and 63 "
			"bytes at most",
			t->file);
	return 0;
}

bool target_uses_bmc(const struct target *t)
{
	return strcmp(t->bmc.driver, "command") != 0 || t->bmc.fallback[0] ||
	       !strcmp(t->console.driver, "sol");
}

static bool target_falls_to(const struct target *t, const char *driver)
{
	const char *at = strstr(t->bmc.fallback, driver);

	return at && strchr(" ", at[strlen(driver)]);
}

/* Which keys must stand there, and which must not. */
static int target_check_needs(
	const struct target *t, const struct target_lines *lines, struct err *e)
{
	bool bmc = !lines->lab && target_uses_bmc(t);

	for (size_t i = 0; i < target_keys_n; i++) {
		const struct target_key *k = &target_keys[i];
		int line = lines->line[i];
		bool real = k->need == NEED_REAL || k->need == NEED_USER;

		if (!line && (k->need == NEED_YES || (bmc && real)))
			return err_set(e, ERR_USAGE, NULL, "%s: [%s] lacks the required key \"%s\"",
				t->file, k->section, k->name);
		if (line && lines->lab && (k->need == NEED_REAL || k->need == NO_LAB))
			return err_set(e, ERR_USAGE, NULL,
				"%s:%d: %s has no meaning with [lab]: the running lab gives it",
				t->file, line, k->name);
	}
	if (bmc && t->bmc.password_kind == SECRET_NONE)
		return err_set(e, ERR_USAGE, NULL,
			"%s: [bmc] lacks the password's source: password_file, password_env or "
			"password_command",
			t->file);
	return 0;
}

/* An address on which a server listens but that leads another machine nowhere. */
static bool target_listen_is_local(const char *listen)
{
	return !strncmp(listen, "0.0.0.0:", 8) || !strncmp(listen, "[::]:", 5) ||
	       !strncmp(listen, "127.", 4) || !strncmp(listen, "[::1]:", 6) ||
	       !strncmp(listen, "localhost:", 10);
}

static int target_check_netboot(const struct target *t, struct err *e)
{
	const char *port = strrchr(t->netboot.listen, ':');

	if (t->lab.present)
		return 0;
	if (!port || !strcmp(port, ":0"))
		return err_set(e, ERR_USAGE, NULL,
			"%s: [netboot] listen must name a fixed port: the machine asks there for "
			"its boot script",
			t->file);
	if (!t->netboot.url[0] && target_listen_is_local(t->netboot.listen))
		return err_set(e, ERR_USAGE, NULL,
			"%s: [netboot] lacks \"url\": the machine cannot reach us at %s", t->file,
			t->netboot.listen);
	return 0;
}

static int target_check_drivers(const struct target *t, struct err *e)
{
	bool command = !strcmp(t->bmc.driver, "command") || target_falls_to(t, "command");

	if (target_falls_to(t, t->bmc.driver))
		return err_set(e, ERR_USAGE, NULL,
			"%s: [bmc] fallback names %s, which is the driver already", t->file,
			t->bmc.driver);
	if (command && !t->bmc.command[0])
		return err_set(e, ERR_USAGE, NULL,
			"%s: [bmc] lacks \"command\", which the driver command runs", t->file);
	return 0;
}

static int target_check_together(const struct target *t, struct err *e)
{
	if (t->measure.samples + t->measure.warmup > 1024)
		return err_set(e, ERR_USAGE, NULL,
			"%s: [measure] samples and warmup are %d together; the probe has room for "
			"1024",
			t->file, t->measure.samples + t->measure.warmup);
	if (t->cpus && t->sockets > t->cpus)
		return err_set(e, ERR_USAGE, NULL,
			"%s: [machine] has more sockets (%d) than cpus (%d)", t->file, t->sockets,
			t->cpus);
	if (t->lab.present && t->lab.cpus % t->lab.sockets)
		return err_set(e, ERR_USAGE, NULL,
			"%s: [lab] cpus (%d) is not a multiple of sockets (%d)", t->file,
			t->lab.cpus, t->lab.sockets);
	if (target_check_drivers(t, e))
		return -(int)e->cls;
	return target_check_netboot(t, e);
}

/* A path that a key holds lies beside the target file, or below the user's home. */
static int target_resolve(
	const struct target *t, const char *key, char *path, size_t size, struct err *e)
{
	const char *slash = strrchr(t->file, '/'), *home = getenv("HOME");
	int dir = slash ? (int)(slash - t->file) + 1 : 0;
	char *full;

	if (path[0] == '/')
		return 0;
	if (path[0] == '~' && path[1] == '/')
		full = mem_printf("%s%s", home && *home ? home : "", path + 1);
	else
		full = mem_printf("%.*s%s", dir, t->file, path);
	if (strlen(full) < size)
		memcpy(path, full, strlen(full) + 1);
	else
		err_set(e, ERR_USAGE, NULL, "%s: %s: path is too long", t->file, key);
	free(full);
	return -(int)e->cls;
}

static int target_resolve_paths(struct target *t, struct err *e)
{
	size_t program = strcspn(t->bmc.command, " ");

	if (t->bmc.password_kind == SECRET_FILE &&
		target_resolve(
			t, "password_file", t->bmc.password_from, sizeof(t->bmc.password_from), e))
		return -(int)e->cls;
	if (t->bmc.ca_file[0] &&
		target_resolve(t, "ca_file", t->bmc.ca_file, sizeof(t->bmc.ca_file), e))
		return -(int)e->cls;
	/* A program without a slash is looked up on PATH. */
	if (memchr(t->bmc.command, '/', program))
		return target_resolve(t, "command", t->bmc.command, sizeof(t->bmc.command), e);
	return 0;
}

static int target_read(const char *file, struct buf *text, struct err *e)
{
	struct stat st;
	int rc;

	/* A pipe or device would block or never end. */
	if (stat(file, &st))
		return err_set(e, ERR_USAGE, NULL, "%s: %s", file, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return err_set(e, ERR_USAGE, NULL, "%s: not a file", file);
	rc = path_read(file, text, e);
	if (rc)
		e->code[0] = '\0';
	return rc;
}

int target_load(struct target *t, const char *file, struct err *e)
{
	struct target_lines lines;
	struct buf text;
	int rc;

	memset(t, 0, sizeof(*t));
	t->file = mem_strdup(file);
	buf_init(&text, TARGET_FILE_MAX);
	rc = target_set_name(t, e);
	if (rc)
		goto out;
	rc = target_read(file, &text, e);
	if (rc)
		goto out;
	target_defaults(t);
	rc = target_ini_parse(t, &lines, file, text.data, text.len, e);
	if (rc)
		goto out;
	t->lab.present = lines.lab;
	rc = target_check_needs(t, &lines, e);
	if (!rc)
		rc = target_check_together(t, e);
	if (!rc)
		rc = target_console_check(t, &lines, e);
	if (!rc)
		rc = target_resolve_paths(t, e);
out:
	buf_release(&text);
	if (rc)
		target_release(t);
	return rc;
}

void target_release(struct target *t)
{
	free(t->file);
	t->file = NULL;
}
