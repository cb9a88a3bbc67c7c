/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where a run's results go.  The run does not know the store, the display or any other receiver: it
 * calls a sink, and cmd_run chains them.
 *
 * A callback that returns negative ends the run with that error after the machine has been put in
 * its idle state.  Everything passed is borrowed until the callback returns.
 */
#ifndef HARNESS_SINK_H
#define HARNESS_SINK_H

#include <stdint.h>

#include "firmware-images/image.h"
#include "harness/base/err.h"
#include "harness/result.h"
#include "targets/target.h"

/* One thing that each block boots once: a mode, of one of the builds. */
struct run_mode {
	char build[BUILD_NAME_MAX]; /* "" in a run without builds */
	char mode[MODE_MAX];
	bool skipped;
	char reason[256];
	struct image image; /* when not skipped */
};

/* What is compared within one run beside modes: the same modes of each.  The first is what the
 * others are compared with. */
struct run_build {
	char name[BUILD_NAME_MAX]; /* [a-z0-9-]+ */
	char text[1024];	   /* where it comes from, in words, lines end in LF; "" */
};

/* A run in two stages (Stein 1945): a pilot, then as many more boots as an interval of the asked
 * width needs.  All 0 in a run of one stage. */
struct run_until {
	double width; /* half width asked for, relative to the reference's mean: 0.01 is 1 % */
	int pilot;    /* boots a mode of the first stage; their variances and degrees of freedom
			 are what verdicts use */
	int max;      /* boots a mode at most */
	int wanted;   /* boots a mode by the rule, perhaps more than max; 0: pilot not over, or
			 nothing was left to compare */
};

struct run_info {
	char uuid[UUID_TEXT];
	const struct target *target;
	const char *workload;
	int boots, samples, iterations, warmup, repeat; /* boots: per mode */
	const char *keep_rule; /* which samples of a boot count (borrowed) */
	uint64_t seed;
	const struct run_mode *modes; /* n_modes, first is the reference; build by build */
	size_t n_modes;
	const struct run_build *builds; /* n_builds; none in a run without builds */
	size_t n_builds;
	int total; /* boots in the plan */
	struct run_until until;
	const char *extra_args; /* of the hypervisor, from the command line; "" */
	const char *again;	/* the command that repeats the run */
	const char *harness_version;
	const char *user, *host; /* who started it, where */
	const char *emulator;	 /* "QEMU 10.0.2, tcg" or "" for hardware */
	int64_t started_wall_ns;
};

struct run_totals {
	int64_t wall_ns;    /* from start to end, monotonic */
	int64_t machine_ns; /* firmware .. probe of every boot, plus settle times */
	int ok, failed;
	struct err err; /* class none, or what ended the run early */
};

struct run_sink {
	int (*begin)(void *arg, const struct run_info *, struct err *);
	/* stage entered; the boot's result so far */
	int (*stage)(void *arg, const struct boot_result *, enum stage, struct err *);
	/* a line for the run's log: netboot fetches, power commands, remarks.  boot_index -1: of
	 * the run itself.  mono_ns counts from the run's start. */
	int (*event)(void *arg, int boot_index, int64_t mono_ns, const char *what,
		const char *detail, struct err *);
	int (*boot)(void *arg, const struct boot_result *, bool will_retry, struct err *);
	/* the second stage was planned: boots, total and until of the info have changed */
	int (*replan)(void *arg, const struct run_info *, struct err *);
	int (*end)(void *arg, const struct run_totals *, struct err *);
	void *arg;
};

/* Several receivers as one.  A member that a receiver leaves NULL is skipped.  Borrows the list. */
struct sink_list {
	const struct run_sink *sinks;
	size_t n;
};

struct run_sink sink_list_sink(struct sink_list *list);

#endif
