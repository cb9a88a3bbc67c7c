/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/unit.h"

#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/cmd_run_out.h"

enum { LONG = 100000, DEADLINE_S = 60 };

static void fill(struct buf *b, char c, size_t n)
{
	while (n--)
		buf_addc(b, c);
	buf_addc(b, '\n');
}

/* A process whose reader is asleep until it says that it goes on. */
static void writer(int out, int says)
{
	struct cmd_run_out o = {.any = false};
	struct display *d;
	uv_loop_t loop;

	alarm(DEADLINE_S);
	dup2(out, STDOUT_FILENO);
	uv_loop_init(&loop);
	d = display_new(&loop, true, true);
	cmd_run_out_open(&o, &loop, d);
	fill(cmd_run_out_next(&o), 'a', LONG);
	cmd_run_out_go(&o);
	cmd_run_out_next(&o);
	cmd_run_out_go(&o); /* nothing to say */
	fill(cmd_run_out_next(&o), 'b', 10);
	cmd_run_out_go(&o);
	for (int i = 0; i < 3; i++)
		uv_run(&loop, UV_RUN_ONCE);
	if (write(says, "!", 1) != 1)
		_exit(1);
	while (o.at < o.text.len)
		uv_run(&loop, UV_RUN_ONCE);
	fill(cmd_run_out_next(&o), 'c', LONG);
	cmd_run_out_go(&o);
	display_free(d);
	cmd_run_out_close(&o);
	while (uv_loop_close(&loop))
		uv_run(&loop, UV_RUN_DEFAULT);
	_exit(0);
}

static void a_reader_that_sleeps_stops_nobody(void **state)
{
	int out[2], says[2], status;
	struct buf got, want;
	char chunk[4096];
	ssize_t n;
	pid_t pid;

	(void)state;
	assert_int_equal(pipe2(out, O_CLOEXEC), 0);
	assert_int_equal(pipe2(says, O_CLOEXEC), 0);
	assert_true(fcntl(out[1], F_SETPIPE_SZ, 4096) >= 4096);
	pid = fork();
	if (!pid)
		writer(out[1], says[1]);
	close(out[1]);
	close(says[1]);
	/* It says so before anything was read; else its alarm ends it. */
	assert_int_equal(read(says[0], chunk, 1), 1);
	buf_init(&got, 4 * LONG);
	buf_init(&want, 4 * LONG);
	while ((n = read(out[0], chunk, sizeof(chunk))) > 0)
		buf_add(&got, chunk, (size_t)n);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	fill(&want, 'a', LONG);
	buf_addc(&want, '\n');
	fill(&want, 'b', 10);
	buf_addc(&want, '\n');
	fill(&want, 'c', LONG);
	assert_int_equal(got.len, want.len);
	assert_memory_equal(got.data, want.data, want.len);
	buf_release(&got);
	buf_release(&want);
	close(out[0]);
	close(says[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_reader_that_sleeps_stops_nobody),
	};

	return cmocka_run_group_tests_name("cmd_run out", tests, NULL, NULL);
}
