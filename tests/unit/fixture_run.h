/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A state folder and a made-up run, for tests of the store and of what reads from it. */
#ifndef TESTS_FIXTURE_RUN_H
#define TESTS_FIXTURE_RUN_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "db/store_private.h"
#include "harness/base/mem.h"
#include "harness/base/path.h"

#define FIXTURE_UUID	"7f3a90c2-1b2d-4e5f-8a9b-0c1d2e3f4a5b"
#define FIXTURE_CONSOLE "(XEN) Xen version 4.17.5\r\n\0binary\x1b[31m\n"

enum { FIXTURE_SAMPLES = 28, FIXTURE_WARMUP = 3 };

struct fixture {
	char dir[64];
	struct target target;
	struct run_mode modes[3];
	struct run_info info;
	struct run_totals totals;
	struct sample samples[FIXTURE_SAMPLES];
};

static inline void fixture_state(struct fixture *f)
{
	snprintf(f->dir, sizeof(f->dir), "/tmp/harness-test-XXXXXX");
	if (!mkdtemp(f->dir))
		fail_msg("cannot make %s", f->dir);
}

static inline void fixture_remove(struct fixture *f)
{
	struct err e = ERR_INIT;

	assert_int_equal(path_remove(f->dir, &e), 0);
}

static inline struct store *fixture_open(struct fixture *f)
{
	struct store *s = NULL;
	struct err e = ERR_INIT;

	if (store_open(&s, f->dir, &e))
		fail_msg("store_open: %s", e.msg);
	return s;
}

static inline void fixture_target(struct target *t)
{
	*t = (struct target){.name = "epyc9754",
		.description = "two sockets in rack 4",
		.cpu_model = "AMD EPYC 9754",
		.mac = "52:54:00:12:34:56",
		.firmware = FIRMWARE_UEFI,
		.firmware_version = "1.12",
		.cpus = 512,
		.sockets = 2,
		.bmc = {.driver = "ipmi",
			.host = "bmc.example",
			.port = 623,
			.user = "harness",
			.password_kind = SECRET_COMMAND,
			.password_from = "echo hunter2"},
		.console = {.driver = "sol"},
		.netboot = {.listen = "127.0.0.1:0"},
		.hypervisor = {.args = "bootscrub=0", .serial = "com1=115200,8n1 console=com1"},
		.measure = {.workload = "flush-all"}};
	for (int i = 0; i < STAGE_COUNT; i++)
		t->deadline_ms[i] = 1000 * (i + 1);
}

static inline void fixture_init(struct fixture *f)
{
	memset(f, 0, sizeof(*f));
	fixture_state(f);
	fixture_target(&f->target);
	for (int i = 0; i < 2; i++) {
		struct image *im = &f->modes[i].image;

		snprintf(f->modes[i].mode, MODE_MAX, "%s", i ? "physical" : "mixed");
		memset(im->sha256, 'a' + i, SHA256_HEX);
		memset(im->config_hash, 'c' + i, SHA256_HEX);
		memset(im->source_hash, 'e' + i, SHA256_HEX);
		snprintf(im->recipe, sizeof(im->recipe), "xen");
		memcpy(im->mode, f->modes[i].mode, MODE_MAX);
		snprintf(im->version, sizeof(im->version), "4.17.5");
		snprintf(im->commit, sizeof(im->commit), "4.17.5+23-1");
		snprintf(im->compiler, sizeof(im->compiler), "gcc 12.2.0");
		snprintf(im->build_id, sizeof(im->build_id), "%d5ecaa7a253cc37a", i);
		snprintf(im->probe_version, sizeof(im->probe_version), "1.0");
		im->debug = i == 1;
	}
	snprintf(f->modes[2].mode, MODE_MAX, "cluster");
	f->modes[2].skipped = true;
	snprintf(f->modes[2].reason, sizeof(f->modes[2].reason), "Kconfig has no such mode");
	f->info = (struct run_info){.uuid = FIXTURE_UUID,
		.target = &f->target,
		.workload = "flush-all",
		.boots = 2,
		.samples = FIXTURE_SAMPLES - FIXTURE_WARMUP,
		.iterations = 10000,
		.warmup = FIXTURE_WARMUP,
		.repeat = 2,
		.keep_rule = "after 3, settled when flat",
		.until = {.width = .01, .pilot = 5, .max = 30},
		.seed = UINT64_MAX - 41,
		.modes = f->modes,
		.n_modes = 3,
		.total = 4,
		.extra_args = "loglvl=all",
		.again = "harness run --machine epyc9754 --seed 41",
		.harness_version = "v0.1-3-gabcdef",
		.user = "operator",
		.host = "controller",
		.emulator = "",
		.started_wall_ns = 1796044505000000000};
	f->totals = (struct run_totals){
		.wall_ns = 674000000000, .machine_ns = 660000000000, .ok = 3, .failed = 1};
	for (size_t i = 0; i < FIXTURE_SAMPLES; i++)
		f->samples[i] = (struct sample){.ns = 354000000 + (int64_t)(i * 7919 % 1000) * 1000,
			.tsc = UINT64_MAX - i,
			.warmup = i < FIXTURE_WARMUP};
}

