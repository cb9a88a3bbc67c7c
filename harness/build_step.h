/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One step of a build: a verb of the recipe, run to its end with signals, progress and a log.
 *
 * struct build_steps lives for one build_run().  Steps run one after another on a loop of its own.
 */
#ifndef HARNESS_BUILD_STEP_H
#define HARNESS_BUILD_STEP_H

#include <stdio.h>
#include <uv.h>

#include "harness/base/buf.h"
#include "harness/base/child.h"
#include "harness/build.h"

enum { BUILD_LINE_MAX = 8192, BUILD_OUT_MAX = 65536 };

struct build_steps {
	const struct build_opts *opts; /* borrowed */
	const char *const *env;	       /* for every child; borrowed */
	uv_loop_t loop;
	uv_signal_t sigint, sigterm;
	uv_timer_t tick;
	struct child *child; /* while a step runs */
	struct build_progress progress;
	int64_t began_ns;
	bool interrupted;
	/* Of the step that runs or ran last. */
	FILE *log;
	bool quiet; /* what it prints is an answer, not progress */
	struct buf out, line[2];
	bool long_line[2];
	char first_error[512]; /* compiler's */
	char last_error[512];  /* last line on stderr */
	int status;
	bool over, timed_out;
};

void build_steps_init(struct build_steps *s, const struct build_opts *o, const char *const *env);
void build_steps_release(struct build_steps *s);

struct build_step {
	const char *what; /* for people, "preparing" */
	const char *const *argv;
	int mode, n_modes; /* see struct build_progress */
	const char *log;   /* file for all output, started anew; NULL: none */
	int deadline_ms;
	bool quiet; /* no progress, unless it takes longer than 3 s */
};

/* Run it; its stdout is then in s->out (BUILD_OUT_MAX bytes of it).  Class interrupted; or class
 * image, E_BUILD, for a status other than 0 and a passed deadline. */
int build_step_run(struct build_steps *s, const struct build_step *st, struct err *e) must_check;

/* Take the lock file, waiting as long as it takes; the descriptor goes to *fd. */
int build_step_lock(struct build_steps *s, const char *file, int *fd, struct err *e) must_check;

/* The line is a compiler's, assembler's or linker's error, or a full disk.  Pure. */
bool build_line_is_error(const char *line);

/* The line reports one object ("  CC      common/smp.o").  Pure. */
bool build_line_is_object(const char *line);

#endif
