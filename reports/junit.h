/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A report as JUnit XML, for Jenkins, GitLab and whatever else draws test results.
 *
 * A suite a run: a case for each place of the plan, named by its mode ("patched mixed" where builds
 * are compared) and counted within it, so that the same case has the same name in the next run.
 *Where a report has several runs the name ends with the run's id, since readers drop what has a
 *name twice.  Then a suite of the verdicts.
 *
 *	boot ok				passed; a first attempt that failed is told in system-out
 *	class measurement		failure; type is the outcome, "mode-mismatch"
 *	any other class			error
 *	mode skipped, boot not run	skipped, with the reason
 *	run ended early			error (or failure) of a case "end" of its own
 *	proven slower, between sides	failure, type "regression"; also between builds
 *	any other verdict		passed: modes of one run may differ
 *	too few boots, or none		skipped
 *
 * The words of a verdict are in system-out.  Times are seconds with three digits; that of a place
 * is of all its attempts.  A time stamp is UTC.  The order of elements and the attributes are those
 * that all readers take: properties, testcase, system-out.  Pure.
 */
#ifndef HARNESS_REPORTS_JUNIT_H
#define HARNESS_REPORTS_JUNIT_H

#include "harness/base/buf.h"
#include "reports/comparison.h"

void report_junit(struct buf *out, const struct comparison *c);

#endif
