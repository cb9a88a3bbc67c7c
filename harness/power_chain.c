/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Several power drivers in order, as one: what fails with one is tried with the next.
 *
 * The driver that did something last is asked first from then on, for power and for the boot device
 * each: a BMC that is broken costs its deadline once.  A driver that stops answering later hands
 * over to the others in turn, so that the first one gets another chance too.
 *
 * What is about the target file does not fall over (E_AUTH: a wrong password is to be mended, and
 * asking again locks accounts), nor does an interruption.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/clock.h"
#include "harness/base/mem.h"
#include "harness/power.h"

enum { FOR_POWER, FOR_BOOT, CHAIN_USES };
enum chain_op { CHAIN_GET, CHAIN_SET, CHAIN_BOOT, CHAIN_KEEP };

struct power_chain {
	struct power base;
	struct power *drivers[POWER_DRIVERS_MAX];
	bool told[POWER_DRIVERS_MAX]; /* that it failed to read, since it last did */
	size_t n;
	size_t first[CHAIN_USES];
	/* The operation that runs; done NULL: none. */
	power_done_fn *done;
	void *arg;
	enum chain_op op;
	enum power_action action;
	size_t tried;
	int64_t end_ns;
	struct err failed; /* of the first driver */
};

static int chain_uses(enum chain_op op)
{
	return op == CHAIN_BOOT || op == CHAIN_KEEP ? FOR_BOOT : FOR_POWER;
}

static size_t *chain_first(struct power_chain *c)
{
	return &c->first[chain_uses(c->op)];
}

static size_t chain_now(struct power_chain *c)
{
	return (*chain_first(c) + c->tried) % c->n;
}

static const char *chain_name(const struct power_chain *c, size_t i)
{
	return c->drivers[i % c->n]->ops->name;
}

static const char *chain_doing(const struct power_chain *c)
{
	return c->op == CHAIN_GET	       ? "reading"
	       : chain_uses(c->op) == FOR_BOOT ? "network boot"
					       : power_action_name(c->action);
}

static const char *chain_what(const struct power_chain *c)
{
	return chain_uses(c->op) == FOR_BOOT ? "boot-device" : "power";
}

/* What a driver of ours has to tell. */
static void chain_on_note(void *arg, const char *what, const char *text)
{
	struct power_chain *c = arg;

	power_note(&c->base, what, "%s", text);
}

static void chain_finish(struct power_chain *c, enum power_state state, const struct err *e)
{
	power_done_fn *done = c->done;
	struct err mine = *e;

	if (e->cls && e->cls != ERR_INTERRUPTED && c->tried)
		err_set(&mine, e->cls, e->code, "%s: %.300s; %s: %s",
			chain_name(c, *chain_first(c)), c->failed.msg, chain_name(c, chain_now(c)),
			e->msg);
	c->done = NULL;
	done(c->arg, state, &mine);
}

static bool chain_falls(const struct power_chain *c, const struct err *e)
{
	return e->cls == ERR_LAB && strcmp(e->code, "E_AUTH") != 0 && c->tried + 1 < c->n &&
	       clock_mono_ns() < c->end_ns;
}

static void chain_try(struct power_chain *c);

static void chain_on_done(void *arg, enum power_state state, const struct err *e)
{
	struct power_chain *c = arg;
	size_t now = chain_now(c);

	if (!e->cls) {
		if (c->tried && c->op != CHAIN_GET)
			power_note(&c->base, chain_what(c), "%s by %s", chain_doing(c),
				chain_name(c, now));
		c->told[now] = false;
		*chain_first(c) = now;
		c->tried = 0;
	} else if (chain_falls(c, e)) {
		/* A wait reads many times: the first failure says it all. */
		if (c->op != CHAIN_GET || !c->told[now])
			power_note(&c->base, chain_what(c), "%s by %s failed: %s; trying %s",
				chain_doing(c), chain_name(c, now), e->msg, chain_name(c, now + 1));
		c->told[now] |= c->op == CHAIN_GET;
		if (!c->tried)
			c->failed = *e;
		c->tried++;
		chain_try(c);
		return;
	}
	chain_finish(c, state, e);
}

