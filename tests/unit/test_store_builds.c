/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/unit/fixture_run.h"

enum { MODES = 4 };

static const struct run_build builds[] = {
	{"base", "4.17.5 of commit 1234\n"}, {"patched", "the same with 2 patches\nof a series\n"}};

/* Two builds of two modes from the fixture's images, one image in both; the patched one has no
 * image of the second mode. */
static void two_builds(struct fixture *f, struct run_mode modes[MODES])
{
	for (int i = 0; i < MODES; i++) {
		modes[i] = f->modes[i % 2];
		snprintf(modes[i].build, sizeof(modes[i].build), "%s", builds[i / 2].name);
	}
	modes[3].skipped = true;
	modes[3].image = (struct image){.sha256 = ""};
	snprintf(modes[3].reason, sizeof(modes[3].reason), "does not build");
	f->info.modes = modes;
	f->info.n_modes = MODES;
	f->info.builds = builds;
	f->info.n_builds = 2;
}

static void store_gives_back_the_builds_of_a_run(void **state)
{
	struct run_mode modes[MODES];
	struct fixture f;
	struct boot_result r;
	struct store *s;
	struct model m;
	struct err e = ERR_INIT;

	(void)state;
	fixture_init(&f);
	two_builds(&f, modes);
	s = fixture_open(&f);
	fixture_begin(s, &f);
	for (int i = 0; i < 3; i++) {
		r = fixture_boot(&f, i, 0);
		memcpy(r.build, modes[i].build, sizeof(r.build));
		fixture_store_boot(s, &r, false);
	}
	fixture_end(s, &f);
	store_close(s);

	s = fixture_open(&f);
	assert_int_equal(store_load(s, FIXTURE_UUID, &m, &e), 0);
	assert_int_equal(m.n_builds, 2);
	for (int i = 0; i < 2; i++) {
		assert_string_equal(m.builds[i].name, builds[i].name);
		assert_string_equal(m.builds[i].text, builds[i].text);
	}
	assert_int_equal(m.n_modes, MODES);
	for (int i = 0; i < MODES; i++) {
		assert_string_equal(m.modes[i].build, modes[i].build);
		assert_string_equal(m.modes[i].mode, modes[i].mode);
		assert_string_equal(m.modes[i].image_sha256, modes[i].image.sha256);
		assert_int_equal(m.modes[i].skipped, i == 3);
	}
	assert_string_equal(m.modes[3].reason, "does not build");
	assert_int_equal(m.n_list, 3);
	for (int i = 0; i < 3; i++) {
		assert_string_equal(m.list[i].r.build, modes[i].build);
		assert_string_equal(m.list[i].r.mode, modes[i].mode);
		assert_int_equal(m.list[i].r.console_len, sizeof(FIXTURE_CONSOLE) - 1);
	}
	model_release(&m);
	store_close(s);
	fixture_remove(&f);
}

static void store_refuses_a_mode_twice_in_one_build(void **state)
{
	struct run_mode modes[MODES];
	struct fixture f;
	struct run_sink k;
	struct store *s;
	struct err e = ERR_INIT;

	(void)state;
	fixture_init(&f);
	two_builds(&f, modes);
	memcpy(modes[2].build, modes[0].build, sizeof(modes[2].build));
	s = fixture_open(&f);
	k = store_sink(s);
	assert_int_equal(k.begin(k.arg, &f.info, &e), -ERR_LAB);
	assert_int_equal(fixture_ask(s, "SELECT count(*) FROM run_build"), 0);
	store_close(s);
	fixture_remove(&f);
}

static int collect_modes(void *arg, const struct store_run_line *l)
{
	buf_addf(arg, "%s;", l->modes);
	return 0;
}

static void runs_name_builds_and_each_mode_once(void **state)
{
	struct run_mode modes[MODES];
	struct fixture f;
	struct store *s;
	struct buf b;
	struct err e = ERR_INIT;

	(void)state;
	fixture_init(&f);
	s = fixture_open(&f);
	fixture_other_run(s, &f, "10000000-0000-4000-8000-000000000000");
	two_builds(&f, modes);
	fixture_other_run(s, &f, "20000000-0000-4000-8000-000000000000");
	modes[1].skipped = true;
	fixture_other_run(s, &f, "30000000-0000-4000-8000-000000000000");
	buf_init(&b, 1000);
	assert_int_equal(store_runs(s, NULL, 10, collect_modes, &b, &e), 0);
	assert_string_equal(
		b.data, "base, patched: mixed;base, patched: mixed, physical;mixed,physical;");
	buf_release(&b);
	store_close(s);
	fixture_remove(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(store_gives_back_the_builds_of_a_run),
		cmocka_unit_test(store_refuses_a_mode_twice_in_one_build),
		cmocka_unit_test(runs_name_builds_and_each_mode_once),
	};
	return cmocka_run_group_tests_name("store_builds", tests, NULL, NULL);
}
