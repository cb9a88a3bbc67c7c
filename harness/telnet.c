/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/telnet.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum {
	SE = 240,
	NOP = 241,
	AYT = 246,
	SB = 250,
	WILL = 251,
	WONT = 252,
	DO = 253,
	DONT = 254,
	IAC = 255
};

enum { OPT_BINARY = 0, OPT_ECHO = 1, OPT_SGA = 3, OPT_MARK = 6, OPT_COM_PORT = 44 };

/* One side's option. */
enum { SIDE_NO, SIDE_ASKED, SIDE_YES, SIDE_REFUSED };

enum { AT_DATA, AT_IAC, AT_VERB, AT_SB, AT_SB_IAC };

enum { COM_SPEED = 1, COM_SIZE, COM_PARITY, COM_STOP, COM_CONTROL, COM_ANSWER = 100 };

/* Which side is to have which option. */
static const struct {
	uint8_t code;
	bool us, him;
} options[TELNET_OPTIONS] = {
	{OPT_BINARY, true, true},
	{OPT_SGA, true, true},
	{OPT_COM_PORT, true, false},
	{OPT_ECHO, false, false},
	{OPT_MARK, false, false},
};

enum { BINARY, SGA, COM_PORT };

static void put(struct buf *out, uint8_t a, uint8_t b, uint8_t c)
{
	const uint8_t bytes[] = {a, b, c};

	buf_add(out, bytes, sizeof(bytes));
}

void telnet_init(struct telnet *t, bool line, int speed, enum telnet_flow flow)
{
	*t = (struct telnet){.line = line};
	t->want[COM_SPEED - 1] = (uint32_t)speed;
	t->want[COM_SIZE - 1] = 8;
	t->want[COM_PARITY - 1] = 1;
	t->want[COM_STOP - 1] = 1;
	t->want[COM_CONTROL - 1] = (uint32_t)flow;
}

static bool wanted(const struct telnet *t, int i, bool us)
{
	return us ? options[i].us && (i != COM_PORT || t->line) : options[i].him;
}

void telnet_start(struct telnet *t, struct buf *out)
{
	for (int i = 0; i < TELNET_OPTIONS; i++) {
		if (wanted(t, i, true)) {
			t->option[i].us = SIDE_ASKED;
			put(out, IAC, WILL, options[i].code);
		}
		if (wanted(t, i, false)) {
			t->option[i].him = SIDE_ASKED;
			put(out, IAC, DO, options[i].code);
		}
	}
}

static void __attribute__((format(printf, 2, 3))) fail(struct telnet *t, const char *fmt, ...)
{
	va_list ap;

	if (t->state == TELNET_FAILED)
		return;
	va_start(ap, fmt);
	vsnprintf(t->why, sizeof(t->why), fmt, ap);
	va_end(ap);
	t->state = TELNET_FAILED;
}

static void send_setting(const struct telnet *t, int what, struct buf *out)
{
	uint32_t v = t->want[what - 1];
	const uint8_t head[] = {IAC, SB, OPT_COM_PORT, (uint8_t)what};

	buf_add(out, head, sizeof(head));
	for (int shift = what == COM_SPEED ? 24 : 0; shift >= 0; shift -= 8) {
		uint8_t byte = (uint8_t)(v >> shift);

		buf_add(out, &byte, 1);
		if (byte == IAC)
			buf_add(out, &byte, 1);
	}
	buf_add(out, (const uint8_t[]){IAC, SE}, 2);
}

static void look(struct telnet *t)
{
	bool open = false;

	for (int i = 0; i < TELNET_OPTIONS; i++)
		open |= t->option[i].us == SIDE_ASKED || t->option[i].him == SIDE_ASKED;
	for (int i = 0; t->line && i < TELNET_SETTINGS; i++)
		open |= !t->answered[i];
	if (!open && t->state == TELNET_ASKING)
		t->state = TELNET_READY;
}

/* The peer says yes or no to an option of ours (us: DO, DONT) or of its own (WILL, WONT). */
static void on_option(struct telnet *t, uint8_t code, bool us, bool yes, struct buf *out)
{
	uint8_t accept = us ? WILL : DO, refuse = us ? WONT : DONT, *side;
	int i;

	if (code == OPT_MARK && !us) {
		t->marks += t->marks < t->asked;
		return;
	}
	for (i = 0; i < TELNET_OPTIONS && options[i].code != code; i++)
		;
	if (i == TELNET_OPTIONS || !wanted(t, i, us)) {
		if (yes)
			put(out, IAC, refuse, code);
		return;
	}
	side = us ? &t->option[i].us : &t->option[i].him;
	if (yes && *side != SIDE_ASKED && *side != SIDE_YES)
		put(out, IAC, accept, code);
	else if (!yes && *side == SIDE_YES)
		put(out, IAC, refuse, code);
	*side = yes ? SIDE_YES : SIDE_REFUSED;
	if (i == COM_PORT && !yes)
		fail(t, "does not set serial lines (no RFC 2217): write driver = telnet and take "
			"speed and flow away");
	if (i == COM_PORT && yes && !t->asked_line) {
		t->asked_line = true;
		for (int what = COM_SPEED; what <= COM_CONTROL; what++)
			send_setting(t, what, out);
	}
	/* Without it some bytes never arrive as they were sent. */
	if (i == BINARY && !yes && t->line)
		fail(t, "refuses to pass all bytes (no binary transmission, RFC 856)");
}

