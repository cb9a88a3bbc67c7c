/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/redfish_parse.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static json_t *parse_object(const char *p, size_t n)
{
	json_t *o = n ? json_loadb(p, n, 0, NULL) : NULL;

	if (o && !json_is_object(o)) {
		json_decref(o);
		return NULL;
	}
	return o;
}

/* A string of the object, or "". */
static const char *parse_text(const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s ? s : "";
}

static void parse_copy(const json_t *o, const char *key, char *out, size_t size)
{
	snprintf(out, size, "%s", parse_text(o, key));
}

static bool parse_is_path(const char *s)
{
	size_t n = strlen(s);

	if (*s != '/' || n >= REDFISH_PATH_MAX)
		return false;
	for (; *s; s++)
		if (*s <= ' ' || *s > '~' || *s == '#' || *s == '\\')
			return false;
	return true;
}

static void parse_path(const char *s, char out[REDFISH_PATH_MAX])
{
	snprintf(out, REDFISH_PATH_MAX, "%s", parse_is_path(s) ? s : "");
}

static void parse_link(const json_t *o, const char *key, char out[REDFISH_PATH_MAX])
{
	parse_path(parse_text(json_object_get(o, key), "@odata.id"), out);
}

int redfish_parse_root(const char *p, size_t n, struct redfish_root *out)
{
	json_t *o = parse_object(p, n);

	*out = (struct redfish_root){{0}, {0}};
	if (!o)
		return -1;
	parse_link(o, "Systems", out->systems);
	parse_link(json_object_get(o, "Links"), "Sessions", out->sessions);
	json_decref(o);
	return 0;
}

static bool parse_lists(const json_t *list, const char *value)
{
	const json_t *v;
	size_t i;

	json_array_foreach(list, i, v)
	{
		if (json_is_string(v) && !strcmp(json_string_value(v), value))
			return true;
	}
	return false;
}

/* Without a list of what is allowed, the first of each will do. */
static void parse_reset(const json_t *o, struct redfish_system *out)
{
	static const char *const types[][2] = {[POWER_DO_OFF] = {"ForceOff", NULL},
		[POWER_DO_ON] = {"On", "ForceOn"},
		[POWER_DO_CYCLE] = {"PowerCycle", "ForceRestart"},
		[POWER_DO_RESET] = {"ForceRestart", "PowerCycle"}};
	const json_t *action = json_object_get(
		json_object_get(o, "Actions"), "#ComputerSystem.Reset");
	const json_t *list = json_object_get(action, "ResetType@Redfish.AllowableValues");

	parse_path(parse_text(action, "target"), out->reset);
	for (int i = 0; i < 4; i++)
		for (int j = 0; j < 2 && types[i][j] && !out->reset_type[i]; j++)
			if (!json_is_array(list) || parse_lists(list, types[i][j]))
				out->reset_type[i] = types[i][j];
}

static void parse_boot(const json_t *boot, struct redfish_system *out)
{
	const json_t *list = json_object_get(
		boot, "BootSourceOverrideTarget@Redfish.AllowableValues");

	out->pxe_refused = json_is_array(list) && !parse_lists(list, "Pxe");
	out->has_mode = json_object_get(boot, "BootSourceOverrideMode") != NULL;
	parse_copy(boot, "BootSourceOverrideTarget", out->boot_target, sizeof(out->boot_target));
	parse_copy(boot, "BootSourceOverrideEnabled", out->boot_enabled, sizeof(out->boot_enabled));
	parse_copy(boot, "BootSourceOverrideMode", out->boot_mode, sizeof(out->boot_mode));
}

int redfish_parse_system(const char *p, size_t n, struct redfish_system *out)
{
	json_t *o = parse_object(p, n);

	memset(out, 0, sizeof(*out));
	out->power = POWER_UNKNOWN;
	if (!o)
		return -1;
	parse_copy(o, "PowerState", out->power_text, sizeof(out->power_text));
	if (!strcmp(out->power_text, "On"))
		out->power = POWER_ON;
	else if (!strcmp(out->power_text, "Off"))
		out->power = POWER_OFF;
	parse_reset(o, out);
	parse_boot(json_object_get(o, "Boot"), out);
	parse_copy(o, "@odata.etag", out->etag, sizeof(out->etag));
	if (strpbrk(out->etag, "\r\n"))
		out->etag[0] = '\0';
	parse_link(json_object_get(o, "@Redfish.Settings"), "SettingsObject", out->settings);
	json_decref(o);
	return 0;
}

static bool parse_is_member(const char *path, const char *want)
{
	size_t n = strlen(path);
	const char *slash;
	char name[REDFISH_PATH_MAX];

	snprintf(name, sizeof(name), "%s", path);
	while (n > 1 && name[n - 1] == '/')
		name[--n] = '\0';
	slash = strrchr(name, '/');
	return !*want || !strcmp(path, want) || !strcmp(name, want) ||
	       !strcmp(slash ? slash + 1 : name, want);
}

