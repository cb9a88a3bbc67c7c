/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/buf.h"
#include "harness/base/child.h"
#include "harness/base/mem.h"
#include "harness/base/path.h"
#include "reports/json.h"
#include "reports/show.h"
#include "reports/text.h"

enum { BIG = 1 << 20, SAMPLES = 8 };

static void mode(struct model *m, const char *name, const char *skipped)
{
	struct model_mode *d = &m->modes[m->n_modes++];

	*d = (struct model_mode){.skipped = skipped != NULL,
		.recipe = "xen",
		.version = "4.19.1",
		.commit = "3d1fe1c",
		.compiler = "gcc (Debian 12.2.0-14) 12.2.0",
		.probe_version = "1.0"};
	snprintf(d->mode, sizeof(d->mode), "%s", name);
	snprintf(d->reason, sizeof(d->reason), "%s", skipped ? skipped : "");
	memset(d->image_sha256, name[0] == 'm' ? 'a' : name[0] == 'p' ? 'b' : 'c', SHA256_HEX);
	memset(d->config_hash, '0' + (char)m->n_modes, SHA256_HEX);
	snprintf(d->build_id, sizeof(d->build_id), "%zu5ecaa7a253cc37af4540cc6a5069c2321d4b255",
		m->n_modes);
}

/* Times spread by boot and by sample, without a random number. */
static void boot(struct model *m, int index, int attempt, const char *name, int64_t base)
{
	struct model_boot *b = &m->list[m->n_list];
	struct boot_result *r = &b->r;

	*b = (struct model_boot){.number = (int)++m->n_list, .last_attempt = true};
	*r = (struct boot_result){.index = index,
		.block = index / 3,
		.attempt = attempt,
		.outcome = OUTCOME_OK,
		.stage = STAGE_DONE,
		.n_samples = SAMPLES,
		.flags = mem_strdup(""),
		.console_len = 20000};
	r->samples = mem_array(SAMPLES, sizeof(*r->samples));
	for (int i = 0; i < SAMPLES; i++)
		r->samples[i] = (struct sample){
			.ns = base + (int64_t)(b->number * 7 % 5) * 500000 + i * 37 % 11 * 200000,
			.tsc = (uint64_t)(3 * base + i),
			.warmup = i < 2};
	snprintf(r->mode, sizeof(r->mode), "%s", name);
	snprintf(r->effective, sizeof(r->effective), "%s", name);
	memset(r->nonce, '0' + b->number, NONCE_HEX);
	snprintf(r->command_line, sizeof(r->command_line),
		"com1=115200,8n1 console=com1 bootscrub=0 cpufreq=none cpuidle=0 hp_nonce=%s "
		"hp_work=flush-all hp_samples=6 hp_warmup=2 hp_iters=10000 hp_repeat=2",
		r->nonce);
	for (int i = 0; i < STAGE_COUNT; i++)
		r->stages[i] = (struct stage_time){
			.reached = true, .ns = (i + 1) * 1500000000LL, .start_ns = i};
	r->facts = (struct facts){.hypervisor = "4.19.1",
		.cpu_model = "AMD EPYC 9754 128-Core Processor",
		.microcode = "0xaa00215",
		.platform_timer = "14.318MHz HPET",
		.cpus_online = 512,
		.cpus_present = 512,
		.sockets = 2,
		.clusters = 32,
		.target_cpus = 511,
		.tsc_khz = 2250012};
	snprintf(r->facts.apic_driver, sizeof(r->facts.apic_driver), "x2apic_%s", name);
}

static void failed(struct model *m, enum outcome outcome, enum stage stage, const char *code,
	const char *msg, bool will_retry)
{
	struct model_boot *b = &m->list[m->n_list - 1];

	b->r.outcome = outcome;
	b->r.stage = stage;
	b->will_retry = will_retry;
	b->last_attempt = !will_retry;
	err_set(&b->r.err, outcome_class(outcome), code, "%s", msg);
	if (outcome != OUTCOME_MODE_MISMATCH)
		b->r.n_samples = 0;
	for (int i = stage + 1; i < STAGE_COUNT; i++)
		b->r.stages[i] = (struct stage_time){.reached = false};
}

