/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/unit.h"

#include <sys/stat.h>

#include "firmware-images/image.h"

/* What sha256sum says of the lines that it prints for the two files of make_image("xen bytes\n").
 */
#define ADDRESS "249bbcf2bfcf7371084ede3baafecf9839435de88ce7875eb0488a4f118a462d"

static char *state_dir, *made;

static int setup(void **state)
{
	(void)state;
	state_dir = unit_tmpdir();
	made = malloc(512);
	snprintf(made, 512, "%s/images/tmp/x", state_dir);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	free(made);
	unit_rmdir(state_dir);
	return 0;
}

static void put(const char *dir, const char *name, const char *text)
{
	struct err e = ERR_INIT;
	char file[600];

	assert_int_equal(path_mkdirs(dir, &e), 0);
	snprintf(file, sizeof(file), "%s/%s", dir, name);
	assert_int_equal(path_write(file, text, strlen(text), 0644, &e), 0);
}

static void make_image(const char *main_file)
{
	put(made, "xen", main_file);
	put(made, "xen.config", "CONFIG_X2APIC_CLUSTER=y\n");
	put(made, "manifest",
		"mode=cluster\nversion=4.17.5\ncommit=4.17.5-1\ndirty=0\nsrchash=ab\nconfig=cd\n"
		"compiler=gcc = 12\nbuild-id=ef\nprobe=1.0\nnr_cpus=4095\ndebug=n\n");
}

static void an_image_is_stored_under_its_hash(void **state)
{
	char sha[SHA256_HEX + 1], file[600];
	struct image i;
	struct err e = ERR_INIT;

	(void)state;
	make_image("xen bytes\n");
	assert_int_equal(image_add(state_dir, "xen", made, sha, &e), 0);
	assert_string_equal(sha, ADDRESS);
	assert_false(path_exists(made));
	assert_int_equal(image_open(&i, state_dir, sha, &e), 0);
	assert_string_equal(i.mode, "cluster");
	assert_string_equal(i.recipe, "xen");
	assert_string_equal(i.version, "4.17.5");
	assert_string_equal(i.commit, "4.17.5-1");
	assert_string_equal(i.compiler, "gcc = 12");
	assert_string_equal(i.build_id, "ef");
	assert_false(i.debug);
	assert_int_equal(image_verify(&i, &e), 0);
	snprintf(file, sizeof(file), "%s/manifest", i.dir);
	assert_false(path_exists(file));
	image_release(&i);
	image_release(&i);
}

static void another_file_beside_the_main_one_is_another_image(void **state)
{
	char a[SHA256_HEX + 1], b[SHA256_HEX + 1];
	struct err e = ERR_INIT;

	(void)state;
	make_image("xen bytes\n");
	put(made, "xen.efi", "one");
	assert_int_equal(image_add(state_dir, "xen", made, a, &e), 0);
	make_image("xen bytes\n");
	put(made, "xen.efi", "two");
	assert_int_equal(image_add(state_dir, "xen", made, b, &e), 0);
	assert_string_not_equal(a, b);
}

static void the_same_image_is_kept_once(void **state)
{
	char a[SHA256_HEX + 1], b[SHA256_HEX + 1];
	struct err e = ERR_INIT;

	(void)state;
	make_image("same\n");
	assert_int_equal(image_add(state_dir, "xen", made, a, &e), 0);
	make_image("same\n");
	assert_int_equal(image_add(state_dir, "xen", made, b, &e), 0);
	assert_string_equal(a, b);
	assert_false(path_exists(made));
}

static void damage_is_found_and_mended_by_building_again(void **state)
{
	static const char *const files[] = {"xen", "xen.config"};
	char sha[SHA256_HEX + 1];
	struct image i;

	(void)state;
	for (size_t n = 0; n < 2; n++) {
		struct err e = ERR_INIT;

		make_image("sound\n");
		assert_int_equal(image_add(state_dir, "xen", made, sha, &e), 0);
		assert_int_equal(image_open(&i, state_dir, sha, &e), 0);
		put(i.dir, files[n], "other\n");
		assert_int_equal(image_verify(&i, &e), -ERR_IMAGE);
		assert_string_equal(e.code, "E_DAMAGED");
		assert_non_null(strstr(e.msg, "harness build --image xen --modes cluster --force"));
		image_release(&i);
		make_image("sound\n");
		assert_int_equal(image_add(state_dir, "xen", made, sha, &e), 0);
		assert_int_equal(image_open(&i, state_dir, sha, &e), 0);
		assert_int_equal(image_verify(&i, &e), 0);
		image_release(&i);
	}
}

