/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/fixture_run.h"

/* Run SQL on a file by hand. */
static void by_hand(const char *file, const char *sql)
{
	sqlite3 *db;
	char *msg = NULL;

	assert_int_equal(sqlite3_open(file, &db), SQLITE_OK);
	if (sqlite3_exec(db, sql, NULL, NULL, &msg) != SQLITE_OK)
		fail_msg("%s: %s", sql, msg);
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

static void store_is_opened_as_documented(void **state)
{
	struct fixture f;
	struct store *s;
	struct boot_result r;
	struct stat st;

	(void)state;
	fixture_init(&f);
	umask(0);
	s = fixture_open(&f);
	assert_int_equal(fixture_ask(s, "PRAGMA foreign_keys"), 1);
	assert_int_equal(fixture_ask(s, "PRAGMA busy_timeout"), 10000);
	assert_int_equal(fixture_ask(s, "SELECT journal_mode = 'wal' FROM pragma_journal_mode"), 1);
	assert_int_equal(fixture_ask(s, "PRAGMA user_version"), 4);
	assert_int_equal(
		fixture_ask(s, "SELECT count(*) FROM pragma_table_list WHERE schema = 'main' AND "
			       "NOT strict AND name NOT LIKE 'sqlite%'"),
		0);
	fixture_begin(s, &f);
	r = fixture_boot(&f, 0, 0);
	fixture_store_boot(s, &r, false);
	static const char *const names[] = {"harness.db", "harness.db-wal", "harness.db-shm"};
	for (size_t i = 0; i < 3; i++) {
		char *file = mem_printf("%s/%s", f.dir, names[i]);

		assert_int_equal(stat(file, &st), 0);
		assert_int_equal(st.st_mode & 0777, 0600);
		free(file);
	}
	assert_int_equal(fixture_ask(s, "SELECT count(*) FROM pragma_foreign_key_check"), 0);
	store_close(s);
	fixture_remove(&f);
}

static void newer_database_is_refused_and_left_as_it_is(void **state)
{
	struct fixture f;
	struct buf before, after;
	struct store *s = NULL;
	struct err e = ERR_INIT;
	char *file;

	(void)state;
	fixture_init(&f);
	file = fixture_file(&f);
	s = fixture_open(&f);
	fixture_begin(s, &f);
	store_close(s);
	by_hand(file, "PRAGMA user_version = 99");
	fixture_read(file, &before);
	s = NULL;
	assert_int_equal(store_open(&s, f.dir, &e), -ERR_USAGE);
	assert_null(s);
	assert_string_equal(e.code, "E_NEWER");
	assert_non_null(strstr(e.msg, "newer harness (schema 99, this one knows 4)"));
	fixture_read(file, &after);
	assert_int_equal(after.len, before.len);
	assert_memory_equal(after.data, before.data, before.len);
	buf_release(&before);
	buf_release(&after);
	free(file);
	fixture_remove(&f);
}

static void newer_database_in_use_keeps_its_log(void **state)
{
	struct fixture f;
	struct buf before, after;
	struct store *s = NULL, *t = NULL;
	struct err e = ERR_INIT;
	char *file, *wal;
	int status;
	pid_t pid;

	(void)state;
	fixture_init(&f);
	file = fixture_file(&f);
	wal = mem_printf("%s-wal", file);
	s = fixture_open(&f);
	store_close(s);
	pid = fork();
	if (!pid) {
		s = fixture_open(&f);
		fixture_begin(s, &f);
		sqlite3_exec(s->db, "PRAGMA user_version = 5", NULL, NULL, NULL);
		raise(SIGKILL);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	fixture_read(wal, &before);
	assert_true(before.len > 0);
	assert_int_equal(store_open(&t, f.dir, &e), -ERR_USAGE);
	assert_string_equal(e.code, "E_NEWER");
	fixture_read(wal, &after);
	assert_int_equal(after.len, before.len);
	assert_memory_equal(after.data, before.data, before.len);
	buf_release(&before);
	buf_release(&after);
	free(file);
	free(wal);
	fixture_remove(&f);
}

static void run_of_a_killed_process_is_readable(void **state)
{
	struct fixture f;
	struct store *s;
	struct model m;
	struct err e = ERR_INIT;
	int status;
	pid_t pid;

	(void)state;
	fixture_init(&f);
	pid = fork();
	if (!pid) {
		struct boot_result r;
		struct run_sink k;

		s = fixture_open(&f);
		k = store_sink(s);
		fixture_begin(s, &f);
		for (int i = 0; i < 2; i++) {
			r = fixture_boot(&f, i, 0);
			fixture_store_boot(s, &r, false);
		}
		if (k.event(k.arg, 2, 7, "power", "on", &e))
			_exit(1);
		raise(SIGKILL);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	s = fixture_open(&f);
	assert_int_equal(store_load(s, FIXTURE_UUID, &m, &e), 0);
	assert_int_equal(m.n_list, 2);
	assert_int_equal(m.list[1].r.n_samples, FIXTURE_SAMPLES);
	assert_false(m.ended);
	assert_int_equal(fixture_ask(s, "SELECT count(*) FROM event"), 1);
	model_release(&m);
	store_close(s);
	fixture_remove(&f);
}

/* What store_open() says of a file with these bytes. */
static void expect_refused(const char *bytes, size_t n, const char *says)
{
	struct fixture f;
	struct store *s = NULL;
	struct err e = ERR_INIT;
	char *file;

	fixture_init(&f);
	file = fixture_file(&f);
	assert_int_equal(path_write(file, bytes, n, 0600, &e), 0);
	assert_int_equal(store_open(&s, f.dir, &e), -ERR_LAB);
	assert_string_equal(e.code, "E_STORE");
	if (!strstr(e.msg, says))
		fail_msg("says: %s", e.msg);
	free(file);
	fixture_remove(&f);
}

static void file_that_is_no_database_is_refused(void **state)
{
	char text[8192];

	(void)state;
	memset(text, 'x', sizeof(text));
	expect_refused(text, sizeof(text), "is not a database; move it away");
	expect_refused("short", 5, "is not a database; move it away");
}

static void database_of_something_else_is_refused(void **state)
{
	struct fixture f;
	struct store *s = NULL;
	struct err e = ERR_INIT;
	char *file;

	(void)state;
	fixture_init(&f);
	file = fixture_file(&f);
	by_hand(file, "CREATE TABLE bookmarks (url)");
	assert_int_equal(store_open(&s, f.dir, &e), -ERR_LAB);
	assert_non_null(strstr(e.msg, "is a database of something else"));
	free(file);
	fixture_remove(&f);
}

static void damaged_database_is_named(void **state)
{
	struct fixture f;
	struct store *s;
	struct model m;
	struct err e = ERR_INIT;
	struct buf b;
	char *file;

	(void)state;
	fixture_init(&f);
	file = fixture_file(&f);
	s = fixture_open(&f);
	fixture_begin(s, &f);
	store_close(s);
	fixture_read(file, &b);
	/* All but the first page, which holds the header and the schema's root. */
	memset(b.data + 4096, 0x5a, b.len - 4096);
	assert_int_equal(path_write(file, b.data, b.len, 0600, &e), 0);
	buf_release(&b);
	if (!store_open(&s, f.dir, &e)) {
		assert_int_equal(store_load(s, FIXTURE_UUID, &m, &e), -ERR_LAB);
		store_close(s);
	}
	assert_string_equal(e.code, "E_STORE");
	assert_non_null(strstr(e.msg, "is damaged"));
	free(file);
	fixture_remove(&f);
}

static void damaged_console_is_named(void **state)
{
	struct fixture f;
	struct store *s;
	struct boot_result r;
	struct err e = ERR_INIT;
	struct buf b;

	(void)state;
	fixture_init(&f);
	s = fixture_open(&f);
	fixture_begin(s, &f);
	r = fixture_boot(&f, 0, 0);
	fixture_store_boot(s, &r, false);
	sqlite3_exec(s->db, "UPDATE boot SET console = x'00112233'", NULL, NULL, NULL);
	buf_init(&b, 1000);
	assert_int_equal(store_console(s, FIXTURE_UUID, 1, &b, &e), -ERR_LAB);
	assert_non_null(strstr(e.msg, "the console log of boot 1"));
	assert_non_null(strstr(e.msg, "is damaged"));
	buf_release(&b);
	store_close(s);
	fixture_remove(&f);
}

static void something_else_in_the_files_place_is_named(void **state)
{
	struct fixture f;
	struct store *s = NULL;
	struct err e = ERR_INIT;
	char *file;

	(void)state;
	fixture_init(&f);
	file = fixture_file(&f);
	assert_int_equal(mkdir(file, 0700), 0);
	assert_int_equal(store_open(&s, f.dir, &e), -ERR_LAB);
	assert_string_equal(e.code, "E_STORE");
	assert_non_null(strstr(e.msg, file));
	assert_int_equal(rmdir(file), 0);
	assert_int_equal(mkfifo(file, 0600), 0);
	assert_int_equal(store_open(&s, f.dir, &e), -ERR_LAB);
	assert_non_null(strstr(e.msg, "is not a file"));
	free(file);
	fixture_remove(&f);
}

static void folder_that_cannot_be_written_is_named(void **state)
{
	struct fixture f;
	struct store *s = NULL;
	struct err e = ERR_INIT;
	int status;
	pid_t pid;

	(void)state;
	fixture_init(&f);
	assert_int_equal(chmod(f.dir, 0555), 0);
	pid = fork();
	if (!pid) {
		/* Root may write anywhere. */
		if (!geteuid() && (setegid(65534) || seteuid(65534)))
			_exit(2);
		_exit(store_open(&s, f.dir, &e) == -ERR_LAB && !strcmp(e.code, "E_STORE") &&
					strstr(e.msg, "for writing: Permission denied")
				? 0
				: 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	assert_int_equal(chmod(f.dir, 0700), 0);
	fixture_remove(&f);
}

static void database_locked_by_another_is_named(void **state)
{
	struct fixture f;
	struct store *s;
	struct run_sink k;
	struct err e = ERR_INIT;
	sqlite3 *other;
	char *file;

	(void)state;
	fixture_init(&f);
	file = fixture_file(&f);
	s = fixture_open(&f);
	k = store_sink(s);
	sqlite3_busy_timeout(s->db, 1);
	assert_int_equal(sqlite3_open(file, &other), SQLITE_OK);
	assert_int_equal(sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(k.begin(k.arg, &f.info, &e), -ERR_LAB);
	assert_string_equal(e.code, "E_STORE");
	assert_non_null(strstr(e.msg, "is locked by another process"));
	assert_int_equal(sqlite3_close(other), SQLITE_OK);
	fixture_begin(s, &f);
	store_close(s);
	free(file);
	fixture_remove(&f);
}

/* The boot is one that was interrupted, since others wait for 10 s. */
static void what_meets_a_lock_is_written_later(void **state)
{
	struct fixture f;
	struct store *s;
	struct run_sink k;
	struct boot_result r;
	struct err e = ERR_INIT;
	sqlite3 *other;
	char *file;

	(void)state;
	fixture_init(&f);
	file = fixture_file(&f);
	s = fixture_open(&f);
	fixture_begin(s, &f);
	k = store_sink(s);
	assert_int_equal(sqlite3_open(file, &other), SQLITE_OK);
	assert_int_equal(sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
	r = fixture_boot(&f, 0, 0);
	r.outcome = OUTCOME_INTERRUPTED;
	assert_int_equal(k.stage(k.arg, &r, STAGE_IPXE, &e), 0);
	assert_int_equal(k.event(k.arg, 0, 1, "power", "on sent", &e), 0);
	assert_int_equal(k.boot(k.arg, &r, false, &e), -ERR_LAB);
	assert_string_equal(e.code, "E_STORE");
	assert_int_equal(k.event(k.arg, -1, 2, "until", "over", &e), 0);
	assert_int_equal(sqlite3_close(other), SQLITE_OK);
	assert_int_equal(k.end(k.arg, &f.totals, &e), 0);
	assert_int_equal(fixture_ask(s, "SELECT count(*) FROM event"), 2);
	assert_int_equal(fixture_ask(s, "SELECT count(*) FROM boot"), 1);
	assert_int_equal(fixture_ask(s, "SELECT count(*) FROM sample"), (int64_t)r.n_samples);
	assert_int_equal(fixture_ask(s, "SELECT console_len FROM boot"), (int64_t)r.console_len);
	assert_int_equal(fixture_ask(s, "SELECT ended FROM run"), 1);
	store_close(s);
	free(file);
	fixture_remove(&f);
}

/* Store boots until there is no room; exit status 100 + boots stored, or a number below. */
static void fill_up(struct fixture *f)
{
	const struct rlimit limit = {600 << 10, 600 << 10};
	struct store *s = NULL;
	struct run_sink k;
	struct boot_result r;
	struct err e = ERR_INIT;
	size_t n = 200 << 10;
	char *noise = mem_alloc(n);
	int stored = 0;
	uint32_t x = 1;

	for (size_t i = 0; i < n; i++) {
		x = x * 1664525 + 1013904223;
		noise[i] = (char)(x >> 24); /* does not compress */
	}
	signal(SIGXFSZ, SIG_IGN);
	if (setrlimit(RLIMIT_FSIZE, &limit) || store_open(&s, f->dir, &e))
		_exit(1);
	k = store_sink(s);
	if (k.begin(k.arg, &f->info, &e))
		_exit(2);
	for (;;) {
		r = fixture_boot(f, stored, 0);
		r.console = noise;
		r.console_len = n;
		if (k.boot(k.arg, &r, false, &e))
			break;
		if (++stored > 50)
			_exit(3);
	}
	if (e.cls != ERR_LAB || strcmp(e.code, "E_STORE") != 0)
		_exit(4);
	if (!strstr(e.msg, "no room for ") || !strstr(e.msg, "the boots stored so far are safe"))
		_exit(5);
	store_close(s);
	free(noise);
	_exit(100 + stored);
}

static void full_disk_is_one_clear_line_and_loses_no_boot(void **state)
{
	struct fixture f;
	struct store *s;
	struct model m;
	struct boot_result r;
	struct err e = ERR_INIT;
	int status, stored;
	pid_t pid;

	(void)state;
	fixture_init(&f);
	pid = fork();
	if (!pid)
		fill_up(&f);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	stored = WEXITSTATUS(status) - 100;
	if (stored < 1)
		fail_msg("the child ended with %d", WEXITSTATUS(status));
	s = fixture_open(&f);
	assert_int_equal(store_load(s, FIXTURE_UUID, &m, &e), 0);
	assert_int_equal(m.n_list, stored);
	for (int i = 0; i < stored; i++)
		assert_int_equal(m.list[i].r.n_samples, FIXTURE_SAMPLES);
	assert_false(m.ended);
	model_release(&m);
	snprintf(f.info.uuid, UUID_TEXT, "cafe0000-0000-4000-8000-000000000000");
	fixture_begin(s, &f);
	r = fixture_boot(&f, 0, 0);
	fixture_store_boot(s, &r, false);
	store_close(s);
	fixture_remove(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(store_is_opened_as_documented),
		cmocka_unit_test(newer_database_is_refused_and_left_as_it_is),
		cmocka_unit_test(newer_database_in_use_keeps_its_log),
		cmocka_unit_test(run_of_a_killed_process_is_readable),
		cmocka_unit_test(file_that_is_no_database_is_refused),
		cmocka_unit_test(database_of_something_else_is_refused),
		cmocka_unit_test(damaged_database_is_named),
		cmocka_unit_test(damaged_console_is_named),
		cmocka_unit_test(something_else_in_the_files_place_is_named),
		cmocka_unit_test(folder_that_cannot_be_written_is_named),
		cmocka_unit_test(database_locked_by_another_is_named),
		cmocka_unit_test(what_meets_a_lock_is_written_later),
		cmocka_unit_test(full_disk_is_one_clear_line_and_loses_no_boot),
	};
	return cmocka_run_group_tests_name("store_open", tests, NULL, NULL);
}
