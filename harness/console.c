/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/console.h"

#include <string.h>

#include "harness/base/str.h"

typedef struct console *console_new_fn(uv_loop_t *, const struct target *, const struct secret *,
	const char *host, int port, const struct console_events *, void *arg, struct err *);

static const struct {
	const char *name;
	console_new_fn *make;
} console_drivers[] = {
	{"sol", console_sol_new},
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