/* Those that are left share the time that is left. */
static void chain_try(struct power_chain *c)
{
	struct power *p = c->drivers[chain_now(c)];
	int64_t left = (c->end_ns - clock_mono_ns()) / 1000000 / (int64_t)(c->n - c->tried);
	int ms = left > 1 ? (int)left : 1;

	if (c->op == CHAIN_GET)
		p->ops->get(p, ms, chain_on_done, c);
	else if (c->op == CHAIN_SET)
		p->ops->set(p, c->action, ms, chain_on_done, c);
	else if (c->op == CHAIN_KEEP && !c->tried)
		p->ops->boot_keep(p, ms, chain_on_done, c);
	else
		p->ops->boot_net(p, ms, chain_on_done, c);
}

static void chain_begin(
	struct power_chain *c, enum chain_op op, int deadline_ms, power_done_fn *done, void *arg)
{
	assert(!c->done);
	c->op = op;
	c->done = done;
	c->arg = arg;
	c->tried = 0;
	c->end_ns = clock_mono_ns() + (int64_t)deadline_ms * 1000000;
	chain_try(c);
}

static void chain_get(struct power *base, int deadline_ms, power_done_fn *done, void *arg)
{
	chain_begin((struct power_chain *)base, CHAIN_GET, deadline_ms, done, arg);
}

static void chain_set(struct power *base, enum power_action action, int deadline_ms,
	power_done_fn *done, void *arg)
{
	struct power_chain *c = (struct power_chain *)base;

	c->action = action;
	chain_begin(c, CHAIN_SET, deadline_ms, done, arg);
}

static void chain_boot_net(struct power *base, int deadline_ms, power_done_fn *done, void *arg)
{
	chain_begin((struct power_chain *)base, CHAIN_BOOT, deadline_ms, done, arg);
}

static void chain_boot_keep(struct power *base, int deadline_ms, power_done_fn *done, void *arg)
{
	chain_begin((struct power_chain *)base, CHAIN_KEEP, deadline_ms, done, arg);
}

static size_t chain_spares(const struct power *base)
{
	return ((const struct power_chain *)base)->n - 1;
}

static void chain_insist(struct power *base, enum power_action action, const struct err *why,
	int deadline_ms, power_done_fn *done, void *arg)
{
	struct power_chain *c = (struct power_chain *)base;
	size_t now = c->first[FOR_POWER];

	c->op = CHAIN_SET;
	power_note(base, chain_what(c), "%s by %s failed: %s; trying %s", power_action_name(action),
		chain_name(c, now), why->msg, chain_name(c, now + 1));
	c->first[FOR_POWER] = (now + 1) % c->n;
	chain_set(base, action, deadline_ms, done, arg);
}

static void chain_cancel(struct power *base)
{
	struct power_chain *c = (struct power_chain *)base;

	if (!c->done)
		return;
	c->drivers[chain_now(c)]->goodbye_ms = base->goodbye_ms;
	power_cancel(c->drivers[chain_now(c)]);
}

static void chain_free(struct power *base)
{
	struct power_chain *c = (struct power_chain *)base;

	for (size_t i = 0; i < c->n; i++) {
		c->drivers[i]->goodbye_ms = base->goodbye_ms;
		power_free(c->drivers[i]);
	}
	free(c);
}

static const struct power_ops chain_ops = {
	.name = "chain",
	.get = chain_get,
	.set = chain_set,
	.boot_net = chain_boot_net,
	.boot_keep = chain_boot_keep,
	.cancel = chain_cancel,
	.free = chain_free,
	.spares = chain_spares,
	.insist = chain_insist,
};

struct power *power_chain_new(
	uv_loop_t *loop, const struct target *t, struct power *const *drivers, size_t n)
{
	struct power_chain *c = mem_alloc(sizeof(*c));

	assert(n && n <= POWER_DRIVERS_MAX);
	c->base = (struct power){
		.ops = &chain_ops, .loop = loop, .target = t, .goodbye_ms = POWER_GOODBYE_MS};
	memcpy(c->drivers, drivers, n * sizeof(*drivers));
	for (size_t i = 0; i < n; i++)
		power_listen(drivers[i], chain_on_note, c);
	c->n = n;
	return &c->base;
}
