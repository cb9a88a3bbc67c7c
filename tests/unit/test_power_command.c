/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/power_fixture.h"

#include <signal.h>
#include <unistd.h>

/* A machine that works: its state is a file. */
#define WORKS \
	"case $V in get) cat $D/power ;; on | off) echo $V >$D/power ;;" \
	" cycle | reset) echo on >$D/power ;; bootdev-pxe) ;; *) exit 9 ;; esac"

static void each_verb_does_its_work(void **state)
{
	struct lab3 l;

	(void)state;
	lab3_init(&l, WORKS);
	lab3_make(&l);
	lab3_set(&l, POWER_DO_ON);
	assert_int_equal(l.e.cls, 0);
	lab3_get(&l, OP_MS);
	assert_int_equal(l.e.cls, 0);
	assert_int_equal(l.state, POWER_ON);
	lab3_set(&l, POWER_DO_RESET);
	lab3_set(&l, POWER_DO_CYCLE);
	lab3_net(&l);
	assert_int_equal(l.e.cls, 0);
	lab3_set(&l, POWER_DO_OFF);
	lab3_get(&l, OP_MS);
	assert_int_equal(l.state, POWER_OFF);
	lab3_text_is(&l, "calls", "on get get reset get cycle bootdev-pxe get off get");
	lab3_end(&l);
}

static void a_machine_that_is_off_is_not_reset_but_turned_on(void **state)
{
	struct lab3 l;

	(void)state;
	lab3_init(&l, "case $V in get) echo off ;; esac");
	lab3_make(&l);
	lab3_set(&l, POWER_DO_OFF);
	lab3_set(&l, POWER_DO_RESET);
	lab3_set(&l, POWER_DO_CYCLE);
	assert_int_equal(l.e.cls, 0);
	lab3_text_is(&l, "calls", "get get on get on");
	lab3_end(&l);
}

static void fixed_words_and_the_environment_arrive(void **state)
{
	struct lab3 l;

	(void)state;
	lab3_init(&l, "echo \"$*\" >$D/argv; env | grep -E "
		      "'^HARNESS_(MACHINE|HOST|PORT|USER|PASSWORD)=' | sort >$D/env; echo on");
	snprintf(l.target.bmc.command, sizeof(l.target.bmc.command), "%s/switch  outlet 7", l.dir);
	snprintf(l.target.bmc.host, sizeof(l.target.bmc.host), "pdu1");
	l.target.bmc.port = 161;
	setenv("HARNESS_USER", "somebody-else", 1);
	lab3_make(&l);
	lab3_get(&l, OP_MS);
	unsetenv("HARNESS_USER");
	assert_int_equal(l.state, POWER_ON);
	lab3_text_is(&l, "argv", "outlet 7 get");
	lab3_text_is(&l, "env",
		"HARNESS_HOST=pdu1 HARNESS_MACHINE=lab3 HARNESS_PASSWORD=sesame HARNESS_PORT=161 "
		"HARNESS_USER=");
	lab3_end(&l);
}

static const struct {
	const char *body;
	enum power_action action;
	const char *code, *words;
} faults[] = {
	{"echo maybe", POWER_DO_OFF, "E_BMC", "must print on or off, not \"maybe?\""},
	{"echo ON", POWER_DO_OFF, "E_BMC", "must print on or off, not \"ON?\""},
	{"echo on; echo on", POWER_DO_OFF, "E_BMC", "must print on or off"},
	{"", POWER_DO_OFF, "E_BMC", "must print on or off, not \"\""},
	{"head -c 100000 /dev/urandom", POWER_DO_OFF, "E_BMC", "must print on or off"},
	{"printf 'on\\0off'", POWER_DO_OFF, "E_BMC", "must print on or off"},
	{"exit 1", POWER_DO_OFF, "E_BMC",
		"get\" ended with status 1: it printed no reason on its standard error"},
	{"echo x >&2; echo '  no such outlet ' >&2; echo >&2; exit 1", POWER_DO_ON, "E_POWER",
		"switch on\" ended with status 1: no such outlet"},
	{"exit 3", POWER_DO_ON, "E_POWER", "cannot do \"on\" on this machine (status 3)"},
	{"echo go away >&2; exit 4", POWER_DO_ON, "E_AUTH", "ended with status 4: go away"},
	{"echo \"user=u password=$HARNESS_PASSWORD\" >&2; exit 1", POWER_DO_ON, "E_POWER",
		"what it printed holds the password and is not shown"},
	{"echo $HARNESS_PASSWORD", POWER_DO_OFF, "E_BMC", "not \"(the password)\""},
	{"kill -9 $$", POWER_DO_ON, "E_POWER", "switch on\" was ended by signal 9"},
	{"[ $V = get ] && { echo on; exit; }; exit 127", POWER_DO_CYCLE, "E_POWER",
		"switch cycle\" ended with status 127"},
};

static void each_fault_has_its_line(void **state)
{
	struct lab3 l;

	(void)state;
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
		lab3_init(&l, faults[i].body);
		lab3_make(&l);
		lab3_set(&l, faults[i].action);
		assert_int_equal(l.e.cls, ERR_LAB);
		assert_string_equal(l.e.code, faults[i].code);
		if (!strstr(l.e.msg, faults[i].words))
			fail_msg("\"%s\" lacks \"%s\"", l.e.msg, faults[i].words);
		assert_null(strstr(l.e.msg, "sesame"));
		assert_int_equal(l.calls, 1);
		lab3_end(&l);
	}
}