static void on_setting(struct telnet *t, const uint8_t *p, size_t n)
{
	static const char *const names[] = {
		"baud", "data bits", "as parity", "as stop bits", "as flow control"};
	int what = n ? p[0] - COM_ANSWER : 0;
	uint32_t v = 0;

	if (!t->line || what < COM_SPEED || what > COM_CONTROL ||
		n != (what == COM_SPEED ? 5u : 2u))
		return;
	for (size_t i = 1; i < n; i++)
		v = v << 8 | p[i];
	/* Break, DTR and RTS are told by the same answer. */
	if (what == COM_CONTROL && v > TELNET_FLOW_HARDWARE)
		return;
	if (v != t->want[what - 1])
		fail(t,
			"was asked for %u %s and has %u: another user of the line, or it cannot do "
			"better",
			(unsigned)t->want[what - 1], names[what - 1], (unsigned)v);
	t->answered[what - 1] = true;
}

static void on_command(struct telnet *t, uint8_t c, struct buf *out)
{
	t->at = AT_DATA;
	if (c == SB) {
		t->at = AT_SB;
		t->sb_len = 0;
	} else if (c >= WILL && c <= DONT) {
		t->at = AT_VERB;
		t->verb = c;
	} else {
		t->heard++;
		if (c == AYT)
			buf_add(out, (const uint8_t[]){IAC, NOP}, 2);
	}
}

static void add_sb(struct telnet *t, uint8_t c)
{
	t->at = AT_SB;
	if (t->sb_len < TELNET_SB_MAX)
		t->sb[t->sb_len++] = c;
	else
		t->sb_len = TELNET_SB_MAX + 1;
}

/* One byte that is part of a command. */
static void on_byte(struct telnet *t, uint8_t c, struct buf *out)
{
	switch (t->at) {
	case AT_IAC:
		on_command(t, c, out);
		break;
	case AT_VERB:
		t->at = AT_DATA;
		t->heard++;
		on_option(t, c, t->verb == DO || t->verb == DONT, t->verb == DO || t->verb == WILL,
			out);
		look(t);
		break;
	case AT_SB:
		if (c == IAC)
			t->at = AT_SB_IAC;
		else
			add_sb(t, c);
		break;
	default:
		if (c == IAC) {
			add_sb(t, c);
		} else if (c == SE) {
			t->at = AT_DATA;
			t->heard++;
			if (t->sb_len && t->sb_len <= TELNET_SB_MAX && t->sb[0] == OPT_COM_PORT)
				on_setting(t, t->sb + 1, t->sb_len - 1);
			look(t);
		} else {
			/* A peer that forgot SE: what follows is a command. */
			on_command(t, c, out);
		}
		break;
	}
}

size_t telnet_feed(struct telnet *t, char *p, size_t n, struct buf *out)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		uint8_t c = (uint8_t)p[i];

		if (t->at == AT_DATA && c == IAC) {
			t->at = AT_IAC;
			continue;
		}
		if (t->at != AT_DATA && !(t->at == AT_IAC && c == IAC)) {
			on_byte(t, c, out);
			continue;
		}
		t->at = AT_DATA;
		/* RFC 854: a CR that is nothing but that has a NUL after it. */
		if (!c && t->cr && t->option[BINARY].him != SIDE_YES) {
			t->cr = false;
			continue;
		}
		t->cr = c == '\r';
		p[kept++] = (char)c;
	}
	return kept;
}

void telnet_escape(const struct telnet *t, const char *p, size_t n, struct buf *out)
{
	bool binary = t->option[BINARY].us == SIDE_YES;

	for (size_t i = 0; i < n; i++) {
		buf_addc(out, p[i]);
		if ((uint8_t)p[i] == IAC)
			buf_addc(out, p[i]);
		else if (p[i] == '\r' && !binary && (i + 1 == n || p[i + 1] != '\n'))
			buf_addc(out, '\0');
	}
}

void telnet_ping(struct telnet *t, struct buf *out)
{
	t->asked++;
	put(out, IAC, DO, OPT_MARK);
}

unsigned telnet_unanswered(const struct telnet *t)
{
	return t->marks < 2 ? 0 : t->asked - t->marks;
}

enum telnet_state telnet_state(const struct telnet *t)
{
	return t->state;
}

const char *telnet_why(struct telnet *t)
{
	if (t->state != TELNET_ASKING)
		return t->why;
	if (!t->heard)
		return "answers, but not in telnet: write driver = tcp if its port is a raw one";
	if (t->line && !t->asked_line)
		return "does not say whether it sets serial lines (RFC 2217): write driver = "
		       "telnet and take speed and flow away";
	if (t->line)
		return "does not answer to the settings of the line (RFC 2217)";
	return "does not answer to all telnet options";
}
