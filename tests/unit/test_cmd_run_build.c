/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/unit.h"

#include <stdio.h>

#include "harness/base/mem.h"
#include "harness/cmd_run_build.h"

static char *state_dir;
static char mixed[SHA256_HEX + 1], mixed2[SHA256_HEX + 1], physical[SHA256_HEX + 1],
	cluster[SHA256_HEX + 1], debug[SHA256_HEX + 1];

static void put(const char *dir, const char *name, const char *text)
{
	char *file = mem_printf("%s/%s", dir, name);
	struct err e = ERR_INIT;

	assert_int_equal(path_mkdirs(dir, &e), 0);
	assert_int_equal(path_write(file, text, strlen(text), 0644, &e), 0);
	free(file);
}

static void make_image(const char *mode, const char *commit, const char *more, char *sha)
{
	char *dir = mem_printf("%s/images/tmp/x", state_dir);
	char *manifest = mem_printf(
		"mode=%s\nversion=4.19.1\ncommit=%s\nsrchash=ab\nconfig=cd\ncompiler=gcc 12\n"
		"build-id=ef\nprobe=1.0\nnr_cpus=4095\n%s",
		mode, commit, more);
	struct err e = ERR_INIT;

	put(dir, "xen", manifest);
	put(dir, "manifest", manifest);
	if (image_add(state_dir, "xen", dir, sha, &e))
		fail_msg("%s", e.msg);
	free(manifest);
	free(dir);
}

static int setup(void **state)
{
	(void)state;
	state_dir = unit_tmpdir();
	make_image("mixed", "3d1fe1c", "dirty=0\ndebug=n\n", mixed);
	make_image("mixed", "77aa00b", "dirty=1\ndebug=n\n", mixed2);
	make_image("physical", "77aa00b", "dirty=1\ndebug=n\n", physical);
	make_image("cluster", "3d1fe1c", "dirty=0\ndebug=n\n", cluster);
	make_image("mixed", "3d1fe1c", "dirty=0\ndebug=y\n", debug);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	unit_rmdir(state_dir);
	return 0;
}

static void add(struct cmd_run_args *a, const char *name, const char *one, const char *two)
{
	char *value = mem_printf("%s=%s%s%s", name, one, two ? "," : "", two ? two : "");
	struct err e = ERR_INIT;

	if (cmd_run_build_add(a, value, &e))
		fail_msg("%s", e.msg);
	free(value);
}

static void release(struct cmd_run_modes *m, struct cmd_run_args *a)
{
	for (size_t i = 0; i < m->n; i++)
		image_release(&m->modes[i].image);
	*m = (struct cmd_run_modes){.n = 0};
	cmd_run_args_release(a);
}

/* "base mixed 1234abcd;" a pair, or its reason. */
static void expect_pairs(const struct cmd_run_modes *m, const char *const *shas, const char *want)
{
	struct buf b;

	buf_init(&b, 4096);
	for (size_t i = 0; i < m->n; i++) {
		const struct run_mode *d = &m->modes[i];

		buf_addf(&b, "%s %s %s;", d->build, d->mode, d->skipped ? d->reason : "image");
		if (!d->skipped)
			assert_string_equal(d->image.sha256, *shas++);
	}
	assert_string_equal(b.data, want);
	buf_release(&b);
}

static void modes_come_build_by_build_in_one_order(void **state)
{
	struct cmd_run_args a = CMD_RUN_ARGS;
	struct cmd_run_modes m = {.n = 0};
	struct err e = ERR_INIT;
	struct buf again;
	const struct target box = {.name = "box"};
	struct run_info i;

	(void)state;
	add(&a, "base", cluster, mixed);
	add(&a, "patched", physical, mixed2);
	assert_int_equal(cmd_run_build_modes(&m, &a, state_dir, false, &e), 0);
	expect_pairs(&m, (const char *const[]){mixed, cluster, mixed2, physical},
		"base mixed image;base physical no image of mode physical was given;"
		"base cluster image;patched mixed image;patched physical image;"
		"patched cluster no image of mode cluster was given;");
	assert_int_equal(m.n_builds, 2);
	assert_string_equal(m.builds[0].name, "base");
	assert_string_equal(m.builds[0].text, "xen 4.19.1 (3d1fe1c)\n");
	assert_string_equal(
		m.builds[1].text, "xen 4.19.1 (77aa00b), with changes that no commit holds\n");

	i = (struct run_info){.target = &box,
		.workload = "flush-all",
		.boots = 3,
		.samples = 25,
		.iterations = 100,
		.seed = 41,
		.modes = m.modes,
		.n_modes = m.n,
		.builds = m.builds,
		.n_builds = m.n_builds,
		.extra_args = ""};
	buf_init(&again, 4096);
	cmd_run_args_again(&again, &i, &a);
	{
		char *want = mem_printf(
			"harness run --machine box --build base=%.16s,%.16s --build "
			"patched=%.16s,%.16s --modes mixed,physical,cluster --boots 3 --samples 25 "
			"--iterations 100 --warmup 0 --workload flush-all --seed 41",
			mixed, cluster, mixed2, physical);

		assert_string_equal(again.data, want);
		free(want);
	}
	buf_release(&again);
	release(&m, &a);
}

