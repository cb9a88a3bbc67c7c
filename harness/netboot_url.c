/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/netboot_url.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "harness/base/str.h"

enum { BOOT_FILE_MAX = 127 }; /* the field "file" of RFC 2131 has 128 bytes and ends in a NUL */

static bool url_takes_all(const char *listen)
{
	return !strncmp(listen, "0.0.0.0:", 8) || !strncmp(listen, "[::]:", 5);
}

int netboot_url(const struct target *t, int port, char out[NETBOOT_URL_MAX], struct err *e)
{
	const char *colon = strrchr(t->netboot.listen, ':');
	int64_t told;

	if (t->netboot.url[0]) {
		snprintf(out, NETBOOT_URL_MAX, "%s", t->netboot.url);
		return 0;
	}
	if (!port && colon && !str_int(colon + 1, 1, 65535, &told))
		port = (int)told;
	if (!port)
		return err_set(e, ERR_USAGE, NULL,
			"%s: netboot.listen has port 0, which is another at each run: set a fixed "
			"port",
			t->file);
	if (t->lab.present) {
		/* What QEMU's user network calls the host. */
		snprintf(out, NETBOOT_URL_MAX, "http://10.0.2.2:%d", port);
		return 0;
	}
	if (!colon || url_takes_all(t->netboot.listen))
		return err_set(e, ERR_USAGE, NULL,
			"%s: netboot.listen takes every address, so netboot.url must say how the "
			"machine reaches this host",
			t->file);
	snprintf(out, NETBOOT_URL_MAX, "http://%.*s:%d", (int)(colon - t->netboot.listen),
		t->netboot.listen, port);
	return 0;
}

int netboot_url_script(const struct target *t, char out[NETBOOT_URL_MAX], struct err *e)
{
	char base[NETBOOT_URL_MAX];
	int n, rc = netboot_url(t, 0, base, e);

	if (rc)
		return rc;
	n = snprintf(out, NETBOOT_URL_MAX, "%.260s/ipxe?mac=%s", base, t->mac);
	if (n > BOOT_FILE_MAX)
		return err_set(e, ERR_USAGE, NULL,
			"%s: the boot address has %d bytes, and DHCP takes %d: set netboot.url to "
			"a "
			"shorter name or an address",
			t->file, n, BOOT_FILE_MAX);
	return 0;
}
