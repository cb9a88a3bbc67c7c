/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A suite in the making: cases are added, their counts kept, then it is written.  For junit*.c. */
#ifndef HARNESS_REPORTS_JUNIT_SUITE_H
#define HARNESS_REPORTS_JUNIT_SUITE_H

#include "harness/base/buf.h"
#include "reports/comparison.h"

enum junit_result { JUNIT_PASSED, JUNIT_FAILURE, JUNIT_ERROR, JUNIT_SKIPPED, JUNIT_RESULTS };

/* Everything borrowed for the call. */
struct junit_case {
	const char *classname, *name;
	int64_t ms;
	enum junit_result result;
	const char *type;    /* of a failure or an error */
	const char *message; /* one line; of all but passed */
	const char *text;    /* the whole story of a failure or an error, or NULL */
	const char *said;    /* system-out, or NULL */
};

struct junit_suite {
	struct buf properties, cases; /* XML */
	size_t count[JUNIT_RESULTS];
	int64_t ms;
};

void junit_suite_init(struct junit_suite *s, size_t max); /* bytes of each part */
void junit_suite_release(struct junit_suite *s);

/* A value of NULL or "" is left out. */
void junit_suite_property(struct junit_suite *s, const char *name, const char *value);

void junit_suite_case(struct junit_suite *s, const struct junit_case *c);
size_t junit_suite_tests(const struct junit_suite *s);

/* tests, failures, errors and time; what both elements have. */
void junit_suite_attrs(struct buf *out, const struct junit_suite *s);

/* The element; attrs is XML that stands in its tag, said its system-out (NULL: none). */
void junit_suite_write(struct buf *out, const struct junit_suite *s, const char *name,
	const char *attrs, const char *said);

/* junit_run.c, junit_verdict.c: fill s and write it. */
void junit_run(struct buf *out, struct junit_suite *s, const struct model *m, bool several);
void junit_verdicts(struct buf *out, struct junit_suite *s, const struct comparison *c);

#endif
