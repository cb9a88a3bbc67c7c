/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>

#include "reports/alike.h"
#include "tests/unit/fixture_model.h"

#define SET(field, ...) snprintf(field, sizeof(field), __VA_ARGS__)

/* Two runs that are alike, 7f3a and 8b2c. */
struct pair {
	struct model a, b;
	struct buf out;
	struct err e;
	int rc;
};

static void pair_init(struct pair *p)
{
	fixture_clean(&p->a);
	fixture_clean(&p->b);
	SET(p->b.id, "8b2c");
	memcpy(p->b.uuid, "8b2c", 4);
	p->b.started_wall_ns++;
	for (size_t i = 0; i < p->b.n_list; i++) {
		struct boot_result *r = &p->b.list[i].r;

		memset(r->nonce, 'f', NONCE_HEX);
		SET(r->command_line,
			"com1=115200,8n1 console=com1 bootscrub=0 cpufreq=none cpuidle=0 "
			"hp_nonce=%s hp_work=flush-all hp_samples=25 hp_warmup=0 hp_iters=10000",
			r->nonce);
	}
	buf_init(&p->out, 65536);
}

static void pair_check(struct pair *p, alike_set allow)
{
	static const struct verdict_opts usual = VERDICT_OPTS_INIT;
	const struct model *runs[] = {&p->a, &p->b};
	struct comparison c;

	p->e = (struct err)ERR_INIT;
	buf_clear(&p->out);
	comparison_init(&c, COMPARISON_SIDES, &usual);
	for (size_t i = 0; i < 2; i++) {
		struct comparison_pick pick = {.name = runs[i]->id,
			.mode = "mixed",
			.image = "",
			.runs = &runs[i],
			.n_runs = 1};

		assert_int_equal(comparison_add(&c, &pick, &p->e), 0);
	}
	p->rc = alike_check(&c, allow, &p->out, &p->e);
	comparison_release(&c);
}

static void pair_release(struct pair *p)
{
	model_release(&p->a);
	model_release(&p->b);
	buf_release(&p->out);
}

/* The same change in all boots of 8b2c. */
static void change(struct model *m, enum alike_kind kind)
{
	if (kind == ALIKE_MACHINE)
		SET(m->machine, "other");
	if (kind == ALIKE_FIRMWARE)
		SET(m->firmware_version, "1.13");
	if (kind == ALIKE_ITERATIONS)
		m->iterations = 20000;
	if (kind == ALIKE_EMULATOR) {
		m->emulated = true;
		SET(m->emulator, "QEMU 10.0.2, tcg");
	}
	for (size_t i = 0; i < m->n_list; i++) {
		struct boot_result *r = &m->list[i].r;

		if (kind == ALIKE_CPU)
			SET(r->facts.cpu_model, "AMD EPYC 9654 96-Core Processor");
		if (kind == ALIKE_MICROCODE)
			SET(r->facts.microcode, "0xaa00219");
		if (kind == ALIKE_CPUS)
			r->facts.cpus_online = 511;
		if (kind == ALIKE_ARGS)
			SET(r->command_line,
				"com1=115200,8n1 console=com1 cpufreq=xen cpuidle=0 hp_nonce=1");
		if (kind == ALIKE_SHORTHAND)
			r->facts.shorthand = 1;
		if (kind == ALIKE_DEBUG)
			r->facts.debug = 1;
	}
}

static void runs_that_are_alike_are_compared(void **state)
{
	struct pair p;

	(void)state;
	pair_init(&p);
	pair_check(&p, 0);
	assert_int_equal(p.rc, 0);
	assert_string_equal(p.out.data, "");
	pair_release(&p);
}

