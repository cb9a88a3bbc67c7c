/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the two halves of the driver share: power_redfish.c chooses and sends requests,
 * power_redfish_answer.c says what an answer means for what is known. */
#ifndef HARNESS_POWER_REDFISH_INT_H
#define HARNESS_POWER_REDFISH_INT_H

#include "harness/base/buf.h"
#include "harness/power.h"
#include "harness/power_turn.h"
#include "harness/redfish_http.h"
#include "harness/redfish_parse.h"

/* From OP_BOOT on they are about the boot device. */
enum redfish_op {
	OP_GET,
	OP_SET,
	OP_BOOT,
	OP_BOOT_GET,
	OP_BOOT_PUT,
	OP_KEEP /* becomes OP_BOOT */
};
enum redfish_step { STEP_ROOT, STEP_LOGIN, STEP_LIST, STEP_SYSTEM, STEP_SETTINGS, STEP_DO };

struct power_redfish {
	struct power base;
	struct redfish_http *http;
	struct turn *turn;
	uv_timer_t timer; /* a pause, or news for an interrupted caller */
	char *url;
	struct redfish_root root;
	bool rooted;
	char token[256], session[REDFISH_PATH_MAX], system[REDFISH_PATH_MAX];
	bool proven; /* the token, or the password, has been accepted */
	struct redfish_system now;
	bool fresh;	/* now was read in this operation */
	char etag[128]; /* of where changes go to; "" = none */
	bool any_etag;
	bool logging_in, freed, cancelled;
	/* The operation that runs; done NULL: none. */
	power_done_fn *done;
	void *arg;
	enum redfish_op op;
	enum power_action action;
	struct power_boot put; /* of OP_BOOT_PUT */
	enum redfish_step step;
	bool checking; /* the override was sent and is read back */
	int tries, again;
	int64_t end_ns;
	struct buf body;
};

/* Carry the operation on with what is known now: send the next request, or finish. */
void redfish_go(struct power_redfish *p);

int redfish_left_ms(const struct power_redfish *p);

void redfish_finish(struct power_redfish *p, enum power_state state, const struct err *e);

/* The same with an error of the lab; the BMC's address is put before it. */
void redfish_fail(struct power_redfish *p, const char *code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

void redfish_forget_session(struct power_redfish *p);

/* An answer with a status came: keep what it says and go on, try again, or finish. */
void redfish_take_answer(struct power_redfish *p, const struct redfish_answer *a);

#endif