static void begin(struct model *m)
{
	model_init(m);
	*m = (struct model){.uuid = "7f3a90c2-1b2d-4e5f-8a9b-0c1d2e3f4a5b",
		.id = "7f3a",
		.machine = "epyc9754",
		.cpu_model = "AMD EPYC 9754",
		.firmware_version = "1.12",
		.firmware = "uefi",
		.workload = "flush-all",
		.boots = 3,
		.samples = SAMPLES - 2,
		.iterations = 10000,
		.warmup = 2,
		.repeat = 2,
		.total = 9,
		.seed = 41,
		.harness_version = "v0.1-3-gabcdef",
		.user = "operator",
		.host = "controller",
		.started_wall_ns = 1796044505000000000,
		.ended = true,
		.wall_ns = 1200000000000,
		.machine_ns = 1176000000000};
	m->target_text = mem_strdup("[machine]\n");
	m->extra_args = mem_strdup("loglvl=all guest_loglvl=all");
	m->again = mem_strdup("harness run --machine epyc9754 --modes mixed,physical,cluster "
			      "--boots 3 --samples 6 --iterations 10000 --warmup 2 --workload "
			      "flush-all --seed 41 --args 'loglvl=all guest_loglvl=all'");
	m->modes = mem_array(3, sizeof(*m->modes));
	m->list = mem_array(12, sizeof(*m->list));
}

/* Three modes, three boots each, nothing went wrong. */
static void make_clean(struct model *m)
{
	static const char *const order[] = {"cluster", "mixed", "physical", "physical", "mixed",
		"cluster", "mixed", "cluster", "physical"};

	begin(m);
	snprintf(m->machine_description, sizeof(m->machine_description), "two sockets in rack 4");
	mode(m, "mixed", NULL);
	mode(m, "physical", NULL);
	mode(m, "cluster", NULL);
	for (int i = 0; i < 9; i++)
		boot(m, i, 0, order[i], order[i][0] == 'p' ? 1235000000 : 354000000);
}

/* An emulated machine, a skipped mode, boots of every fate, changed facts, an early end. */
static void make_rough(struct model *m)
{
	begin(m);
	m->emulated = true;
	snprintf(m->machine, sizeof(m->machine), "vlab");
	snprintf(m->emulator, sizeof(m->emulator), "QEMU 10.0.2, tcg");
	m->cpu_model[0] = '\0';
	m->firmware_version[0] = '\0';
	snprintf(m->firmware, sizeof(m->firmware), "bios");
	mode(m, "mixed", NULL);
	mode(m, "physical", NULL);
	m->modes[1].debug = true;
	mode(m, "cluster", "CONFIG_X2APIC_CLUSTER is not in this tree's Kconfig");
	m->total = 6;
	boot(m, 0, 0, "mixed", 354000000);
	boot(m, 1, 0, "physical", 1235000000);
	failed(m, OUTCOME_LAB, STAGE_FIRMWARE, "E_TIMEOUT", "console silent for 300 s", true);
	boot(m, 1, 1, "physical", 1235000000);
	snprintf(m->list[2].r.facts.microcode, 24, "0xaa00219");
	m->list[2].r.facts.tsc_khz = 2300000;
	free((char *)m->list[2].r.flags);
	m->list[2].r.flags = mem_strdup("console: 2 records repaired");
	boot(m, 2, 0, "physical", 1235000000);
	snprintf(m->list[3].r.effective, MODE_MAX, "mixed");
	snprintf(m->list[3].r.command_line, 1024, "console=com1");
	failed(m, OUTCOME_MODE_MISMATCH, STAGE_PROBE, "E_MODE",
		"physical was asked for, mixed is effective: the ACPI FADT demands it", false);
	boot(m, 3, 0, "mixed", 354000000);
	snprintf(m->list[4].r.facts.apic_driver, 48, "x2apic_other");
	boot(m, 4, 0, "mixed", 354000000);
	failed(m, OUTCOME_INTERRUPTED, STAGE_HYPERVISOR, "", "interrupted by Ctrl-C", false);
	err_set(&m->end_err, ERR_INTERRUPTED, "", "interrupted by Ctrl-C");
	m->wall_ns = 61000000000;
	m->machine_ns = 60100000000;
}

