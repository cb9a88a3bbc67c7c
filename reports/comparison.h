/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What every report is made from: sets of boots, and what is proven about them.
 *
 * Built from the models of one or more runs, by arithmetic alone; all renderers take it, so that
 * they cannot disagree.  A set is the boots that count (outcome ok) of one mode, in a run with
 * builds of one build.  Sets stand in blocks: the first usable set of a block is the reference of
 * the others in it.  A report of one run has one block, its modes; a comparison of two runs has a
 * block a mode.  The report of a run with builds has both kinds, so that there the same boots are
 * in two sets: whoever goes over all sets asks comparison_again().
 *
 *	comparison_init(&c, COMPARISON_SIDES, &opts);
 *	rc = comparison_add(&c, &pick, e);	for each set, block by block
 *	rc = rc ? rc : comparison_judge(&c, e);
 *	...
 *	comparison_release(&c);
 */
#ifndef HARNESS_REPORTS_COMPARISON_H
#define HARNESS_REPORTS_COMPARISON_H

#include <stdbool.h>
#include <stddef.h>

#include "harness/stats/moments.h"
#include "harness/stats/variance.h"
#include "harness/verdict.h"
#include "reports/model.h"

/* A set with fewer samples is not usable: it is neither drawn nor compared. */
enum { COMPARISON_SAMPLES_MIN = 3 };

struct comparison_boot {
	const struct model *run;       /* borrowed */
	const struct model_boot *boot; /* borrowed */
	struct moments kept;	       /* of its kept samples, ns */
};

struct comparison_set {
	char name[128]; /* unique: "physical", or with its side in front */
	char build[BUILD_NAME_MAX];
	bool any_build; /* of whatever build they are; build is "" */
	char mode[MODE_MAX];
	size_t block; /* from 0 */
	bool usable;
	size_t ref;  /* index of the set that it is compared with; its own: it is the reference, or
			not usable */
	int planned; /* boots that were planned */

	/* In the order in which they ran; all owned. */
	struct comparison_boot *boots;
	double *means; /* n_boots, ns: what the verdict is about */
	size_t n_boots;
	double *values; /* all kept samples, ns */
	size_t n_values;
	size_t pilot; /* boots at the front that were a pilot, or 0 */

	struct moments all;	/* of the values; when n_values > 0 */
	struct moments between; /* of the boot means; when n_boots > 0 */
	bool has_variance;	/* with 2 boots */
	struct variance variance;
	/* From 2 runs on: do runs differ by more than their boots explain?  Then boots of one run
	 * are no more independent than samples of one boot. */
	bool has_runs;
	struct variance runs; /* its "boots" are runs, its "samples" boot means */

	struct verdict verdict; /* against ref, when that is another set */
};

enum comparison_kind {
	COMPARISON_RUN,	  /* the modes of one run, randomised within blocks */
	COMPARISON_SIDES, /* sets of any runs, or of builds of one: the same mode on a later side
			     that is slower is a regression */
};

struct comparison {
	enum comparison_kind kind;
	bool of_run; /* comparison_of_run(): the report of one run, in which all of it is told */
	struct verdict_opts opts;
	const struct model **runs; /* every run that gave boots, oldest first; pointers borrowed */
	size_t n_runs;
	struct comparison_set *sets;
	size_t n_sets, n_blocks;
	size_t n_compared; /* sets with a verdict that is not "too few": Holm counts them */
	/* Set by whoever builds it; owned, NULL when there is nothing. */
	char *title;   /* "A against B": of comparisons of several runs, or builds */
	char *again;   /* the command that makes this comparison again */
	char *differs; /* what differs between the runs and was allowed, a line each */
	char *left;    /* what takes no part and why, a line each */
};

/* A set to be: the boots of these runs that have this mode and this image. */
struct comparison_pick {
	const char *name;  /* copied */
	const char *build; /* "": of runs without builds; NULL: whatever it is */
	const char *mode;
	const char *image;		 /* beginning of a sha256; "": any */
	const struct model *const *runs; /* borrowed until comparison_release() */
	size_t n_runs;
	size_t block; /* never smaller than that of the set before */
};

void comparison_init(
	struct comparison *c, enum comparison_kind kind, const struct verdict_opts *opts);
void comparison_release(struct comparison *c); /* safe to call twice */

/* Add a set; without a boot it is there all the same, and not usable.  Fails with ERR_MEASURE on
 * values that no arithmetic can take. */
must_check int comparison_add(struct comparison *c, const struct comparison_pick *p, struct err *e);

/* Choose the references and compare. */
must_check int comparison_judge(struct comparison *c, struct err *e);

/* The report of one run: init, a set for each mode that was not skipped, judge.  m is borrowed
 * until comparison_release().
 *
 * Of a run with builds: a block for each mode that the first build and another one have, with a set
 * a build ("base mixed", "patched mixed"); then for each build with two modes a block across these
 * ("mixed of patched"); then what is in none of them, by itself.  A block with more sets than
 * ministat's table takes is cut into several that each begin with the same reference ("base mixed
 * (2)").  The title is "patched against base". */
must_check int comparison_of_run(struct comparison *c, const struct model *m,
	const struct verdict_opts *opts, struct err *e);

/* A run takes part, also if it gives no boot: for comparison_of_run(). */
void comparison_note_run(struct comparison *c, const struct model *m);

/* An earlier set is made of the same boots. */
bool comparison_again(const struct comparison *c, size_t set);

/* The boot is of the set's mode and build: if it counted, and its run took part, it would be in it.
 */
bool comparison_wants(const struct comparison_set *s, const struct boot_result *r);

/* What the sets of a block have in common, for a heading: "mixed", or "modes of patched". */
void comparison_block_name(const struct comparison *c, size_t block, char *out, size_t size);

/* A set whose reference is of the same mode in a COMPARISON_SIDES: when it is slower, that is a
 * regression. */
bool comparison_judged(const struct comparison *c, size_t set);

/* Some set of a COMPARISON_SIDES is proven slower than its reference, which is of the same mode:
 * modes are compared with each other too, but none of them is the other's past. */
bool comparison_regressed(const struct comparison *c);

#endif
