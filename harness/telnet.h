/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The telnet protocol of a serial console, from our side: bytes in, data and answers out.
 *
 * Sources: RFC 854 (commands), 856 (binary), 857 (echo), 858 (suppress go-ahead), 860 (timing
 * mark), 1143 (answers that cannot loop), 2217 (com-port option).  We ask for binary and for no
 * go-ahead both ways, let nobody echo, and refuse all else.  With a line, speed and flow control
 * are set through the com-port option, 8 data bits, no parity, 1 stop bit, and each answer is
 * compared. Pure: no I/O, no clock, no allocation; the caller sends what is added to `out`.
 *
 * A peer cannot make us add more to out than it has sent, but for the 64 bytes, once, that set the
 * line.
 */
#ifndef HARNESS_TELNET_H
#define HARNESS_TELNET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/base/buf.h"

enum { TELNET_SB_MAX = 64, TELNET_OPTIONS = 5, TELNET_SETTINGS = 5 };

/* Values as on the wire (RFC 2217, SET-CONTROL). */
enum telnet_flow { TELNET_FLOW_NONE = 1, TELNET_FLOW_XONXOFF = 2, TELNET_FLOW_HARDWARE = 3 };

enum telnet_state {
	TELNET_ASKING, /* something that we asked has no answer yet */
	TELNET_READY,
	TELNET_FAILED /* for good; telnet_why() */
};

/* One of the options that we know (RFC 1143, without its queue: we never change our mind). */
struct telnet_option {
	uint8_t us, him; /* enum in telnet.c */
};

struct telnet {
	struct telnet_option option[TELNET_OPTIONS];
	bool line; /* set it by the com-port option */
	uint32_t want[TELNET_SETTINGS];
	bool answered[TELNET_SETTINGS], asked_line;
	enum telnet_state state;
	uint8_t at;   /* where in a command the last byte was */
	uint8_t verb; /* WILL, WONT, DO or DONT */
	bool cr;      /* the last byte of data was CR */
	uint8_t sb[TELNET_SB_MAX];
	size_t sb_len;	       /* TELNET_SB_MAX + 1: too long, left out */
	unsigned long heard;   /* commands from the peer */
	unsigned asked, marks; /* timing marks that we asked for, and answers to them */
	char why[160];
};

/* line: set speed (baud) and flow; else neither is looked at. */
void telnet_init(struct telnet *t, bool line, int speed, enum telnet_flow flow);

/* What we say first. */
void telnet_start(struct telnet *t, struct buf *out);

/* Take n bytes; the data among them is left at p, its length returned. */
size_t telnet_feed(struct telnet *t, char *p, size_t n, struct buf *out);

/* Bytes to type, as they go on the wire. */
void telnet_escape(const struct telnet *t, const char *p, size_t n, struct buf *out);

/* Ask for a timing mark: a sign of life that shows on no console.  telnet_unanswered() counts those
 * that have no answer yet; 0 also for a peer that has never answered two. */
void telnet_ping(struct telnet *t, struct buf *out);
unsigned telnet_unanswered(const struct telnet *t);

enum telnet_state telnet_state(const struct telnet *t);

/* What is missing (ASKING), or what is wrong (FAILED): goes on after "the console server". */
const char *telnet_why(struct telnet *t);

#endif