/* A run that was killed before anything was measured. */
static void make_empty(struct model *m)
{
	begin(m);
	mode(m, "mixed", NULL);
	mode(m, "physical", NULL);
	m->total = 6;
	m->ended = false;
	m->wall_ns = 0;
	m->machine_ns = 0;
}

/* One mode has samples enough; the reference has none. */
static void make_single(struct model *m)
{
	begin(m);
	mode(m, "mixed", NULL);
	mode(m, "physical", NULL);
	m->total = 2;
	m->boots = 1;
	boot(m, 0, 0, "mixed", 354000000);
	m->list[0].r.n_samples = 4;
	boot(m, 1, 0, "physical", 1235000000);
}

/* The reference is missing, two others can be compared; more of "iterations" than one is not said.
 */
static void make_shifted(struct model *m)
{
	begin(m);
	m->iterations = 1;
	mode(m, "mixed", NULL);
	mode(m, "physical", NULL);
	mode(m, "cluster", NULL);
	m->boots = 1;
	m->total = 3;
	boot(m, 0, 0, "mixed", 354000000);
	failed(m, OUTCOME_CRASH, STAGE_PROBE, "", "the hypervisor ended without DONE", true);
	boot(m, 0, 1, "mixed", 354000000);
	failed(m, OUTCOME_CRASH, STAGE_PROBE, "", "the hypervisor ended without DONE", false);
	boot(m, 1, 0, "physical", 1235000000);
	boot(m, 2, 0, "cluster", 354000000);
}

static void show_plain(struct buf *b, const struct model *m)
{
	report_show(b, m, false);
}

static void show_samples(struct buf *b, const struct model *m)
{
	report_show(b, m, true);
}

static void show_json(struct buf *b, const struct model *m)
{
	json_t *o = report_json(m);
	char *s = json_dumps(o, JSON_INDENT(1));

	buf_adds(b, s);
	buf_addc(b, '\n');
	free(s);
	json_decref(o);
}

static void expect_golden(void (*make)(struct model *),
	void (*render)(struct buf *, const struct model *), const char *name)
{
	char *path = mem_printf("tests/golden/%s", name), *other = mem_printf("%s.new", path);
	struct buf got, again, want;
	struct model m, twin;
	struct err e = ERR_INIT;

	buf_init(&got, BIG);
	buf_init(&again, BIG);
	buf_init(&want, BIG);
	make(&m);
	make(&twin);
	render(&got, &m);
	render(&again, &twin);
	assert_string_equal(again.data, got.data); /* the same model, the same bytes */
	assert_false(got.failed);
	if (getenv("GOLDEN_NEW"))
		assert_int_equal(path_write(other, got.data, got.len, 0644, &e), 0);
	if (path_read(path, &want, &e))
		fail_msg("%s", e.msg);
	assert_string_equal(got.data, want.data);
	model_release(&m);
	model_release(&twin);
	buf_release(&got);
	buf_release(&again);
	buf_release(&want);
	free(path);
	free(other);
}

static void report_of_a_clean_run(void **state)
{
	(void)state;
	expect_golden(make_clean, report_text, "report-clean.txt");
}

static void report_of_a_rough_run_says_what_is_missing(void **state)
{
	(void)state;
	expect_golden(make_rough, report_text, "report-rough.txt");
}

static void report_without_samples_has_sensible_words(void **state)
{
	(void)state;
	expect_golden(make_empty, report_text, "report-empty.txt");
}

static void report_of_a_single_mode_compares_nothing(void **state)
{
	(void)state;
	expect_golden(make_single, report_text, "report-single.txt");
}

static void report_names_the_reference_that_steps_in(void **state)
{
	(void)state;
	expect_golden(make_shifted, report_text, "report-shifted.txt");
}

static void show_has_two_lines_a_boot(void **state)
{
	(void)state;
	expect_golden(make_rough, show_plain, "show-rough.txt");
	expect_golden(make_single, show_samples, "show-samples.txt");
}

static void json_has_the_whole_model(void **state)
{
	(void)state;
	expect_golden(make_single, show_json, "show-single.json");
}

static void json_survives_bytes_that_are_not_utf8(void **state)
{
	json_t *v = report_json_text("a\xff\xfe"
				     "b");

	(void)state;
	assert_string_equal(json_string_value(v), "a??b");
	json_decref(v);
}