static void a_boot_device_that_cannot_be_set_is_told_as_such(void **state)
{
	struct lab3 l;

	(void)state;
	lab3_init(&l, "exit 3");
	lab3_make(&l);
	lab3_net(&l);
	assert_string_equal(l.e.code, "E_BOOTDEV");
	assert_non_null(strstr(l.e.msg, "cannot do \"bootdev-pxe\""));
	lab3_end(&l);
}

static void a_program_that_is_not_there_is_named_from_the_loop(void **state)
{
	struct lab3 l;

	(void)state;
	lab3_init(&l, "");
	snprintf(l.target.bmc.command, sizeof(l.target.bmc.command), "%s/not-there", l.dir);
	lab3_make(&l);
	l.power->ops->get(l.power, OP_MS, lab3_on_done, &l);
	assert_int_equal(l.calls, 0);
	lab3_finish(&l);
	assert_string_equal(l.e.code, "E_CHILD");
	assert_non_null(strstr(l.e.msg, "not-there"));
	lab3_end(&l);
}

/* A process id that a script wrote, once it is there. */
static pid_t pid_of(const struct lab3 *l, const char *name)
{
	char *text = lab3_text(l, name);
	pid_t pid = (pid_t)strtol(text, NULL, 10);

	free(text);
	return pid;
}

static bool ended(pid_t pid)
{
	char *file = mem_printf("/proc/%d/stat", (int)pid);
	char stat[256] = "";
	FILE *f = fopen(file, "r");
	bool gone = !f || !fgets(stat, sizeof(stat), f) || strstr(stat, ") Z");

	if (f)
		fclose(f);
	free(file);
	return gone;
}

static void assert_ends(pid_t pid)
{
	assert_true(pid > 0);
	for (int i = 0; i < 500 && !ended(pid); i++)
		usleep(10000);
	assert_true(ended(pid));
}

static void a_program_that_hangs_is_ended_with_what_it_started(void **state)
{
	struct lab3 l;

	(void)state;
	lab3_init(&l, "trap '' TERM; sleep 600 & echo $! >$D/pid; wait; sleep 600");
	lab3_make(&l);
	lab3_get(&l, 500);
	assert_string_equal(l.e.code, "E_TIMEOUT");
	assert_non_null(strstr(l.e.msg, "switch get\" did not end within"));
	assert_ends(pid_of(&l, "pid"));
	lab3_end(&l);
}

static void what_a_program_leaves_behind_is_ended(void **state)
{
	struct lab3 l;

	(void)state;
	lab3_init(&l, "sleep 600 & echo $! >$D/pid; echo on");
	lab3_make(&l);
	lab3_get(&l, OP_MS);
	assert_int_equal(l.e.cls, 0);
	assert_int_equal(l.state, POWER_ON);
	assert_ends(pid_of(&l, "pid"));
	lab3_end(&l);
}

static void cancel_tells_once_when_the_program_is_gone(void **state)
{
	struct lab3 l;

	(void)state;
	lab3_init(&l, "echo $$ >$D/pid.new; mv $D/pid.new $D/pid; exec sleep 600");
	lab3_make(&l);
	l.power->ops->get(l.power, OP_MS, lab3_on_done, &l);
	for (int i = 0; i < 2000 && pid_of(&l, "pid") <= 0; i++) {
		uv_run(&l.loop, UV_RUN_NOWAIT);
		usleep(5000);
	}
	power_cancel(l.power);
	power_cancel(l.power);
	assert_int_equal(l.calls, 0);
	lab3_finish(&l);
	assert_int_equal(l.e.cls, ERR_INTERRUPTED);
	assert_true(ended(pid_of(&l, "pid")));
	assert_int_equal(l.calls, 1);
	lab3_script(&l, "switch", "echo off");
	lab3_get(&l, OP_MS);
	assert_int_equal(l.state, POWER_OFF);
	lab3_end(&l);
}

static void a_driver_that_is_freed_says_nothing_more(void **state)
{
	struct lab3 l;

	(void)state;
	lab3_init(&l, "exec sleep 600");
	lab3_make(&l);
	l.power->ops->get(l.power, OP_MS, lab3_on_done, &l);
	lab3_end(&l);
	assert_int_equal(l.calls, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_verb_does_its_work),
		cmocka_unit_test(a_machine_that_is_off_is_not_reset_but_turned_on),
		cmocka_unit_test(fixed_words_and_the_environment_arrive),
		cmocka_unit_test(each_fault_has_its_line),
		cmocka_unit_test(a_boot_device_that_cannot_be_set_is_told_as_such),
		cmocka_unit_test(a_program_that_is_not_there_is_named_from_the_loop),
		cmocka_unit_test(a_program_that_hangs_is_ended_with_what_it_started),
		cmocka_unit_test(what_a_program_leaves_behind_is_ended),
		cmocka_unit_test(cancel_tells_once_when_the_program_is_gone),
		cmocka_unit_test(a_driver_that_is_freed_says_nothing_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
