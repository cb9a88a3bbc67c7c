/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/session.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/clock.h"
#include "harness/base/log.h"
#include "harness/base/mem.h"
#include "harness/base/stop.h"
#include "harness/closing.h"
#include "harness/console.h"
#include "harness/lab.h"

/* A lab that hangs makes us wait so many times only, whatever else a run still wants of it. */
enum { SECRET_MAX = 64, SILENT_MAX = 2 };

struct session {
	uv_loop_t *loop;
	const struct target *target;
	const char *state;
	struct secret secret;
	struct lab_info lab;
	bool lab_ours;
	int silent; /* how often in a row the lab did not answer */
	char emulator[96];
	struct power *power;
	struct console *console;
	bool live, opening;
	struct session_listener listener;
	void (*console_done)(void *, const struct err *);
	void *console_arg;
	/* Closing: the console and the power command run side by side. */
	int closing;
	bool idling, sent, leaving; /* the power command; it was accepted; the console */
	int64_t hurry_ns; /* monotonic; since when there is little time; 0: there is some */
	int64_t close_began_ns, close_end_ns;
	uv_timer_t *late; /* ends the close; frees itself when it is closed */
	struct err close_err;
	void (*closed)(void *, const struct err *);
	void *closed_arg;
};

static void session_on_ready(void *arg, const struct err *e)
{
	struct session *s = arg;
	void (*done)(void *, const struct err *) = s->console_done;

	s->opening = false;
	s->live = e->cls == ERR_NONE;
	s->console_done = NULL;
	if (done)
		done(s->console_arg, e);
}

static void session_on_data(void *arg, const char *p, size_t n)
{
	struct session *s = arg;

	if (s->listener.data)
		s->listener.data(s->listener.arg, p, n);
}

static void session_on_lost(void *arg, const struct err *e)
{
	struct session *s = arg;

	s->live = false;
	log_line(LOG_INFO, s->target->name, "console lost: %s", e->msg);
	if (s->listener.lost)
		s->listener.lost(s->listener.arg, e);
}

static int session_lab(struct session *s, struct err *e)
{
	int rc = lab_status(s->state, s->target->name, &s->lab, e);

	if (rc)
		return rc;
	if (!s->lab.running) {
		rc = lab_up(s->state, s->target, false, false, &s->lab, e);
		if (rc)
			return rc;
		s->lab_ours = s->lab.ours;
	}
	snprintf(s->emulator, sizeof(s->emulator), "%s", s->lab.qemu);
	return secret_load(&s->secret, SECRET_FILE, s->lab.password_file, SECRET_MAX, e);
}

int session_open(struct session **out, uv_loop_t *loop, const struct target *t, const char *state,
	struct err *e)
{
	static const struct console_events events = {
		.ready = session_on_ready, .data = session_on_data, .lost = session_on_lost};
	struct session *s = mem_alloc(sizeof(*s));
	const char *host = NULL;
	int port = 0, rc;

	s->loop = loop;
	s->target = t;
	s->state = state;
	s->close_err = (struct err)ERR_INIT;
	if (t->lab.present) {
		rc = session_lab(s, e);
		host = "127.0.0.1";
		port = s->lab.bmc_port;
	} else if (t->bmc.password_kind == SECRET_NONE) {
		rc = 0; /* nothing wants one: target_uses_bmc() */
	} else {
		rc = secret_load(
			&s->secret, t->bmc.password_kind, t->bmc.password_from, SECRET_MAX, e);
	}
	if (rc)
		goto fail;
	s->power = power_new(loop, t, &s->secret, host, port, e);
	if (!s->power)
		goto fail;
	if (t->lab.present && strcmp(t->console.driver, "sol") != 0)
		port = s->lab.serial_port;
	s->console = console_new(loop, t, &s->secret, host, port, &events, s, e);
	if (!s->console)
		goto fail;
	*out = s;
	return 0;
fail:
	err_prefix(e, "%s", t->name);
	session_free(s);
	return -(int)e->cls;
}

struct power *session_power(struct session *s)
{
	return s->power;
}

struct power *session_power_one(struct session *s, const char *driver, struct err *e)
{
	bool lab = s->target->lab.present;

