/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reports that are whole, and whose checksums are right, with numbers that are not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "harness/probe.h"
#include "tests/unit/report.h"

/* Replace text in the only pass of a report, its checksum made right again. */
static void forge(struct buf *to, const struct buf *from, const char *old, const char *text)
{
	const char *line = from->data, *next;
	int replaced = 0;

	for (; (next = strstr(line, "\r\n")); line = next + 2) {
		const char *seq = line + strlen("(XEN) HPP1 01234567 "),
			   *rest = strchr(seq, ' ') + 1;
		const char *end = strstr(rest, " #"), *at = strstr(rest, old);
		char changed[200];

		if (at && at < end) {
			snprintf(changed, sizeof(changed), "%.*s%s%.*s", (int)(at - rest), rest,
				text, (int)(end - at - (long)strlen(old)), at + strlen(old));
			replaced++;
		} else {
			snprintf(changed, sizeof(changed), "%.*s", (int)(end - rest), rest);
		}
		report_record(to, NONCE, (int)strtol(seq, NULL, 10), changed);
	}
	assert_true(replaced);
}

/* The verdict, samples freed, on one pass that was changed so. */
static void read_forged(
	struct boot_result *v, const struct buf *whole, const char *old, const char *text)
{
	const struct probe_expect x = REPORT_EXPECT;
	struct probe *p = probe_new(NONCE);
	struct buf b;

	buf_init(&b, 1 << 16);
	forge(&b, whole, old, text);
	*v = (struct boot_result){.mode = "cluster"};
	probe_feed(p, b.data, b.len);
	probe_finish(p, v, &x);
	free(v->samples);
	v->samples = NULL;
	probe_free(p);
	buf_release(&b);
}

static void probe_rejects_keys_that_are_missing_or_make_no_sense(void **state)
{
	static const struct {
		const char *old, *text, *says;
	} cases[] = {
		{" probe=1.0", "", "BEGIN: probe="},
		{" xen=4.17.5", "", "BEGIN: xen="},
		{" build=" BUILD_ID, "", "BEGIN: build="},
		{" apic=x2apic_cluster", "", "BEGIN: apic="},
		{" online=8", "", "BEGIN: online="},
		{" online=8", " online=0", "BEGIN: online="},
		{" present=8", "", "BEGIN: present="},
		{" present=8", " present=7", "BEGIN: present="},
		{" sockets=1", "", "BEGIN: sockets="},
		{" sockets=1", " sockets=9", "BEGIN: sockets="},
		{" khz=2000000", "", "BEGIN: khz="},
		{" khz=2000000", " khz=0", "BEGIN: khz="},
		{" khz=2000000", " khz=many", "BEGIN: khz="},
		{" debug=0", "", "BEGIN: debug="},
		{" debug=0", " debug=2", "BEGIN: debug="},
		{" shorthand=0", "", "BEGIN: shorthand="},
		{"WORK w=flush-all", "WORK", "WORK: w="},
		{" iters=100", "", "WORK: iters="},
		{" iters=100", " iters=0", "WORK: iters="},
		{" samples=3", "", "WORK: samples="},
		{" warmup=1", "", "WORK: warmup="},
		{" cpus=7", "", "WORK: cpus="},
		{" cpus=7", " cpus=8", "WORK: cpus="},
		{" cpus=7", " cpus=0", "WORK: cpus="},
		{" clusters=1", "", "WORK: clusters="},
		{" clusters=1", " clusters=0", "WORK: clusters="},
		{" clusters=1", " clusters=8", "WORK: clusters="},
		{"END w=flush-all", "END", "do not fit together"},
		{"END w=flush-all", "END w=flush-one", "do not fit together"},
		{" repeat=1", "", "do not fit together"},
		{" tsc=700000000", "", "timing 0 is no time"},
		{" tsc=700000000", " tsc=0", "timing 0 is no time"},
		{" tsc=700000000", " tsc=9223372036854775808", "timing 0 is no time"},
	};
	struct report_opts o = REPORT_OPTS;
	struct buf whole;

	(void)state;

	o.passes = 1;
	buf_init(&whole, 1 << 16);
	report_all(&whole, &o);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct boot_result v;

		read_forged(&v, &whole, cases[i].old, cases[i].text);
		if (v.outcome != OUTCOME_INCOMPLETE || !strstr(v.err.msg, cases[i].says))
			fail_msg("\"%s\" for \"%s\": %s, %s", cases[i].text, cases[i].old,
				outcome_name(v.outcome), v.err.msg);
		assert_int_equal(v.n_samples, 0);
	}
	buf_release(&whole);
}

static void probe_compares_the_two_clocks(void **state)
{
	static const struct {
		const char *old, *text;
		bool agree;
	} cases[] = {
		{" khz=2000000", " khz=2010000", true},
		{" khz=2000000", " khz=1990000", true},
		{" khz=2000000", " khz=2050000", false},
		{" khz=2000000", " khz=1950000", false},
		{" khz=2000000", " khz=2", false},
		{" khz=2000000", " khz=999999999", false},
		/* An interruption between the clocks makes one timing longer, for a while. */
		{"tsc=700000000", "tsc=600000000", true},
		{"tsc=700000000", "tsc=499000000", false},
		{"tsc=700000000", "tsc=1", false},
		/* Nothing makes it shorter. */
		{"tsc=700000000", "tsc=710000000", false},
		{"tsc=700000000", "tsc=9223372036854775807", false},
		{"ns=350000000 tsc=700000000", "ns=1 tsc=2", true},
		{"ns=350000000 tsc=700000000", "ns=1000 tsc=3900", true},
		{"ns=350000000 tsc=700000000", "ns=1000 tsc=4100", false},
		{"ns=350000000 tsc=700000000", "ns=86400000000000 tsc=700000000", false},
		/* All of them. */
		{" tsc=70000", " tsc=60000", false},
	};
	struct report_opts o = REPORT_OPTS;
	struct buf whole;

	(void)state;

	o.passes = 1;
	buf_init(&whole, 1 << 16);
	report_all(&whole, &o);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct boot_result v;

		read_forged(&v, &whole, cases[i].old, cases[i].text);
		if (v.outcome != (cases[i].agree ? OUTCOME_OK : OUTCOME_CONFLICT))
			fail_msg("\"%s\": %s, %s", cases[i].text, outcome_name(v.outcome),
				v.err.msg);
		if (cases[i].agree)
			continue;
		assert_string_equal(v.err.code, "E_CLOCK");
		assert_non_null(strstr(v.err.msg, "clocks disagree"));
		assert_int_equal(v.n_samples, 0);
	}
	buf_release(&whole);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(probe_rejects_keys_that_are_missing_or_make_no_sense),
		cmocka_unit_test(probe_compares_the_two_clocks),
	};
	return cmocka_run_group_tests_name("probe_report", tests, NULL, NULL);
}
