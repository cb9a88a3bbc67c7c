/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "harness/probe.h"
#include "tests/unit/report.h"

struct fixture {
	struct buf console;
	struct probe *p;
	struct boot_result r;
};

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	buf_init(&f->console, 1 << 20);
	f->p = probe_new(NONCE);
	*state = f;
	return 0;
}

static void forget(struct fixture *f)
{
	free(f->r.samples);
	memset(&f->r, 0, sizeof(f->r));
	probe_free(f->p);
	f->p = NULL;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	forget(f);
	buf_release(&f->console);
	free(f);
	return 0;
}

/* Read the whole console, and decide with what the reports of report.h should say. */
static enum outcome read_console(struct fixture *f)
{
	const struct probe_expect x = REPORT_EXPECT;

	snprintf(f->r.mode, sizeof(f->r.mode), "cluster");
	probe_feed(f->p, f->console.data, f->console.len);
	probe_finish(f->p, &f->r, &x);
	if (f->r.outcome != OUTCOME_OK)
		assert_int_equal(f->r.err.cls, outcome_class(f->r.outcome));
	return f->r.outcome;
}

/* The same for one console of many: *ok counts those that gave data. */
static void read_damaged(struct fixture *f, const char *data, size_t n, int *ok)
{
	f->p = probe_new(NONCE);
	buf_clear(&f->console);
	buf_add(&f->console, data, n);
	if (read_console(f) == OUTCOME_OK) {
		++*ok;
		assert_int_equal(f->r.n_samples, SAMPLES + WARMUP);
	}
	for (size_t i = 0; i < f->r.n_samples; i++) {
		assert_int_equal(f->r.samples[i].ns, report_ns((int)i));
		assert_int_equal(f->r.samples[i].tsc, 2 * report_ns((int)i));
	}
	forget(f);
}

static char *two_passes(size_t *len)
{
	struct report_opts o = REPORT_OPTS;
	struct buf b;

	buf_init(&b, 1 << 16);
	report_boot(&b, NONCE);
	report_all(&b, &o);
	*len = b.len;
	return buf_detach(&b);
}

static void probe_reads_a_whole_boot(void **state)
{
	struct fixture *f = *state;
	struct report_opts o = REPORT_OPTS;
	const struct facts *facts = &f->r.facts;

	report_boot(&f->console, NONCE);
	report_all(&f->console, &o);
	assert_int_equal(read_console(f), OUTCOME_OK);
	assert_int_equal(probe_state(f->p), PROBE_DONE);
	assert_int_equal(f->r.n_samples, SAMPLES + WARMUP);
	for (int i = 0; i < SAMPLES + WARMUP; i++) {
		assert_int_equal(f->r.samples[i].ns, report_ns(i));
		assert_int_equal(f->r.samples[i].tsc, 2 * report_ns(i));
		assert_int_equal(f->r.samples[i].warmup, i < WARMUP);
	}
	assert_string_equal(f->r.effective, "cluster");
	assert_string_equal(f->r.flags, "");
	assert_string_equal(facts->hypervisor, "4.17.5");
	assert_string_equal(facts->build_id, BUILD_ID);
	assert_string_equal(facts->changeset, "Mon Nov 25 10:00:00 2024 +0100 git:01140da4e8");
	assert_string_equal(facts->compiler, "x86_64-linux-gnu-gcc (Debian 12.2.0-14) 12.2.0");
	assert_string_equal(facts->apic_driver, "x2apic_cluster");
	assert_string_equal(facts->cpu_vendor, "AMD");
	assert_string_equal(facts->cpu_model, "AMD EPYC 9754 128-Core Processor");
	assert_string_equal(facts->microcode, "0x0aa00215");
	assert_string_equal(facts->platform_timer, "14.318MHz HPET");
	assert_int_equal(facts->tsc_khz, 2000000);
	assert_int_equal(facts->cpus_online, 8);
	assert_int_equal(facts->cpus_present, 8);
	assert_int_equal(facts->sockets, 1);
	assert_int_equal(facts->target_cpus, 7);
	assert_int_equal(facts->clusters, 1);
	assert_int_equal(facts->debug, 0);
	assert_int_equal(facts->shorthand, 0);
}

