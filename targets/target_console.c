/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "targets/target_console.h"

#include <string.h>

struct console_keys {
	const char *driver;
	bool lab;		/* a virtual machine's lab has such a line */
	const char *needs[3];	/* NULL-terminated; with [lab] the lab gives host and port */
	const char *may[3];	/* the same */
	const char *example[3]; /* of a value for each needed key */
};

static const struct console_keys console_keys[] = {
	{"sol", true, {NULL}, {NULL}, {NULL}},
	{"tcp", true, {"host", "port"}, {NULL}, {"console1", "2001"}},
	{"telnet", false, {"host", "port"}, {NULL}, {"console1", "2001"}},
	{"rfc2217", false, {"host", "port"}, {"speed", "flow"}, {"console1", "2001"}},
	{"tty", false, {"device"}, {"speed", "flow"}, {"/dev/ttyS0"}},
	{"command", true, {"command"}, {NULL}, {"exec console lab3"}},
};

/* What a serial device can be set to (tcsetattr). */
static const int console_speeds[] = {300, 600, 1200, 2400, 4800, 9600, 19200, 38400, 57600, 115200,
	230400, 460800, 500000, 576000, 921600, 1000000, 1152000, 1500000, 2000000, 2500000,
	3000000, 3500000, 4000000};

static const struct console_keys *console_keys_of(const struct target *t)
{
	size_t i = sizeof(console_keys) / sizeof(console_keys[0]);

	while (--i && strcmp(console_keys[i].driver, t->console.driver))
		;
	return &console_keys[i];
}

static bool console_has(const char *const *list, const char *key)
{
	for (int i = 0; i < 3 && list[i]; i++)
		if (!strcmp(list[i], key))
			return true;
	return false;
}

/* The lab knows its own address. */
static bool console_lab_gives(const struct target *t, const char *key)
{
	return t->lab.present && (!strcmp(key, "host") || !strcmp(key, "port"));
}

bool target_console_takes(const struct target *t, const char *key)
{
	const struct console_keys *k = console_keys_of(t);

	if (!strcmp(key, "driver") || !strcmp(key, "silence"))
		return true;
	return !console_lab_gives(t, key) &&
	       (console_has(k->needs, key) || console_has(k->may, key));
}

static int console_line(const struct target_lines *lines, const char *key)
{
	const struct target_key *k = target_key_find("console", key);

	return k ? lines->line[k - target_keys] : 0;
}

static int console_check_values(
	const struct target *t, const struct target_lines *lines, struct err *e)
{
	size_t n = sizeof(console_speeds) / sizeof(console_speeds[0]), i;

	if (t->console.device[0] && t->console.device[0] != '/')
		return err_set(e, ERR_USAGE, NULL,
			"%s:%d: device must be a whole path: write device = /dev/%s", t->file,
			console_line(lines, "device"), t->console.device);
	for (i = 0; i < n && console_speeds[i] != t->console.speed; i++)
		;
	if (i == n && !strcmp(t->console.driver, "tty"))
		return err_set(e, ERR_USAGE, NULL,
			"%s:%d: no serial device runs at %d baud: write speed = 115200, or what "
			"the machine's firmware is set to",
			t->file, console_line(lines, "speed"), t->console.speed);
	return 0;
}

int target_console_check(const struct target *t, const struct target_lines *lines, struct err *e)
{
	const struct console_keys *k = console_keys_of(t);
	int at = console_line(lines, "driver");

	if (t->lab.present && !k->lab)
		return err_set(e, ERR_USAGE, NULL,
			"%s:%d: a virtual machine has no %s console: write driver = sol, tcp or "
			"command",
			t->file, at, k->driver);
	for (int i = 0; k->needs[i]; i++)
		if (!console_lab_gives(t, k->needs[i]) && !console_line(lines, k->needs[i]))
			return err_set(e, ERR_USAGE, NULL,
				"%s:%d: console driver %s needs \"%s\": write for example %s = %s "
				"in [console]",
				t->file, at, k->driver, k->needs[i], k->needs[i], k->example[i]);
	for (size_t i = 0; i < target_keys_n; i++) {
		const struct target_key *key = &target_keys[i];

		if (strcmp(key->section, "console") || !lines->line[i] ||
			target_console_takes(t, key->name))
			continue;
		if (console_lab_gives(t, key->name))
			return err_set(e, ERR_USAGE, NULL,
				"%s:%d: %s has no meaning with [lab]: the running lab gives it",
				t->file, lines->line[i], key->name);
		return err_set(e, ERR_USAGE, NULL,
			"%s:%d: %s has no meaning with console driver %s: take the line away",
			t->file, lines->line[i], key->name, k->driver);
	}
	return console_check_values(t, lines, e);
}
