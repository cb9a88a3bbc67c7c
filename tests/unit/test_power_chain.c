/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/power_fixture.h"

/* Two programs, "near" and "far", each a driver of that name. */
struct pair {
	struct lab3 lab;
	struct target targets[2];
	struct power_ops ops[2];
	struct buf notes;
};

static void pair_on_note(void *arg, const char *what, const char *text)
{
	struct pair *p = arg;

	buf_addf(&p->notes, "%s: %s\n", what, text);
}

/* The scripts of the two; a file that the near one shares with the far one is $D/power. */
static void pair_init(struct pair *p, const char *near, const char *far)
{
	static const char *const names[] = {"near", "far"};
	const char *const bodies[] = {near, far};
	struct power *drivers[2];

	lab3_init(&p->lab, "");
	buf_init(&p->notes, 1 << 16);
	for (int i = 0; i < 2; i++) {
		struct target *t = &p->targets[i];
		char *body = mem_printf("echo %s-$V >>$D/all\n%s", names[i], bodies[i]);

		*t = p->lab.target;
		lab3_script(&p->lab, names[i], body);
		free(body);
		snprintf(t->bmc.command, sizeof(t->bmc.command), "%s/%s", p->lab.dir, names[i]);
		drivers[i] = power_new(&p->lab.loop, t, &p->lab.secret, NULL, 0, &p->lab.e);
		assert_non_null(drivers[i]);
		p->ops[i] = *drivers[i]->ops;
		p->ops[i].name = names[i];
		drivers[i]->ops = &p->ops[i];
	}
	p->lab.power = power_chain_new(&p->lab.loop, &p->lab.target, drivers, 2);
	power_listen(p->lab.power, pair_on_note, p);
}

static void pair_end(struct pair *p)
{
	lab3_end(&p->lab);
	buf_release(&p->notes);
}

static void noted(const struct pair *p, const char *words)
{
	if (!strstr(p->notes.data, words))
		fail_msg("\"%s\" lacks \"%s\"", p->notes.data, words);
}

#define GOOD "case $V in get) cat $D/power ;; on | off) echo $V >$D/power ;; esac"
#define BAD  "echo broken >&2; exit 1"

static void a_driver_that_works_is_the_only_one_asked(void **state)
{
	struct pair p;

	(void)state;
	pair_init(&p, GOOD, BAD);
	lab3_set(&p.lab, POWER_DO_ON);
	lab3_wait(&p.lab, POWER_ON, OP_MS);
	lab3_net(&p.lab);
	assert_int_equal(p.lab.e.cls, 0);
	lab3_text_is(&p.lab, "all", "near-on near-get near-get near-bootdev-pxe");
	assert_int_equal(p.notes.len, 0);
	pair_end(&p);
}

static void the_next_driver_does_what_the_first_cannot_and_stays(void **state)
{
	struct pair p;

	(void)state;
	pair_init(&p, BAD, GOOD);
	lab3_set(&p.lab, POWER_DO_ON);
	assert_int_equal(p.lab.e.cls, 0);
	noted(&p, "power: on by near failed: ");
	noted(&p, "status 1: broken; trying far\npower: on by far\n");
	lab3_get(&p.lab, OP_MS);
	assert_int_equal(p.lab.state, POWER_ON);
	lab3_text_is(&p.lab, "all", "near-on far-on far-get");
	/* The boot device is a matter of its own. */
	lab3_net(&p.lab);
	lab3_text_is(&p.lab, "all", "near-on far-on far-get near-bootdev-pxe far-bootdev-pxe");
	noted(&p, "boot-device: network boot by near failed: ");
	pair_end(&p);
}

static void the_boot_device_is_set_by_the_driver_that_can(void **state)
{
	struct pair p;

	(void)state;
	pair_init(&p, "[ $V = bootdev-pxe ] && exit 3\n" GOOD, "[ $V = bootdev-pxe ]");
	lab3_set(&p.lab, POWER_DO_ON);
	lab3_net(&p.lab);
	lab3_set(&p.lab, POWER_DO_ON);
	lab3_net(&p.lab);
	assert_int_equal(p.lab.e.cls, 0);
	lab3_text_is(
		&p.lab, "all", "near-on near-bootdev-pxe far-bootdev-pxe near-on far-bootdev-pxe");
	pair_end(&p);
}

