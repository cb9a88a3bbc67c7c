/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/unit.h"

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/base/child.h"
#include "harness/base/secret.h"

static void run_shell(const char *script, int deadline_ms, size_t max, struct child_result *r)
{
	const char *argv[] = {"sh", "-c", script, NULL};
	const char *env[] = {"UNIT_WORD=sesame", NULL};
	const struct child_opts o = {.argv = argv,
		.env_set = env,
		.deadline_ms = deadline_ms,
		.out_max = max,
		.stdin_data = "from stdin"};
	struct err e = ERR_INIT;

	assert_int_equal(child_run(&o, r, &e), 0);
}

static void output_status_and_environment_arrive(void **state)
{
	struct child_result r;

	(void)state;
	run_shell("cat; echo $UNIT_WORD >&2; exit 3", 20000, 100, &r);
	assert_int_equal(r.status, 3);
	assert_int_equal(r.sig, 0);
	assert_string_equal(r.out.data, "from stdin");
	assert_string_equal(r.err.data, "sesame\n");
	child_result_release(&r);
}

static void output_is_cut_at_its_limit(void **state)
{
	struct child_result r;

	(void)state;
	run_shell("head -c 1000000 /dev/zero | tr '\\0' x", 20000, 1000, &r);
	assert_int_equal(r.out.len, 1000);
	assert_int_equal(r.status, 0);
	child_result_release(&r);
}

static void the_deadline_ends_a_whole_group(void **state)
{
	struct child_result r;
	pid_t grandchild;

	(void)state;
	run_shell("sleep 600 & echo $!; trap '' TERM; wait; sleep 600", 300, 100, &r);
	assert_true(r.timed_out);
	assert_int_equal(r.sig, SIGKILL);
	grandchild = (pid_t)strtol(r.out.data, NULL, 10);
	assert_true(grandchild > 0);
	/* Its parent is gone: init reaps it soon, and then the id is free. */
	for (int i = 0; i < 500 && !kill(grandchild, 0); i++) {
		char path[64], stat[512] = "";
		FILE *f;

		snprintf(path, sizeof(path), "/proc/%d/stat", (int)grandchild);
		f = fopen(path, "r");
		if (f && fgets(stat, sizeof(stat), f) && strstr(stat, ") Z")) {
			fclose(f);
			break;
		}
		if (f)
			fclose(f);
		usleep(10000);
		assert_true(i < 499);
	}
	child_result_release(&r);
}

static void a_missing_program_is_named(void **state)
{
	const char *argv[] = {"no-such-program", NULL};
	const struct child_opts o = {.argv = argv, .deadline_ms = 1000, .out_max = 10};
	struct child_result r;
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(child_run(&o, &r, &e), -ERR_LAB);
	assert_non_null(strstr(e.msg, "no-such-program is not installed"));
}

static void a_child_dies_with_its_owner(void **state)
{
	int out[2];
	char c;
	pid_t pid;

	(void)state;
	assert_int_equal(pipe(out), 0);
	pid = fork();
	if (!pid) {
		const char *argv[] = {"sh", "-c", "echo ready >&9; exec sleep 600", NULL};
		const struct child_opts o = {.argv = argv, .deadline_ms = 60000, .out_max = 10};
		struct child_result r;
		struct err e = ERR_INIT;

		close(out[0]);
		dup2(out[1], 9);
		close(out[1]);
		_exit(child_run(&o, &r, &e) ? 1 : 0);
	}
	close(out[1]);
	assert_int_equal(read(out[0], &c, 1), 1);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	/* End of file comes when the last holder of the pipe, the sleep, is gone. */
	while (read(out[0], &c, 1) > 0)
		;
	close(out[0]);
}

static void a_password_comes_from_file_environment_or_command(void **state)
{
	char *dir = unit_tmpdir(), file[300];
	struct secret s = {NULL};
	struct err e = ERR_INIT;

	(void)state;
	snprintf(file, sizeof(file), "%s/pw", dir);
	assert_int_equal(path_write(file, "sesame\n", 7, 0600, &e), 0);
	assert_int_equal(secret_load(&s, SECRET_FILE, file, 20, &e), 0);
	assert_string_equal(s.value, "sesame");
	assert_int_equal(secret_load(&s, SECRET_FILE, file, 5, &e), -ERR_USAGE);
	assert_null(strstr(e.msg, "sesame"));
	chmod(file, 0644);
	assert_int_equal(secret_load(&s, SECRET_FILE, file, 20, &e), -ERR_USAGE);
	assert_non_null(strstr(e.msg, "chmod 600"));
	setenv("UNIT_PW", "open", 1);
	assert_int_equal(secret_load(&s, SECRET_ENV, "UNIT_PW", 20, &e), 0);
	assert_null(getenv("UNIT_PW")); /* no child inherits it; yet it can be had again */
	assert_int_equal(secret_load(&s, SECRET_ENV, "UNIT_PW", 20, &e), 0);
	assert_string_equal(s.value, "open");
	assert_int_equal(secret_load(&s, SECRET_ENV, "UNIT_NONE", 20, &e), -ERR_USAGE);
	assert_int_equal(secret_load(&s, SECRET_COMMAND, "echo word", 20, &e), 0);
	assert_string_equal(s.value, "word");
	assert_int_equal(
		secret_load(&s, SECRET_COMMAND, "echo hunter2 >&2; exit 4", 20, &e), -ERR_USAGE);
	assert_non_null(strstr(e.msg, "status 4"));
	assert_null(strstr(e.msg, "hunter2"));
	assert_non_null(strstr(e.msg, "status 4"));
	assert_int_equal(secret_load(&s, SECRET_COMMAND, "true", 20, &e), -ERR_USAGE);
	secret_release(&s);
	secret_release(&s);
	unit_rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(output_status_and_environment_arrive),
		cmocka_unit_test(output_is_cut_at_its_limit),
		cmocka_unit_test(the_deadline_ends_a_whole_group),
		cmocka_unit_test(a_missing_program_is_named),
		cmocka_unit_test(a_child_dies_with_its_owner),
		cmocka_unit_test(a_password_comes_from_file_environment_or_command),
	};
	return cmocka_run_group_tests_name("child", tests, NULL, NULL);
}