static void an_image_is_found_by_its_first_digits(void **state)
{
	static const struct {
		const char *digits, *msg;
	} refused[] = {
		{"249", "\"249\" is not an image: give the first digits of its sha256, 4 or more"},
		{"xen1",
			"\"xen1\" is not an image: give the first digits of its sha256, 4 or more"},
		{ADDRESS "0", "\"" ADDRESS "0\" is not an image: "},
		{"249c", "no image \"249c\" is in "},
		{"249b", "\"249b\" begins several images: 249bbcf2bfcf73, 249bbcf2bfcf74"},
	};
	char sha[SHA256_HEX + 1] = "", other[600];
	struct err e = ERR_INIT;

	(void)state;
	make_image("xen bytes\n");
	assert_int_equal(image_add(state_dir, "xen", made, sha, &e), 0);
	memset(sha, 0, sizeof(sha));
	assert_int_equal(image_find(state_dir, "249B", sha, &e), 0);
	assert_string_equal(sha, ADDRESS);
	assert_int_equal(image_find(state_dir, ADDRESS, sha, &e), 0);
	snprintf(other, sizeof(other), "%s/images/sha256/%.13s4%.50s", state_dir, ADDRESS, ADDRESS);
	assert_int_equal(path_mkdirs(other, &e), 0);
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		assert_int_equal(image_find(state_dir, refused[i].digits, sha, &e), -ERR_USAGE);
		assert_string_equal(e.code, "E_NOIMAGE");
		if (strncmp(e.msg, refused[i].msg, strlen(refused[i].msg)) != 0)
			fail_msg("%s: not %s", e.msg, refused[i].msg);
	}
	assert_int_equal(path_remove(other, &e), 0);
	assert_int_equal(image_find("/nowhere", "249b", sha, &e), -ERR_USAGE);
}

