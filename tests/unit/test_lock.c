/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/unit.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/base/mem.h"
#include "harness/base/path.h"
#include "harness/lock.h"

static void a_second_holder_learns_who_has_it(void **state)
{
	char *dir = unit_tmpdir();
	struct lock a = LOCK_INIT, b = LOCK_INIT;
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(lock_acquire(&a, dir, "lab3", NULL, "run 1 (a on b)", &e), 0);
	assert_false(a.took_over);
	assert_int_equal(lock_acquire(&b, dir, "lab3", NULL, "run 2", &e), -ERR_BUSY);
	assert_non_null(strstr(e.msg, "lab3 is in use by run 1 (a on b)"));
	lock_release(&a);
	lock_release(&a);
	assert_int_equal(lock_acquire(&b, dir, "lab3", NULL, "run 2", &e), 0);
	assert_false(b.took_over);
	lock_release(&b);
	unit_rmdir(dir);
}

static void machines_do_not_block_each_other(void **state)
{
	char *dir = unit_tmpdir();
	struct lock a = LOCK_INIT, b = LOCK_INIT;
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(lock_acquire(&a, dir, "lab3", NULL, "run 1", &e), 0);
	assert_int_equal(lock_acquire(&b, dir, "lab4", NULL, "run 2", &e), 0);
	lock_release(&a);
	lock_release(&b);
	unit_rmdir(dir);
}

static void one_machine_under_two_names_is_one_machine(void **state)
{
	char *dir = unit_tmpdir(), *other = unit_tmpdir(), mac[32], pid[48];
	struct lock a = LOCK_INIT, b = LOCK_INIT;
	struct err e = ERR_INIT;

	(void)state;
	/* Of this process alone, so that tests in parallel do not meet. */
	snprintf(mac, sizeof(mac), "test-%d", (int)getpid());
	assert_int_equal(lock_acquire(&a, dir, "lab3", mac, "run 1", &e), 0);
	assert_int_equal(lock_acquire(&b, other, "alias", mac, "run 2", &e), -ERR_BUSY);
	assert_non_null(strstr(e.msg, "under another name"));
	snprintf(pid, sizeof(pid), "pid %d, since 20", (int)getpid());
	assert_non_null(strstr(e.msg, pid));
	lock_release(&a);
	assert_int_equal(lock_acquire(&b, other, "alias", mac, "run 2", &e), 0);
	lock_release(&b);
	unit_rmdir(dir);
	unit_rmdir(other);
}

static void a_killed_holder_leaves_its_name_and_no_lock(void **state)
{
	char *dir = unit_tmpdir();
	struct lock l = LOCK_INIT;
	struct err e = ERR_INIT;
	int ready[2], status;
	char c;
	pid_t pid;

	(void)state;
	assert_int_equal(pipe(ready), 0);
	pid = fork();
	if (!pid) {
		struct lock mine = LOCK_INIT;

		if (!lock_acquire(&mine, dir, "lab3", NULL, "run 9 (gone)", &e) &&
			write(ready[1], "x", 1) == 1)
			pause();
		_exit(1);
	}
	assert_int_equal(read(ready[0], &c, 1), 1);
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	assert_int_equal(lock_acquire(&l, dir, "lab3", NULL, "run 10", &e), 0);
	assert_true(l.took_over);
	assert_string_equal(l.former, "run 9 (gone)");
	lock_release(&l);
	close(ready[0]);
	close(ready[1]);
	unit_rmdir(dir);
}