	return power_new_one(s->loop, driver, s->target, &s->secret, lab ? "127.0.0.1" : NULL,
		lab ? s->lab.bmc_port : 0, e);
}

void session_bmc(const struct session *s, char *out, size_t size)
{
	bool lab = s->target->lab.present;

	snprintf(out, size, "%s port %d", lab ? "127.0.0.1" : s->target->bmc.host,
		lab ? s->lab.bmc_port : s->target->bmc.port);
}

const char *session_emulator(const struct session *s)
{
	return s->emulator;
}

static int session_tell_lab(struct session *s, int http_port, int ms, struct err *e)
{
	int rc;

	if (!s->target->lab.present)
		return 0;
	if (s->silent >= SILENT_MAX)
		return err_set(e, ERR_LAB, "E_LAB",
			"%s: the virtual lab (pid %d) has stopped answering", s->target->name,
			s->lab.pid);
	rc = lab_set_netboot(s->state, s->target->name, http_port, ms, e);
	s->silent = rc ? s->silent + 1 : 0;
	return rc;
}

int session_set_netboot(struct session *s, int http_port, struct err *e)
{
	return session_tell_lab(s, http_port, LAB_TOLD_MS, e);
}

void session_listen(struct session *s, const struct session_listener *l)
{
	s->listener = l ? *l : (struct session_listener){NULL, NULL, NULL};
}

void session_console(
	struct session *s, int deadline_ms, void (*done)(void *, const struct err *), void *arg)
{
	static const struct err none = ERR_INIT;

	assert(!s->console_done);
	if (s->live) {
		done(arg, &none);
		return;
	}
	s->console_done = done;
	s->console_arg = arg;
	if (s->opening)
		return;
	s->opening = true;
	s->console->ops->open(s->console, deadline_ms);
}

void session_console_polite(struct session *s)
{
	s->console->polite = true;
}

bool session_console_held(const struct session *s)
{
	return s->console->held;
}

void session_console_forget(struct session *s)
{
	s->console_done = NULL;
}

void session_type(struct session *s, const char *p, size_t n)
{
	if (s->live)
		s->console->ops->send(s->console, p, n);
}

static int session_left_ms(const struct session *s)
{
	int64_t left = (s->close_end_ns - clock_mono_ns()) / 1000000;

	return left > 1 ? (int)left : 1;
}

static void session_free_handle(uv_handle_t *h)
{
	free(h);
}

static void session_end_lab(struct session *s, struct err *e)
{
	bool ours = s->lab_ours;
	int rc;

	s->lab_ours = false;
	if (ours)
		rc = lab_down(s->state, s->target->name, false,
			s->hurry_ns ? CLOSING_LAB_MS : LAB_DOWN_MS, e);
	else
		rc = session_tell_lab(s, 0, s->hurry_ns ? CLOSING_LAB_MS : LAB_TOLD_MS, e);
	if (rc && !s->close_err.cls)
		s->close_err = *e;
}

static void session_close_step(struct session *s)
{
	struct err e = ERR_INIT;

	if (--s->closing)
		return;
	uv_close((uv_handle_t *)s->late, session_free_handle);
	s->late = NULL;
	session_end_lab(s, &e);
	s->closed(s->closed_arg, &s->close_err);
}

static void session_on_console_closed(void *arg)
{
	struct session *s = arg;

	s->leaving = false;
	session_close_step(s);
}

static const char *session_idle_word(const struct session *s)
{
	return s->target->idle == IDLE_ON ? "on" : "off";
}

static void session_on_idle(void *arg, enum power_state state, const struct err *e)
{
	struct session *s = arg;

	(void)state;
	s->idling = false;
	if (e->cls) {
		s->close_err = *e;
		err_prefix(&s->close_err, "%s: stage done: could not leave the machine %s",
			s->target->name, session_idle_word(s));
	}
	session_close_step(s);
}

