/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/unit.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/base/clock.h"
#include "harness/power_turn.h"

struct guest {
	struct turn *turn;
	struct err e;
	int calls;
	int64_t at_ns; /* of the last call */
};

static uv_loop_t loop;
static struct target target;

static void on_turn(void *arg, const struct err *e)
{
	struct guest *g = arg;

	g->calls++;
	g->e = *e;
	g->at_ns = clock_mono_ns();
	uv_stop(&loop); /* or UV_RUN_ONCE waits for I/O after a timer */
}

/* A BMC of this test process's own: tests run side by side. */
static void begin(int quiet_ms)
{
	memset(&target, 0, sizeof(target));
	snprintf(target.bmc.host, sizeof(target.bmc.host), "bmc-of-%d.invalid", (int)getpid());
	target.bmc.quiet_ms = quiet_ms;
	assert_int_equal(uv_loop_init(&loop), 0);
}

static void end(void)
{
	uv_run(&loop, UV_RUN_DEFAULT);
	assert_int_equal(uv_loop_close(&loop), 0);
}

static void guest_init(struct guest *g)
{
	*g = (struct guest){.turn = turn_new(&loop, &target, NULL, 0)};
}

static void guest_take(struct guest *g, int deadline_ms)
{
	turn_take(g->turn, deadline_ms, on_turn, g);
}

static void until_called(struct guest *g, int calls)
{
	while (g->calls < calls)
		uv_run(&loop, UV_RUN_ONCE);
}

static void the_second_waits_for_the_first(void **state)
{
	struct guest a, b;

	(void)state;
	begin(0);
	guest_init(&a);
	guest_init(&b);
	guest_take(&a, 10000);
	assert_int_equal(a.calls, 0);
	until_called(&a, 1);
	guest_take(&b, 10000);
	for (int i = 0; i < 5; i++)
		uv_run(&loop, UV_RUN_ONCE);
	assert_int_equal(b.calls, 0);
	turn_end(a.turn);
	until_called(&b, 1);
	assert_int_equal(b.e.cls, 0);
	turn_free(a.turn);
	turn_free(b.turn);
	end();
}

static void other_addresses_do_not_wait(void **state)
{
	struct guest a, b;

	(void)state;
	begin(0);
	guest_init(&a);
	target.bmc.host[0] = 'c';
	guest_init(&b);
	guest_take(&a, 10000);
	until_called(&a, 1);
	guest_take(&b, 10000);
	until_called(&b, 1);
	assert_int_equal(b.e.cls, 0);
	turn_free(a.turn);
	turn_free(b.turn);
	end();
}

static void a_turn_that_does_not_come_is_told_at_the_deadline(void **state)
{
	struct guest a, b;

	(void)state;
	begin(0);
	guest_init(&a);
	guest_init(&b);
	guest_take(&a, 10000);
	until_called(&a, 1);
	guest_take(&b, 50);
	until_called(&b, 1);
	assert_string_equal(b.e.code, "E_TIMEOUT");
	assert_non_null(strstr(b.e.msg, target.bmc.host));
	turn_free(a.turn);
	turn_free(b.turn);
	end();
}

static void quiet_holds_for_oneself_and_for_others(void **state)
{
	struct guest a, b;
	int64_t ended;

	(void)state;
	begin(100);
	guest_init(&a);
	guest_init(&b);
	guest_take(&a, 10000);
	until_called(&a, 1);
	turn_end(a.turn);
	ended = clock_mono_ns();
	guest_take(&a, 10000);
	until_called(&a, 2);
	assert_true(a.at_ns - ended >= 99000000);
	turn_end(a.turn);
	ended = clock_mono_ns();
	turn_free(a.turn); /* keeps quiet after its end */
	guest_take(&b, 10000);
	until_called(&b, 1);
	assert_int_equal(b.e.cls, 0);
	assert_true(b.at_ns - ended >= 99000000);
	turn_free(b.turn);
	end();
}

static void who_gives_up_waiting_is_not_called(void **state)
{
	struct guest a, b;

	(void)state;
	begin(0);
	guest_init(&a);
	guest_init(&b);
	guest_take(&a, 10000);
	until_called(&a, 1);
	guest_take(&b, 10000);
	turn_end(b.turn);
	guest_take(&b, 10000);
	turn_free(b.turn);
	turn_free(a.turn);
	end();
	assert_int_equal(b.calls, 0);
}

static void a_holder_that_is_killed_holds_nothing(void **state)
{
	struct guest a;
	int ready[2];
	pid_t child;
	char c;

	(void)state;
	begin(0);
	assert_int_equal(pipe(ready), 0);
	child = fork();
	if (!child) {
		guest_init(&a);
		guest_take(&a, 10000);
		until_called(&a, 1);
		_exit(write(ready[1], "x", 1) == 1 && pause());
	}
	assert_int_equal(read(ready[0], &c, 1), 1);
	guest_init(&a);
	guest_take(&a, 50);
	until_called(&a, 1);
	assert_string_equal(a.e.code, "E_TIMEOUT");
	turn_end(a.turn);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	guest_take(&a, 10000);
	until_called(&a, 2);
	assert_int_equal(a.e.cls, 0);
	close(ready[0]);
	close(ready[1]);
	turn_free(a.turn);
	end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_second_waits_for_the_first),
		cmocka_unit_test(other_addresses_do_not_wait),
		cmocka_unit_test(a_turn_that_does_not_come_is_told_at_the_deadline),
		cmocka_unit_test(quiet_holds_for_oneself_and_for_others),
		cmocka_unit_test(who_gives_up_waiting_is_not_called),
		cmocka_unit_test(a_holder_that_is_killed_holds_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