static void each_kind_is_refused_and_can_be_allowed(void **state)
{
	static const struct {
		const char *word, *values, *listed;
	} cases[ALIKE_KINDS] = {
		[ALIKE_MACHINE] = {"machine", "epyc9754 in run 7f3a, other in run 8b2c",
			"epyc9754 in 7f3a (3 boots); other in 8b2c (3 boots)"},
		[ALIKE_CPU] = {"cpu",
			"AMD EPYC 9754 128-Core Processor in run 7f3a, AMD EPYC 9654 96-Core "
			"Processor in run 8b2c",
			"AMD EPYC 9754 128-Core Processor in 7f3a (3 boots); AMD EPYC 9654 96-Core "
			"Processor in 8b2c (3 boots)"},
		[ALIKE_MICROCODE] = {"microcode", "0xaa00215 in run 7f3a, 0xaa00219 in run 8b2c",
			"0xaa00215 in 7f3a (3 boots); 0xaa00219 in 8b2c (3 boots)"},
		[ALIKE_FIRMWARE] = {"firmware", "UEFI 1.12 in run 7f3a, UEFI 1.13 in run 8b2c",
			"UEFI 1.12 in 7f3a (3 boots); UEFI 1.13 in 8b2c (3 boots)"},
		[ALIKE_CPUS] = {"cpus",
			"512 online, 511 targets, 2 sockets in run 7f3a, 511 online, 511 targets, "
			"512 present, 2 sockets in run 8b2c",
			"512 online, 511 targets, 2 sockets in 7f3a (3 boots); 511 online, 511 "
			"targets, 512 present, 2 sockets in "
			"8b2c (3 boots)"},
		[ALIKE_ITERATIONS] = {"iterations", "10000 in run 7f3a, 20000 in run 8b2c",
			"10000 in 7f3a (3 boots); 20000 in 8b2c (3 boots)"},
		[ALIKE_ARGS] = {"args",
			"bootscrub=0 cpufreq=none in run 7f3a, cpufreq=xen in run 8b2c",
			"bootscrub=0 cpufreq=none in 7f3a (3 boots); cpufreq=xen in 8b2c (3 "
			"boots)"},
		[ALIKE_SHORTHAND] = {"shorthand", "not in use in run 7f3a, in use in run 8b2c",
			"not in use in 7f3a (3 boots); in use in 8b2c (3 boots)"},
		[ALIKE_DEBUG] = {"debug", "debug=n in run 7f3a, debug=y in run 8b2c",
			"debug=n in 7f3a (3 boots); debug=y in 8b2c (3 boots)"},
		[ALIKE_EMULATOR] = {"emulator", "none in run 7f3a, QEMU 10.0.2, tcg in run 8b2c",
			"none in 7f3a (3 boots); QEMU 10.0.2, tcg in 8b2c (3 boots)"},
	};

	(void)state;
	for (size_t i = 0; i < ALIKE_KINDS; i++) {
		char wanted[512];
		alike_set one;
		struct pair p;

		pair_init(&p);
		change(&p.b, (enum alike_kind)i);
		pair_check(&p, 0);
		assert_int_equal(p.rc, -ERR_MEASURE);
		assert_string_equal(p.e.code, "E_DIFFERS");
		SET(wanted, "%s differs: %s; --allow %s compares them all the same", cases[i].word,
			cases[i].values, cases[i].word);
		assert_string_equal(p.e.msg, wanted);
		assert_string_equal(p.out.data, "");
		pair_check(&p, ALIKE_ALL & ~(1U << i));
		assert_int_equal(p.rc, -ERR_MEASURE);
		assert_int_equal(alike_allow(cases[i].word, &one, &p.e), 0);
		pair_check(&p, one);
		assert_int_equal(p.rc, 0);
		SET(wanted, "%s: %s\n", cases[i].word, cases[i].listed);
		assert_string_equal(p.out.data, wanted);
		pair_release(&p);
	}
}

static void several_kinds_are_named_together(void **state)
{
	struct pair p;

	(void)state;
	pair_init(&p);
	change(&p.b, ALIKE_ARGS);
	change(&p.b, ALIKE_FIRMWARE);
	change(&p.b, ALIKE_CPUS);
	pair_check(&p, 0);
	assert_string_equal(p.e.msg,
		"firmware differs: UEFI 1.12 in run 7f3a, UEFI 1.13 in run 8b2c; also cpus, args; "
		"--allow firmware,cpus,args compares them all the same");
	pair_check(&p, 1U << ALIKE_FIRMWARE | 1U << ALIKE_MACHINE);
	assert_string_equal(p.e.msg,
		"cpus differs: 512 online, 511 targets, 2 sockets in run 7f3a, 511 online, 511 "
		"targets, 512 present, 2 sockets in run "
		"8b2c; also args; --allow firmware,cpus,args compares them all the same");
	pair_check(&p, ALIKE_ALL);
	assert_int_equal(p.rc, 0);
	pair_release(&p);
}

static void a_fact_that_one_side_does_not_know_differs(void **state)
{
	struct pair p;

	(void)state;
	pair_init(&p);
	for (size_t i = 0; i < p.b.n_list; i++) {
		p.b.list[i].r.facts.microcode[0] = '\0';
		p.b.list[i].r.facts.shorthand = -1;
		p.b.list[i].r.facts.cpus_online = p.b.list[i].r.facts.target_cpus = -1;
		p.b.list[i].r.facts.debug = -1;		 /* the image says n, as the other boots */
		p.b.list[i].r.facts.cpu_model[0] = '\0'; /* "AMD EPYC 9754", by the target file */
	}
	pair_check(&p, 1U << ALIKE_CPU);
	assert_string_equal(p.e.msg,
		"microcode differs: 0xaa00215 in run 7f3a, unknown in run 8b2c; also cpus, "
		"shorthand; --allow cpu,microcode,cpus,shorthand compares them all the same");
	for (size_t i = 0; i < p.a.n_list; i++)
		p.a.list[i].r.facts = p.b.list[i].r.facts;
	pair_check(&p, 0);
	assert_int_equal(p.rc, 0);
	assert_string_equal(p.out.data, "");
	pair_release(&p);
}

