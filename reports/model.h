/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a report is made of: one run with everything that a reviewer asks for.
 *
 * The store fills a model, renderers read it; they never see SQLite.  Everything in it was recorded
 * by the run, nothing is looked up at render time, so the same model always gives the same bytes.
 */
#ifndef HARNESS_REPORTS_MODEL_H
#define HARNESS_REPORTS_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/result.h"
#include "harness/sink.h"

/* With fewer boots a mode their spread says nothing. */
enum { MODEL_BOOTS_MIN = 3 };

struct model_boot {
	/* console is NULL, console_len what it would be; flags and samples owned by the model */
	struct boot_result r;
	int number;	   /* from 1, in the order in which they ran: what `show --console` takes */
	bool will_retry;   /* it failed, and a repetition was planned */
	bool last_attempt; /* no later attempt at the same place of the plan */
};

/* One mode of the run, in the order asked for; the first that is not skipped is the reference.  In
 * a run with builds: one mode of one build, build by build. */
struct model_mode {
	char build[BUILD_NAME_MAX];
	char mode[MODE_MAX];
	bool skipped;
	char reason[256];
	char image_sha256[SHA256_HEX + 1];
	char recipe[32];
	char version[48], commit[96], compiler[128], build_id[96], config_hash[SHA256_HEX + 1];
	char probe_version[16], source_hash[SHA256_HEX + 1];
	bool debug;
};

struct model {
	char uuid[UUID_TEXT];
	char id[UUID_TEXT]; /* shortest unique prefix, 4 digits or more, when the run was begun */
	char machine[64];
	char machine_description[256];
	char cpu_model[96], firmware_version[96], firmware[8]; /* from the target file */
	bool emulated;
	char emulator[96];
	char workload[WORKLOAD_MAX];
	int boots, samples, iterations, warmup, repeat, total;
	struct run_until until;
	char keep_rule[96]; /* which samples of a boot count, and when it has settled (settle.h) */
	uint64_t seed;
	char *target_text; /* the target file's settings as stored, no secrets; owned */
	char *extra_args;  /* owned */
	char *again;	   /* the command that repeats it; owned */
	char harness_version[64];
	char user[64], host[128];
	int64_t started_wall_ns;
	bool ended;	    /* false: it goes on, or its controller died and nobody said so yet */
	struct err end_err; /* class none, or why the run ended early */
	int64_t wall_ns, machine_ns;
	struct run_build *builds; /* n_builds; none in a run without builds; owned */
	size_t n_builds;
	struct model_mode *modes;
	size_t n_modes;
	struct model_boot *list; /* in the order in which they ran */
	size_t n_list;
};

void model_init(struct model *m);
void model_release(struct model *m); /* safe to call twice */

/* The boot is of this mode, and of this build. */
bool model_mode_takes(const struct model_mode *d, const struct boot_result *r);

/* All kept (not warm-up) samples of a boot, whatever its outcome, in their order, ns.  The caller
 * frees *out (NULL when there are none). */
void model_boot_values(const struct model_boot *b, double **out, size_t *n);

#endif
