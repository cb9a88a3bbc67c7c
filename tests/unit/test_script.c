/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "harness/script.h"

#define NONCE "0123456789abcdef0123456789abcdef"
#define BASE  "http://10.0.2.2:8070/b/00112233445566778899aabbccddeeff"
#define KEYS \
	"hp_nonce=" NONCE " hp_work=flush-all hp_samples=25 hp_iters=10000 hp_warmup=3 " \
	"hp_repeat=2"

static const struct script_probe probe = {NONCE, "flush-all", 25, 10000, 3, 2};

static struct target bios(void)
{
	struct target t = {.firmware = FIRMWARE_BIOS};

	snprintf(t.hypervisor.serial, sizeof(t.hypervisor.serial), "com1=115200,8n1 console=com1");
	snprintf(t.hypervisor.args, sizeof(t.hypervisor.args), "loglvl=all  bootscrub=0");
	snprintf(t.netboot.url, sizeof(t.netboot.url), "http://10.0.2.2:8070");
	return t;
}

static void script_puts_the_command_line_in_order(void **state)
{
	struct target t = bios();
	struct err e = ERR_INIT;
	struct buf b;

	(void)state;
	buf_init(&b, SCRIPT_TEXT_MAX);
	assert_int_equal(script_cmdline(&b, &t, "cluster", " flask=late ", &probe, &e), 0);
	assert_string_equal(b.data, "com1=115200,8n1 console=com1 loglvl=all bootscrub=0 "
				    "x2apic-mode=cluster flask=late " KEYS);
	buf_clear(&b);
	assert_int_equal(script_cmdline(&b, &t, NULL, NULL, &probe, &e), 0);
	assert_string_equal(b.data, "com1=115200,8n1 console=com1 loglvl=all bootscrub=0 " KEYS);
	buf_release(&b);
}

static void script_keeps_the_keys_of_the_probe_for_itself(void **state)
{
	static const char *const bad[] = {"hp_iters=3", "a hp_nonce=0"};
	struct target t = bios();

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct err e = ERR_INIT;
		struct buf b;

		buf_init(&b, SCRIPT_TEXT_MAX);
		assert_int_equal(script_cmdline(&b, &t, NULL, bad[i], &probe, &e), -ERR_USAGE);
		assert_string_equal(e.code, "E_CMDLINE");
		buf_release(&b);
	}
}

static void script_refuses_what_would_break_the_line(void **state)
{
	static const char *const bad[] = {
		"a\nboot",
		"a\tb",
		"a\x7f",
		"a\xc3\xa4",
		"x='a b'",
		"x=\"a\"",
		"x=`a`",
		"x=a\\",
		"x=${net0/mac}",
		"a && b",
		"a || b",
		"a ; b",
		"a #b",
		"#",
		"a -- b",
	};
	static const char *const good[] = {
		"a&&b", "x=$1", "a;b", "a|b", "b#", "--x", "x={a}", "$", "php_x=1"};
	struct target t = bios();

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct err e = ERR_INIT;
		struct buf b;

		buf_init(&b, SCRIPT_TEXT_MAX);
		assert_int_equal(script_cmdline(&b, &t, NULL, bad[i], &probe, &e), -ERR_USAGE);
		assert_string_equal(e.code, "E_CMDLINE");
		buf_clear(&b);
		assert_int_equal(script_boot(&b, &t, BASE, bad[i], &e), -ERR_USAGE);
		assert_int_equal(b.len, 0);
		buf_clear(&b);
		assert_int_equal(script_cmdline(&b, &t, bad[i], NULL, &probe, &e), -ERR_USAGE);
		buf_release(&b);
	}
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		struct err e = ERR_INIT;
		struct buf b;

		buf_init(&b, SCRIPT_TEXT_MAX);
		assert_int_equal(script_cmdline(&b, &t, NULL, good[i], &probe, &e), 0);
		assert_non_null(strstr(b.data, good[i]));
		buf_release(&b);
	}
}

/* "<base>/xen <arguments>" and "<base>/dummy" with a NUL each fill 512 bytes exactly. */
static void script_counts_what_ipxe_keeps_for_multiboot(void **state)
{
	struct target t = bios();
	size_t room = 512 - 2 * strlen(BASE) - strlen("/xen ") - 1 - strlen("/dummy") - 1;
	struct err e = ERR_INIT;
	char line[1024];
	struct buf b;

	(void)state;
	buf_init(&b, SCRIPT_TEXT_MAX);
	memset(line, 'a', sizeof(line));
	line[room] = '\0';
	assert_int_equal(script_boot(&b, &t, BASE, line, &e), 0);
	line[room] = 'a';
	line[room + 1] = '\0';
	assert_int_equal(script_boot(&b, &t, BASE, line, &e), -ERR_USAGE);
	assert_non_null(strstr(e.msg, " 1 more than"));

	/* The same limit before the token is known, and with the longest address. */
	line[room - strlen("com1=115200,8n1 console=com1 loglvl=all bootscrub=0  " KEYS)] = '\0';
	buf_clear(&b);
	assert_int_equal(script_cmdline(&b, &t, NULL, line, &probe, &e), 0);
	assert_int_equal(b.len, room);
	t.netboot.url[0] = '\0';
	buf_clear(&b);
	assert_int_equal(script_cmdline(&b, &t, NULL, line, &probe, &e), -ERR_USAGE);

	/* EFI takes more. */
	t.firmware = FIRMWARE_UEFI;
	buf_clear(&b);
	assert_int_equal(script_cmdline(&b, &t, NULL, line, &probe, &e), 0);
	memset(line, 'a', sizeof(line));
	line[SCRIPT_EFI_MAX + 1] = '\0';
	buf_clear(&b);
	assert_int_equal(script_boot(&b, &t, BASE, line, &e), -ERR_USAGE);
	buf_release(&b);
}

