/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/unit/fixture_run.h"

static int line_uuid(void *arg, const struct store_run_line *l)
{
	memcpy(arg, l->uuid, UUID_TEXT);
	return 1;
}

static void store_finds_the_run_begun_last_whatever_the_clock_said(void **state)
{
	static const char later[] = "beef0000-0000-4000-8000-000000000000";
	char uuid[UUID_TEXT], first[UUID_TEXT];
	struct err e = ERR_INIT;
	struct fixture f;
	struct store *s;

	(void)state;
	fixture_init(&f);
	s = fixture_open(&f);
	fixture_begin(s, &f);
	fixture_end(s, &f);
	f.info.started_wall_ns -= 3600000000000;
	fixture_other_run(s, &f, later);
	assert_int_equal(store_find(s, "last", NULL, uuid, &e), 0);
	assert_string_equal(uuid, later);
	assert_int_equal(store_find(s, "last", f.target.name, uuid, &e), 0);
	assert_string_equal(uuid, later);
	assert_int_equal(store_runs(s, NULL, 1, line_uuid, first, &e), 1);
	assert_string_equal(first, later);
	store_close(s);
	fixture_remove(&f);
}

static void store_finds_runs_by_prefix(void **state)
{
	static const struct {
		const char *prefix, *uuid, *msg;
	} cases[] = {
		{"7f3a", FIXTURE_UUID, NULL}, /* an id, though a later UUID begins with it too */
		{"7f3a9", FIXTURE_UUID, NULL},
		{"7F3A-", NULL, "no run \"7F3A-\""},
		{"7F3AB", "7f3ab000-0000-4000-8000-000000000000", NULL},
		{"7f3ab000-0000-4000-8000-000000000000", "7f3ab000-0000-4000-8000-000000000000",
			NULL},
		{"7f3", NULL, "\"7f3\" begins several runs: 7f3a, 7f3ab"},
		{"7", NULL, "\"7\" begins several runs: 7f3a, 7f3ab"},
		{"beef", NULL,
			"no run \"beef\"; the latest are cafe (other), 7f3ab (epyc9754), 7f3a"},
		{"xyz", NULL, "\"xyz\" is not a run"},
		{"", NULL, "\"\" is not a run"},
		{"7f3ab000-0000-4000-8000-0000000000000", NULL, "is not a run"},
		{"7f3a%", NULL, "is not a run"},
		{"last", "cafe0000-0000-4000-8000-000000000000", NULL},
	};
	struct fixture f;
	struct store *s;
	char uuid[UUID_TEXT];
	struct err e = ERR_INIT;

	(void)state;
	fixture_init(&f);
	s = fixture_open(&f);
	assert_int_equal(store_find(s, "last", NULL, uuid, &e), -ERR_USAGE);
	assert_non_null(strstr(e.msg, "no run is stored"));
	assert_int_equal(store_find(s, "7f3a", NULL, uuid, &e), -ERR_USAGE);
	assert_non_null(strstr(e.msg, "no run is stored"));
	fixture_begin(s, &f);
	fixture_end(s, &f);
	fixture_other_run(s, &f, "7f3ab000-0000-4000-8000-000000000000");
	snprintf(f.target.name, sizeof(f.target.name), "other");
	fixture_other_run(s, &f, "cafe0000-0000-4000-8000-000000000000");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int rc = store_find(s, cases[i].prefix, NULL, uuid, &e);

		if (cases[i].uuid) {
			assert_int_equal(rc, 0);
			assert_string_equal(uuid, cases[i].uuid);
		} else {
			assert_int_equal(rc, -ERR_USAGE);
			assert_string_equal(e.code, "E_NORUN");
			if (!strstr(e.msg, cases[i].msg))
				fail_msg("\"%s\" says: %s", cases[i].prefix, e.msg);
		}
	}
	assert_int_equal(store_find(s, "last", "epyc9754", uuid, &e), 0);
	assert_string_equal(uuid, "7f3ab000-0000-4000-8000-000000000000");
	assert_int_equal(store_find(s, "last", "nobody", uuid, &e), -ERR_USAGE);
	store_close(s);
	fixture_remove(&f);
}

static void store_id_is_the_shortest_unique_prefix_of_four_or_more(void **state)
{
	static const struct {
		const char *uuid, *id;
	} runs[] = {
		{"50000000-0000-4000-8000-000000000000", "5000"},
		{"50000000-0000-4000-8000-000000000001", "50000000-0000-4000-8000-000000000001"},
		{"50001000-0000-4000-8000-000000000000", "50001"},
		{"4fff0000-0000-4000-8000-000000000000", "4fff"},
		{"50000100-0000-4000-8000-000000000000", "500001"},
	};
	struct fixture f;
	struct store *s;
	struct model m;
	struct err e = ERR_INIT;

	(void)state;
	fixture_init(&f);
	s = fixture_open(&f);
	for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++)
		fixture_other_run(s, &f, runs[i].uuid);
	for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
		assert_int_equal(store_load(s, runs[i].uuid, &m, &e), 0);
		assert_string_equal(m.id, runs[i].id);
		model_release(&m);
	}
	store_close(s);
	fixture_remove(&f);
}

static int collect_run(void *arg, const struct store_run_line *l)
{
	buf_addf(arg, "%s %s %s %s %d+%d/%d %d %s\n", l->id, l->machine, l->workload, l->modes,
		l->boots_ok, l->boots_failed, l->boots_planned, l->ended, l->end_err.msg);
	return ((struct buf *)arg)->len > 200;
}

static void store_lists_runs_newest_first(void **state)
{
	struct fixture f;
	struct store *s;
	struct boot_result r;
	struct buf b;
	struct err e = ERR_INIT;

	(void)state;
	fixture_init(&f);
	s = fixture_open(&f);
	fixture_begin(s, &f);
	r = fixture_boot(&f, 0, 0);
	fixture_store_boot(s, &r, false);
	r.outcome = OUTCOME_CRASH;
	fixture_store_boot(s, &r, false);
	fixture_end(s, &f);
	snprintf(f.target.name, sizeof(f.target.name), "other");
	err_set(&f.totals.err, ERR_LAB, "E_X", "lost");
	fixture_other_run(s, &f, "cafe0000-0000-4000-8000-000000000000");
	buf_init(&b, 1000);
	assert_int_equal(store_runs(s, NULL, 10, collect_run, &b, &e), 0);
	assert_string_equal(b.data, "cafe other flush-all mixed,physical 0+0/4 1 lost\n"
				    "7f3a epyc9754 flush-all mixed,physical 1+1/4 1 \n");
	buf_clear(&b);
	assert_int_equal(store_runs(s, NULL, 1, collect_run, &b, &e), 0);
	assert_string_equal(b.data, "cafe other flush-all mixed,physical 0+0/4 1 lost\n");
	buf_clear(&b);
	assert_int_equal(store_runs(s, "epyc9754", 10, collect_run, &b, &e), 0);
	assert_string_equal(b.data, "7f3a epyc9754 flush-all mixed,physical 1+1/4 1 \n");
	buf_release(&b);
	store_close(s);
	fixture_remove(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(store_finds_runs_by_prefix),
		cmocka_unit_test(store_finds_the_run_begun_last_whatever_the_clock_said),
		cmocka_unit_test(store_id_is_the_shortest_unique_prefix_of_four_or_more),
		cmocka_unit_test(store_lists_runs_newest_first),
	};
	return cmocka_run_group_tests_name("store_find", tests, NULL, NULL);
}