static void when_all_fail_each_has_its_word(void **state)
{
	struct pair p;

	(void)state;
	pair_init(&p, BAD, "echo no such outlet >&2; exit 2");
	lab3_set(&p.lab, POWER_DO_ON);
	assert_int_equal(p.lab.e.cls, ERR_LAB);
	assert_string_equal(p.lab.e.code, "E_POWER");
	assert_non_null(strstr(p.lab.e.msg, "near: "));
	assert_non_null(strstr(p.lab.e.msg, "status 1: broken; far: "));
	assert_non_null(strstr(p.lab.e.msg, "status 2: no such outlet"));
	/* The first one has its chance again. */
	lab3_set(&p.lab, POWER_DO_ON);
	lab3_text_is(&p.lab, "all", "near-on far-on near-on far-on");
	pair_end(&p);
}

static void rejected_credentials_are_told_at_once(void **state)
{
	struct pair p;

	(void)state;
	pair_init(&p, "exit 4", GOOD);
	lab3_set(&p.lab, POWER_DO_ON);
	assert_string_equal(p.lab.e.code, "E_AUTH");
	lab3_text_is(&p.lab, "all", "near-on");
	assert_int_equal(p.notes.len, 0);
	pair_end(&p);
}

static void a_machine_that_does_not_obey_is_told_by_the_next_driver(void **state)
{
	struct pair p;

	(void)state;
	/* The near one says yes to all, and nothing happens. */
	pair_init(&p, "[ $V = get ] && { cat $D/power 2>/dev/null || echo on; }; exit 0",
		"[ -e $D/power ] || echo on >$D/power\n" GOOD);
	lab3_wait(&p.lab, POWER_OFF, 4000);
	if (p.lab.e.cls)
		fail_msg("%s", p.notes.data);
	assert_int_equal(p.lab.state, POWER_OFF);
	noted(&p, "power: off by near failed: power still reads on ");
	noted(&p, "; trying far\n");
	pair_end(&p);
}

static void a_machine_that_obeys_nobody_is_an_error_of_power(void **state)
{
	struct pair p;

	(void)state;
	pair_init(&p, "[ $V = get ] && echo on; exit 0", "[ $V = get ] && echo on; exit 0");
	lab3_wait(&p.lab, POWER_OFF, 1000);
	assert_string_equal(p.lab.e.code, "E_POWER");
	assert_non_null(strstr(p.lab.e.msg, "power still reads on "));
	pair_end(&p);
}

static void readings_that_fail_are_noted_once_and_switch_nothing(void **state)
{
	struct pair p;
	char *all;

	(void)state;
	pair_init(&p, BAD, BAD);
	lab3_wait(&p.lab, POWER_OFF, 1500);
	assert_string_equal(p.lab.e.code, "E_BMC");
	noted(&p, "power: reading by near failed");
	assert_null(strstr(strchr(p.notes.data, '\n') + 1, "failed"));
	all = lab3_text(&p.lab, "all");
	assert_null(strstr(all, "off"));
	free(all);
	pair_end(&p);
}

static void a_first_driver_that_hangs_leaves_time_for_the_next(void **state)
{
	struct pair p;

	(void)state;
	pair_init(&p, "exec sleep 600", GOOD);
	p.lab.power->ops->set(p.lab.power, POWER_DO_ON, 4000, lab3_on_done, &p.lab);
	lab3_finish(&p.lab);
	assert_int_equal(p.lab.e.cls, 0);
	noted(&p, "did not end within");
	pair_end(&p);
}

static void cancel_ends_the_chain_without_another_try(void **state)
{
	struct pair p;

	(void)state;
	pair_init(&p, "exec sleep 600", GOOD);
	p.lab.power->ops->get(p.lab.power, OP_MS, lab3_on_done, &p.lab);
	power_cancel(p.lab.power);
	lab3_finish(&p.lab);
	assert_int_equal(p.lab.e.cls, ERR_INTERRUPTED);
	assert_int_equal(p.notes.len, 0);
	assert_int_equal(p.lab.calls, 1);
	pair_end(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_driver_that_works_is_the_only_one_asked),
		cmocka_unit_test(the_next_driver_does_what_the_first_cannot_and_stays),
		cmocka_unit_test(the_boot_device_is_set_by_the_driver_that_can),
		cmocka_unit_test(when_all_fail_each_has_its_word),
		cmocka_unit_test(rejected_credentials_are_told_at_once),
		cmocka_unit_test(a_machine_that_does_not_obey_is_told_by_the_next_driver),
		cmocka_unit_test(a_machine_that_obeys_nobody_is_an_error_of_power),
		cmocka_unit_test(readings_that_fail_are_noted_once_and_switch_nothing),
		cmocka_unit_test(a_first_driver_that_hangs_leaves_time_for_the_next),
		cmocka_unit_test(cancel_ends_the_chain_without_another_try),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
