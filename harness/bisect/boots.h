/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the store has of a commit: the boots of its image that may be compared.
 *
 * These are the good boots of one machine, image and mode with the same settings of the target,
 * workload, parameters and arguments.  Those of runs of this bisect always count.  Earlier ones
 * count when machine and hypervisor said the same of themselves as in the reference
 * (reports/alike.h: CPU, microcode, firmware, CPUs, command line, shorthand, debug, emulator).
 */
#ifndef HARNESS_BISECT_BOOTS_H
#define HARNESS_BISECT_BOOTS_H

#include "db/store.h"
#include "harness/stats/moments.h"

/* Texts are borrowed. */
struct boots_ask {
	const char *machine, *mode, *workload, *args;
	const char *settings; /* as store_settings() tells them */
	int samples, iterations, warmup, repeat;
	int64_t begun_ns; /* wall: runs of this bisect begin here */
	bool fresh;	  /* earlier ones do not count */
};

struct boots_one {
	double mean; /* ns */
	bool own;    /* of a run of this bisect */
	int64_t started_ns;
	char run[UUID_TEXT], id[UUID_TEXT]; /* of the run, and its short id */
	char *machine, *all;		    /* what they said of the machine, and of all */
	char *microcode;		    /* "": not said, as some versions do not */
};

struct boots {
	struct boots_one *v; /* in the order of their starts; owned */
	size_t n;
	struct moments m; /* of the means, when n > 0 */
	size_t good,
		failed; /* boots of this bisect that went well; that failed for the image's sake */
	bool broken;	/* more of them failed than went well */
	char why[384];	/* when any failed: outcome, and the reason in a line */
};

/* b is released by boots_release() whatever this returns.  with: only runs that have this image,
 * too, and those of this bisect since the first of them, which boot what a run that was cut short
 * lacks; or NULL. */
int boots_load(struct boots *b, struct store *s, const struct boots_ask *ask, const char *image,
	const char *with, struct err *e) must_check;
void boots_release(struct boots *b); /* safe to call twice */

/* The boot that others have to be like: the newest of this bisect's, else the newest; NULL without
 * any.  Borrowed from whichever of a and b it is of. */
const struct boots_one *boots_reference(const struct boots *a, const struct boots *b);

/* Drop earlier boots that are not like it (NULL: all stay), and sum up.  Fails with class
 * measurement, E_DIFFERS, when the machine changed since this bisect began. */
int boots_keep(struct boots *b, const struct boots_one *ref, struct err *e) must_check;

/* The short ids of its runs, each once, with blanks between. */
void boots_runs(const struct boots *b, char *out, size_t size);

/* Is that the image's fault, and not the lab's? */
bool boots_is_broken(const struct boot_result *r);

#endif
