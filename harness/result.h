/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The words that all stages share: what a boot went through and how it ended.
 *
 * Plain types, no behaviour but names.  An outcome is a type of its own so that "the lab broke" can
 * never be read as "the code regressed"; only OUTCOME_OK takes part in a comparison.
 */
#ifndef HARNESS_RESULT_H
#define HARNESS_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/base/err.h"

/* In the order in which a boot goes through them. */
enum stage {
	STAGE_ACQUIRE,
	STAGE_POWER_OFF,
	STAGE_BOOT_DEVICE,
	STAGE_CONSOLE,
	STAGE_POWER_ON,
	STAGE_FIRMWARE,	  /* power on .. our boot script is fetched */
	STAGE_IPXE,	  /* .. the first image file is asked for */
	STAGE_LOAD,	  /* .. the last image file has been sent */
	STAGE_HYPERVISOR, /* .. the probe's BEGIN record */
	STAGE_PROBE,	  /* .. the probe's last DONE record */
	STAGE_DONE,	  /* .. boot files withdrawn, outcome decided */
	STAGE_COUNT
};

enum outcome {
	OUTCOME_OK,
	OUTCOME_LAB,	       /* power, boot device, console, network, a stage's deadline */
	OUTCOME_IMAGE,	       /* image could not be served or loaded */
	OUTCOME_WRONG_IMAGE,   /* another nonce, or no nonce: not the image that we sent */
	OUTCOME_MODE_MISMATCH, /* effective mode is not the requested one */
	OUTCOME_CPU_MISMATCH,  /* CPUs online are not what the target file expects */
	OUTCOME_INCOMPLETE,    /* records are missing after the last pass */
	OUTCOME_CONFLICT,      /* two valid copies of a record disagree */
	OUTCOME_CRASH,	       /* the hypervisor ended without DONE */
	OUTCOME_REFUSED,       /* the probe refused its parameters, or a debug build */
	OUTCOME_INTERRUPTED,
	OUTCOME_COUNT
};

/* A build is what of several is compared in one run: "base", "patched"; "" in a run of one. */
enum { BUILD_NAME_MAX = 24, LABEL_MAX = 52 };
enum { MODE_MAX = 24, WORKLOAD_MAX = 48, NONCE_HEX = 32, UUID_TEXT = 37, SHA256_HEX = 64 };

/* "power-off" …; "ok", "lab", "wrong-image" …: the words of logs, database and reports. */
const char *stage_name(enum stage s);
const char *outcome_name(enum outcome o);
int outcome_parse(const char *name, enum outcome *out); /* 0 or -1 */
enum err_class outcome_class(enum outcome o);		/* for the exit status */

/* "patched mixed", or "mixed" of a run without builds: how people are told of a boot. */
void result_label(const char *build, const char *mode, char out[LABEL_MAX]);

/* How long a stage took.  settle_ns is the part that the machine itself asked for (waiting for a
 * power reading to become stable, or for a configured quiet time). */
struct stage_time {
	bool reached;
	int64_t start_ns; /* since the run's start, monotonic */
	int64_t ns;
	int64_t settle_ns;
};

/* One timing of `iterations` calls. */
struct sample {
	int64_t ns;
	uint64_t tsc; /* cycles */
	bool warmup;
};

/* What the hypervisor said about itself and its machine; "" or -1 where it said nothing. */
struct facts {
	char hypervisor[48]; /* version, "4.17.5" */
	char build_id[96];
	char changeset[128];
	char compiler[128];
	char apic_driver[48]; /* "x2apic_cluster" */
	char cpu_model[96];
	char cpu_vendor[48];
	char microcode[24];
	char platform_timer[64];
	char mode_reason[256]; /* console line that explains a changed mode */
	int cpus_online, cpus_present, sockets, clusters, target_cpus;
	int64_t tsc_khz;
	int debug;     /* 1, 0, or -1 */
	int shorthand; /* 1: the broadcast shorthand was in use */
};

struct boot_result {
	int index;   /* place in the plan, from 0 */
	int block;   /* from 0 */
	int attempt; /* 0 first, 1 the repetition */
	char build[BUILD_NAME_MAX];
	char mode[MODE_MAX];	  /* requested */
	char effective[MODE_MAX]; /* "" when unknown */
	char image_sha256[SHA256_HEX + 1];
	char nonce[NONCE_HEX + 1];
	enum outcome outcome;
	enum stage stage;	 /* the stage in which it ended */
	struct err err;		 /* why, when outcome is not OK */
	char command_line[1024]; /* the hypervisor's */
	int64_t started_wall_ns;
	struct stage_time stages[STAGE_COUNT];
	struct facts facts;
	struct sample *samples; /* n_samples; owned by whoever made the result */
	size_t n_samples;
	const char *console; /* whole console log, console_len bytes; borrowed */
	size_t console_len;
	const char
		*flags; /* remarks that do not fail the boot ("console: 2 records repaired"); "" */
};

/* Did the hypervisor, or its probe, not get anywhere, while nothing else is known to have failed?
 */
bool result_hung(const struct boot_result *r);

#endif
