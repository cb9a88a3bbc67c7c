/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "harness/netboot_parse.h"

static void netboot_reads_ranges(void **state)
{
	static const struct {
		const char *value;
		uint64_t size;
		enum netboot_range kind;
		uint64_t from, len;
	} cases[] = {
		{NULL, 10, RANGE_ALL, 0, 0},
		{"bytes=0-9", 10, RANGE_PART, 0, 10},
		{"bytes=0-0", 10, RANGE_PART, 0, 1},
		{"Bytes=3-5", 10, RANGE_PART, 3, 3},
		{"bytes=3-", 10, RANGE_PART, 3, 7},
		{"bytes=9-99", 10, RANGE_PART, 9, 1},
		{"bytes=-3", 10, RANGE_PART, 7, 3},
		{"bytes=-30", 10, RANGE_PART, 0, 10},
		{"bytes=0-99999999999999999999", 10, RANGE_PART, 0, 10},
		{"bytes=0-18446744073709551615", 10, RANGE_PART, 0, 10},
		{"bytes=10-", 10, RANGE_BAD, 0, 0},
		{"bytes=99999999999999999999-", 10, RANGE_BAD, 0, 0},
		{"bytes=-0", 10, RANGE_BAD, 0, 0},
		{"bytes=0-", 0, RANGE_BAD, 0, 0},
		{"bytes=-5", 0, RANGE_BAD, 0, 0},
		{"bytes=5-3", 10, RANGE_ALL, 0, 0},
		{"bytes=0-1,3-4", 10, RANGE_ALL, 0, 0},
		{"bytes=", 10, RANGE_ALL, 0, 0},
		{"bytes=-", 10, RANGE_ALL, 0, 0},
		{"bytes= 1-2", 10, RANGE_ALL, 0, 0},
		{"bytes=+1-2", 10, RANGE_ALL, 0, 0},
		{"bytes=1--2", 10, RANGE_ALL, 0, 0},
		{"lines=1-2", 10, RANGE_ALL, 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t from = 0, len = 0;

		assert_int_equal(
			netboot_range(cases[i].value, cases[i].size, &from, &len), cases[i].kind);
		if (cases[i].kind != RANGE_PART)
			continue;
		assert_int_equal(from, cases[i].from);
		assert_int_equal(len, cases[i].len);
	}
}

static void netboot_reads_mac_addresses(void **state)
{
	static const char *const good[] = {
		"52:54:00:ab:cd:ef", "52-54-00-AB-CD-EF", "525400abCDef"};
	static const char *const bad[] = {
		"",
		"52:54:00:ab:cd",
		"52:54:00:ab:cd:ef:00",
		"52:54:00:ab:cd:eg",
		"52:54-00:ab:cd:ef",
		"52.54.00.ab.cd.ef",
		"5254:00abcdef",
		"52:54:00:ab:cd:e ",
	};
	char out[18];

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_int_equal(netboot_mac(good[i], out), 0);
		assert_string_equal(out, "52:54:00:ab:cd:ef");
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(netboot_mac(bad[i], out), -1);
}

static void netboot_reads_addresses_to_listen_on(void **state)
{
	static const char *const bad[] = {"", ":80", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536",
		"::1:80", "[::1]", "[]:80", "[::1:80", "127.0.0.1:x",
		"1234567890123456789012345678901234567890123456789012345678901234:1"};
	char host[64];
	int port;

	(void)state;
	assert_int_equal(netboot_listen("127.0.0.1:8070", host, &port), 0);
	assert_string_equal(host, "127.0.0.1");
	assert_int_equal(port, 8070);
	assert_int_equal(netboot_listen("[fe80::1]:0", host, &port), 0);
	assert_string_equal(host, "fe80::1");
	assert_int_equal(port, 0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(netboot_listen(bad[i], host, &port), -1);
}

static void netboot_takes_only_whole_tokens(void **state)
{
	static const char *const bad[] = {
		"/b/0123456789abcdef0123456789abcde/xen",
		"/b/0123456789abcdef0123456789abcdef0/xen",
		"/b/0123456789abcdef0123456789abcdeF/xen",
		"/b/0123456789abcdef0123456789abcdef",
		"/b//xen",
		"/b/",
		"/",
		"",
	};
	const char *token, *file;

	(void)state;
	assert_true(netboot_path("/b/0123456789abcdef0123456789abcdef/xen", &token, &file));
	assert_string_equal(file, "xen");
	assert_memory_equal(token, "0123456789abcdef0123456789abcdef", NETBOOT_TOKEN);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(netboot_path(bad[i], &token, &file));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(netboot_reads_ranges),
		cmocka_unit_test(netboot_reads_mac_addresses),
		cmocka_unit_test(netboot_reads_addresses_to_listen_on),
		cmocka_unit_test(netboot_takes_only_whole_tokens),
	};
	return cmocka_run_group_tests_name("netboot_parse", tests, NULL, NULL);
}