static void probe_state_follows_the_console(void **state)
{
	struct fixture *f = *state;
	struct report_opts o = REPORT_OPTS;
	struct buf *b = &f->console;

#define STEP(expected) \
	do { \
		assert_int_equal(probe_feed(f->p, b->data, b->len), expected); \
		buf_clear(b); \
	} while (0)
	buf_adds(b, "iPXE 1.0.0\r\nDHCP... ok\r\n");
	STEP(PROBE_WAITING);
	report_boot(b, NONCE);
	STEP(PROBE_BOOTING);
	report_pass(b, &o);
	b->len -= 100;
	STEP(PROBE_BEGUN);
	buf_adds(b, "\n");
	report_pass(b, &o);
	STEP(PROBE_DONE); /* the second pass ended, though the first DONE was lost */
	probe_free(f->p);
	f->p = probe_new(NONCE);
	report_pass(b, &o);
	STEP(PROBE_TAIL);
	report_boot(b, NONCE);
	STEP(PROBE_DONE);
#undef STEP
}

static void probe_gives_the_same_for_every_split(void **state)
{
	struct fixture *f = *state;
	size_t len;
	char *text = two_passes(&len);

	for (size_t at = 0; at <= len; at++) {
		forget(f);
		f->p = probe_new(NONCE);
		probe_feed(f->p, text, at);
		buf_clear(&f->console);
		buf_add(&f->console, text + at, len - at);
		assert_int_equal(read_console(f), OUTCOME_OK);
		assert_string_equal(f->r.facts.cpu_model, "AMD EPYC 9754 128-Core Processor");
	}
	forget(f);
	f->p = probe_new(NONCE);
	for (size_t at = 0; at < len; at++)
		probe_feed(f->p, text + at, 1);
	buf_clear(&f->console);
	assert_int_equal(read_console(f), OUTCOME_OK);
	free(text);
}

static void probe_takes_no_wrong_number_from_a_cut_console(void **state)
{
	struct fixture *f = *state;
	size_t len;
	char *text = two_passes(&len);
	int ok = 0;

	forget(f);
	for (size_t n = 0; n < len; n++)
		read_damaged(f, text, n, &ok);
	for (size_t at = 1; at < len; at++)
		read_damaged(f, text + at, len - at, &ok);
	/* All cuts in the second pass, and most in the first when the front is lost. */
	assert_true(ok > 1000);
	free(text);
}

/* One place of damage: every way at every position.  A boot that does not give its exact samples is
 * rejected; damage within one pass is repaired from the other. */
static void probe_repairs_or_rejects_damage_at_every_position(void **state)
{
	static const char *const inserted[] = {
		"(XEN) d0v0 Unhandled something\r\n",
		"\r\n(XEN) *** LINE ***\r\n",
		"HPP1 ",
		"\x1b[31m",
		" #00000000",
	};
	enum { WAYS = 10, INSERTED = sizeof(inserted) / sizeof(inserted[0]) };
	struct fixture *f = *state;
	size_t len, report;
	char *text = two_passes(&len), *bad = malloc(len + 64);

	forget(f);
	report = (size_t)(strstr(text, "(XEN) HPP1") - text);
	for (size_t at = 0; at < len; at++) {
		int ok = 0;

		/* deleted, doubled, and flipped in each bit */
		memcpy(bad, text, at);
		memcpy(bad + at, text + at + 1, len - at - 1);
		read_damaged(f, bad, len - 1, &ok);
		bad[at] = text[at];
		memcpy(bad + at + 1, text + at, len - at);
		read_damaged(f, bad, len + 1, &ok);
		for (int bit = 0; bit < 8; bit++) {
			memcpy(bad, text, len);
			bad[at] ^= (char)(1 << bit);
			read_damaged(f, bad, len, &ok);
		}
		for (size_t i = 0; i < INSERTED; i++) {
			size_t n = strlen(inserted[i]);

			memcpy(bad, text, at);
			memcpy(bad + at, inserted[i], n);
			memcpy(bad + at + n, text + at, len - at);
			read_damaged(f, bad, len + n, &ok);
		}
		if (at >= report)
			assert_int_equal(ok, WAYS + INSERTED);
	}
	free(bad);
	free(text);
}

/* Find the n-th record with this type word in the console and damage its checksum. */
static void damage(struct buf *b, const char *word, int n)
{
	char *p = b->data;

	while (n-- >= 0) {
		p = strstr(p, word);
		assert_non_null(p);
		p++;
	}
	p = strchr(p, '#') + 1;
	*p = *p == '0' ? '1' : '0';
}

