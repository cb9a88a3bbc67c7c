/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a peer can put into a request, and an operator into a setting: never out of bounds. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/mem.h"
#include "harness/netboot_parse.h"
#include "harness/script.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_range(const char *text, uint64_t size)
{
	uint64_t from, len;

	if (netboot_range(text, size, &from, &len) == RANGE_PART)
		assert(len > 0 && from < size && len <= size - from);
}

static int count_lines(const char *text)
{
	int n = 0;

	for (; *text; text++)
		n += *text == '\n';
	return n;
}

/* A script has the same lines whatever is put into it. */
static void check_script(const char *text)
{
	static const struct target t = {.firmware = FIRMWARE_UEFI};
	struct err e = ERR_INIT;
	struct buf b, plain;

	buf_init(&b, SCRIPT_TEXT_MAX);
	buf_init(&plain, SCRIPT_TEXT_MAX);
	assert(!script_boot(&plain, &t, "http://h:1/b/x", "a", &e));
	if (script_boot(&b, &t, "http://h:1/b/x", text, &e))
		assert(!b.len);
	else
		assert(count_lines(b.data) == count_lines(plain.data) && strlen(b.data) == b.len);
	buf_clear(&b);
	buf_clear(&plain);
	assert(!script_idle(&plain, "a", &e) && !script_idle(&b, text, &e));
	assert(count_lines(b.data) == count_lines(plain.data));
	buf_release(&b);
	buf_release(&plain);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = mem_strndup((const char *)data, size);
	const char *token, *file;
	char mac[18], host[64];
	int port;

	check_range(text, 0);
	check_range(text, 1);
	check_range(text, 3000000);
	check_range(text, UINT64_MAX);
	if (!netboot_mac(text, mac))
		assert(strlen(mac) == 17 && !netboot_mac(mac, mac));
	if (netboot_path(text, &token, &file))
		assert(token == text + 3 && file == token + NETBOOT_TOKEN + 1);
	if (!netboot_listen(text, host, &port))
		assert(port >= 0 && port <= 65535 && *host);
	check_script(text);
	free(text);
	return 0;
}
