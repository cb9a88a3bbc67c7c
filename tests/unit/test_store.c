/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/unit/fixture_run.h"

static void expect_same_boot(const struct boot_result *got, const struct boot_result *want)
{
	assert_int_equal(got->index, want->index);
	assert_int_equal(got->block, want->block);
	assert_int_equal(got->attempt, want->attempt);
	assert_string_equal(got->build, want->build);
	assert_string_equal(got->mode, want->mode);
	assert_string_equal(got->effective, want->effective);
	assert_string_equal(got->image_sha256, want->image_sha256);
	assert_string_equal(got->nonce, want->nonce);
	assert_int_equal(got->outcome, want->outcome);
	assert_int_equal(got->stage, want->stage);
	assert_int_equal(got->err.cls, want->err.cls);
	assert_string_equal(got->err.code, want->err.code);
	assert_string_equal(got->err.msg, want->err.msg);
	assert_string_equal(got->command_line, want->command_line);
	assert_true(got->started_wall_ns == want->started_wall_ns);
	assert_string_equal(got->flags, want->flags);
	assert_null(got->console);
	assert_int_equal(got->console_len, want->console_len);
	for (int i = 0; i < STAGE_COUNT; i++) {
		assert_int_equal(got->stages[i].reached, want->stages[i].reached);
		assert_true(got->stages[i].start_ns == want->stages[i].start_ns);
		assert_true(got->stages[i].ns == want->stages[i].ns);
		assert_true(got->stages[i].settle_ns == want->stages[i].settle_ns);
	}
	assert_string_equal(got->facts.hypervisor, want->facts.hypervisor);
	assert_string_equal(got->facts.build_id, want->facts.build_id);
	assert_string_equal(got->facts.changeset, want->facts.changeset);
	assert_string_equal(got->facts.compiler, want->facts.compiler);
	assert_string_equal(got->facts.apic_driver, want->facts.apic_driver);
	assert_string_equal(got->facts.cpu_model, want->facts.cpu_model);
	assert_string_equal(got->facts.cpu_vendor, want->facts.cpu_vendor);
	assert_string_equal(got->facts.microcode, want->facts.microcode);
	assert_string_equal(got->facts.platform_timer, want->facts.platform_timer);
	assert_string_equal(got->facts.mode_reason, want->facts.mode_reason);
	assert_int_equal(got->facts.cpus_online, want->facts.cpus_online);
	assert_int_equal(got->facts.cpus_present, want->facts.cpus_present);
	assert_int_equal(got->facts.sockets, want->facts.sockets);
	assert_int_equal(got->facts.clusters, want->facts.clusters);
	assert_int_equal(got->facts.target_cpus, want->facts.target_cpus);
	assert_true(got->facts.tsc_khz == want->facts.tsc_khz);
	assert_int_equal(got->facts.debug, want->facts.debug);
	assert_int_equal(got->facts.shorthand, want->facts.shorthand);
	assert_int_equal(got->n_samples, want->n_samples);
	for (size_t i = 0; i < want->n_samples; i++) {
		assert_true(got->samples[i].ns == want->samples[i].ns);
		assert_true(got->samples[i].tsc == want->samples[i].tsc);
		assert_int_equal(got->samples[i].warmup, want->samples[i].warmup);
	}
}