/* The command was taken; that the machine obeyed is another matter. */
static void session_on_sent_idle(void *arg, enum power_state state, const struct err *e)
{
	struct session *s = arg;

	if (e->cls) {
		session_on_idle(arg, state, e);
		return;
	}
	s->sent = true;
	power_wait(s->power, s->target->idle == IDLE_ON ? POWER_ON : POWER_OFF, 1,
		s->target->bmc.reading_gap_ms, session_left_ms(s), session_on_idle, s);
}

static void session_cut_console(struct session *s, const char *took)
{
	log_line(LOG_WARN, s->target->name,
		"the console did not close within %s: it was cut off, and a session may be left "
		"there",
		took);
	s->leaving = false;
	console_free(s->console);
	s->console = NULL;
	session_close_step(s);
}

static void session_cut_power(struct session *s, const char *took)
{
	err_set(&s->close_err, ERR_LAB, "E_TIMEOUT",
		"%s: stage done: could not leave the machine %s: %s within %s", s->target->name,
		session_idle_word(s),
		s->sent ? "the command was taken, and its effect not seen"
			: "the BMC did not finish the command",
		took);
	s->idling = false;
	power_free(s->power);
	s->power = NULL;
	session_close_step(s);
}

/* The time is over: let go of what does not end.  The last of it may free s. */
static void session_on_late(uv_timer_t *t)
{
	struct session *s = t->data;
	bool idling = s->idling;
	char took[16];

	clock_human(clock_mono_ns() - s->close_began_ns, took, sizeof(took));
	if (s->leaving)
		session_cut_console(s, took);
	if (idling)
		session_cut_power(s, took);
}

/* From when on is told by the caller of session_hurry(). */
static void session_arm_late(struct session *s, int deadline_ms)
{
	int64_t now = clock_mono_ns(), end = now + (int64_t)deadline_ms * 1000000;
	int64_t hurry = s->hurry_ns + (int64_t)CLOSING_LINES_MS * 1000000;
	int64_t least = now + (int64_t)CLOSING_LINES_LEAST_MS * 1000000;

	if (s->hurry_ns && end > hurry)
		end = hurry > least ? hurry : least;
	s->close_end_ns = end;
	uv_timer_start(s->late, session_on_late, (uint64_t)((end - now) / 1000000), 0);
}

void session_close(struct session *s, bool touched, int deadline_ms,
	void (*done)(void *arg, const struct err *e), void *arg)
{
	s->closed = done;
	s->closed_arg = arg;
	s->closing = 1;
	s->late = mem_alloc(sizeof(*s->late));
	s->late->data = s;
	uv_timer_init(s->loop, s->late);
	s->close_began_ns = clock_mono_ns();
	session_arm_late(s, deadline_ms);
	session_listen(s, NULL);
	session_console_forget(s);
	if (touched && !s->lab_ours && s->target->idle != IDLE_LEAVE) {
		s->closing++;
		s->idling = true;
		/* A little less, so that its own words come first. */
		s->power->ops->set(s->power,
			s->target->idle == IDLE_ON ? POWER_DO_ON : POWER_DO_OFF,
			s->hurry_ns ? session_left_ms(s) * 9 / 10 : session_left_ms(s) / 2,
			session_on_sent_idle, s);
	}
	if (s->live || s->opening) {
		s->closing++;
		s->leaving = true;
		s->console->ops->close(
			s->console, session_left_ms(s) * 9 / 10, session_on_console_closed, s);
	}
	s->live = false;
	s->opening = false;
	session_close_step(s);
}

void session_hurry(struct session *s)
{
	if (s->hurry_ns)
		return;
	s->hurry_ns = clock_mono_ns();
	if (s->power)
		s->power->goodbye_ms = CLOSING_CANCEL_MS;
	if (s->late)
		session_arm_late(s, CLOSING_LINES_MS);
}

void session_free(struct session *s)
{
	struct err e = ERR_INIT;
	bool soon;

	if (!s)
		return;
	soon = s->hurry_ns || stop_asked();
	console_free(s->console);
	power_free(s->power);
	if (s->lab_ours &&
		lab_down(s->state, s->target->name, false, soon ? CLOSING_LAB_MS : LAB_DOWN_MS, &e))
		log_line(LOG_WARN, s->target->name, "%s", e.msg);
	secret_release(&s->secret);
	free(s);
}
