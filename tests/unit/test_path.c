/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/base/mem.h"
#include "harness/base/path.h"

static char *folder(void)
{
	char *dir = mem_strdup("/tmp/harness-unit-XXXXXX");

	assert_non_null(mkdtemp(dir));
	return dir;
}

static void done(char *dir)
{
	struct err e = ERR_INIT;

	assert_int_equal(path_remove(dir, &e), 0);
	free(dir);
}

static void put(const char *file, const char *text)
{
	struct err e = ERR_INIT;

	if (path_write(file, text, strlen(text), 0644, &e))
		fail_msg("%s", e.msg);
}

static void expect(const char *file, const char *text)
{
	struct err e = ERR_INIT;
	struct buf b;

	buf_init(&b, 4096);
	assert_int_equal(path_read(file, &b, &e), 0);
	assert_string_equal(b.data, text);
	buf_release(&b);
}

static void path_write_replaces_a_file_and_keeps_a_link(void **state)
{
	char *dir = folder(), *file = mem_printf("%s/file", dir),
	     *link = mem_printf("%s/link", dir);
	struct stat st;

	(void)state;
	put(file, "one");
	put(file, "two");
	expect(file, "two");
	assert_int_equal(symlink("file", link), 0);
	put(link, "three");
	expect(file, "three");
	assert_int_equal(lstat(link, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	free(link);
	free(file);
	done(dir);
}

static void path_write_writes_into_a_pipe(void **state)
{
	char *dir = folder(), *pipe = mem_printf("%s/pipe", dir), got[8] = "";
	struct stat st;
	int fd;

	(void)state;
	assert_int_equal(mkfifo(pipe, 0600), 0);
	fd = open(pipe, O_RDONLY | O_NONBLOCK);
	put(pipe, "text");
	assert_int_equal(read(fd, got, sizeof(got) - 1), 4);
	assert_string_equal(got, "text");
	assert_int_equal(lstat(pipe, &st), 0);
	assert_true(S_ISFIFO(st.st_mode));
	close(fd);
	free(pipe);
	done(dir);
}

static void path_check_write_finds_what_would_fail(void **state)
{
	char *dir = folder(), *file = mem_printf("%s/new", dir),
	     *bad = mem_printf("%s/no/new", dir);
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(path_check_write(file, &e), 0);
	assert_int_equal(path_check_write("/dev/null", &e), 0);
	assert_int_equal(path_check_write("a-name", &e), 0);
	assert_int_equal(path_check_write(bad, &e), -ERR_USAGE);
	assert_int_equal(path_check_write(dir, &e), -ERR_USAGE);
	free(bad);
	free(file);
	done(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(path_write_replaces_a_file_and_keeps_a_link),
		cmocka_unit_test(path_write_writes_into_a_pipe),
		cmocka_unit_test(path_check_write_finds_what_would_fail),
	};

	return cmocka_run_group_tests_name("path", tests, NULL, NULL);
}