static void probe_says_how_many_records_it_repaired(void **state)
{
	struct fixture *f = *state;
	struct report_opts o = REPORT_OPTS;

	report_boot(&f->console, NONCE);
	report_all(&f->console, &o);
	damage(&f->console, " i=0 ", 0);
	damage(&f->console, " i=2 ", 0);
	damage(&f->console, " i=1 ", 1);
	assert_int_equal(read_console(f), OUTCOME_OK);
	assert_string_equal(
		f->r.flags, "console: 2 records taken from another pass; 3 copies damaged");
}

static void probe_reports_records_missing_in_every_pass(void **state)
{
	struct fixture *f = *state;
	struct report_opts o = REPORT_OPTS;

	report_boot(&f->console, NONCE);
	report_all(&f->console, &o);
	damage(&f->console, " i=2 ", 0);
	damage(&f->console, " i=2 ", 1);
	assert_int_equal(read_console(f), OUTCOME_INCOMPLETE);
	assert_non_null(strstr(f->r.err.msg, "1 of 8 records"));
	assert_int_equal(f->r.n_samples, 0);
}

static void probe_calls_a_report_without_done_a_crash(void **state)
{
	struct fixture *f = *state;
	struct report_opts o = REPORT_OPTS;

	report_boot(&f->console, NONCE);
	report_all(&f->console, &o);
	damage(&f->console, "DONE", 0);
	damage(&f->console, "DONE", 1);
	assert_int_equal(read_console(f), OUTCOME_CRASH);
}

/* Consoles of whole reports that are not what was asked for. */
static void probe_rejects_what_was_not_asked_for(void **state)
{
	static const struct {
		struct report_opts o;
		enum outcome outcome;
		const char *says;
	} cases[] = {
		{{NONCE, NONCE, "x2apic_cluster", BUILD_ID, NULL, 8, 1, 0, 1, 0}, OUTCOME_OK, ""},
		{{NONCE, NONCE, "x2apic_cluster", "-", NULL, 8, 1, 0, 1, 0}, OUTCOME_OK, ""},
		{{NONCE, NONCE, "x2apic_mixed", BUILD_ID, NULL, 8, 1, 0, 1, 0},
			OUTCOME_MODE_MISMATCH,
			"asked for cluster, the hypervisor runs mixed: no reason"},
		{{NONCE, NONCE, "default", BUILD_ID, NULL, 8, 1, 0, 1, 0}, OUTCOME_MODE_MISMATCH,
			"runs default"},
		{{NONCE, NONCE, "x2apic_mixed", BUILD_ID, NULL, 7, 1, 0, 1, 0},
			OUTCOME_CPU_MISMATCH, "7 CPUs online"},
		{{NONCE, NONCE, "x2apic_cluster", BUILD_ID, NULL, 8, 2, 0, 1, 0},
			OUTCOME_CPU_MISMATCH, "2 sockets"},
		{{NONCE, NONCE, "x2apic_cluster", BUILD_ID, NULL, 8, 1, 1, 1, 0}, OUTCOME_REFUSED,
			"debug"},
		{{NONCE, NONCE, "x2apic_cluster", BUILD_ID, NULL, 8, 1, 0, 1, 1}, OUTCOME_REFUSED,
			"shorthand"},
		{{NONCE, NONCE, "x2apic_cluster", BUILD_ID, "iters", 8, 1, 1, 1, 0},
			OUTCOME_REFUSED, "\"iters\""},
		{{NONCE, NONCE, "x2apic_cluster", "00ff", NULL, 8, 1, 1, 1, 0}, OUTCOME_WRONG_IMAGE,
			"00ff"},
		{{OTHER_NONCE, OTHER_NONCE, "x2apic_cluster", BUILD_ID, NULL, 8, 1, 0, 1, 0},
			OUTCOME_WRONG_IMAGE, "fedcba98"},
		{{NONCE, "0123456700000000fedcba9876543210", "x2apic_cluster", BUILD_ID, NULL, 8, 1,
			 0, 1, 0},
			OUTCOME_WRONG_IMAGE, "nonce"},
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		forget(f);
		f->p = probe_new(NONCE);
		buf_clear(&f->console);
		report_all(&f->console, &cases[i].o);
		assert_int_equal(read_console(f), cases[i].outcome);
		assert_non_null(strstr(f->r.err.msg, cases[i].says));
	}
}

static void probe_takes_a_debug_build_when_told_to(void **state)
{
	struct fixture *f = *state;
	const struct probe_expect x = {.samples = SAMPLES, .warmup = WARMUP, .allow_debug = true};
	struct report_opts o = REPORT_OPTS;

	o.debug = 1;
	report_all(&f->console, &o);
	probe_feed(f->p, f->console.data, f->console.len);
	probe_finish(f->p, &f->r, &x);
	assert_int_equal(f->r.outcome, OUTCOME_OK);
	assert_int_equal(f->r.facts.debug, 1);
}