/* Lines as iPXE reads them: none may be left with a word of the template. */
static void check_lines(const char *text)
{
	assert_int_equal(strncmp(text, "#!ipxe\n", 7), 0);
	assert_null(strchr(text, '@'));
	assert_int_equal(text[strlen(text) - 1], '\n');
	for (const char *p = text; *p; p++)
		assert_true(*p == '\n' || (*p >= ' ' && *p <= '~'));
}

static void script_boots_by_multiboot_on_bios(void **state)
{
	struct target t = bios();
	struct err e = ERR_INIT;
	struct buf b;

	(void)state;
	buf_init(&b, SCRIPT_TEXT_MAX);
	assert_int_equal(script_boot(&b, &t, BASE, "a  b=1", &e), 0);
	check_lines(b.data);
	assert_non_null(
		strstr(b.data, "\nkernel --timeout 30000 " BASE "/xen a b=1 || goto failed\n"));
	assert_non_null(strstr(b.data, "\nmodule --timeout 30000 " BASE "/dummy || goto failed\n"));
	assert_non_null(strstr(b.data, "iseq ${tries} 3 && goto report ||\n"));
	assert_non_null(strstr(b.data, " " BASE "/failed?errno=${reason:uristring} ||\nreboot\n"));
	buf_release(&b);
}

static void script_boots_one_image_on_uefi(void **state)
{
	struct target t = bios();
	struct err e = ERR_INIT;
	struct buf b;

	(void)state;
	t.firmware = FIRMWARE_UEFI;
	buf_init(&b, SCRIPT_TEXT_MAX);
	assert_int_equal(script_boot(&b, &t, BASE, "a b=1", &e), 0);
	check_lines(b.data);
	assert_non_null(
		strstr(b.data, "\nkernel --timeout 30000 " BASE "/xen -- a b=1 || goto failed\n"));
	assert_null(strstr(b.data, "\nmodule"));
	buf_release(&b);
}

static void script_refuses_urls_that_would_break_the_line(void **state)
{
	static const char *const bad[] = {
		"",
		"http://h/",
		"ftp://h",
		"http://h/a b",
		"http://h/${x}",
		"http://h/a?b",
		"http://h/a#b",
		"http://h/a\nb",
	};
	struct target t = bios();

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct err e = ERR_INIT;
		struct buf b;

		buf_init(&b, SCRIPT_TEXT_MAX);
		assert_int_equal(script_boot(&b, &t, bad[i], "a", &e), -ERR_USAGE);
		assert_string_equal(e.code, "E_URL");
		buf_release(&b);
	}
}

static void script_sends_idle_machines_on(void **state)
{
	struct err e = ERR_INIT;
	struct buf b;

	(void)state;
	buf_init(&b, SCRIPT_TEXT_MAX);
	assert_int_equal(script_idle(&b, "no boot\n${x} && reboot @why@", &e), 0);
	check_lines(b.data);
	assert_non_null(strstr(b.data, "\necho harness: no boot???x? ?? reboot ?why?\n"));
	assert_non_null(strstr(b.data, "\niseq ${platform} efi && exit 1 ||\nexit\n"));
	buf_release(&b);
}

static void script_makes_a_machine_ask_again(void **state)
{
	struct err e = ERR_INIT;
	struct buf b;

	(void)state;
	buf_init(&b, SCRIPT_TEXT_MAX);
	assert_int_equal(script_wait(&b, "http://10.0.0.1:80", "02:00:00:00:00:01", &e), 0);
	check_lines(b.data);
	assert_non_null(strstr(
		b.data, "\nchain --replace http://10.0.0.1:80/ipxe?mac=02:00:00:00:00:01\n"));
	buf_clear(&b);
	assert_int_equal(script_wait(&b, "http://10.0.0.1/", "02:00:00:00:00:01", &e), -ERR_USAGE);
	buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(script_puts_the_command_line_in_order),
		cmocka_unit_test(script_keeps_the_keys_of_the_probe_for_itself),
		cmocka_unit_test(script_refuses_what_would_break_the_line),
		cmocka_unit_test(script_counts_what_ipxe_keeps_for_multiboot),
		cmocka_unit_test(script_boots_by_multiboot_on_bios),
		cmocka_unit_test(script_boots_one_image_on_uefi),
		cmocka_unit_test(script_refuses_urls_that_would_break_the_line),
		cmocka_unit_test(script_sends_idle_machines_on),
		cmocka_unit_test(script_makes_a_machine_ask_again),
	};
	return cmocka_run_group_tests_name("script", tests, NULL, NULL);
}
