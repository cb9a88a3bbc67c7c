/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads a console, byte by byte if need be, and collects one boot's probe report and facts.
 *
 * The protocol is firmware-images/PROTOCOL.md.  Invariants: a sample is accepted only from a record
 * whose CRC is right and whose nonce is ours; a record is the same in every pass, so a copy damaged
 * in one is taken from another, and two valid copies that differ end in OUTCOME_CONFLICT.  Pure: no
 * I/O, no clock, no allocation per line.
 *
 * A console may replay what an earlier boot wrote.  A banner of the hypervisor opens a boot; its
 * command line and its records tell whose boot it is.  What belongs to another boot is left out,
 * its panics too.  A second banner in the middle of our boot is a replay when our nonce follows it,
 * on the command line or in a record: a machine that restarts gets our nonce from a new fetch of
 * its script only, and whoever serves that ends the boot then.  Any other second banner may be a
 * replay of something older or a restart, and fails the boot.
 */
#ifndef HARNESS_PROBE_H
#define HARNESS_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/result.h"

enum { PROBE_LINE_MAX = 2048, PROBE_RECORD_MAX = 240, PROBE_RECORDS_MAX = 4096 };

struct probe;

enum probe_state {
	PROBE_WAITING, /* nothing from the hypervisor yet */
	PROBE_BOOTING, /* the hypervisor's first line has been seen */
	PROBE_BEGUN,   /* a record with our nonce */
	PROBE_TAIL,    /* one DONE seen: more passes may follow */
	PROBE_DONE,    /* the last pass is complete, or the machine started again after a DONE */
	PROBE_DEAD     /* another nonce, a panic, or a reset in the middle */
};

/* nonce: NONCE_HEX digits, copied. */
struct probe *probe_new(const char *nonce);
void probe_free(struct probe *p); /* NULL is fine */

/* Say that the machine has fetched its whole image: from now on nothing can be a replay, so that a
 * complete report of another nonce, and a panic before any banner, make it PROBE_DEAD at once. */
void probe_live(struct probe *p);

/* Take the next bytes of the console.  Returns the state after them. */
enum probe_state probe_feed(struct probe *p, const char *bytes, size_t n);
enum probe_state probe_state(const struct probe *p);

/* Does what comes now belong to our boot, by the nonce on its command line or in its records? */
bool probe_ours(const struct probe *p);

/* What was seen so far; borrowed for the probe's life. */
const struct facts *probe_facts(const struct probe *p);

/* What was asked for.  0 or NULL or "" for any where it says so. */
struct probe_expect {
	int cpus, sockets;    /* online; 0: any */
	const char *build_id; /* NULL or "": any */
	const char *workload; /* NULL: any */
	int64_t iterations;   /* 0: any */
	size_t samples, warmup;
	bool allow_debug; /* take a debug or instrumented hypervisor */
};

/* Decide.  Fills outcome, err, effective, facts, samples (owned by r: free()), n_samples and flags
 * (borrowed for the probe's life) of r; looks at r->mode ("": any).  A report is complete when each
 * of its records was valid in at least one pass; a later pass that was cut off takes nothing from
 * it.
 *
 * The first of these that holds is the outcome, so that a cause comes before what follows from it:
 *   WRONG_IMAGE    the nonce begins like ours and goes on differently
 *   WRONG_IMAGE    the build-id is not the expected one
 *   CRASH          a panic before the first DONE
 *   CRASH          E_RESET: a second banner, not known to be a replay, before the first DONE
 *   WRONG_IMAGE    no record of ours, and a report or a command line with another nonce, or none
 *   CRASH          no record of ours from a hypervisor whose command line or build-id is ours
 *   LAB            nothing from a hypervisor at all
 *   CONFLICT       two valid copies of a record differ
 *   REFUSED        the probe says ERROR
 *   CRASH          no DONE
 *   INCOMPLETE     a record is missing, a key of one is missing or makes no sense, or the report
 *                  contradicts itself
 *   REFUSED        another workload, or other numbers of samples, warm-up or iterations
 *   CONFLICT       E_CLOCK: ns and tsc of the timings disagree (PROTOCOL.md, section 4)
 *   REFUSED        a debug build, unless allow_debug
 *   REFUSED        the broadcast shorthand was in use, so that the mode made no difference
 *   CPU_MISMATCH   CPUs online, or sockets
 *   MODE_MISMATCH  the effective mode
 *   OK
 * Samples are filled in from "debug build" on: those of a mismatch are for the log only.
 *
 * Flags tell what was odd and decided nothing, in this order, "; " between them: what remarks.h
 * knows of our boot's lines, and what was wrong with the report's transport, with "console: "
 * before the first; and of an OK boot, "never settled: …" where settle.h finds so in its kept
 * samples. */
void probe_finish(struct probe *p, struct boot_result *r, const struct probe_expect *x);

/* The mode that an APIC driver name stands for: "x2apic_cluster" -> "cluster"; the name itself when
 * it is none of ours ("default", "flat"). */
const char *probe_mode_of_driver(const char *driver);

#endif