static void probe_rejects_another_measurement_than_asked_for(void **state)
{
	static const struct probe_expect other[] = {
		{.samples = SAMPLES + 1, .warmup = WARMUP},
		{.samples = SAMPLES, .warmup = WARMUP + 1},
		{.samples = SAMPLES, .warmup = WARMUP, .iterations = 10000},
		{.samples = SAMPLES, .warmup = WARMUP, .workload = "flush-one"},
	};
	struct fixture *f = *state;
	struct report_opts o = REPORT_OPTS;

	report_all(&f->console, &o);
	for (size_t i = 0; i < sizeof(other) / sizeof(other[0]); i++) {
		forget(f);
		f->p = probe_new(NONCE);
		probe_feed(f->p, f->console.data, f->console.len);
		probe_finish(f->p, &f->r, &other[i]);
		assert_int_equal(f->r.outcome, OUTCOME_REFUSED);
		assert_null(f->r.samples);
	}
}

static void probe_keeps_samples_of_a_mismatch_for_the_log(void **state)
{
	struct fixture *f = *state;
	struct report_opts o = REPORT_OPTS;

	report_boot(&f->console, NONCE);
	buf_adds(&f->console,
		"(XEN) Not enabling x2APIC: disabled by cmdline.\r\n"
		"(XEN) WARNING: x2APIC cluster mode is not supported without interrupt remapping - "
		"forcing mixed mode\r\n"
		"(XEN) x2APIC: Already enabled by BIOS: Ignoring cmdline disable.\r\n");
	o.apic = "x2apic_mixed";
	report_all(&f->console, &o);
	assert_int_equal(read_console(f), OUTCOME_MODE_MISMATCH);
	assert_non_null(strstr(f->r.err.msg, "without interrupt remapping"));
	assert_string_equal(f->r.effective, "mixed");
	assert_int_equal(f->r.n_samples, SAMPLES + WARMUP);
}

static void probe_rejects_two_valid_copies_that_differ(void **state)
{
	struct fixture *f = *state;
	struct report_opts o = REPORT_OPTS;

	report_all(&f->console, &o);
	report_record(&f->console, NONCE, 3, "S w=flush-all i=1 ns=1 tsc=2");
	assert_int_equal(read_console(f), OUTCOME_CONFLICT);
	assert_non_null(strstr(f->r.err.msg, "record 3"));
}

static void probe_rejects_numbers_that_are_no_times(void **state)
{
	static const char *const bad[] = {
		"ns=0",
		"ns=-5",
		"ns=99999999999999999999",
		"ns=86400000000001",
		"ns=12x",
		"ns=1 ns=1",
		"ms=1",
		"ns=0350001111",
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct report_opts o = REPORT_OPTS;
		char rest[100], *cut;

		forget(f);
		f->p = probe_new(NONCE);
		buf_clear(&f->console);
		o.passes = 1;
		report_all(&f->console, &o);
		/* Take record 3 away, and put the bad one in front of DONE. */
		cut = strstr(f->console.data, "HPP1 01234567 3 ");
		cut[0] = 'X';
		probe_feed(f->p, f->console.data, f->console.len);
		buf_clear(&f->console);
		snprintf(rest, sizeof(rest), "S w=flush-all i=1 %s tsc=2", bad[i]);
		report_record(&f->console, NONCE, 3, rest);
		assert_int_equal(read_console(f), OUTCOME_INCOMPLETE);
		assert_int_equal(f->r.n_samples, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
		T(probe_reads_a_whole_boot),
		T(probe_state_follows_the_console),
		T(probe_gives_the_same_for_every_split),
		T(probe_takes_no_wrong_number_from_a_cut_console),
		T(probe_repairs_or_rejects_damage_at_every_position),
		T(probe_says_how_many_records_it_repaired),
		T(probe_reports_records_missing_in_every_pass),
		T(probe_calls_a_report_without_done_a_crash),
		T(probe_rejects_what_was_not_asked_for),
		T(probe_takes_a_debug_build_when_told_to),
		T(probe_rejects_another_measurement_than_asked_for),
		T(probe_keeps_samples_of_a_mismatch_for_the_log),
		T(probe_rejects_two_valid_copies_that_differ),
		T(probe_rejects_numbers_that_are_no_times),
	};
	return cmocka_run_group_tests_name("probe", tests, NULL, NULL);
}
