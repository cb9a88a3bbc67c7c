/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs with builds: how they are compared in their own report, and as sides of other comparisons.
 */
#include "tests/unit/unit.h"

#include "harness/base/buf.h"
#include "harness/base/mem.h"
#include "reports/differs.h"
#include "reports/ministat.h"
#include "reports/text.h"
#include "tests/unit/fixture_model.h"
#include "tests/unit/layout.h"

enum { TEXT_MAX = 1 << 20, WIDE = 1000 }; /* columns: no line is wrapped */

static const struct verdict_opts usual = VERDICT_OPTS_INIT;

static void compare(struct comparison *c, const struct model *m)
{
	struct err e = ERR_INIT;

	if (comparison_of_run(c, m, &usual, &e))
		fail_msg("%s", e.msg);
}

static void expect_layout(void (*fixture)(struct model *), const char *want, size_t compared)
{
	struct comparison c;
	struct model m;
	struct buf b;

	buf_init(&b, TEXT_MAX);
	fixture(&m);
	compare(&c, &m);
	laid_out(&b, &c);
	assert_string_equal(b.data, want);
	assert_int_equal(c.n_compared, compared);
	assert_int_equal(c.kind, COMPARISON_SIDES);
	assert_string_equal(c.title, "patched against base");
	comparison_release(&c);
	model_release(&m);
	buf_release(&b);
}

/* All of the second build hangs. */
static void one_usable(struct model *m)
{
	fixture_builds(m);
	for (size_t i = 0; i < m->n_list; i++)
		if (!strcmp(m->list[i].r.build, "patched"))
			m->list[i].r.outcome = OUTCOME_LAB;
}

/* Builds without a mode in common, and of one mode each. */
static void strangers(struct model *m)
{
	fixture_builds(m);
	m->modes[1].skipped = m->modes[2].skipped = true;
	for (size_t i = 0; i < m->n_list; i++)
		if (!strcmp(m->list[i].r.build, "base") == !strcmp(m->list[i].r.mode, "physical"))
			m->list[i].r.outcome = OUTCOME_LAB;
}

static void a_mode_is_compared_with_itself_then_with_others(void **state)
{
	(void)state;
	expect_layout(fixture_builds,
		"0 base mixed | 0 patched mixed <base mixed | "
		"1 base physical | 1 patched physical <base physical | "
		"2 mixed of base | 2 physical of base <mixed of base | "
		"3 mixed of patched | 3 physical of patched <mixed of patched",
		4);
	expect_layout(fixture_lacks,
		"0 base mixed | 0 patched mixed <base mixed | "
		"1 mixed of patched | 1 physical of patched <mixed of patched",
		2);
	expect_layout(fixture_hang,
		"0 base mixed | 0 patched mixed? | "
		"1 base physical | 1 patched physical <base physical | "
		"2 mixed of base | 2 physical of base <mixed of base | "
		"3 mixed of patched? | 3 physical of patched",
		2);
	expect_layout(one_usable,
		"0 base mixed | 0 patched mixed? | 1 base physical | 1 patched physical? | "
		"2 mixed of base | 2 physical of base <mixed of base | "
		"3 mixed of patched? | 3 physical of patched?",
		1);
	expect_layout(strangers, "0 base mixed | 1 patched physical", 0);
}

static void only_a_later_build_of_the_same_mode_can_regress(void **state)
{
	static const char *const judged[] = {"patched mixed", "patched physical"};
	struct comparison c;
	struct model m;
	size_t n = 0;

	(void)state;
	fixture_builds(&m);
	compare(&c, &m);
	for (size_t i = 0; i < c.n_sets; i++)
		if (comparison_judged(&c, i))
			assert_string_equal(c.sets[i].name, judged[n++]);
	assert_int_equal(n, 2);
	assert_true(comparison_regressed(&c));
	comparison_release(&c);
	/* Slower modes of a build are none, and neither is a first build that is slower. */
	for (size_t i = 0; i < m.n_list; i++)
		for (size_t k = 0; k < m.list[i].r.n_samples; k++)
			if (!strcmp(m.list[i].r.mode, "mixed"))
				m.list[i].r.samples[k].ns = !strcmp(m.list[i].r.build, "base")
								    ? 400000000 +
									      (int64_t)(i * 1000)
								    : 354000000;
	compare(&c, &m);
	assert_int_equal(c.sets[1].verdict.kind, VERDICT_LOWER);
	assert_int_equal(c.sets[5].verdict.kind, VERDICT_HIGHER);
	assert_false(comparison_regressed(&c));
	comparison_release(&c);
	model_release(&m);
}

