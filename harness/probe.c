/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/probe.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/mem.h"
#include "harness/probe_int.h"

static const char prefix[] = "(XEN) ";

struct probe *probe_new(const char *nonce)
{
	struct probe *p = mem_alloc(sizeof(*p));

	assert(strlen(nonce) == NONCE_HEX);
	memcpy(p->nonce, nonce, NONCE_HEX);
	linebuf_init(&p->lines, p->line_mem, sizeof(p->line_mem));
	facts_init(&p->facts);
	remarks_init(&p->remarks);
	p->last_seq = -1;
	p->pass = 1;
	p->done_seq = -1;
	p->conflict_seq = -1;
	return p;
}

void probe_free(struct probe *p)
{
	if (!p)
		return;
	free(p->text);
	free(p);
}

void probe_live(struct probe *p)
{
	p->live = true;
}

enum probe_state probe_state(const struct probe *p)
{
	return p->state;
}

bool probe_ours(const struct probe *p)
{
	return p->owner == OWNER_OURS && !p->again;
}

const struct facts *probe_facts(const struct probe *p)
{
	return &p->facts;
}

bool probe_record(const struct probe *p, size_t seq, struct record *r)
{
	const struct probe_record *e = &p->records[seq];

	return seq < PROBE_RECORDS_MAX && e->len && record_parse(p->text + e->at, e->len, r);
}

static void reach(struct probe *p, enum probe_state s)
{
	if (p->state < s)
		p->state = s;
}

/* Keep the text of a record, or compare it with the one that is kept. */
static void keep(struct probe *p, const struct record *r)
{
	struct probe_record *e = &p->records[r->seq];

	if (e->len) {
		bool same = e->len == r->len && !memcmp(p->text + e->at, r->text, r->len);

		if (!same && p->conflict_seq < 0)
			p->conflict_seq = (int)r->seq;
		return;
	}
	if (p->text_cap - p->text_len < r->len) {
		p->text_cap = p->text_cap ? 2 * p->text_cap : 8192;
		p->text = mem_grow(p->text, p->text_cap, 1);
	}
	memcpy(p->text + p->text_len, r->text, r->len);
	*e = (struct probe_record){
		.at = (uint32_t)p->text_len,
		.len = (uint16_t)r->len,
		.pass = (uint16_t)p->pass,
	};
	p->text_len += r->len;
}

/* A second start in the middle of our boot that is not known to be a replay. */
static void started_again(struct probe *p)
{
	p->reset = true;
	p->state = PROBE_DEAD;
}

/* The second banner opened our boot: the console was opened again and shows it from the start,
 * since no other start has our nonce without a new fetch of the script, which ends the boot. */
static void replayed(struct probe *p)
{
	p->again = false;
	p->replays++;
	remarks_init(&p->remarks);
	p->pass = 1;
	p->last_seq = -1;
}

static void take_other(struct probe *p, const struct record *r)
{
	p->other_records++;
	memcpy(p->other_nonce8, r->nonce8, sizeof(p->other_nonce8));
	if (p->again) {
		started_again(p);
		return;
	}
	if (p->owner == OWNER_UNKNOWN)
		p->owner = OWNER_OTHER;
	if (p->live && p->owner != OWNER_OURS && record_is(r, "DONE"))
		p->state = PROBE_DEAD;
}

static void take_done(struct probe *p, const struct record *r)
{
	int64_t repeat;

	if (record_int(r, "repeat", 1, 100, &repeat))
		repeat = 1;
	p->repeat = (int)repeat;
	if (p->done_seq < 0)
		p->done_seq = (int)r->seq;
	p->dones++;
	reach(p, p->dones >= repeat || p->pass >= repeat ? PROBE_DONE : PROBE_TAIL);
}

static void take_record(struct probe *p, const struct record *r)
{
	char whole[NONCE_HEX + 1];

	if (memcmp(r->nonce8, p->nonce, RECORD_NONCE)) {
		take_other(p, r);
		return;
	}
	if (record_is(r, "BEGIN") &&
		(record_get(r, "nonce", whole, sizeof(whole)) || strcmp(whole, p->nonce))) {
		p->wrong_nonce = true;
		p->state = PROBE_DEAD;
		return;
	}
	if (p->again)
		replayed(p);
	p->owner = OWNER_OURS;
	reach(p, PROBE_BEGUN);
	if (r->seq >= PROBE_RECORDS_MAX) {
		p->overflow = true;
		return;
	}
	if (r->seq <= p->last_seq && p->pass < UINT16_MAX)
		p->pass++;
	p->last_seq = r->seq;
	keep(p, r);
	if (record_is(r, "DONE"))
		take_done(p, r);
}

static bool begins(const char *msg, size_t n, const char *with)
{
	for (; *with; msg++, with++, n--)
		if (!n || *msg != *with)
			return false;
	return true;
}

/* memmem() sets up a table for each call, which costs more than to look at a line. */
static const char *find_prefix(const char *p, const char *end)
{
	for (; (p = memchr(p, prefix[0], (size_t)(end - p))); p++)
		if (begins(p, (size_t)(end - p), prefix))
			return p;
	return NULL;
}