static void expect_same_run(const struct model *m, const struct fixture *f)
{
	const struct run_info *i = &f->info;

	assert_string_equal(m->uuid, i->uuid);
	assert_string_equal(m->id, "7f3a");
	assert_string_equal(m->machine, f->target.name);
	assert_string_equal(m->machine_description, f->target.description);
	assert_string_equal(m->cpu_model, f->target.cpu_model);
	assert_string_equal(m->firmware, "uefi");
	assert_string_equal(m->firmware_version, f->target.firmware_version);
	assert_false(m->emulated);
	assert_string_equal(m->emulator, i->emulator);
	assert_string_equal(m->workload, i->workload);
	assert_int_equal(m->boots, i->boots);
	assert_int_equal(m->samples, i->samples);
	assert_int_equal(m->iterations, i->iterations);
	assert_int_equal(m->warmup, i->warmup);
	assert_int_equal(m->repeat, i->repeat);
	assert_int_equal(m->total, i->total);
	assert_string_equal(m->keep_rule, i->keep_rule);
	assert_true(m->until.width == i->until.width);
	assert_int_equal(m->until.pilot, i->until.pilot);
	assert_int_equal(m->until.max, i->until.max);
	assert_int_equal(m->until.wanted, i->until.wanted);
	assert_true(m->seed == i->seed);
	assert_string_equal(m->extra_args, i->extra_args);
	assert_string_equal(m->again, i->again);
	assert_string_equal(m->harness_version, i->harness_version);
	assert_string_equal(m->user, i->user);
	assert_string_equal(m->host, i->host);
	assert_true(m->started_wall_ns == i->started_wall_ns);
	assert_true(m->ended);
	assert_int_equal(m->end_err.cls, f->totals.err.cls);
	assert_string_equal(m->end_err.code, f->totals.err.code);
	assert_string_equal(m->end_err.msg, f->totals.err.msg);
	assert_true(m->wall_ns == f->totals.wall_ns);
	assert_true(m->machine_ns == f->totals.machine_ns);
	assert_int_equal(m->n_builds, i->n_builds);
	for (size_t k = 0; k < m->n_builds; k++) {
		assert_string_equal(m->builds[k].name, i->builds[k].name);
		assert_string_equal(m->builds[k].text, i->builds[k].text);
	}
	assert_int_equal(m->n_modes, i->n_modes);
	for (size_t k = 0; k < m->n_modes; k++) {
		const struct model_mode *d = &m->modes[k];
		const struct run_mode *w = &i->modes[k];

		assert_string_equal(d->build, w->build);
		assert_string_equal(d->mode, w->mode);
		assert_int_equal(d->skipped, w->skipped);
		assert_string_equal(d->reason, w->reason);
		assert_string_equal(d->image_sha256, w->image.sha256);
		assert_string_equal(d->recipe, w->image.recipe);
		assert_string_equal(d->version, w->image.version);
		assert_string_equal(d->commit, w->image.commit);
		assert_string_equal(d->compiler, w->image.compiler);
		assert_string_equal(d->build_id, w->image.build_id);
		assert_string_equal(d->config_hash, w->image.config_hash);
		assert_string_equal(d->probe_version, w->image.probe_version);
		assert_string_equal(d->source_hash, w->image.source_hash);
		assert_int_equal(d->debug, w->image.debug);
	}
}

static void store_gives_back_every_field_of_a_run(void **state)
{
	struct fixture f;
	struct boot_result r[4];
	struct store *s;
	struct model m;
	struct err e = ERR_INIT;

	(void)state;
	fixture_init(&f);
	s = fixture_open(&f);
	fixture_begin(s, &f);
	r[0] = fixture_boot(&f, 0, 0);
	r[1] = fixture_boot(&f, 1, 0);
	r[1].outcome = OUTCOME_LAB;
	r[1].stage = STAGE_FIRMWARE;
	err_set(&r[1].err, ERR_LAB, "E_TIMEOUT", "console silent for 300 s");
	r[1].n_samples = 0;
	r[1].stages[STAGE_PROBE] = (struct stage_time){.reached = false};
	r[1].console_len = 0;
	r[1].facts = (struct facts){.cpus_online = -1,
		.cpus_present = -1,
		.sockets = -1,
		.clusters = -1,
		.target_cpus = -1,
		.tsc_khz = -1,
		.debug = -1,
		.shorthand = -1};
	r[2] = fixture_boot(&f, 1, 1);
	r[3] = fixture_boot(&f, 2, 0);
	memset(r[3].image_sha256, '9', SHA256_HEX); /* not one of the run's images */
	for (int i = 0; i < 4; i++)
		fixture_store_boot(s, &r[i], i == 1);
	err_set(&f.totals.err, ERR_INTERRUPTED, "E_SIGNAL", "interrupted by Ctrl-C");
	fixture_end(s, &f);
	store_close(s);

	s = fixture_open(&f);
	assert_int_equal(store_load(s, FIXTURE_UUID, &m, &e), 0);
	expect_same_run(&m, &f);
	assert_int_equal(m.n_list, 4);
	for (int i = 0; i < 4; i++) {
		expect_same_boot(&m.list[i].r, &r[i]);
		assert_int_equal(m.list[i].number, i + 1);
		assert_int_equal(m.list[i].will_retry, i == 1);
		assert_int_equal(m.list[i].last_attempt, i != 1);
	}
	model_release(&m);
	model_release(&m);
	store_close(s);
	fixture_remove(&f);
}

