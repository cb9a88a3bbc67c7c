/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any bytes as an answer of a Redfish service: every reader of them keeps its promises. */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "harness/redfish_parse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Empty, or a path on the same service that fits into one line of a request. */
static void check_path(const char *path)
{
	assert(!*path || *path == '/');
	assert(memchr(path, '\0', REDFISH_PATH_MAX));
	assert(!path[strcspn(path, " \r\n\t#")]);
}

/* What is put back is what was read. */
static void check_override(const struct redfish_system *s)
{
	struct redfish_system again;
	struct power_boot was, now;
	struct buf body;

	buf_init(&body, 4096);
	redfish_boot_words(s, &was);
	redfish_boot_body_back(was.saved, &body);
	if (body.len) {
		assert(!redfish_parse_system(body.data, body.len, &again));
		redfish_boot_words(&again, &now);
		assert(strchr(was.saved, '\n') && !strcmp(now.text, was.text));
	}
	buf_release(&body);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *p = (const char *)data;
	char path[REDFISH_PATH_MAX], text[64];
	struct redfish_system system;
	struct redfish_root root;
	struct err e = ERR_INIT;

	redfish_parse_root(p, size, &root);
	check_path(root.systems);
	check_path(root.sessions);
	redfish_parse_system(p, size, &system);
	check_path(system.reset);
	check_path(system.settings);
	assert(!system.etag[strcspn(system.etag, "\r\n")]);
	assert(system.power == POWER_UNKNOWN || system.power_text[0]);
	redfish_boot_is_set(&system, FIRMWARE_UEFI);
	check_override(&system);
	if (redfish_parse_member(p, size, "", path, &e))
		assert(e.cls == ERR_LAB && e.msg[0]);
	else
		assert(path[0]);
	check_path(path);
	redfish_parse_session("", p, size, path);
	check_path(path);
	redfish_parse_error(p, size, text, sizeof(text));
	assert(memchr(text, '\0', sizeof(text)));
	return 0;
}
