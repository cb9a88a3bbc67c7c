/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of bisect.h share. */
#ifndef HARNESS_BISECT_BISECT_INT_H
#define HARNESS_BISECT_BISECT_INT_H

#include "harness/bisect/bisect.h"
#include "harness/lock.h"

enum { BISECT_SIGNALS = 3 };

struct bisect {
	const struct bisect_opts *o;
	struct bisect_result *r;
	struct boots_ask ask;
	struct decide_plan plan;
	char good[GIT_HASH_MAX], bad[GIT_HASH_MAX];
	char *dir, *file; /* of this question: folder, log */
	struct lock lock;
	uv_loop_t loop;
	uv_signal_t signals[BISECT_SIGNALS];
	const char *stop; /* the signal that ends it, or NULL */
	struct builds *builds;
	struct boots ends[2]; /* of GOOD and BAD */
	int broken;	      /* commits that did not boot, since GOOD last did */
};

/* Folder, lock and log of this question, made where they are missing. */
int bisect_state_open(struct bisect *b, struct err *e) must_check;
void bisect_state_close(struct bisect *b);
int bisect_state_save(const struct bisect *b, struct err *e) must_check;

/* Add to the log, write it, say it. */
int bisect_decided(struct bisect *b, const char *commit, enum walk_word word, const char *evidence,
	struct err *e) must_check;

/* Class interrupted when a signal came. */
int bisect_stopped(struct bisect *b, struct err *e) must_check;

/* Subject and author of a commit; with its message when asked. */
int bisect_describe(const struct bisect *b, const char *hash, bool message, struct bisect_commit *c,
	struct err *e) must_check;

/* Build a commit: name, text and image of what is booted, when i->made. */
int bisect_unit(struct bisect *b, const char *commit, struct bisect_unit *u, struct builds_image *i,
	struct err *e) must_check;

/* Measure GOOD and BAD into b->ends and r->ends, and log them; *differ: go on.  Else r->end and
 * r->why are filled. */
int bisect_measure_ends(struct bisect *b, bool *differ, struct err *e) must_check;

/* Build, measure, decide and log the commit that is next. */
int bisect_one(struct bisect *b, const struct walk *w, struct err *e) must_check;

/* Measure r->last and r->first against each other: r->end, units and runs. */
int bisect_confirm(struct bisect *b, struct err *e) must_check;

/* "112.3 us, 3 boots" */
void bisect_mean(const struct boots *b, char *out, size_t size);

#endif