/* The hypervisor starts. */
static void banner(struct probe *p)
{
	if (p->dones) {
		reach(p, PROBE_DONE);
		p->over = true;
		return;
	}
	if (p->owner == OWNER_UNKNOWN || p->again) {
		started_again(p);
		return;
	}
	if (p->owner == OWNER_OURS) {
		p->again = true;
		return;
	}
	p->owner = OWNER_UNKNOWN;
	facts_init(&p->facts);
	remarks_init(&p->remarks);
}

static void command_line(struct probe *p, const char *msg, size_t n)
{
	bool ours = memmem(msg, n, p->nonce, NONCE_HEX);

	if (p->again && ours)
		replayed(p);
	else if (p->again)
		started_again(p);
	if (p->owner != OWNER_UNKNOWN)
		return;
	p->owner = ours ? OWNER_OURS : OWNER_OTHER;
	p->other_cmdline |= p->owner == OWNER_OTHER;
}

static bool is_panic(const char *msg, size_t n)
{
	static const char *const words[] = {
		"Panic on CPU ", "*** DOUBLE FAULT ***", "Early fatal ", "FATAL ", "Xen BUG at "};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (begins(msg, n, words[i]))
			return true;
	return false;
}

static void panic(struct probe *p, const char *msg, size_t n)
{
	bool ours = p->owner == OWNER_OURS || p->owner == OWNER_UNKNOWN ||
		    (p->owner == OWNER_UNSEEN && p->live);

	if (!ours)
		return;
	if (p->dones) {
		p->panic_late = true;
		return;
	}
	if (!p->panics++) {
		facts_copy(p->reason, sizeof(p->reason), msg, n);
		p->want_reason = begins(msg, n, "Panic on CPU ");
	}
	p->state = PROBE_DEAD;
}

/* A console time stamp ("[2026-11-30 12:00:00] ", "[    1.234567] ") may stand before a message. */
static const char *skip_stamp(const char *msg, size_t *n)
{
	const char *close;

	if (!*n || *msg != '[' || !(close = memmem(msg, *n, "] ", 2)))
		return msg;
	*n -= (size_t)(close + 2 - msg);
	return close + 2;
}

/* What another boot said, or may have said, is no remark on ours. */
static void take_remark(struct probe *p, const char *msg, size_t n)
{
	if (p->again || p->owner == OWNER_OTHER || (p->owner == OWNER_UNSEEN && !p->live))
		return;
	remarks_take(&p->remarks, msg, n, p->state >= PROBE_BEGUN);
}

static void take_message(struct probe *p, const char *msg, size_t n)
{
	msg = skip_stamp(msg, &n);
	if (p->state == PROBE_DEAD && !p->want_reason)
		return;
	reach(p, PROBE_BOOTING);
	if (p->want_reason && n) {
		facts_copy(p->reason, sizeof(p->reason), msg, n);
		p->want_reason = false;
		return;
	}
	if (begins(msg, n, "Xen version "))
		banner(p);
	if (begins(msg, n, "Command line: "))
		command_line(p, msg, n);
	else if (is_panic(msg, n))
		panic(p, msg, n);
	else if (!p->over && !p->again)
		facts_message(&p->facts, msg, n);
	if (!p->over)
		take_remark(p, msg, n);
}

/* Copy a line without its terminal escape sequences. */
static size_t strip(char *to, const char *from, size_t n)
{
	size_t i = 0, len = 0;

	while (i < n) {
		if (from[i] != '\x1b') {
			to[len++] = from[i++];
			continue;
		}
		i++;
		if (i < n && from[i] == '[')
			for (i++; i < n && from[i] >= 0x20 && from[i] <= 0x3f;)
				i++;
		else
			while (i < n && from[i] >= 0x20 && from[i] <= 0x2f)
				i++;
		i += i < n;
	}
	return len;
}

static void take_line(void *arg, const char *line, size_t n)
{
	struct probe *p = arg;
	const char *end, *at, *record = NULL;
	struct record r;

	if (p->over)
		return;
	if (memchr(line, '\x1b', n)) {
		n = strip(p->plain, line, n);
		line = p->plain;
	}
	end = line + n;
	for (at = line; p->state != PROBE_DEAD &&
			record_find(at, (size_t)(end - at), &r, &at, &p->damaged);) {
		take_record(p, &r);
		/* A line that is one record to its end says nothing else. */
		record = at == end ? r.text : NULL;
	}
	at = find_prefix(line, end);
	/* Not the hypervisor's, but perhaps of a system under it. */
	if (!at && p->state != PROBE_DEAD) {
		line = skip_stamp(line, &n);
		take_remark(p, line, n);
	}
	while (at) {
		const char *msg = at + sizeof(prefix) - 1;

		if (msg == record) {
			reach(p, PROBE_BOOTING);
			break;
		}
		at = find_prefix(msg, end);
		take_message(p, msg, (size_t)((at ? at : end) - msg));
	}
}

enum probe_state probe_feed(struct probe *p, const char *bytes, size_t n)
{
	linebuf_feed(&p->lines, bytes, n, take_line, p);
	return p->state;
}

void probe_flush(struct probe *p)
{
	linebuf_flush(&p->lines, take_line, p);
}
