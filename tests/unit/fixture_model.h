/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs for the tests of reports: models as the store would fill them, without a random number.
 * The includer has stdarg.h and its kin, and releases each with model_release(). */
#ifndef TESTS_UNIT_FIXTURE_MODEL_H
#define TESTS_UNIT_FIXTURE_MODEL_H

#include <stdio.h>
#include <string.h>

#include "harness/base/mem.h"
#include "reports/model.h"

enum { FIXTURE_SAMPLES = 8 }; /* a boot, 2 of them warm-up */

static inline void fixture_mode(struct model *m, const char *name, const char *skipped)
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
static inline void fixture_boot(
	struct model *m, int index, int attempt, const char *name, int64_t base)
{
	struct model_boot *b = &m->list[m->n_list];
	struct boot_result *r = &b->r;

	*b = (struct model_boot){.number = (int)++m->n_list, .last_attempt = true};
	*r = (struct boot_result){.index = index,
		.block = index / 3,
		.attempt = attempt,
		.outcome = OUTCOME_OK,
		.stage = STAGE_DONE,
		.n_samples = FIXTURE_SAMPLES,
		.flags = mem_strdup(""),
		.console_len = 20000};
	r->samples = mem_array(FIXTURE_SAMPLES, sizeof(*r->samples));
	for (int i = 0; i < FIXTURE_SAMPLES; i++)
		r->samples[i] = (struct sample){
			.ns = base + (int64_t)(b->number * 7 % 5) * 500000 + i * 37 % 11 * 200000,
			.tsc = (uint64_t)(3 * base + i),
			.warmup = i < 2};
	snprintf(r->mode, sizeof(r->mode), "%s", name);
	snprintf(r->effective, sizeof(r->effective), "%s", name);
	memset(r->nonce, "0123456789abcdef"[b->number % 16], NONCE_HEX);
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

static inline void fixture_failed(struct model *m, enum outcome outcome, enum stage stage,
	const char *code, const char *msg, bool will_retry)
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

static inline void fixture_begin(struct model *m)
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
		.samples = FIXTURE_SAMPLES - 2,
		.iterations = 10000,
		.warmup = 2,
		.repeat = 2,
		.keep_rule = "after 2; flagged if halves differ (Mann-Whitney at 0.001, medians by "
			     "over 1 %)",
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
static inline void fixture_clean(struct model *m)
{
	static const char *const order[] = {"cluster", "mixed", "physical", "physical", "mixed",
		"cluster", "mixed", "cluster", "physical"};

	fixture_begin(m);
	snprintf(m->machine_description, sizeof(m->machine_description), "two sockets in rack 4");
	fixture_mode(m, "mixed", NULL);
	fixture_mode(m, "physical", NULL);
	fixture_mode(m, "cluster", NULL);
	for (int i = 0; i < 9; i++)
		fixture_boot(m, i, 0, order[i], order[i][0] == 'p' ? 1235000000 : 354000000);
}

/* An emulated machine, a skipped mode, boots of every fate, changed facts, an early end. */
static inline void fixture_rough(struct model *m)
{
	fixture_begin(m);
	m->emulated = true;
	snprintf(m->machine, sizeof(m->machine), "vlab");
	snprintf(m->emulator, sizeof(m->emulator), "QEMU 10.0.2, tcg");
	m->cpu_model[0] = '\0';
	m->firmware_version[0] = '\0';
	snprintf(m->firmware, sizeof(m->firmware), "bios");
	fixture_mode(m, "mixed", NULL);
	fixture_mode(m, "physical", NULL);
	m->modes[1].debug = true;
	fixture_mode(m, "cluster", "CONFIG_X2APIC_CLUSTER is not in this tree's Kconfig");
	m->total = 6;
	fixture_boot(m, 0, 0, "mixed", 354000000);
	fixture_boot(m, 1, 0, "physical", 1235000000);
	fixture_failed(
		m, OUTCOME_LAB, STAGE_FIRMWARE, "E_TIMEOUT", "console silent for 300 s", true);
	fixture_boot(m, 1, 1, "physical", 1235000000);
	snprintf(m->list[2].r.facts.microcode, 24, "0xaa00219");
	m->list[2].r.facts.tsc_khz = 2300000;
	free((char *)m->list[2].r.flags);
	m->list[2].r.flags = mem_strdup("console: 2 records repaired");
	fixture_boot(m, 2, 0, "physical", 1235000000);
	snprintf(m->list[3].r.effective, MODE_MAX, "mixed");
	snprintf(m->list[3].r.command_line, 1024, "console=com1");
	fixture_failed(m, OUTCOME_MODE_MISMATCH, STAGE_PROBE, "E_MODE",
		"physical was asked for, mixed is effective: the ACPI FADT demands it", false);
	fixture_boot(m, 3, 0, "mixed", 354000000);
	snprintf(m->list[4].r.facts.apic_driver, 48, "x2apic_other");
	fixture_boot(m, 4, 0, "mixed", 354000000);
	fixture_failed(
		m, OUTCOME_INTERRUPTED, STAGE_HYPERVISOR, "", "interrupted by Ctrl-C", false);
	err_set(&m->end_err, ERR_INTERRUPTED, "", "interrupted by Ctrl-C");
	m->wall_ns = 61000000000;
	m->machine_ns = 60100000000;
}

/* A run that was killed before anything was measured. */
static inline void fixture_empty(struct model *m)
{
	fixture_begin(m);
	fixture_mode(m, "mixed", NULL);
	fixture_mode(m, "physical", NULL);
	m->total = 6;
	m->ended = false;
	m->wall_ns = 0;
	m->machine_ns = 0;
}

/* One mode has samples enough; the reference has none. */
static inline void fixture_single(struct model *m)
{
	fixture_begin(m);
	fixture_mode(m, "mixed", NULL);
	fixture_mode(m, "physical", NULL);
	m->total = 2;
	m->boots = 1;
	fixture_boot(m, 0, 0, "mixed", 354000000);
	m->list[0].r.n_samples = 4;
	fixture_boot(m, 1, 0, "physical", 1235000000);
}

/* The reference is missing, two others can be compared; more of "iterations" than one is not said.
 */
static inline void fixture_shifted(struct model *m)
{
	fixture_begin(m);
	m->iterations = 1;
	fixture_mode(m, "mixed", NULL);
	fixture_mode(m, "physical", NULL);
	fixture_mode(m, "cluster", NULL);
	m->boots = 1;
	m->total = 3;
	fixture_boot(m, 0, 0, "mixed", 354000000);
	fixture_failed(
		m, OUTCOME_CRASH, STAGE_PROBE, "", "the hypervisor ended without DONE", true);
	fixture_boot(m, 0, 1, "mixed", 354000000);
	fixture_failed(
		m, OUTCOME_CRASH, STAGE_PROBE, "", "the hypervisor ended without DONE", false);
	fixture_boot(m, 1, 0, "physical", 1235000000);
	fixture_boot(m, 2, 0, "cluster", 354000000);
}

/* A later run of the same plan with another version: mixed is 3 % slower, physical as it was, and
 * cluster has lost a boot. */
static inline void fixture_later(struct model *m)
{
	fixture_clean(m);
	snprintf(m->uuid, sizeof(m->uuid), "8b210000-1b2d-4e5f-8a9b-0c1d2e3f4a5b");
	snprintf(m->id, sizeof(m->id), "8b21");
	m->started_wall_ns += 3 * 86400 * 1000000000LL;
	m->seed = 42;
	for (size_t i = 0; i < m->n_modes; i++) {
		struct model_mode *d = &m->modes[i];

		snprintf(d->version, sizeof(d->version), "4.20.0");
		snprintf(d->commit, sizeof(d->commit), "0123abc");
		memset(d->image_sha256, d->image_sha256[0] + 3, SHA256_HEX);
	}
	for (size_t i = 0; i < m->n_list; i++) {
		struct boot_result *r = &m->list[i].r;

		for (size_t k = 0; k < r->n_samples && r->mode[0] == 'm'; k++)
			r->samples[k].ns += r->samples[k].ns * 3 / 100;
	}
	m->list[0].r.outcome = OUTCOME_LAB;
}

/* A run with builds: base, and patched, whose images and commits are others. */
static inline void fixture_builds_begin(struct model *m)
{
	fixture_begin(m);
	snprintf(m->uuid, sizeof(m->uuid), "c0de90c2-1b2d-4e5f-8a9b-0c1d2e3f4a5b");
	snprintf(m->id, sizeof(m->id), "c0de");
	m->modes = mem_grow(m->modes, 4, sizeof(*m->modes));
	m->list = mem_grow(m->list, 24, sizeof(*m->list));
	m->builds = mem_array(2, sizeof(*m->builds));
	m->n_builds = 2;
	m->builds[0] = (struct run_build){.name = "base",
		.text = "3d1fe1c0f2a94b6c8d7e5f4a3b2c1d0e9f8a7b6c of the user's repository\n"
			"x86/apic: drop a stale comment"};
	m->builds[1] = (struct run_build){.name = "patched",
		.text = "base and 2 patches of flush.mbox, tree "
			"9f8a7b6c5d4e3f2a1b0c9d8e7f6a5b4c3d2e1f0a\n"
			"1/2 x86/smp: count the CPUs that a flush of the TLB has to wait for\n"
			"2/2 x86/smp: wait for these alone"};
	free(m->again);
	m->again = mem_strdup("harness run --machine epyc9754 --build base=aaaaaaaa,bbbbbbbb "
			      "--build patched=dddddddd,eeeeeeee --boots 3 --samples 6 --seed 41");
}

static inline void fixture_build_mode(
	struct model *m, const char *build, const char *mode, const char *skipped)
{
	struct model_mode *d = &m->modes[m->n_modes];