/* A boot with every field set; outcome ok. */
static inline struct boot_result fixture_boot(struct fixture *f, int index, int attempt)
{
	struct boot_result r = {.index = index,
		.block = index / 2,
		.attempt = attempt,
		.outcome = OUTCOME_OK,
		.stage = STAGE_DONE,
		.started_wall_ns = 1796044505000000000 + index,
		.samples = f->samples,
		.n_samples = FIXTURE_SAMPLES,
		.console = FIXTURE_CONSOLE,
		.console_len = sizeof(FIXTURE_CONSOLE) - 1,
		.flags = "console: 2 records repaired"};

	memcpy(r.mode, f->modes[index % 2].mode, MODE_MAX);
	memcpy(r.effective, r.mode, MODE_MAX);
	memcpy(r.image_sha256, f->modes[index % 2].image.sha256, sizeof(r.image_sha256));
	memset(r.nonce, '0' + index, NONCE_HEX);
	snprintf(r.command_line, sizeof(r.command_line), "console=com1 hp_nonce=%s", r.nonce);
	for (int i = 0; i < STAGE_COUNT; i++)
		r.stages[i] = (struct stage_time){.reached = true,
			.start_ns = (index * STAGE_COUNT + i) * 1000000000LL,
			.ns = 999999999 - i,
			.settle_ns = i == STAGE_POWER_OFF ? 500000000 : 0};
	r.facts = (struct facts){.hypervisor = "4.17.5",
		.build_id = "5ecaa7a253cc37af",
		.changeset = "Tue Nov 7",
		.compiler = "gcc 12.2.0",
		.apic_driver = "x2apic_mixed",
		.cpu_model = "AMD EPYC 9754 128-Core Processor",
		.cpu_vendor = "AMD",
		.microcode = "0xaa00215",
		.platform_timer = "14.318MHz HPET",
		.mode_reason = "because",
		.cpus_online = 512,
		.cpus_present = 512,
		.sockets = 2,
		.clusters = 32,
		.target_cpus = 511,
		.tsc_khz = 2250000,
		.debug = 0,
		.shorthand = 0};
	return r;
}

static inline void fixture_begin(struct store *s, struct fixture *f)
{
	struct run_sink k = store_sink(s);
	struct err e = ERR_INIT;

	if (k.begin(k.arg, &f->info, &e))
		fail_msg("begin: %s", e.msg);
}

static inline void fixture_store_boot(struct store *s, const struct boot_result *r, bool retry)
{
	struct run_sink k = store_sink(s);
	struct err e = ERR_INIT;

	if (k.boot(k.arg, r, retry, &e))
		fail_msg("boot: %s", e.msg);
}

static inline void fixture_end(struct store *s, struct fixture *f)
{
	struct run_sink k = store_sink(s);
	struct err e = ERR_INIT;

	if (k.end(k.arg, &f->totals, &e))
		fail_msg("end: %s", e.msg);
}

/* A run of one boot under another UUID, begun later by one second for each call. */
static inline void fixture_other_run(struct store *s, struct fixture *f, const char *uuid)
{
	snprintf(f->info.uuid, UUID_TEXT, "%s", uuid);
	f->info.started_wall_ns += 1000000000;
	fixture_begin(s, f);
	fixture_end(s, f);
}

/* The caller frees it. */
static inline char *fixture_file(const struct fixture *f)
{
	return mem_printf("%s/harness.db", f->dir);
}

/* The number that one SELECT or PRAGMA gives. */
static inline int64_t fixture_ask(struct store *s, const char *sql)
{
	sqlite3_stmt *st;
	int64_t v;

	assert_int_equal(sqlite3_prepare_v2(s->db, sql, -1, &st, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(st), SQLITE_ROW);
	v = sqlite3_column_int64(st, 0);
	sqlite3_finalize(st);
	return v;
}

static inline void fixture_read(const char *file, struct buf *b)
{
	struct err e = ERR_INIT;

	buf_init(b, 64 << 20);
	assert_int_equal(path_read(file, b, &e), 0);
}

#endif
