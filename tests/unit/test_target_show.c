/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/fixture_target.h"

#include "targets/target_keys.h"
#include "targets/target_show.h"

static void what_is_shown_can_be_read_again(void **state)
{
	static const char *const files[] = {"targets/epyc9754.ini", "targets/vlab.ini"};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct target t, again;
		struct buf a, b;
		struct err e = ERR_INIT;

		buf_init(&a, 16384);
		buf_init(&b, 16384);
		assert_int_equal(target_load(&t, files[i], &e), 0);
		target_show_ini(&t, &a);
		assert_int_equal(load(&again, "again.ini", a.data, a.len, &e), 0);
		target_show_ini(&again, &b);
		/* All but the first line, which names the file. */
		assert_string_equal(strchr(a.data, '\n'), strchr(b.data, '\n'));
		target_release(&t);
		target_release(&again);
		buf_release(&a);
		buf_release(&b);
	}
}

/* Also of a driver whose keys the others do not take. */
static void each_console_driver_is_shown_as_it_is_read(void **state)
{
	static const char *const consoles[] = {"driver = sol\nsilence = 0",
		"driver = tcp\nhost = c\nport = 7", "driver = telnet\nhost = ::1\nport = 7",
		"driver = rfc2217\nhost = c\nport = 7\nspeed = 12345\nflow = xonxoff",
		"driver = tty\ndevice = /dev/x y\nspeed = 9600\nflow = rtscts",
		"driver = command\ncommand = exec ssh -tt a b"};

	(void)state;
	for (size_t i = 0; i < sizeof(consoles) / sizeof(consoles[0]); i++) {
		struct target t, again;
		char text[512];
		struct buf a;
		struct err e;

		buf_init(&a, 16384);
		snprintf(text, sizeof(text), REAL "[console]\n%s\n", consoles[i]);
		assert_int_equal(load(&t, "lab3.ini", text, strlen(text), &e), 0);
		target_show_ini(&t, &a);
		assert_int_equal(load(&again, "again.ini", a.data, a.len, &e), 0);
		assert_memory_equal(&t.console, &again.console, sizeof(t.console));
		target_release(&t);
		target_release(&again);
		buf_release(&a);
	}
}

static void a_password_command_is_not_shown(void **state)
{
	static const char text[] = MACHINE NETBOOT
		"[bmc]\nhost = h\nuser = u\npassword_command = echo hunter2\n";
	struct target t;
	struct buf b;
	struct err e;

	(void)state;
	assert_int_equal(load(&t, "lab3.ini", text, strlen(text), &e), 0);
	buf_init(&b, 65536);
	target_show_ini(&t, &b);
	target_show_json(&t, &b);
	assert_non_null(strstr(b.data, "password_command"));
	assert_null(strstr(b.data, "hunter2"));
	buf_release(&b);
	target_release(&t);
}

/* Each row of the README is a key's own, under its section's heading, and no key is left out. */
static void the_readme_documents_every_key(void **state)
{
	struct buf text, row;
	struct err e = ERR_INIT;
	char *line, *save = NULL, section[64] = "";
	size_t rows = 0;

	(void)state;
	buf_init(&text, 65536);
	buf_init(&row, 2048);
	assert_int_equal(path_read("targets/README.md", &text, &e), 0);
	for (line = strtok_r(text.data, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		if (sscanf(line, "## [%63[^]]]", section) == 1 || strncmp(line, "| `", 3))
			continue;
		assert_true(rows < target_keys_n);
		buf_clear(&row);
		target_key_row(&target_keys[rows], &row);
		assert_string_equal(line, row.data);
		assert_string_equal(section, target_keys[rows].section);
		rows++;
	}
	assert_int_equal(rows, target_keys_n);
	buf_release(&text);
	buf_release(&row);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_shown_can_be_read_again),
		cmocka_unit_test(each_console_driver_is_shown_as_it_is_read),
		cmocka_unit_test(a_password_command_is_not_shown),
		cmocka_unit_test(the_readme_documents_every_key),
	};

	return cmocka_run_group_tests_name("target-show", tests, setup, teardown);
}