static void modes_asked_for_choose_and_order(void **state)
{
	struct cmd_run_args a = CMD_RUN_ARGS;
	struct cmd_run_modes m = {.n = 0};
	struct err e = ERR_INIT;

	(void)state;
	a.modes = "physical,mixed";
	add(&a, "base", mixed, physical);
	add(&a, "patched", mixed, cluster);
	assert_int_equal(cmd_run_build_modes(&m, &a, state_dir, false, &e), 0);
	expect_pairs(&m, (const char *const[]){physical, mixed, mixed},
		"base physical image;base mixed image;"
		"patched physical no image of mode physical was given;patched mixed image;");
	release(&m, &a);
}

/* As a command does that has built the images itself. */
static void builds_may_say_why_they_lack_a_mode(void **state)
{
	struct cmd_run_args a = CMD_RUN_ARGS;
	struct cmd_run_modes m = {.n = 0};
	struct err e = ERR_INIT;

	(void)state;
	add(&a, "base", mixed, NULL);
	add(&a, "patched", mixed2, NULL);
	for (int k = 0; k < 2; k++) {
		a.builds[k].skipped.v = mem_array(1, sizeof(char *));
		a.builds[k].skipped.v[a.builds[k].skipped.n++] = mem_printf(
			"cluster: no such mode%s", k ? " here" : "");
	}
	snprintf(a.builds[1].build.text, sizeof(a.builds[1].build.text), "two patches\n");
	assert_int_equal(cmd_run_build_modes(&m, &a, state_dir, false, &e), 0);
	expect_pairs(&m, (const char *const[]){mixed, mixed2},
		"base mixed image;base cluster no such mode;patched mixed image;patched cluster no "
		"such mode here;");
	assert_string_equal(m.builds[1].text, "two patches\n");
	release(&m, &a);
}

static void wrong_images_are_refused(void **state)
{
	static const struct {
		const char *base[2], *patched, *modes;
		bool uefi;
		int cls;
		const char *msg;
	} cases[] = {
		{{mixed, mixed2}, mixed, "all", false, ERR_USAGE, "run: --build base: images "},
		{{mixed}, "0000", "all", false, ERR_USAGE, "run: --build patched: no image "},
		{{mixed}, physical, "all", false, ERR_USAGE, "run: no two builds have images of "},
		{{mixed}, mixed2, "mixed,cluster", false, ERR_USAGE, "run: --modes: no build has"},
		{{mixed}, mixed2, "mixed,wrong", false, ERR_USAGE, ""},
		{{mixed}, debug, "all", false, ERR_IMAGE, "run: --build patched: image "},
		{{mixed}, mixed2, "all", true, ERR_IMAGE, "run: --build base: "},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct cmd_run_args a = CMD_RUN_ARGS;
		struct cmd_run_modes m = {.n = 0};
		struct err e = ERR_INIT;

		a.modes = cases[i].modes;
		add(&a, "base", cases[i].base[0], cases[i].base[1]);
		add(&a, "patched", cases[i].patched, NULL);
		assert_int_equal(
			cmd_run_build_modes(&m, &a, state_dir, cases[i].uefi, &e), -cases[i].cls);
		if (strncmp(e.msg, cases[i].msg, strlen(cases[i].msg)) != 0)
			fail_msg("%s: not %s", e.msg, cases[i].msg);
		release(&m, &a);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(modes_come_build_by_build_in_one_order),
		cmocka_unit_test(modes_asked_for_choose_and_order),
		cmocka_unit_test(builds_may_say_why_they_lack_a_mode),
		cmocka_unit_test(wrong_images_are_refused),
	};
	return cmocka_run_group_tests_name("cmd_run_build", tests, setup, teardown);
}