	fixture_mode(m, mode, skipped);
	snprintf(d->build, sizeof(d->build), "%s", build);
	if (build[0] != 'p')
		return;
	snprintf(d->commit, sizeof(d->commit), "0123abc");
	memset(d->image_sha256, d->image_sha256[0] + 3, SHA256_HEX);
}

/* One more boot of a mode, with the facts of its image. */
static inline struct boot_result *fixture_build_boot(
	struct model *m, int index, int attempt, const struct model_mode *d, int64_t base)
{
	struct boot_result *r;

	fixture_boot(m, index, attempt, d->mode, base);
	r = &m->list[m->n_list - 1].r;
	r->block = index / 4;
	snprintf(r->build, sizeof(r->build), "%s", d->build);
	memcpy(r->image_sha256, d->image_sha256, sizeof(r->image_sha256));
	memcpy(r->facts.build_id, d->build_id, sizeof(r->facts.build_id));
	snprintf(r->facts.changeset, sizeof(r->facts.changeset), "%s", d->commit);
	snprintf(r->facts.compiler, sizeof(r->facts.compiler), "gcc 12.2.0");
	return r;
}

/* Two builds of two modes: mixed of the second is about 10 % slower, physical is as it was. */
static inline void fixture_builds(struct model *m)
{
	static const int order[] = {2, 0, 3, 1, 1, 2, 0, 3, 3, 2, 1, 0};

	fixture_builds_begin(m);
	for (int i = 0; i < 4; i++)
		fixture_build_mode(
			m, i < 2 ? "base" : "patched", i % 2 ? "physical" : "mixed", NULL);
	m->total = 12;
	for (int i = 0; i < 12; i++)
		fixture_build_boot(m, i, 0, &m->modes[order[i]],
			order[i] % 2	? 1235000000
			: order[i] == 2 ? 389000000
					: 354000000);
}

/* The same, but mixed of the second build hangs, twice, and was given up. */
static inline void fixture_hang(struct model *m)
{
	static const int order[] = {2, 2, 0, 3, 1, 1, 0, 3, 3, 1, 0};
	static const char *const why = "nothing within 2m00s: the hypervisor said nothing more";

	fixture_builds_begin(m);
	for (int i = 0; i < 4; i++)
		fixture_build_mode(
			m, i < 2 ? "base" : "patched", i % 2 ? "physical" : "mixed", NULL);
	m->total = 12;
	for (int i = 0; i < 11; i++) {
		int at = i ? i - 1 : 0;

		fixture_build_boot(m,
			at < 5	 ? at
			: at < 8 ? at + 1
				 : at + 2,
			i == 1, &m->modes[order[i]], order[i] % 2 ? 1235000000 : 354000000);
		if (order[i] == 2)
			fixture_failed(m, OUTCOME_LAB, STAGE_HYPERVISOR, "E_TIMEOUT", why, !i);
	}
}

/* The first build lacks a mode that the second has. */
static inline void fixture_lacks(struct model *m)
{
	static const int order[] = {2, 0, 3, 0, 3, 2, 3, 2, 0};

	fixture_builds_begin(m);
	fixture_build_mode(m, "base", "mixed", NULL);
	fixture_build_mode(m, "base", "physical", "does not build: apic.c:12: error");
	fixture_build_mode(m, "patched", "mixed", NULL);
	fixture_build_mode(m, "patched", "physical", NULL);
	m->total = 9;
	for (int i = 0; i < 9; i++)
		fixture_build_boot(
			m, i, 0, &m->modes[order[i]], order[i] == 3 ? 1235000000 : 354000000)
			->block = i / 3;
}

/* The stages of a boot that began without off and on. */
static inline void fixture_began(struct model *m, size_t at, enum stage first)
{
	for (int i = STAGE_POWER_OFF; i < (int)first; i++)
		m->list[at].r.stages[i] = (struct stage_time){.reached = false};
}

/* Restarts between boots; the fourth boot did not come back, so that the fifth began with a cycle,
 * and the last with a reset. */
static inline void fixture_restarts(struct model *m)
{
	fixture_begin(m);
	fixture_mode(m, "mixed", NULL);
	fixture_mode(m, "physical", NULL);
	m->total = 6;
	for (int i = 0; i < 7; i++) {
		bool mixed = i == 0 || i == 2 || i == 5;

		fixture_boot(m, i > 3 ? i - 1 : i, i == 4, mixed ? "mixed" : "physical",
			mixed ? 354000000 : 1235000000);
	}
	for (size_t i = 1; i < 7; i++)
		m->list[i].r.stages[STAGE_HYPERVISOR].ns = (int64_t)i * 1000000000;
	m->list[3].r.outcome = OUTCOME_LAB;
	m->list[3].will_retry = true;
	m->list[3].last_attempt = false;
	m->list[3].r.n_samples = 0;
	m->list[3].r.stage = STAGE_FIRMWARE;
	err_set(&m->list[3].r.err, ERR_LAB, "E_TIMEOUT",
		"nothing more within 5m00s: the machine did not come back");
	for (int i = STAGE_IPXE; i < STAGE_DONE; i++)
		m->list[3].r.stages[i] = (struct stage_time){.reached = false};
	for (size_t i = 1; i < 6; i++)
		if (i != 4)
			fixture_began(m, i, STAGE_FIRMWARE);
	fixture_began(m, 6, STAGE_BOOT_DEVICE);
}

/* Two stages: a pilot of 3 boots a mode, 6 by the rule. */
static inline void fixture_two_stages(struct model *m)
{
	fixture_clean(m);
	m->list = mem_grow(m->list, 18, sizeof(*m->list));
	for (int i = 9; i < 18; i++)
		fixture_boot(m, i, 0, m->modes[i % 3].mode, i % 3 == 1 ? 1235000000 : 354000000);
	m->boots = 6;
	m->total = 18;
	m->until = (struct run_until){.width = 0.01, .pilot = 3, .max = 30, .wanted = 6};
	snprintf(m->keep_rule, sizeof(m->keep_rule),
		"after 2; flagged if halves differ (Mann-Whitney at 0.001, medians by "
		"over 1 %%)");
}

#endif