static void report_fits_80_columns_but_for_single_words(void **state)
{
	void (*const makes[])(struct model *) = {
		make_clean, make_rough, make_empty, make_single, make_shifted};

	(void)state;
	for (size_t i = 0; i < sizeof(makes) / sizeof(makes[0]); i++) {
		struct model m;
		struct buf b;

		buf_init(&b, BIG);
		makes[i](&m);
		report_text(&b, &m);
		for (char *line = strtok(b.data, "\n"); line; line = strtok(NULL, "\n"))
			if (strlen(line) > 80)
				fail_msg("too long: %s", line);
		buf_release(&b);
		model_release(&m);
	}
}

static void command_that_repeats_a_run_can_be_pasted(void **state)
{
	const char *argv[] = {"bash", "-c", NULL, NULL};
	const struct child_opts o = {.argv = argv, .deadline_ms = 20000, .out_max = BIG};
	struct child_result r;
	struct err e = ERR_INIT;
	struct model m;
	struct buf b;
	char *from, *script;

	(void)state;
	buf_init(&b, BIG);
	make_clean(&m);
	report_text(&b, &m);
	from = strstr(b.data, "\nagain");
	assert_non_null(from);
	*strstr(from, "\n\n") = '\0';
	assert_non_null(strstr(from + 1, " \\\n"));
	/* What a shell makes of it, words in lines. */
	script = mem_printf("harness() { printf '%%s\\n' harness \"$@\"; }\n%s", from + 6);
	argv[2] = script;
	assert_int_equal(child_run(&o, &r, &e), 0);
	assert_int_equal(r.status, 0);
	assert_string_equal(r.out.data,
		"harness\nrun\n--machine\nepyc9754\n--modes\nmixed,physical,cluster\n--boots\n3\n"
		"--samples\n6\n--iterations\n10000\n--warmup\n2\n--workload\nflush-all\n--"
		"seed\n41\n"
		"--args\nloglvl=all guest_loglvl=all\n");
	child_result_release(&r);
	free(script);
	buf_release(&b);
	model_release(&m);
}

static void values_are_kept_samples_of_boots_that_count(void **state)
{
	struct model m;
	double *v;
	size_t n;

	(void)state;
	make_rough(&m);
	model_values(&m, "mixed", &v, &n);
	assert_int_equal(n, 2 * (SAMPLES - 2));
	assert_true(v[0] == (double)m.list[0].r.samples[2].ns);
	assert_true(v[n - 1] == (double)m.list[4].r.samples[SAMPLES - 1].ns);
	free(v);
	model_values(&m, "physical", &v, &n);
	assert_int_equal(n, SAMPLES - 2);
	free(v);
	model_values(&m, "cluster", &v, &n);
	assert_int_equal(n, 0);
	assert_null(v);
	model_boot_values(&m.list[3], &v, &n); /* a mismatch has samples, too */
	assert_int_equal(n, SAMPLES - 2);
	free(v);
	model_release(&m);
}

static void console_for_a_terminal_has_no_control_characters(void **state)
{
	static const char in[] = "a\tb\r\nc\rd\x1b[31m\x7f\0\x9b"
				 "e\r";
	struct buf b;

	(void)state;
	buf_init(&b, 1000);
	report_console(&b, in, sizeof(in) - 1);
	assert_string_equal(b.data, "a\tb\nc^Md^[[31m^?^@\\x9be^M");
	buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(report_of_a_clean_run),
		cmocka_unit_test(report_of_a_rough_run_says_what_is_missing),
		cmocka_unit_test(report_without_samples_has_sensible_words),
		cmocka_unit_test(report_of_a_single_mode_compares_nothing),
		cmocka_unit_test(report_names_the_reference_that_steps_in),
		cmocka_unit_test(show_has_two_lines_a_boot),
		cmocka_unit_test(json_has_the_whole_model),
		cmocka_unit_test(json_survives_bytes_that_are_not_utf8),
		cmocka_unit_test(report_fits_80_columns_but_for_single_words),
		cmocka_unit_test(command_that_repeats_a_run_can_be_pasted),
		cmocka_unit_test(values_are_kept_samples_of_boots_that_count),
		cmocka_unit_test(console_for_a_terminal_has_no_control_characters),
	};
	return cmocka_run_group_tests_name("report", tests, NULL, NULL);
}
