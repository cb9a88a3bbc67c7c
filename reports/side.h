/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One side of a comparison as a person writes it.
 *
 *	last  last~2  7f3a			a run
 *	image:58eee895  58eee895		an image; without "image:" if it is no run
 *	2026-11-30  2026-11-01..2026-11-30	runs begun on these days, UTC, both included
 *	2026-11-01..  ..2026-11-30		the same, open at one end
 *	7f3a/physical				of any of these, one mode only
 *	7f3a/patched  7f3a/patched/physical	of runs with builds, one build only
 *
 * Pure: what a word stands for is for the store to find.
 */
#ifndef HARNESS_REPORTS_SIDE_H
#define HARNESS_REPORTS_SIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/base/err.h"
#include "harness/result.h"

enum { SIDE_IMAGE_DIGITS = 4 /* of a sha256, at least */ };

enum side_kind { SIDE_RUN, SIDE_IMAGE, SIDE_DATES };

struct side_word {
	enum side_kind kind;
	/* SIDE_RUN: what store_find() takes; SIDE_IMAGE: the first digits of a sha256.  In lower
	 * case. */
	char what[SHA256_HEX + 1];
	bool maybe_image; /* SIDE_RUN: could be one, should there be no such run */
	/* SIDE_DATES: begun at from_ns or later and before to_ns; INT64_MIN, INT64_MAX: open. */
	int64_t from_ns, to_ns;
	char build[BUILD_NAME_MAX]; /* "": none is named for sure */
	char mode[MODE_MAX];	    /* "": any; without a build perhaps one (sides_name_builds()) */
};

/* Errors: class usage, one line. */
must_check int side_parse(struct side_word *w, const char *text, struct err *e);

/* "2026-11-30", or "2026-11-01..2026-11-30": the days from from_ns up to, not including, to_ns, as
 * side_parse() reads them.  out holds 23 bytes or more. */
void side_days(int64_t from_ns, int64_t to_ns, char *out, size_t size);

#endif