static void store_takes_the_second_stage_of_a_run(void **state)
{
	struct fixture f;
	struct store *s;
	struct run_sink k;
	struct model m;
	struct err e = ERR_INIT;

	(void)state;
	fixture_init(&f);
	s = fixture_open(&f);
	k = store_sink(s);
	assert_int_equal(k.replan(k.arg, &f.info, &e), 0); /* no run goes on */
	fixture_begin(s, &f);
	f.info.boots = 12;
	f.info.total = 24;
	f.info.until.wanted = 12;
	assert_int_equal(k.replan(k.arg, &f.info, &e), 0);
	assert_int_equal(fixture_ask(s, "PRAGMA synchronous"), 1); /* NORMAL again */
	store_close(s); /* what a killed controller leaves */

	s = fixture_open(&f);
	assert_int_equal(store_load(s, FIXTURE_UUID, &m, &e), 0);
	assert_int_equal(m.boots, 12);
	assert_int_equal(m.total, 24);
	assert_true(m.until.width == .01);
	assert_int_equal(m.until.pilot, 5);
	assert_int_equal(m.until.max, 30);
	assert_int_equal(m.until.wanted, 12);
	model_release(&m);
	store_close(s);
	fixture_remove(&f);
}

static void store_keeps_settings_and_no_secret(void **state)
{
	struct fixture f;
	struct store *s;
	struct model m;
	struct err e = ERR_INIT;

	(void)state;
	fixture_init(&f);
	s = fixture_open(&f);
	fixture_begin(s, &f);
	assert_int_equal(store_load(s, FIXTURE_UUID, &m, &e), 0);
	assert_non_null(strstr(m.target_text, "[bmc]\n"));
	assert_non_null(strstr(m.target_text, "host = bmc.example\n"));
	assert_non_null(strstr(m.target_text, "args = bootscrub=0\n"));
	assert_non_null(strstr(m.target_text, "firmware = 6s\n"));
	assert_null(strstr(m.target_text, "hunter2"));
	assert_null(strstr(m.target_text, "password"));
	model_release(&m);
	store_close(s);
	fixture_remove(&f);
}

static void store_calls_a_virtual_machine_emulated(void **state)
{
	struct fixture f;
	struct store *s;
	struct model m;
	struct err e = ERR_INIT;

	(void)state;
	fixture_init(&f);
	f.target.lab.present = true;
	f.info.emulator = "QEMU 10.0.2, tcg";
	s = fixture_open(&f);
	fixture_begin(s, &f);
	assert_int_equal(store_load(s, FIXTURE_UUID, &m, &e), 0);
	assert_true(m.emulated);
	assert_string_equal(m.emulator, "QEMU 10.0.2, tcg");
	model_release(&m);
	store_close(s);
	fixture_remove(&f);
}

static void store_unpacks_a_console_byte_for_byte(void **state)
{
	struct fixture f;
	struct store *s;
	struct boot_result r;
	char *big = mem_alloc(3 << 20);
	struct buf b;
	struct err e = ERR_INIT;

	(void)state;
	fixture_init(&f);
	s = fixture_open(&f);
	fixture_begin(s, &f);
	r = fixture_boot(&f, 0, 0);
	fixture_store_boot(s, &r, false);
	for (size_t i = 0; i < 3 << 20; i++)
		big[i] = (char)(i * i % 251);
	r = fixture_boot(&f, 1, 0);
	r.console = big;
	r.console_len = 3 << 20;
	fixture_store_boot(s, &r, false);

	buf_init(&b, 4 << 20);
	assert_int_equal(store_console(s, FIXTURE_UUID, 1, &b, &e), 0);
	assert_int_equal(b.len, sizeof(FIXTURE_CONSOLE) - 1);
	assert_memory_equal(b.data, FIXTURE_CONSOLE, b.len);
	buf_clear(&b);
	assert_int_equal(store_console(s, FIXTURE_UUID, 2, &b, &e), 0);
	assert_int_equal(b.len, 3 << 20);
	assert_memory_equal(b.data, big, b.len);
	assert_int_equal(store_console(s, FIXTURE_UUID, 3, &b, &e), -ERR_USAGE);
	assert_string_equal(e.msg, "run 7f3a90c2 has no boot 3: 2 boots of it are stored");
	buf_release(&b);
	free(big);
	store_close(s);
	fixture_remove(&f);
}

