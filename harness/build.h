/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Build the images of a system under test, one a mode, into the image store.
 *
 * The work is done by the recipe firmware-images/NAME/recipe, whose verbs its README describes;
 * this module owns its processes, folders and results.  Below STATE: build/NAME/ (lock, work
 * folder, one log a mode), cache/NAME and cache/ccache (may be removed at any time), images/
 * (image.h).
 *
 * A mode whose inputs have not changed is not built again: the key of its inputs, the recipe's
 * `srchash` (tree, probe, tools, settings) with the bytes of the recipe's folder and the mode, is
 * looked up first.  One build a recipe and state folder runs at a time; others wait.  SIGINT and
 * SIGTERM end the recipe and everything it started, remove what is half made, and return class
 * interrupted.
 */
#ifndef HARNESS_BUILD_H
#define HARNESS_BUILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "firmware-images/image.h"
#include "harness/base/err.h"

enum { BUILD_MODES_MAX = 8 };

struct build_progress {
	const char *recipe; /* all borrowed until the callback returns */
	const char *step;   /* "waiting for another build (process 4711)", "cluster" … */
	int mode, n_modes;  /* from 1; 0 when no mode is being built */
	int objects, total; /* compiled so far, and about how many there are; 0 when not known */
	int64_t step_ns;    /* since the step began */
	bool begins, ends;  /* first and last call of a step; others come every 200 ms */
	bool failed;	    /* with ends */
};

typedef void build_progress_fn(void *arg, const struct build_progress *p);

struct build_opts {
	const char *state;
	const char *recipe; /* "xen" */
	const char *source; /* a tree; NULL: what the recipe fetches */
	const char *rev;    /* build this commit of the tree's repository; NULL: the tree as it
			       is, with what nobody has committed */
	const char *const *modes; /* n_modes of image_modes(recipe) */
	size_t n_modes;
	int jobs; /* > 0 */
	bool allow_debug, force;
	bool aside;		     /* modes stay with the images that they have */
	build_progress_fn *progress; /* may be NULL */
	void *arg;
};

enum build_status { BUILD_BUILT, BUILD_UP_TO_DATE, BUILD_SKIPPED };

struct build_mode {
	char mode[MODE_MAX];
	enum build_status status;
	char reason[256]; /* why it was skipped */
	char sha256[SHA256_HEX + 1];
	char version[48];
	uint64_t size; /* of the main file, bytes */
	int64_t ns;    /* that the build of this mode took */
};

/* Plain data, nothing to release. */
struct build_result {
	char version[48], commit[96];
	bool dirty;
	struct build_mode modes[BUILD_MODES_MAX]; /* in the order of image_modes() */
	size_t n_modes;
};

/* A mode that the tree lacks is recorded and reported as skipped; class image, E_NOMODE, when none
 * is left.  A failed build is class image, E_BUILD, with the compiler's first error and the log's
 * path; modes that were finished before it stay stored. */
int build_run(const struct build_opts *o, struct build_result *r, struct err *e) must_check;

/* "built", "up to date", "SKIPPED" */
const char *build_status_name(enum build_status s);

#endif
