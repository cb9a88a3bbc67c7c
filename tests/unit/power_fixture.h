/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For units of the power drivers: a machine whose power is switched by scripts in a folder. */
#ifndef HARNESS_TESTS_UNIT_POWER_FIXTURE_H
#define HARNESS_TESTS_UNIT_POWER_FIXTURE_H

#include "tests/unit/unit.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/base/mem.h"
#include "harness/power.h"

enum { OP_MS = 20000 };

struct lab3 {
	char *dir;
	uv_loop_t loop;
	struct target target;
	struct secret secret;
	struct power *power;
	bool over;
	int calls;
	enum power_state state;
	struct err e;
};

static inline void lab3_on_done(void *arg, enum power_state state, const struct err *e)
{
	struct lab3 *l = arg;

	l->over = true;
	l->calls++;
	l->state = state;
	l->e = *e;
	uv_stop(&l->loop); /* or UV_RUN_ONCE waits for I/O after a timer */
}

static inline void lab3_finish(struct lab3 *l)
{
	while (!l->over)
		uv_run(&l->loop, UV_RUN_ONCE);
	l->over = false;
}

static inline void lab3_get(struct lab3 *l, int deadline_ms)
{
	l->power->ops->get(l->power, deadline_ms, lab3_on_done, l);
	lab3_finish(l);
}

static inline void lab3_set(struct lab3 *l, enum power_action a)
{
	l->power->ops->set(l->power, a, OP_MS, lab3_on_done, l);
	lab3_finish(l);
}

static inline void lab3_net(struct lab3 *l)
{
	l->power->ops->boot_net(l->power, OP_MS, lab3_on_done, l);
	lab3_finish(l);
}

/* A file of the machine's folder, without the ends of its lines; "" when there is none. */
static inline char *lab3_text(const struct lab3 *l, const char *name)
{
	char *file = mem_printf("%s/%s", l->dir, name);
	struct err e = ERR_INIT;
	struct buf b;

	buf_init(&b, 1 << 16);
	if (!path_read(file, &b, &e))
		for (char *p = b.data; *p; p++)
			if (*p == '\n')
				*p = p[1] ? ' ' : '\0';
	free(file);
	return buf_detach(&b);
}

static inline void lab3_text_is(const struct lab3 *l, const char *name, const char *want)
{
	char *text = lab3_text(l, name);

	assert_string_equal(text, want);
	free(text);
}

/* The program: every call is noted in the file "calls"; D is the folder, V the verb. */
static inline void lab3_script(const struct lab3 *l, const char *name, const char *body)
{
	char *file = mem_printf("%s/%s", l->dir, name);
	char *text = mem_printf(
		"#!/bin/sh\nD=%s\nfor V; do :; done\necho $V >>$D/calls\n%s\n", l->dir, body);
	struct err e = ERR_INIT;

	assert_int_equal(path_write(file, text, strlen(text), 0755, &e), 0);
	free(text);
	free(file);
}

static inline void lab3_init(struct lab3 *l, const char *body)
{
	*l = (struct lab3){.dir = unit_tmpdir()};
	assert_int_equal(uv_loop_init(&l->loop), 0);
	snprintf(l->target.name, sizeof(l->target.name), "lab3");
	/* A BMC of this process's own: tests run side by side. */
	snprintf(l->target.bmc.host, sizeof(l->target.bmc.host), "bmc-of-%d", (int)getpid());
	snprintf(l->target.bmc.driver, sizeof(l->target.bmc.driver), "command");
	snprintf(l->target.bmc.command, sizeof(l->target.bmc.command), "%s/switch", l->dir);
	l->secret.value = (char *)(uintptr_t) "sesame";
	lab3_script(l, "switch", body);
}

static inline void lab3_wait(struct lab3 *l, enum power_state want, int deadline_ms)
{
	power_wait(l->power, want, 2, 10, deadline_ms, lab3_on_done, l);
	lab3_finish(l);
}

static inline void lab3_make(struct lab3 *l)
{
	l->e = (struct err)ERR_INIT;
	l->power = power_new(&l->loop, &l->target, &l->secret, NULL, 0, &l->e);
	assert_non_null(l->power);
}

static inline void lab3_end(struct lab3 *l)
{
	power_free(l->power);
	uv_run(&l->loop, UV_RUN_DEFAULT);
	assert_int_equal(uv_loop_close(&l->loop), 0);
	unit_rmdir(l->dir);
}

#endif
