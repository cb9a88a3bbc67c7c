/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/visit.h"

#include "harness/base/stop.h"
#include "harness/lab.h"

enum { GET_MS = 20000 };

void visit_over(struct visit *v, const struct err *e)
{
	v->step = *e;
	v->over = true;
	uv_stop(&v->loop);
}

static void visit_end(struct visit *v, const struct err *why)
{
	if (!v->end.cls)
		v->end = *why;
	if (v->busy) {
		power_cancel(v->busy);
		return;
	}
	if (v->session)
		session_console_forget(v->session);
	visit_over(v, &v->end);
}

static void visit_on_signal(void *arg, const char *why)
{
	struct visit *v = arg;
	struct err e = ERR_INIT;

	if (v->session)
		session_hurry(v->session);
	err_set(&e, ERR_INTERRUPTED, NULL, "%s: interrupted by %s", v->target->name, why);
	visit_end(v, &e);
}

static void visit_on_lost(void *arg, const struct err *e)
{
	visit_end(arg, e);
}

/* A signal while everything is being closed. */
static void visit_on_hurry(void *arg, const char *why)
{
	struct visit *v = arg;

	(void)why;
	session_hurry(v->session);
}

static void visit_leaving(void *arg)
{
	struct visit *v = arg;

	hold_abandon(&v->hold, 1);
}

int visit_open(struct visit *v, const struct hold_opts *o, struct err *e)
{
	int rc;

	*v = (struct visit){.target = o->target, .state = o->state};
	v->step = v->end = (struct err)ERR_INIT;
	if (uv_loop_init(&v->loop))
		return err_set(
			e, ERR_LAB, NULL, "no event loop: too few file descriptors (ulimit -n)?");
	v->loop.data = v;
	rc = signals_open(&v->signals, &v->loop, e);
	if (rc) {
		uv_loop_close(&v->loop);
		v->loop.data = NULL;
		return rc;
	}
	uv_timer_init(&v->loop, &v->timer);
	v->timer.data = v;
	v->signals.leaving = visit_leaving;
	v->signals.leaving_arg = v;
	rc = hold_take(&v->hold, &v->loop, &v->signals, o, e);
	if (rc)
		return rc;
	signals_tell(&v->signals, visit_on_signal, v);
	hold_tell(v->hold, visit_on_lost, v);
	return 0;
}

int visit_lines(struct visit *v, bool start_lab, struct err *e)
{
	const struct target *t = v->target;
	struct lab_info lab;
	sigset_t before;
	int rc = 0;

	stop_hold(&before);
	if (t->lab.present && !start_lab) {
		rc = lab_status(v->state, t->name, &lab, e);
		if (!rc && !lab.running)
			rc = err_set(e, ERR_LAB, "E_LAB",
				"%s: its virtual lab does not run; harness lab up %s starts it",
				t->name, t->name);
	}
	if (!rc)
		rc = session_open(&v->session, &v->loop, t, v->state, e);
	stop_release(&before);
	return rc;
}

int visit_wait(struct visit *v, struct err *e)
{
	while (!v->over)
		uv_run(&v->loop, UV_RUN_DEFAULT);
	*e = v->end.cls ? v->end : v->step;
	return -(int)e->cls;
}

/* False: the visit has come to its end. */
static bool visit_step(struct visit *v)
{
	v->over = v->end.cls != ERR_NONE;
	v->step = (struct err)ERR_INIT;
	return !v->over;
}

/* The same for a step of this driver. */
static bool visit_power_step(struct visit *v, struct power *p)
{
	v->busy = visit_step(v) ? p : NULL;
	return v->busy;
}

static void visit_on_power(void *arg, enum power_state state, const struct err *e)
{
	struct visit *v = arg;

	v->power = state;
	v->busy = NULL;
	visit_over(v, e);
}

static int visit_power_wait(struct visit *v, struct err *e)
{
	return visit_wait(v, e) ? err_prefix(e, "%s", v->target->name) : 0;
}

int visit_power_read(struct visit *v, struct power *p, struct err *e)
{
	if (visit_power_step(v, p))
		p->ops->get(p, GET_MS, visit_on_power, v);
	return visit_wait(v, e);
}