static void a_change_within_a_run_is_seen(void **state)
{
	struct pair p;

	(void)state;
	pair_init(&p);
	SET(p.a.list[4].r.facts.microcode, "0xaa00219"); /* boot 5, mixed */
	SET(p.b.list[0].r.facts.microcode, "0x1");	 /* boot 1, cluster: takes no part */
	pair_check(&p, 0);
	assert_string_equal(p.e.msg,
		"microcode differs: 0xaa00215 in boot 2 of run 7f3a, 0xaa00219 in boot 5 of run "
		"7f3a; --allow microcode compares them all the same");
	pair_check(&p, ALIKE_ALL);
	assert_string_equal(p.out.data,
		"microcode: 0xaa00215 in 7f3a (2 boots), 8b2c (3 boots); 0xaa00219 in 7f3a (1 "
		"boot)\n");
	pair_release(&p);
}

static void command_lines_are_shown_by_the_words_that_differ(void **state)
{
	static const struct {
		const char *a, *b, *says;
	} cases[] = {
		{"a b c", "a c", "b in run 7f3a, nothing in run 8b2c"},
		{"b c", "x b c", "nothing in run 7f3a, x in run 8b2c"},
		{"a b", "b a", "a b in run 7f3a, b a in run 8b2c"},
		{"a a", "a a a", "nothing in run 7f3a, a in run 8b2c"},
		{"cpuidle=0", "cpuidle=00", "cpuidle=0 in run 7f3a, cpuidle=00 in run 8b2c"},
		{"xa b", "ya b", "xa in run 7f3a, ya in run 8b2c"},
		{"hp_x=1", "a", "nothing in run 7f3a, a in run 8b2c"},
		{"", "a", "unknown in run 7f3a, a in run 8b2c"},
		{"  a   hp_b c", "c a", "a c in run 7f3a, c a in run 8b2c"},
		{"  a   hp_b=2 c", "a c", NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct pair p;

		pair_init(&p);
		for (size_t k = 0; k < p.a.n_list; k++) {
			SET(p.a.list[k].r.command_line, "%s", cases[i].a);
			SET(p.b.list[k].r.command_line, "%s", cases[i].b);
		}
		pair_check(&p, 0);
		assert_int_equal(p.rc, cases[i].says ? -ERR_MEASURE : 0);
		if (cases[i].says && !strstr(p.e.msg, cases[i].says))
			fail_msg("%s, %s: %s", cases[i].a, cases[i].b, p.e.msg);
		pair_release(&p);
	}
}

static void long_command_lines_are_cut(void **state)
{
	struct pair p;

	(void)state;
	pair_init(&p);
	for (size_t k = 0; k < p.a.n_list; k++) {
		memset(p.a.list[k].r.command_line, 'a', 1000);
		memset(p.b.list[k].r.command_line, 'b', 1000);
	}
	pair_check(&p, 0);
	assert_non_null(strstr(p.e.msg, "a… in run 7f3a, bb"));
	assert_non_null(strstr(p.e.msg, "--allow args compares them all the same"));
	pair_release(&p);
}

/* The first boot of a run always begins with a cycle. */
static void set_ways(struct model *m, enum stage first)
{
	for (size_t i = 1; i < m->n_list; i++)
		fixture_began(m, i, first);
}

static void ways_between_boots_that_differ_are_noted(void **state)
{
	static const struct {
		enum stage a, b;
		const char *says;
	} cases[] = {
		{STAGE_POWER_OFF, STAGE_POWER_OFF, ""},
		{STAGE_FIRMWARE, STAGE_FIRMWARE, ""},
		{STAGE_BOOT_DEVICE, STAGE_BOOT_DEVICE, ""},
		{STAGE_POWER_OFF, STAGE_FIRMWARE,
			"between boots: cycle in 7f3a (3 boots), 8b2c (1 boot); restart in 8b2c (2 "
			"boots)\n"},
		{STAGE_BOOT_DEVICE, STAGE_FIRMWARE,
			"between boots: cycle in 7f3a (1 boot), 8b2c (1 boot); reset in 7f3a (2 "
			"boots); restart in 8b2c (2 boots)\n"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct pair p;

		pair_init(&p);
		for (size_t k = 0; k < p.a.n_list; k++) { /* the first counts, too */
			SET(p.a.list[k].r.mode, "%s", k % 3 ? "other" : "mixed");
			SET(p.b.list[k].r.mode, "%s", k % 3 ? "other" : "mixed");
		}
		set_ways(&p.a, cases[i].a);
		set_ways(&p.b, cases[i].b);
		pair_check(&p, 0);
		assert_int_equal(p.rc, 0);
		assert_string_equal(p.out.data, cases[i].says);
		pair_release(&p);
	}
}

/* What happened counts, not what the target asked for. */
static void a_restart_that_fell_to_a_cycle_is_noted(void **state)
{
	struct pair p;

	(void)state;
	pair_init(&p);
	set_ways(&p.a, STAGE_FIRMWARE);
	set_ways(&p.b, STAGE_FIRMWARE);
	p.b.list[4].r.stages[STAGE_POWER_OFF].reached = true; /* boot 5, mixed */
	pair_check(&p, 0);
	assert_int_equal(p.rc, 0);
	assert_string_equal(p.out.data,
		"between boots: restart in 7f3a (3 boots), 8b2c (2 boots); cycle in 8b2c (1 "
		"boot)\n");
	pair_release(&p);
}

static void another_workload_is_never_allowed(void **state)
{
	struct pair p;

	(void)state;
	pair_init(&p);
	SET(p.b.workload, "call-all");
	pair_check(&p, ALIKE_ALL);
	assert_int_equal(p.rc, -ERR_MEASURE);
	assert_string_equal(p.e.msg, "workload differs: flush-all in run 7f3a, call-all in run "
				     "8b2c; times of different work cannot be compared");
	pair_release(&p);
}

static void builds_and_ways_of_sampling_are_noted(void **state)
{
	struct pair p;

	(void)state;
	pair_init(&p);
	SET(p.b.modes[0].compiler, "gcc 14.2.0");
	SET(p.b.modes[0].probe_version, "1.1");
	SET(p.b.modes[0].version, "4.20.0");
	memset(p.b.modes[0].image_sha256, 'f', SHA256_HEX);
	SET(p.a.keep_rule, "after 2");
	SET(p.b.keep_rule, "after 3");
	pair_check(&p, 0);
	assert_int_equal(p.rc, 0);
	assert_string_equal(p.out.data,
		"compiler: gcc (Debian 12.2.0-14) 12.2.0 in 7f3a (3 boots); gcc 14.2.0 in 8b2c (3 "
		"boots)\n"
		"probe version: 1.0 in 7f3a (3 boots); 1.1 in 8b2c (3 boots)\n"
		"sampling: 6 samples a boot, kept: after 2 in 7f3a (3 boots); 6 samples a boot, "
		"kept: after 3 in 8b2c (3 boots)\n");
	pair_release(&p);
}

static void words_of_allow(void **state)
{
	static const struct {
		const char *list;
		alike_set set;
		const char *says;
	} cases[] = {
		{"all", ALIKE_ALL, NULL},
		{"microcode", 1U << ALIKE_MICROCODE, NULL},
		{"args,microcode,args", 1U << ALIKE_MICROCODE | 1U << ALIKE_ARGS, NULL},
		{"emulator,all", ALIKE_ALL, NULL},
		{"microcod", 0, "unknown word \"microcod\" (did you mean \"microcode\"?)"},
		{"args,workload", 0, "unknown word \"workload\"; it takes machine, cpu,"},
		{"", 0, "unknown word \"\""},
		{"args,", 0, "unknown word \"\""},
		{"args microcode", 0, "unknown word \"args microcode\""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct err e = ERR_INIT;
		alike_set set = 0;
		int rc = alike_allow(cases[i].list, &set, &e);

		assert_int_equal(rc, cases[i].says ? -ERR_USAGE : 0);
		assert_int_equal(set, cases[i].set);
		if (cases[i].says && !strstr(e.msg, cases[i].says))
			fail_msg("\"%s\" says: %s", cases[i].list, e.msg);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(runs_that_are_alike_are_compared),
		cmocka_unit_test(each_kind_is_refused_and_can_be_allowed),
		cmocka_unit_test(several_kinds_are_named_together),
		cmocka_unit_test(a_fact_that_one_side_does_not_know_differs),
		cmocka_unit_test(a_change_within_a_run_is_seen),
		cmocka_unit_test(command_lines_are_shown_by_the_words_that_differ),
		cmocka_unit_test(long_command_lines_are_cut),
		cmocka_unit_test(ways_between_boots_that_differ_are_noted),
		cmocka_unit_test(a_restart_that_fell_to_a_cycle_is_noted),
		cmocka_unit_test(another_workload_is_never_allowed),
		cmocka_unit_test(builds_and_ways_of_sampling_are_noted),
		cmocka_unit_test(words_of_allow),
	};

	return cmocka_run_group_tests_name("alike", tests, NULL, NULL);
}