static void boots_of_two_sets_are_the_same(void **state)
{
	char name[64];
	struct comparison c;
	struct model m;

	(void)state;
	fixture_builds(&m);
	compare(&c, &m);
	assert_int_equal(c.n_runs, 1);
	for (size_t i = 0; i < c.n_sets; i++) {
		const struct comparison_set *s = &c.sets[i];

		assert_int_equal(s->planned, 3);
		assert_int_equal(s->n_boots, 3);
		assert_int_equal(comparison_again(&c, i), i >= 4);
		for (size_t k = 0; k < s->n_boots; k++) {
			assert_string_equal(s->boots[k].boot->r.build, s->build);
			assert_string_equal(s->boots[k].boot->r.mode, s->mode);
			assert_true(comparison_wants(s, &s->boots[k].boot->r));
		}
	}
	assert_ptr_equal(c.sets[4].boots[0].boot, c.sets[0].boots[0].boot); /* mixed of base */
	assert_false(comparison_wants(&c.sets[0], &c.sets[1].boots[0].boot->r));
	comparison_block_name(&c, 1, name, sizeof(name));
	assert_string_equal(name, "physical");
	comparison_block_name(&c, 3, name, sizeof(name));
	assert_string_equal(name, "modes of patched");
	comparison_release(&c);
	model_release(&m);
}

/* `builds` builds of mixed: "b0", "b1" … */
static void many_builds(struct model *m, int builds)
{
	fixture_builds_begin(m);
	m->builds = mem_grow(m->builds, (size_t)builds, sizeof(*m->builds));
	m->modes = mem_grow(m->modes, (size_t)builds, sizeof(*m->modes));
	m->list = mem_grow(m->list, 3 * (size_t)builds, sizeof(*m->list));
	m->n_builds = (size_t)builds;
	for (int i = 0; i < builds; i++) {
		m->builds[i] = (struct run_build){.text = ""};
		snprintf(m->builds[i].name, sizeof(m->builds[i].name), "b%d", i);
		fixture_build_mode(m, m->builds[i].name, "mixed", NULL);
	}
	m->total = 3 * builds;
	for (int i = 0; i < 3 * builds; i++)
		fixture_build_boot(m, i, 0, &m->modes[i % builds], 354000000)->block = i / builds;
}

static void no_block_has_more_sets_than_a_table_holds(void **state)
{
	struct comparison c;
	struct model m;
	struct buf b;

	(void)state;
	buf_init(&b, TEXT_MAX);
	many_builds(&m, 3);
	compare(&c, &m);
	laid_out(&b, &c);
	assert_string_equal(b.data, "0 b0 mixed | 0 b1 mixed <b0 mixed | 0 b2 mixed <b0 mixed");
	assert_string_equal(c.title, "b1, b2 against b0");
	comparison_release(&c);
	model_release(&m);

	many_builds(&m, 15);
	compare(&c, &m);
	laid_out(&b, &c);
	assert_non_null(strstr(b.data, "| 0 b6 mixed <b0 mixed | 1 b0 mixed (2) | "
				       "1 b7 mixed <b0 mixed (2) | "));
	assert_non_null(strstr(b.data, "| 1 b12 mixed <b0 mixed (2) | 2 b0 mixed (3) | "
				       "2 b13 mixed <b0 mixed (3) | 2 b14 mixed <b0 mixed (3)"));
	for (size_t block = 0; block < c.n_blocks; block++) {
		size_t n = 0;

		for (size_t i = 0; i < c.n_sets; i++)
			n += c.sets[i].block == block;
		assert_true(n > 1 && n <= MINISTAT_MAX_SETS);
	}
	assert_int_equal(c.n_compared, 14); /* Holm counts all */
	comparison_release(&c);
	model_release(&m);
	buf_release(&b);
}