int visit_power_get(struct visit *v, struct err *e)
{
	return visit_power_read(v, session_power(v->session), e)
		       ? err_prefix(e, "%s", v->target->name)
		       : 0;
}

int visit_power_verify(struct visit *v, enum power_state want, int deadline_ms, struct err *e)
{
	struct power *p = session_power(v->session);
	const struct target *t = v->target;

	if (visit_power_step(v, p))
		power_wait(p, want, t->bmc.readings, t->bmc.reading_gap_ms, deadline_ms,
			visit_on_power, v);
	return visit_power_wait(v, e);
}

int visit_power_set(struct visit *v, enum power_action action, struct err *e)
{
	bool off = action == POWER_DO_OFF;
	int ms = v->target->deadline_ms[off ? STAGE_POWER_OFF : STAGE_POWER_ON];
	struct power *p = session_power(v->session);
	int rc;

	if (visit_power_step(v, p))
		p->ops->set(p, action, ms, visit_on_power, v);
	rc = visit_power_wait(v, e);
	return rc ? rc : visit_power_verify(v, off ? POWER_OFF : POWER_ON, ms, e);
}

static int visit_boot_ms(const struct visit *v)
{
	return v->target->deadline_ms[STAGE_BOOT_DEVICE];
}

int visit_boot_net(struct visit *v, struct power *p, struct err *e)
{
	if (visit_power_step(v, p))
		p->ops->boot_net(p, visit_boot_ms(v), visit_on_power, v);
	return visit_wait(v, e);
}

int visit_boot_get(struct visit *v, struct power *p, struct err *e)
{
	if (visit_power_step(v, p))
		p->ops->boot_get(p, visit_boot_ms(v), visit_on_power, v);
	return visit_wait(v, e);
}

int visit_boot_put(struct visit *v, struct power *p, const struct power_boot *was, struct err *e)
{
	const struct err end = v->end;
	int rc;

	v->end = (struct err)ERR_INIT;
	if (visit_power_step(v, p))
		p->ops->boot_put(p, was, visit_boot_ms(v), visit_on_power, v);
	rc = visit_wait(v, e);
	if (!v->end.cls)
		v->end = end;
	return rc;
}

static void visit_on_step(void *arg, const struct err *e)
{
	visit_over(arg, e);
}

int visit_console_open(struct visit *v, struct err *e)
{
	if (visit_step(v))
		session_console(
			v->session, v->target->deadline_ms[STAGE_CONSOLE], visit_on_step, v);
	return visit_wait(v, e);
}

int visit_console(struct visit *v, struct err *e)
{
	return visit_console_open(v, e) ? err_prefix(e, "%s", v->target->name) : 0;
}

static void visit_on_pause(uv_timer_t *t)
{
	static const struct err none = ERR_INIT;

	visit_over(t->data, &none);
}

int visit_pause(struct visit *v, int ms, struct err *e)
{
	int rc;

	if (visit_step(v))
		uv_timer_start(&v->timer, visit_on_pause, (uint64_t)ms, 0);
	rc = visit_wait(v, e);
	uv_timer_stop(&v->timer);
	return rc;
}

int visit_close(struct visit *v, struct err *e)
{
	if (!v->loop.data)
		return 0;
	signals_tell(&v->signals, NULL, NULL);
	if (v->hold)
		hold_tell(v->hold, NULL, NULL);
	v->over = false;
	v->end = (struct err)ERR_INIT;
	if (v->session) {
		signals_tell(&v->signals, visit_on_hurry, v);
		session_close(v->session, v->touched, v->target->deadline_ms[STAGE_DONE],
			visit_on_step, v);
		(void)!visit_wait(v, e);
		signals_tell(&v->signals, NULL, NULL);
	}
	session_free(v->session);
	hold_give(v->hold, &v->loop);
	signals_close(&v->signals);
	uv_close((uv_handle_t *)&v->timer, NULL);
	while (uv_loop_close(&v->loop))
		uv_run(&v->loop, UV_RUN_DEFAULT);
	v->loop.data = NULL;
	return -(int)e->cls;
}
