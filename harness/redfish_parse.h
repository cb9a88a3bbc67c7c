/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a Redfish service says, as values, and what we say to it.  Pure: no I/O, no state.
 *
 * Resources as in DMTF DSP0266 (protocol) and DSP0268 (ServiceRoot, ComputerSystem).  The text may
 * be anything: what is missing stays empty, what is no JSON object is refused.  A link is kept only
 * when it is a path on the same service: credentials go nowhere else.
 */
#ifndef HARNESS_REDFISH_PARSE_H
#define HARNESS_REDFISH_PARSE_H

#include <stdbool.h>
#include <stddef.h>

#include "harness/base/buf.h"
#include "harness/base/err.h"
#include "harness/power.h"
#include "targets/target.h"

enum { REDFISH_PATH_MAX = 256, REDFISH_MEMBERS_MAX = 16 };

struct redfish_root {
	char systems[REDFISH_PATH_MAX];	 /* the collection; "" = none */
	char sessions[REDFISH_PATH_MAX]; /* where a session is created; "" = none */
};

struct redfish_system {
	enum power_state power; /* a state in between is POWER_UNKNOWN */
	char power_text[32];	/* as the service says it */
	char reset[REDFISH_PATH_MAX];
	const char *reset_type[4]; /* of each power action; NULL = not offered; constants */
	bool pxe_refused;	   /* it lists what the override can be, and Pxe is not there */
	bool has_mode;		   /* BootSourceOverrideMode is a property of it */
	char boot_target[32], boot_enabled[32], boot_mode[32];
	char etag[128];			 /* from the body; "" = none */
	char settings[REDFISH_PATH_MAX]; /* where changes go to instead; "" = to itself */
};

/* Each returns 0, or -1 when the text is no JSON object. */
int redfish_parse_root(const char *p, size_t n, struct redfish_root *out);
int redfish_parse_system(const char *p, size_t n, struct redfish_system *out);

/* The member of a collection whose path or last name is `want`, or the only one when want is "".
 * On failure *e says which there are (class lab, E_BMC). */
int redfish_parse_member(const char *p, size_t n, const char *want, char out[REDFISH_PATH_MAX],
	struct err *e) must_check;

/* Path of a new session, from its Location header (a path or an address, "" is fine) or else its
 * body; "" when neither tells. */
void redfish_parse_session(
	const char *location, const char *p, size_t n, char out[REDFISH_PATH_MAX]);

/* What an error's body says, in one line, cut; "" when it says nothing. */
void redfish_parse_error(const char *p, size_t n, char *out, size_t size);

/* Is the override what redfish_boot_body() asked for? */
bool redfish_boot_is_set(const struct redfish_system *s, enum target_firmware f);

/* The override in words, and as redfish_boot_body_back() takes it. */
void redfish_boot_words(const struct redfish_system *s, struct power_boot *out);

/* Bodies of requests; out is cleared first.  mode: name the boot mode too. */
void redfish_boot_body(enum target_firmware f, bool mode, struct buf *out);
/* saved: of redfish_boot_words(). */
void redfish_boot_body_back(const char *saved, struct buf *out);
void redfish_reset_body(const char *type, struct buf *out);
void redfish_login_body(const char *user, const char *password, struct buf *out);

#endif
