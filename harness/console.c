/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/console.h"

#include <stdio.h>
#include <string.h>

#include "harness/base/str.h"

static const struct {
	const char *name;
	console_new_fn *make;
} console_drivers[] = {
	{"sol", console_sol_new},
	{"tcp", console_tcp_new},
	{"telnet", console_tcp_new},
	{"rfc2217", console_tcp_new},
	{"tty", console_tty_new},
	{"command", console_command_new},
};

enum { CONSOLE_DRIVERS = sizeof(console_drivers) / sizeof(console_drivers[0]) };

struct console *console_new(uv_loop_t *loop, const struct target *t, const struct secret *s,
	const char *host, int port, const struct console_events *events, void *arg, struct err *e)
{
	const char *names[CONSOLE_DRIVERS], *near;

	for (size_t i = 0; i < CONSOLE_DRIVERS; i++) {
		if (!strcmp(console_drivers[i].name, t->console.driver))
			return console_drivers[i].make(loop, t, s, host, port, events, arg, e);
		names[i] = console_drivers[i].name;
	}
	near = str_nearest(t->console.driver, names, CONSOLE_DRIVERS);
	err_set(e, ERR_USAGE, NULL,
		"%s: unknown console driver \"%s\" in [console] (did you mean \"%s\"?)", t->name,
		t->console.driver, near ? near : names[0]);
	return NULL;
}

void console_last_words(const char *text, const char *before, char *out, size_t size)
{
	const char *end = text + strlen(text), *p;

	while (end > text && (unsigned char)end[-1] <= ' ')
		end--;
	for (p = end; p > text && p[-1] != '\n' && p[-1] != '\r' && end - p < 160;)
		p--;
	if (p == end)
		*out = '\0';
	else
		snprintf(out, size, "%s\"%.*s\"", before, (int)(end - p), p);
}
