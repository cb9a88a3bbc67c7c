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
				buf_addf(arg, "%s%c", blank ? " " : "", *p);
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
	assert_int_equal(fixture_ask(s, "PRAGMA user_version"), 1);
	fixture_begin(s, &f);
	store_close(s);
	free(file);
	fixture_remove(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(schema_file_is_what_the_migrations_make),
		cmocka_unit_test(migrations_run_once_each_and_in_order),
		cmocka_unit_test(migration_that_fails_leaves_the_version_before),
		cmocka_unit_test(migration_survives_a_kill_in_its_middle),
	};
	return cmocka_run_group_tests_name("store_migrate", tests, NULL, NULL);
}
