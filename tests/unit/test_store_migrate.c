/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "db/embed.h"
#include "tests/unit/fixture_run.h"

static int collect_schema(void *arg, int n, char **v, char **names)
{
	bool blank = false;

	(void)names;
	for (int i = 0; i < n; i++) {
		for (const char *p = v[i] ? v[i] : ""; *p; p++) {
			bool is = *p == ' ' || *p == '\t' || *p == '\n';

			if (!is)
				/* What SQLite adds to a table stands on no line of its own. */
				buf_addf(arg, "%s%c", blank && *p != ',' && *p != ')' ? " " : "",
					*p);
			blank = is;
		}
		buf_addc(arg, '|');
	}
	buf_addc(arg, '\n');
	return 0;
}

static void schema_of(sqlite3 *db, struct buf *b)
{
	buf_init(b, 1 << 20);
	assert_int_equal(
		sqlite3_exec(db,
			"SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY name",
			collect_schema, b, NULL),
		SQLITE_OK);
}

static void schema_file_is_what_the_migrations_make(void **state)
{
	const struct embed *schema = NULL;
	struct buf want, got;
	struct fixture f;
	struct store *s;
	sqlite3 *db;

	(void)state;
	fixture_init(&f);
	for (size_t i = 0; i < embed_sql_count; i++)
		if (!strcmp(embed_sql[i].name, "schema.sql"))
			schema = &embed_sql[i];
	assert_non_null(schema);
	assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, (const char *)schema->data, NULL, NULL, NULL), SQLITE_OK);
	s = fixture_open(&f);
	schema_of(db, &want);
	schema_of(s->db, &got);
	assert_true(want.len > 1000);
	assert_string_equal(got.data, want.data);
	buf_release(&want);
	buf_release(&got);
	sqlite3_close(db);
	store_close(s);
	fixture_remove(&f);
}

static const struct embed two_steps[] = {
	{"migrate/0001-a.sql", (const unsigned char *)"CREATE TABLE a (x);", 0},
	{"migrate/0002-b.sql",
		(const unsigned char *)"CREATE TABLE b (x); INSERT INTO a VALUES (2);", 0},
	{"schema.sql", (const unsigned char *)"not SQL at all", 0},
};

static void migrations_run_once_each_and_in_order(void **state)
{
	struct store s = {.file = (char *)"test.db"};
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(sqlite3_open(":memory:", &s.db), SQLITE_OK);
	assert_int_equal(store_migrate(&s, two_steps, 1, &e), 0);
	assert_int_equal(fixture_ask(&s, "PRAGMA user_version"), 1);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(store_migrate(&s, two_steps, 3, &e), 0);
		assert_int_equal(fixture_ask(&s, "PRAGMA user_version"), 2);
		assert_int_equal(fixture_ask(&s, "SELECT count(*) FROM a"), 1);
	}
	sqlite3_close(s.db);
}

static void migration_that_fails_leaves_the_version_before(void **state)
{
	struct embed broken[2] = {two_steps[0],
		{"migrate/0002-b.sql",
			(const unsigned char *)"CREATE TABLE b (x); INSERT INTO a VALUES (1); "
					       "CREATE TABLE a (y);",
			0}};
	struct store s = {.file = (char *)"test.db"};
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(sqlite3_open(":memory:", &s.db), SQLITE_OK);
	assert_int_equal(store_migrate(&s, broken, 2, &e), -ERR_LAB);
	assert_string_equal(e.msg, "migrate/0002-b.sql: test.db: table a already exists");
	assert_int_equal(fixture_ask(&s, "PRAGMA user_version"), 1);
	assert_int_equal(fixture_ask(&s, "SELECT count(*) FROM a"), 0);
	assert_int_equal(fixture_ask(&s, "SELECT count(*) FROM sqlite_master WHERE name = 'b'"), 0);
	assert_int_equal(store_migrate(&s, two_steps, 2, &e), 0);
	assert_int_equal(fixture_ask(&s, "PRAGMA user_version"), 2);
	sqlite3_close(s.db);
}

