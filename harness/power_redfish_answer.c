/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <string.h>

#include "harness/base/log.h"
#include "harness/power_redfish_int.h"

enum {
	AGAIN_MAX = 6, /* stale or busy, in one operation */
	BUSY_MS = 1000,
	BUSY_MAX_MS = 5000
};

/* What a refusal of what we want is called. */
static const char *redfish_code(const struct power_redfish *p)
{
	return p->op == OP_SET ? "E_POWER" : p->op >= OP_BOOT ? "E_BOOTDEV" : "E_BMC";
}

static void redfish_on_pause(uv_timer_t *t)
{
	redfish_go(t->data);
}

/* Once more, after ms; false (and failed) when that was often enough. */
static bool redfish_again(struct power_redfish *p, int ms, const char *why)
{
	if (++p->again > AGAIN_MAX || redfish_left_ms(p) <= ms) {
		redfish_fail(p, "E_BMC", "%s, %d times", why, p->again);
		return false;
	}
	log_line(LOG_DEBUG, p->base.target->name, "%s: again", why);
	uv_timer_start(&p->timer, redfish_on_pause, (uint64_t)ms, 0);
	return true;
}

void redfish_forget_session(struct power_redfish *p)
{
	explicit_bzero(p->token, sizeof(p->token));
	p->session[0] = '\0';
	p->proven = false;
}

static void redfish_stale_login(struct power_redfish *p, const char *said)
{
	const struct target *t = p->base.target;

	/* A session that worked may have timed out; a password that never did is wrong. */
	if (p->proven && p->token[0]) {
		redfish_forget_session(p);
		redfish_again(p, 0, "the session has ended");
	} else {
		redfish_fail(p, "E_AUTH", "rejects user \"%s\" or the password: check [bmc]%s%s",
			t->bmc.user, *said ? ": " : "", said);
	}
}

/* A status that is no success: forget what it proves wrong, or tell. */
static void redfish_refused(struct power_redfish *p, const struct redfish_answer *a)
{
	char said[200];
	int wait_ms = a->retry_after_s >= 0 ? a->retry_after_s * 1000 : BUSY_MS;

	redfish_parse_error(a->body, a->len, said, sizeof(said));
	p->fresh = false;
	if (a->status == 401) {
		redfish_stale_login(p, said);
	} else if (a->status == 403) {
		redfish_fail(p, "E_AUTH", "gives user \"%s\" no right to do this%s%s",
			p->base.target->bmc.user, *said ? ": " : "", said);
	} else if (a->status == 404 && p->step > STEP_LIST && p->system[0]) {
		p->system[0] = '\0';
		redfish_again(p, 0, "the system has moved");
	} else if ((a->status == 412 || a->status == 428) && p->step == STEP_DO) {
		/* First with what is true now, then whatever it is. */
		p->any_etag = p->again > 0;
		p->tries--;
		redfish_again(p, 0, "the system changed meanwhile");
	} else if (a->status == 503 || a->status == 429) {
		char why[300];

		snprintf(why, sizeof(why), "is busy (status %d%s%s)", a->status, *said ? ": " : "",
			said);
		redfish_again(p, wait_ms < BUSY_MAX_MS ? wait_ms : BUSY_MAX_MS, why);
	} else {
		redfish_fail(p, p->step == STEP_DO && a->status < 500 ? redfish_code(p) : "E_BMC",
			"answered with status %d%s%s", a->status, *said ? ": " : "", said);
	}
}

static void redfish_on_system(struct power_redfish *p, const struct redfish_answer *a)
{
	bool settings = p->step == STEP_SETTINGS;
	struct redfish_system s;

	if (redfish_parse_system(a->body, a->len, &s)) {
		redfish_fail(p, "E_BMC", "the answer for %s is no JSON object",
			settings ? p->now.settings : p->system);
		return;
	}
	snprintf(p->etag, sizeof(p->etag), "%s", a->etag[0] ? a->etag : s.etag);
	if (settings) {
		/* What it knows of the override is ahead of the system itself. */
		memcpy(p->now.boot_target, s.boot_target, sizeof(s.boot_target));
		memcpy(p->now.boot_enabled, s.boot_enabled, sizeof(s.boot_enabled));
		memcpy(p->now.boot_mode, s.boot_mode, sizeof(s.boot_mode));
		p->now.has_mode |= s.has_mode;
		p->now.pxe_refused |= s.pxe_refused;
	} else {
		p->now = s;
	}
	p->fresh = settings || p->op < OP_BOOT || !p->now.settings[0];
	redfish_go(p);
}

static void redfish_on_login(struct power_redfish *p, const struct redfish_answer *a)
{
	snprintf(p->token, sizeof(p->token), "%s", a->token);
	redfish_parse_session(a->location, a->body, a->len, p->session);
	if (p->token[0])
		redfish_go(p);
	else
		redfish_fail(p, "E_BMC", "opened a session without a token");
}

static void redfish_done(struct power_redfish *p)
{
	struct err none = ERR_INIT;

	if (p->op >= OP_BOOT) {
		p->checking = true;
		p->fresh = false;
		redfish_go(p);
	} else {
		redfish_finish(p, POWER_UNKNOWN, &none);
	}
}

static void redfish_accepted(struct power_redfish *p, const struct redfish_answer *a)
{
	struct err e = ERR_INIT;

	if (p->step > STEP_LOGIN)
		p->proven = true;
	switch (p->step) {
	case STEP_ROOT:
		if (redfish_parse_root(a->body, a->len, &p->root) || !p->root.systems[0]) {
			redfish_fail(p, "E_BMC", "/redfish/v1/ names no systems: is it a BMC?");
			return;
		}
		p->rooted = true;
		redfish_go(p);
		break;
	case STEP_LOGIN:
		redfish_on_login(p, a);
		break;
	case STEP_LIST:
		if (redfish_parse_member(
			    a->body, a->len, p->base.target->bmc.system, p->system, &e)) {
			p->system[0] = '\0';
			redfish_fail(p, e.code, "%s", e.msg);
			return;
		}
		redfish_go(p);
		break;
	case STEP_SYSTEM:
	case STEP_SETTINGS:
		redfish_on_system(p, a);
		break;
	case STEP_DO:
		redfish_done(p);
		break;
	}
}

void redfish_take_answer(struct power_redfish *p, const struct redfish_answer *a)
{
	if (a->status >= 200 && a->status < 300)
		redfish_accepted(p, a);
	else
		redfish_refused(p, a);
}