static int collect_event(void *arg, const struct store_event *ev)
{
	buf_addf(arg, "%d %lld %s %s\n", ev->boot, (long long)ev->mono_ns, ev->what, ev->detail);
	return 0;
}

static void store_numbers_events_by_the_boot_that_went_on(void **state)
{
	struct fixture f;
	struct store *s;
	struct run_sink k;
	struct boot_result r;
	struct buf b;
	struct err e = ERR_INIT;

	(void)state;
	fixture_init(&f);
	s = fixture_open(&f);
	k = store_sink(s);
	fixture_begin(s, &f);
	assert_int_equal(k.event(k.arg, -1, 5, "lock", "taken", &e), 0);
	assert_int_equal(k.event(k.arg, 0, 6, "power", "off", &e), 0);
	r = fixture_boot(&f, 0, 0);
	fixture_store_boot(s, &r, true);
	assert_int_equal(k.event(k.arg, 0, 7, "fetch", "/ipxe", &e), 0);
	fixture_end(s, &f);
	assert_int_equal(k.event(k.arg, 0, 8, "late", "no run is open", &e), 0);
	buf_init(&b, 1000);
	assert_int_equal(store_events(s, FIXTURE_UUID, collect_event, &b, &e), 0);
	assert_string_equal(b.data, "0 5 lock taken\n1 6 power off\n2 7 fetch /ipxe\n");
	buf_release(&b);
	store_close(s);
	fixture_remove(&f);
}

static void store_keeps_a_boot_whole_or_not_at_all(void **state)
{
	struct fixture f;
	struct store *s;
	struct run_sink k;
	struct boot_result r;
	struct model m;
	struct err e = ERR_INIT;

	(void)state;
	fixture_init(&f);
	s = fixture_open(&f);
	k = store_sink(s);
	fixture_begin(s, &f);
	r = fixture_boot(&f, 0, 0);
	fixture_store_boot(s, &r, false);
	sqlite3_exec(s->db,
		"CREATE TEMP TRIGGER refuse BEFORE INSERT ON sample WHEN new.place = 20 "
		"BEGIN SELECT raise(FAIL, 'no sample 20'); END",
		NULL, NULL, NULL);
	r = fixture_boot(&f, 1, 0);
	assert_int_equal(k.boot(k.arg, &r, false, &e), -ERR_LAB);
	assert_string_equal(e.code, "E_STORE");
	assert_non_null(strstr(e.msg, "no sample 20"));
	sqlite3_exec(s->db, "DROP TRIGGER refuse", NULL, NULL, NULL);
	assert_int_equal(store_load(s, FIXTURE_UUID, &m, &e), 0);
	assert_int_equal(m.n_list, 1);
	model_release(&m);
	fixture_store_boot(s, &r, false); /* the same store goes on */
	assert_int_equal(store_load(s, FIXTURE_UUID, &m, &e), 0);
	assert_int_equal(m.n_list, 2);
	assert_int_equal(m.list[1].number, 2);
	model_release(&m);
	store_close(s);
	fixture_remove(&f);
}

