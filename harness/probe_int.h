/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What probe.c collects, and probe_finish.c and probe_report.c decide on.  Not for anybody else. */
#ifndef HARNESS_PROBE_INT_H
#define HARNESS_PROBE_INT_H

#include "harness/facts.h"
#include "harness/linebuf.h"
#include "harness/probe.h"
#include "harness/record.h"
#include "harness/remarks.h"

/* Whose boot the console shows since the last hypervisor banner. */
enum probe_owner {
	OWNER_UNSEEN,  /* no banner yet */
	OWNER_UNKNOWN, /* a banner, and nothing with a nonce */
	OWNER_OURS,
	OWNER_OTHER, /* a command line or a report without our nonce: replayed, or another image */
};

/* One record: where its text lies in probe.text; len 0: not seen. */
struct probe_record {
	uint32_t at;
	uint16_t len;
	uint16_t pass; /* in which it was first seen, from 1 */
};

struct probe {
	char nonce[NONCE_HEX + 1];
	enum probe_state state;
	bool live;
	struct linebuf lines;
	struct facts facts;
	struct remarks remarks;

	struct probe_record records[PROBE_RECORDS_MAX];
	char *text; /* of all records, one after the other; owned */
	size_t text_len, text_cap;
	int64_t last_seq;
	int pass, dones, repeat;
	int done_seq; /* of the first DONE, or -1 */

	enum probe_owner owner;
	bool wrong_nonce; /* the first 8 digits are ours, the others are not */
	bool overflow;	  /* a sequence number past PROBE_RECORDS_MAX */
	int conflict_seq; /* first record with two valid texts, or -1 */
	bool over;	  /* the machine started again after DONE: what comes is not ours */
	bool again;	  /* a second banner of ours, and no word yet whose boot it opens */
	int replays;	  /* second banners that turned out to open the same boot */
	bool reset;	  /* a second banner that did not */
	int panics;	  /* panic messages before DONE */
	bool panic_late;  /* after DONE */
	bool want_reason; /* the next message says why it panicked */
	char reason[160];
	bool other_cmdline;
	int damaged;	   /* markers without a valid record behind them */
	int other_records; /* valid records of another nonce */
	char other_nonce8[RECORD_NONCE + 1];

	char flags[1024];
	char line_mem[PROBE_LINE_MAX];
	char plain[PROBE_LINE_MAX]; /* a line without its escape sequences */
};

/* Take the last line, which has no end. */
void probe_flush(struct probe *p);

/* The record with this number, or false. */
bool probe_record(const struct probe *p, size_t seq, struct record *r);

/* Write outcome and err of r. */
void probe_decide(struct boot_result *r, enum outcome o, const char *code, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* The report of a boot whose records are all there.  True: r has its samples, which are what x
 * asked for.  False: r is decided, without samples. */
bool probe_report(const struct probe *p, struct boot_result *r, const struct probe_expect *x);

#endif