static void migration_survives_a_kill_in_its_middle(void **state)
{
	struct fixture f;
	struct store *s;
	char *file;
	int status;
	pid_t pid;

	(void)state;
	fixture_init(&f);
	file = fixture_file(&f);
	pid = fork();
	if (!pid) {
		sqlite3 *db;

		sqlite3_open(file, &db);
		sqlite3_exec(db,
			"PRAGMA journal_mode = WAL; PRAGMA cache_size = 1; BEGIN IMMEDIATE", NULL,
			NULL, NULL);
		sqlite3_exec(db, (const char *)embed_sql[0].data, NULL, NULL, NULL);
		raise(SIGKILL);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	s = fixture_open(&f);
	assert_int_equal(fixture_ask(s, "PRAGMA user_version"), 4);
	fixture_begin(s, &f);
	store_close(s);
	free(file);
	fixture_remove(&f);
}

static const char *migration(const char *name)
{
	for (size_t i = 0; i < embed_sql_count; i++)
		if (!strcmp(embed_sql[i].name, name))
			return (const char *)embed_sql[i].data;
	fail_msg("no %s", name);
	return NULL;
}

/* As the first version left it: one run of one boot, whose controller was killed. */
static void make_version_1(const struct fixture *f)
{
	static const char rows[] =
		"PRAGMA user_version = 1;"
		"INSERT INTO machine VALUES (1, 'epyc9754', '', 'AMD EPYC', 'bios', '1', 0, '');"
		"INSERT INTO workload VALUES (1, 'flush-all');"
		"INSERT INTO run (uuid, short, machine, workload, boots, samples, iterations, "
		"warmup, repeat, total, seed, extra_args, again, harness_version, user, host, "
		"emulator, started_ns) VALUES ('" FIXTURE_UUID "', '7f3a', 1, 1, 5, 2, 100, 4, 2, "
		"5, 41, '', 'harness run', 'v0', 'operator', 'controller', '', 1);"
		"INSERT INTO run_mode VALUES (1, 0, 'mixed', NULL, 'gone');"
		"INSERT INTO boot VALUES (1, 1, 1, 0, 0, 0, 0, 'mixed', 'mixed', 'ok', 'done', 0, "
		"'', '', NULL, '', '', 1, '', '{}', '{}', 0, x'');"
		"INSERT INTO sample VALUES (1, 1, 0, 0, 354000000, 7);";
	char *file = fixture_file(f);
	sqlite3 *db;

	assert_int_equal(sqlite3_open(file, &db), SQLITE_OK);
	assert_int_equal(
		sqlite3_exec(db, migration("migrate/0001-start.sql"), NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, rows, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
	free(file);
}

static void runs_of_the_first_version_stay_readable(void **state)
{
	struct err e = ERR_INIT;
	struct fixture f;
	struct store *s;
	struct model m;
	int dead;

	(void)state;
	fixture_init(&f);
	make_version_1(&f);
	s = fixture_open(&f);
	assert_int_equal(fixture_ask(s, "PRAGMA user_version"), 4);
	assert_int_equal(store_mark_dead(s, "epyc9754", &dead, &e), 0);
	assert_int_equal(dead, 1);
	assert_int_equal(store_load(s, FIXTURE_UUID, &m, &e), 0);
	assert_string_equal(m.keep_rule, "after 4");
	assert_true(m.until.width == 0);
	assert_int_equal(m.until.pilot, 0);
	assert_int_equal(m.until.max, 0);
	assert_int_equal(m.until.wanted, 0);
	assert_int_equal(m.boots, 5);
	assert_true(m.ended);
	assert_int_equal(m.n_list, 1);
	assert_int_equal(m.list[0].r.n_samples, 1);
	assert_true(m.list[0].r.samples[0].ns == 354000000);
	model_release(&m);
	fixture_other_run(s, &f, "cafe0000-0000-4000-8000-000000000000");
	assert_int_equal(store_load(s, f.info.uuid, &m, &e), 0);
	assert_string_equal(m.keep_rule, f.info.keep_rule);
	model_release(&m);
	store_close(s);
	fixture_remove(&f);
}

static void runs_before_builds_keep_their_rows(void **state)
{
	static const char rows[] =
		"PRAGMA foreign_keys = ON; PRAGMA user_version = 3;"
		"INSERT INTO image VALUES (1, 'abcd', 'xen', 'physical', '4.17.5', '', '', '', '', "
		"'', '', 0);"
		"INSERT INTO run_mode VALUES (1, 1, 'physical', 1, '');"
		"INSERT INTO sent VALUES (1, 1, 'a@b', 'c@d', 'e', 'sent', 1, 2, '');";
	struct err e = ERR_INIT;
	struct fixture f;
	struct store *s;
	struct model m;
	sqlite3 *db;
	char *file;

	(void)state;
	fixture_init(&f);
	make_version_1(&f);
	file = fixture_file(&f);
	assert_int_equal(sqlite3_open(file, &db), SQLITE_OK);
	assert_int_equal(
		sqlite3_exec(db, migration("migrate/0002-until.sql"), NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(
		sqlite3_exec(db, migration("migrate/0003-sent.sql"), NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, rows, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
	free(file);
	s = fixture_open(&f);
	assert_int_equal(fixture_ask(s, "PRAGMA user_version"), 4);
	assert_int_equal(fixture_ask(s, "SELECT count(*) FROM sent"), 1);
	assert_int_equal(store_load(s, FIXTURE_UUID, &m, &e), 0);
	assert_int_equal(m.n_builds, 0);
	assert_int_equal(m.n_modes, 2);
	assert_string_equal(m.modes[0].build, "");
	assert_string_equal(m.modes[0].mode, "mixed");
	assert_string_equal(m.modes[0].reason, "gone");
	assert_true(m.modes[0].skipped);
	assert_string_equal(m.modes[1].mode, "physical");
	assert_string_equal(m.modes[1].image_sha256, "abcd");
	assert_int_equal(m.n_list, 1);
	assert_string_equal(m.list[0].r.build, "");
	assert_int_equal(m.list[0].r.n_samples, 1);
	model_release(&m);
	store_close(s);
	fixture_remove(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(schema_file_is_what_the_migrations_make),
		cmocka_unit_test(migrations_run_once_each_and_in_order),
		cmocka_unit_test(migration_that_fails_leaves_the_version_before),
		cmocka_unit_test(runs_of_the_first_version_stay_readable),
		cmocka_unit_test(runs_before_builds_keep_their_rows),
		cmocka_unit_test(migration_survives_a_kill_in_its_middle),
	};
	return cmocka_run_group_tests_name("store_migrate", tests, NULL, NULL);
}
