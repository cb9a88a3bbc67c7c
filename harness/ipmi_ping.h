/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Does an IPMI 2.0 BMC answer at this address?
 *
 * One datagram each way, before any session and without a user.  It tells in a millisecond what
 * ipmitool needs 12 s for (nobody listens there), and tells apart what ipmitool does not (silence,
 * and answers that are not IPMI).  Packets: IPMI 2.0 specification, 13.6 (RMCP header, session
 * header of a message outside a session) and 22.13, 22.14 (the two commands).
 */
#ifndef HARNESS_IPMI_PING_H
#define HARNESS_IPMI_PING_H

#include <stddef.h>
#include <stdint.h>
#include <uv.h>

#include "harness/base/err.h"

enum { IPMI_GUID = 16, IPMI_PACKET_MAX = 64 };

/* What is asked: Get Channel Authentication Capabilities, or Get System GUID. */
enum ipmi_ask { IPMI_ASK_AUTH = 0x38, IPMI_ASK_GUID = 0x37 };

/* Returns the packet's length; out holds IPMI_PACKET_MAX bytes. */
size_t ipmi_packet_make(enum ipmi_ask ask, uint8_t *out);

/* The data after the completion code, borrowed from p; NULL when it is no valid, successful answer
 * to `ask`. */
const uint8_t *ipmi_packet_answer(enum ipmi_ask ask, const uint8_t *p, size_t n, size_t *len);

struct ipmi_ping;

/* data, len: of the answer, when e->cls is ERR_NONE; otherwise e is class lab, code E_BMC. */
typedef void ipmi_ping_done_fn(void *arg, const uint8_t *data, size_t len, const struct err *e);

/* Ask, and again every half second until the deadline.  done() is called once from the loop, unless
 * cancelled. */
struct ipmi_ping *ipmi_ping_start(uv_loop_t *loop, enum ipmi_ask ask, const char *host, int port,
	int deadline_ms, ipmi_ping_done_fn *done, void *arg);

/* done() is not called any more.  Not after done().  NULL is fine. */
void ipmi_ping_cancel(struct ipmi_ping *p);

#endif