static void store_shares_rows_of_what_did_not_change(void **state)
{
	static const struct {
		const char *sql;
		int64_t n;
	} counts[] = {
		{"SELECT count(*) FROM run", 3},
		{"SELECT count(*) FROM machine", 2},
		{"SELECT count(*) FROM workload", 1},
		{"SELECT count(*) FROM image", 2},
	};
	struct fixture f;
	struct store *s;
	struct err e = ERR_INIT;

	(void)state;
	fixture_init(&f);
	s = fixture_open(&f);
	fixture_other_run(s, &f, "10000000-0000-4000-8000-000000000000");
	fixture_other_run(s, &f, "20000000-0000-4000-8000-000000000000");
	snprintf(f.target.firmware_version, sizeof(f.target.firmware_version), "1.13");
	fixture_other_run(s, &f, "30000000-0000-4000-8000-000000000000");
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		struct query q;

		query_open(&q, s, counts[i].sql);
		assert_int_equal(query_step(&q, &e), 1);
		assert_int_equal(query_get_int(&q), counts[i].n);
		query_end(&q);
	}
	store_close(s);
	fixture_remove(&f);
}

static void store_refuses_the_same_run_twice(void **state)
{
	struct fixture f;
	struct store *s;
	struct run_sink k;
	struct err e = ERR_INIT;

	(void)state;
	fixture_init(&f);
	s = fixture_open(&f);
	k = store_sink(s);
	fixture_begin(s, &f);
	assert_int_equal(k.begin(k.arg, &f.info, &e), -ERR_LAB);
	store_close(s);
	fixture_remove(&f);
}

static void store_marks_runs_whose_controller_died(void **state)
{
	struct fixture f;
	struct store *s;
	struct run_sink k;
	struct boot_result r;
	struct model m;
	int n = -1;
	struct err e = ERR_INIT;

	(void)state;
	fixture_init(&f);
	s = fixture_open(&f);
	k = store_sink(s);
	fixture_begin(s, &f);
	r = fixture_boot(&f, 0, 0);
	fixture_store_boot(s, &r, false);
	r = fixture_boot(&f, 1, 0);
	assert_int_equal(k.stage(k.arg, &r, STAGE_FIRMWARE, &e), 0);
	store_close(s); /* what kill -9 leaves: no end */

	s = fixture_open(&f);
	assert_int_equal(store_load(s, FIXTURE_UUID, &m, &e), 0);
	assert_false(m.ended);
	assert_int_equal(m.n_list, 1);
	model_release(&m);
	assert_int_equal(store_mark_dead(s, "another", &n, &e), 0);
	assert_int_equal(n, 0);
	assert_int_equal(store_mark_dead(s, "epyc9754", &n, &e), 0);
	assert_int_equal(n, 1);
	assert_int_equal(store_load(s, FIXTURE_UUID, &m, &e), 0);
	assert_true(m.ended);
	assert_int_equal(m.end_err.cls, ERR_LAB);
	assert_string_equal(
		m.end_err.msg, "the controller ended without a word in boot 2, stage firmware");
	assert_true(m.wall_ns == STAGE_DONE * 1000000000LL + 999999999 - STAGE_DONE);
	assert_true(m.machine_ns == 5 * 999999999LL -
					    (STAGE_FIRMWARE + STAGE_IPXE + STAGE_LOAD +
						    STAGE_HYPERVISOR + STAGE_PROBE) +
					    500000000);
	model_release(&m);
	assert_int_equal(store_mark_dead(s, "epyc9754", &n, &e), 0);
	assert_int_equal(n, 0);
	store_close(s);
	fixture_remove(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(store_gives_back_every_field_of_a_run),
		cmocka_unit_test(store_takes_the_second_stage_of_a_run),
		cmocka_unit_test(store_keeps_settings_and_no_secret),
		cmocka_unit_test(store_calls_a_virtual_machine_emulated),
		cmocka_unit_test(store_unpacks_a_console_byte_for_byte),
		cmocka_unit_test(store_numbers_events_by_the_boot_that_went_on),
		cmocka_unit_test(store_keeps_a_boot_whole_or_not_at_all),
		cmocka_unit_test(store_shares_rows_of_what_did_not_change),
		cmocka_unit_test(store_refuses_the_same_run_twice),
		cmocka_unit_test(store_marks_runs_whose_controller_died),
	};
	return cmocka_run_group_tests_name("store", tests, NULL, NULL);
}