static void an_unfinished_folder_is_not_stored(void **state)
{
	static const struct {
		const char *file, *text, *want;
	} cases[] = {
		{NULL, NULL, "manifest"},
		{"manifest", "mode=cluster\n", "made no file \"xen\""},
		{"manifest", "no line of that kind\n", "manifest:1: not a line key=value"},
		{"manifest", "mode=\xff\n", "manifest:1: not UTF-8"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char sha[SHA256_HEX + 1];
		struct err e = ERR_INIT;

		assert_int_equal(path_remove(made, &e), 0);
		put(made, "xen.config", "x");
		if (cases[i].file)
			put(made, cases[i].file, cases[i].text);
		assert_int_equal(image_add(state_dir, "xen", made, sha, &e), -ERR_IMAGE);
		assert_non_null(strstr(e.msg, cases[i].want));
		assert_true(path_exists(made));
	}
}

static void a_mode_without_image_names_the_build_command(void **state)
{
	struct err e = ERR_INIT;
	struct image_ref r;

	(void)state;
	assert_int_equal(image_ref_get(state_dir, "xen", "mixed", &r, &e), -ERR_IMAGE);
	assert_string_equal(e.code, "E_NOIMAGE");
	assert_non_null(strstr(e.msg, "harness build --image xen --modes mixed"));
}

static void references_come_back_as_they_were_set(void **state)
{
	struct image_ref made_ref = {.mode = "cluster", .sha256 = ADDRESS}, r;
	struct image_ref skipped = {
		.mode = "physical", .skipped = true, .reason = "Xen 4.20 has no \"x\""};
	struct err e = ERR_INIT;
	char dir[600];

	(void)state;
	assert_int_equal(image_ref_set(state_dir, "xen", &made_ref, &e), 0);
	assert_int_equal(image_ref_get(state_dir, "xen", "cluster", &r, &e), 0);
	assert_false(r.skipped);
	assert_string_equal(r.sha256, ADDRESS);
	assert_int_equal(image_ref_set(state_dir, "xen", &skipped, &e), 0);
	assert_int_equal(image_ref_get(state_dir, "xen", "physical", &r, &e), 0);
	assert_true(r.skipped);
	assert_string_equal(r.reason, skipped.reason);

	snprintf(dir, sizeof(dir), "%s/images/refs/xen", state_dir);
	put(dir, "cluster.json", "{\"sha256\": \"../../../etc/passwd\"}");
	assert_int_equal(image_ref_get(state_dir, "xen", "cluster", &r, &e), -ERR_IMAGE);
	assert_non_null(strstr(e.msg, "is damaged"));
	assert_int_equal(image_ref_get(state_dir, "xen", "../x", &r, &e), -ERR_USAGE);
}

static void a_key_without_its_image_is_no_key(void **state)
{
	char key[SHA256_HEX + 1], sha[SHA256_HEX + 1], got[SHA256_HEX + 1];
	struct err e = ERR_INIT;
	struct image i;

	(void)state;
	memset(key, 'a', SHA256_HEX);
	key[SHA256_HEX] = '\0';
	assert_int_equal(image_key_get(state_dir, key, got), 0);
	make_image("keyed\n");
	assert_int_equal(image_add(state_dir, "xen", made, sha, &e), 0);
	assert_int_equal(image_key_set(state_dir, key, sha, &e), 0);
	assert_int_equal(image_key_get(state_dir, key, got), 1);
	assert_string_equal(got, sha);
	assert_int_equal(image_open(&i, state_dir, sha, &e), 0);
	assert_int_equal(path_remove(i.dir, &e), 0);
	image_release(&i);
	assert_int_equal(image_key_get(state_dir, key, got), 0);
	assert_int_equal(image_open(&i, state_dir, sha, &e), -ERR_IMAGE);
	assert_string_equal(e.code, "E_NOIMAGE");
}

static void mode_lists_are_checked(void **state)
{
	static const struct {
		const char *recipe, *list, *want; /* the modes, or the message's part */
		int rc;
	} cases[] = {
		{"xen", "all", "mixed physical cluster ", 0},
		{"xen", "cluster,mixed", "cluster mixed ", 0},
		{"xen", "clster", "did you mean \"cluster\"", -ERR_USAGE},
		{"xen", "mixed,mixed", "listed twice", -ERR_USAGE},
		{"xen", "mixed,", "a mode is missing", -ERR_USAGE},
		{"xen", "", "a mode is missing", -ERR_USAGE},
		{"xen", "mixed,all", "stands alone", -ERR_USAGE},
		{"linux", "all", "there is xen", -ERR_USAGE},
	};

	(void)state;
	for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
		const char *names[8];
		char got[128] = "";
		struct err e = ERR_INIT;
		size_t n = 8;

		assert_int_equal(image_modes_parse(cases[c].recipe, cases[c].list, names, &n, &e),
			cases[c].rc);
		for (size_t i = 0; !cases[c].rc && i < n; i++)
			snprintf(got + strlen(got), sizeof(got) - strlen(got), "%s ", names[i]);
		assert_non_null(strstr(cases[c].rc ? e.msg : got, cases[c].want));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_image_is_stored_under_its_hash),
		cmocka_unit_test(another_file_beside_the_main_one_is_another_image),
		cmocka_unit_test(the_same_image_is_kept_once),
		cmocka_unit_test(damage_is_found_and_mended_by_building_again),
		cmocka_unit_test(an_image_is_found_by_its_first_digits),
		cmocka_unit_test(an_unfinished_folder_is_not_stored),
		cmocka_unit_test(a_mode_without_image_names_the_build_command),
		cmocka_unit_test(references_come_back_as_they_were_set),
		cmocka_unit_test(a_key_without_its_image_is_no_key),
		cmocka_unit_test(mode_lists_are_checked),
	};
	return cmocka_run_group_tests_name("image", tests, setup, teardown);
}