int redfish_parse_member(
	const char *p, size_t n, const char *want, char out[REDFISH_PATH_MAX], struct err *e)
{
	json_t *o = parse_object(p, n);
	const json_t *list = json_object_get(o, "Members"), *v;
	char path[REDFISH_PATH_MAX];
	size_t i, found = 0, seen = 0;
	struct buf all;
	int rc = 0;

	buf_init(&all, 300);
	out[0] = '\0';
	json_array_foreach(list, i, v)
	{
		parse_path(parse_text(v, "@odata.id"), path);
		if (!*path || seen++ >= REDFISH_MEMBERS_MAX)
			continue;
		buf_addf(&all, "%s%s", all.len ? ", " : "", path);
		if (parse_is_member(path, want) && !found++)
			memcpy(out, path, sizeof(path));
	}
	if (!o)
		rc = err_set(e, ERR_LAB, "E_BMC", "the list of systems is no JSON object");
	else if (!seen)
		rc = err_set(e, ERR_LAB, "E_BMC", "the service lists no system");
	else if (!found)
		rc = err_set(e, ERR_LAB, "E_BMC",
			"there is no system \"%s\", only %s: check system in [bmc]", want,
			all.data);
	else if (found > 1)
		rc = err_set(e, ERR_LAB, "E_BMC",
			"there are several systems: %s; name one by system in [bmc]", all.data);
	buf_release(&all);
	json_decref(o);
	return rc;
}

void redfish_parse_session(
	const char *location, const char *p, size_t n, char out[REDFISH_PATH_MAX])
{
	const char *host = strstr(location, "://");
	json_t *o;

	if (host)
		location = host + 3 + strcspn(host + 3, "/");
	parse_path(location, out);
	if (*out)
		return;
	o = parse_object(p, n);
	parse_path(parse_text(o, "@odata.id"), out);
	json_decref(o);
}

void redfish_parse_error(const char *p, size_t n, char *out, size_t size)
{
	json_t *o = parse_object(p, n);
	const json_t *error = json_object_get(o, "error");
	const json_t *more = json_array_get(json_object_get(error, "@Message.ExtendedInfo"), 0);
	const char *text = parse_text(more, "Message");

	if (!*text)
		text = parse_text(error, "message");
	snprintf(out, size, "%s", text);
	json_decref(o);
}

static const char *boot_mode(enum target_firmware f)
{
	return f == FIRMWARE_UEFI ? "UEFI" : "Legacy";
}

bool redfish_boot_is_set(const struct redfish_system *s, enum target_firmware f)
{
	bool enabled = !strcmp(s->boot_enabled, "Once") || !strcmp(s->boot_enabled, "Continuous");

	return enabled && !strcmp(s->boot_target, "Pxe") &&
	       (!s->boot_mode[0] || !strcmp(s->boot_mode, boot_mode(f)));
}

void redfish_boot_words(const struct redfish_system *s, struct power_boot *out)
{
	bool off = !s->boot_enabled[0] || !strcmp(s->boot_enabled, "Disabled");
	const char *mode = s->boot_mode;

	*out = (struct power_boot){.network = !off && !strcmp(s->boot_target, "Pxe"),
		.efi = !off && !strcmp(mode, "UEFI"),
		.legacy = !off && !strcmp(mode, "Legacy")};
	if (off)
		snprintf(out->text, sizeof(out->text), "nothing");
	else
		snprintf(out->text, sizeof(out->text), "%.30s %s%s%.30s", s->boot_target,
			!strcmp(s->boot_enabled, "Once") ? "once" : "always", *mode ? ", " : "",
			mode);
	snprintf(out->saved, sizeof(out->saved), "%s\n%s\n%s", off ? "Disabled" : s->boot_enabled,
		off ? "" : s->boot_target, mode);
}

static void body_dump(json_t *o, struct buf *out)
{
	char *text = o ? json_dumps(o, JSON_COMPACT) : NULL;

	buf_clear(out);
	if (text) {
		buf_adds(out, text);
		explicit_bzero(text, strlen(text));
	}
	free(text);
	json_decref(o);
}

void redfish_boot_body(enum target_firmware f, bool mode, struct buf *out)
{
	json_t *boot = json_pack("{s:s, s:s}", "BootSourceOverrideEnabled", "Once",
		"BootSourceOverrideTarget", "Pxe");

	if (mode)
		json_object_set_new(boot, "BootSourceOverrideMode", json_string(boot_mode(f)));
	body_dump(json_pack("{s:o}", "Boot", boot), out);
}

void redfish_boot_body_back(const char *saved, struct buf *out)
{
	static const char *const keys[] = {
		"BootSourceOverrideEnabled", "BootSourceOverrideTarget", "BootSourceOverrideMode"};
	json_t *boot = json_object();

	for (size_t i = 0; i < 3; i++) {
		size_t n = strcspn(saved, "\n");

		if (n)
			json_object_set_new(boot, keys[i], json_stringn(saved, n));
		saved += n + (saved[n] == '\n');
	}
	body_dump(json_pack("{s:o}", "Boot", boot), out);
}

void redfish_reset_body(const char *type, struct buf *out)
{
	body_dump(json_pack("{s:s}", "ResetType", type), out);
}

void redfish_login_body(const char *user, const char *password, struct buf *out)
{
	body_dump(json_pack("{s:s, s:s}", "UserName", user, "Password", password), out);
}
