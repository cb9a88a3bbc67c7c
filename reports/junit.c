/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/junit.h"

#include "reports/junit_suite.h"

/* Only the sums are of interest here. */
static void junit_sum(struct junit_suite *all, const struct junit_suite *one)
{
	for (int i = 0; i < JUNIT_RESULTS; i++)
		all->count[i] += one->count[i];
	all->ms += one->ms;
}

void report_junit(struct buf *out, const struct comparison *c)
{
	struct junit_suite all, one;
	struct buf suites;

	junit_suite_init(&all, 0);
	buf_init(&suites, out->max);
	for (size_t i = 0; i < c->n_runs; i++) {
		junit_suite_init(&one, out->max);
		junit_run(&suites, &one, c->runs[i], c->n_runs > 1);
		junit_sum(&all, &one);
		junit_suite_release(&one);
	}
	junit_suite_init(&one, out->max);
	junit_verdicts(&suites, &one, c);
	junit_sum(&all, &one);
	junit_suite_release(&one);

	buf_adds(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"harness\"");
	junit_suite_attrs(out, &all);
	buf_adds(out, ">\n");
	buf_add(out, suites.data, suites.len);
	buf_adds(out, "</testsuites>\n");
	if (suites.failed)
		out->failed = true;
	buf_release(&suites);
	junit_suite_release(&all);
}