static void a_lock_given_back_still_tells_of_the_killed_holder(void **state)
{
	char *dir = unit_tmpdir(), *file = mem_printf("%s/locks/lab3.lock", dir), who[64];
	struct lock l = LOCK_INIT;
	struct err e = ERR_INIT;

	(void)state;
	lock_holder(dir, "lab3", who, sizeof(who));
	assert_string_equal(who, "");
	assert_int_equal(lock_acquire(&l, dir, "lab3", NULL, "a moment", &e), 0);
	lock_holder(dir, "lab3", who, sizeof(who));
	assert_string_equal(who, "a moment");
	lock_give_back(&l);
	lock_give_back(&l);
	lock_holder(dir, "lab3", who, sizeof(who));
	assert_string_equal(who, "");
	assert_int_equal(path_write(file, "run 9", 5, 0600, &e), 0);
	assert_int_equal(lock_acquire(&l, dir, "lab3", NULL, "a moment, and longer", &e), 0);
	lock_give_back(&l);
	assert_int_equal(lock_acquire(&l, dir, "lab3", NULL, "run 10", &e), 0);
	assert_true(l.took_over);
	assert_string_equal(l.former, "run 9");
	lock_release(&l);
	free(file);
	unit_rmdir(dir);
}

static void a_look_tells_a_live_holder_from_a_killed_one(void **state)
{
	char *dir = unit_tmpdir(), *file = mem_printf("%s/locks/lab3.lock", dir), who[64];
	struct lock l = LOCK_INIT;
	struct err e = ERR_INIT;

	(void)state;
	assert_false(lock_look(dir, "lab3", who, sizeof(who)));
	assert_int_equal(lock_acquire(&l, dir, "lab3", NULL, "run 1", &e), 0);
	assert_true(lock_look(dir, "lab3", who, sizeof(who)));
	assert_string_equal(who, "run 1");
	lock_release(&l);
	assert_false(lock_look(dir, "lab3", who, sizeof(who)));
	assert_int_equal(path_write(file, "run 9", 5, 0600, &e), 0);
	assert_false(lock_look(dir, "lab3", who, sizeof(who)));
	assert_string_equal(who, "run 9");
	free(file);
	unit_rmdir(dir);
}

/* Two runs that start in the same moment: exactly one holds the machine, every time. */
static void of_two_that_start_together_one_holds_it(void **state)
{
	char *dir = unit_tmpdir();

	(void)state;
	for (int round = 0; round < 50; round++) {
		int go[2], held = 0, done[2];
		pid_t pid[2];
		char c;

		assert_int_equal(pipe(go), 0);
		assert_int_equal(pipe(done), 0);
		for (int i = 0; i < 2; i++) {
			pid[i] = fork();
			if (!pid[i]) {
				struct lock l = LOCK_INIT;
				struct err e = ERR_INIT;
				int rc;

				close(go[1]);
				close(done[1]);
				rc = (int)read(go[0], &c, 1); /* end of file for both at once */
				rc = lock_acquire(&l, dir, "lab3", NULL, "run", &e);
				if (!rc) /* hold until both have tried */
					rc = (int)read(done[0], &c, 1);
				_exit(rc == 0 ? 7 : rc == -ERR_BUSY ? 6 : 1);
			}
		}
		close(go[0]);
		close(go[1]);
		close(done[0]);
		for (int i = 0; i < 2; i++) {
			int status = 0;
			pid_t p;

			/* The loser ends first; then the winner may go. */
			if (i == 1)
				close(done[1]);
			p = wait(&status);
			assert_true(p == pid[0] || p == pid[1]);
			assert_true(WIFEXITED(status));
			assert_true(WEXITSTATUS(status) == 7 || WEXITSTATUS(status) == 6);
			held += WEXITSTATUS(status) == 7;
		}
		assert_int_equal(held, 1);
	}
	unit_rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_second_holder_learns_who_has_it),
		cmocka_unit_test(machines_do_not_block_each_other),
		cmocka_unit_test(one_machine_under_two_names_is_one_machine),
		cmocka_unit_test(a_killed_holder_leaves_its_name_and_no_lock),
		cmocka_unit_test(a_lock_given_back_still_tells_of_the_killed_holder),
		cmocka_unit_test(a_look_tells_a_live_holder_from_a_killed_one),
		cmocka_unit_test(of_two_that_start_together_one_holds_it),
	};
	return cmocka_run_group_tests_name("lock", tests, NULL, NULL);
}
