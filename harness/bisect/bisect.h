/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Find the commit that changed the speed of a machine: from GOOD, where it was right, to BAD.
 *
 * GOOD and BAD are measured and must differ by the effect; then one commit after the other is
 * built, booted and decided (decide.h) until one is left (walk.h); at last that one and the good
 * one before it are booted in turns within one run, which is the evidence.
 *
 * STATE/bisect/KEY/ holds a lock and the log (log.h), which is written after each decision.  The
 * same question goes on from there; boots are taken from the store before any is made (boots.h).
 * The user's repository is only read.
 */
#ifndef HARNESS_BISECT_BISECT_H
#define HARNESS_BISECT_BISECT_H

#include "harness/bisect/boots.h"
#include "harness/bisect/builds.h"
#include "harness/bisect/decide.h"
#include "harness/bisect/log.h"

enum { BISECT_LINE = 512, BISECT_MESSAGE_MAX = 65536 };

/* What is booted. */
struct bisect_unit {
	char name[BUILD_NAME_MAX];
	char text[BISECT_LINE]; /* where it comes from */
	char image[SHA256_HEX + 1];
};

/* Boot each of n units that many times, in turns, and store it.  Returns 0, or negative with *e
 * filled; uuid is the run's, "" when there is none, also then. */
typedef int bisect_boot_fn(void *arg, const struct bisect_unit *units, size_t n, int boots,
	char uuid[UUID_TEXT], struct err *e);

/* Texts are borrowed. */
struct bisect_opts {
	const char *state, *repo, *recipe;
	const char *good, *bad; /* revisions */
	struct boots_ask ask;	/* but for begun_ns; fresh: begin anew */
	size_t boots, max_boots;
	double conf, effect; /* percent */
	int jobs;
	bool allow_debug;
	bisect_boot_fn *boot;
	void (*say)(void *arg, const char *line); /* progress, a line a call */
	void *arg;
};

enum bisect_end {
	BISECT_FOUND,
	BISECT_UNCONFIRMED, /* found, but the last run of both does not show it */
	BISECT_STUCK,	    /* only skipped ones left: any of list */
	BISECT_SAME,	    /* GOOD and BAD do not differ by the effect */
	BISECT_OPEN,	    /* whether they do cannot be told */
};

struct bisect_commit {
	char hash[GIT_HASH_MAX], subject[256], author[256];
	char *message; /* owned; NULL where nobody asked */
};

/* Released by bisect_release(), also after a failure. */
struct bisect_result {
	enum bisect_end end;
	struct decide_ends ends;	  /* when it was measured in this call */
	struct bisect_commit first, last; /* the first bad, the last good; "" when there is none */
	struct bisect_commit *list;	  /* when stuck; owned */
	size_t n;
	/* Of the evidence. */
	struct bisect_unit units[2]; /* last good, first bad */
	char (*runs)[UUID_TEXT];     /* n_runs, that have both, in their order; owned */
	size_t n_runs;
	char why[BISECT_LINE]; /* one line, of all but BISECT_FOUND */
	struct bisect_log log;
	char *file; /* the log's; owned; NULL before there is any */
};

/* The store must not be open in this process.  r is released by bisect_release() whatever this
 * returns. */
int bisect_run(const struct bisect_opts *o, struct bisect_result *r, struct err *e) must_check;
void bisect_release(struct bisect_result *r); /* safe to call twice */

/* "found", "unconfirmed", "stuck", "same", "open" */
const char *bisect_end_name(enum bisect_end end);

#endif