static void expect_text(const struct model *m, const char *has, const char *lacks)
{
	const struct text_opts o = {.width = WIDE};
	struct comparison c;
	struct buf b;

	compare(&c, m);
	buf_init(&b, TEXT_MAX);
	report_text(&b, &c, &o);
	if (!strstr(b.data, has))
		fail_msg("not in it: %s\n%s", has, b.data);
	if (lacks && strstr(b.data, lacks))
		fail_msg("in it: %s\n%s", lacks, b.data);
	buf_release(&b);
	comparison_release(&c);
}

static void a_report_says_what_a_build_did_not_do(void **state)
{
	struct model m;

	(void)state;
	one_usable(&m);
	expect_text(&m,
		"result    patched mixed: no boot counts; patched physical: no boot counts\n",
		"regression");
	model_release(&m);
	strangers(&m);
	expect_text(&m, "Only patched physical has samples enough", "result  ");
	model_release(&m);
	fixture_hang(&m);
	expect_text(&m, "in 1 comparison; patched mixed: no boot counts\n", "ended early");
	model_release(&m);
	fixture_builds(&m);
	m.list[0].r.outcome = OUTCOME_LAB; /* patched mixed, once */
	m.list[1].r.outcome = OUTCOME_LAB; /* base mixed */
	expect_text(&m,
		"base mixed rests on 2 boots instead of 3, patched mixed rests on 2 boots instead",
		"of base rests");
	model_release(&m);
}

static void what_differs_names_the_builds(void **state)
{
	struct model m;
	struct buf b;

	(void)state;
	buf_init(&b, TEXT_MAX);
	fixture_builds(&m);
	differs_lines(&b, &m);
	assert_string_equal(b.data, ""); /* commits and build-ids are what is compared */
	for (size_t i = 0; i < m.n_list; i++) {
		struct boot_result *r = &m.list[i].r;

		if (strcmp(r->build, "patched") != 0)
			continue;
		snprintf(r->facts.compiler, sizeof(r->facts.compiler), "gcc 14.2.0");
		snprintf(r->facts.hypervisor, sizeof(r->facts.hypervisor), "4.20.0");
		snprintf(r->command_line, sizeof(r->command_line), "console=com1 flush=lazy");
	}
	m.list[1].r.facts.cpus_online = 511;
	snprintf(m.list[6].r.facts.changeset, sizeof(m.list[6].r.facts.changeset), "ffffff");
	snprintf(m.list[7].r.facts.apic_driver, sizeof(m.list[7].r.facts.apic_driver), "other");
	differs_lines(&b, &m);
	assert_string_equal(b.data,
		"CPUs online: 512 in boots 1, 3-12; 511 in boot 2\n"
		"changeset of base: 3d1fe1c in boots 2, 4, 5, 11, 12; ffffff in boot 7\n"
		"compiler: gcc 14.2.0 in patched; gcc 12.2.0 in base\n"
		"APIC driver of physical: x2apic_physical in boots 3-5, 9, 11; other in boot 8\n"
		"command line: console=com1 flush=lazy in c0de patched (6 boots); "
		"com1=115200,8n1 console=com1 bootscrub=0 cpufreq=none cpuidle=0 in c0de base "
		"(6 boots)\n");
	model_release(&m);
	buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_mode_is_compared_with_itself_then_with_others),
		cmocka_unit_test(only_a_later_build_of_the_same_mode_can_regress),
		cmocka_unit_test(boots_of_two_sets_are_the_same),
		cmocka_unit_test(no_block_has_more_sets_than_a_table_holds),
		cmocka_unit_test(a_report_says_what_a_build_did_not_do),
		cmocka_unit_test(what_differs_names_the_builds),
	};

	return cmocka_run_group_tests_name("comparison_builds", tests, NULL, NULL);
}
