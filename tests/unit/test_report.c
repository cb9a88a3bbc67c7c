/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/buf.h"
#include "harness/base/child.h"
#include "harness/base/mem.h"
#include "harness/base/path.h"
#include "reports/json.h"
#include "reports/show.h"
#include "reports/text.h"
#include "tests/unit/fixture_model.h"

enum { BIG = 1 << 20, SAMPLES = FIXTURE_SAMPLES };

static void text_at(struct buf *b, const struct model *m, size_t width)
{
	const struct verdict_opts usual = VERDICT_OPTS_INIT;
	const struct text_opts text = {.width = width};
	struct comparison c;
	struct err e = ERR_INIT;

	assert_int_equal(comparison_of_run(&c, m, &usual, &e), 0);
	report_text(b, &c, &text);
	comparison_release(&c);
}

static void text_terminal(struct buf *b, const struct model *m)
{
	text_at(b, m, TEXT_WIDTH);
}

static void text_mail(struct buf *b, const struct model *m)
{
	text_at(b, m, TEXT_WIDTH_MAIL);
}

static void show_plain(struct buf *b, const struct model *m)
{
	report_show(b, m, false);
}

static void show_samples(struct buf *b, const struct model *m)
{
	report_show(b, m, true);
}

static void show_json(struct buf *b, const struct model *m)
{
	struct json_write w;

	json_write_init(&w, b, 1);
	json_write_open(&w, NULL, '{');
	report_json(&w, m);
	json_write_close(&w, '}');
	buf_addc(b, '\n');
}

static void expect_golden(void (*make)(struct model *),
	void (*render)(struct buf *, const struct model *), const char *name)
{
	char *path = mem_printf("tests/golden/%s", name), *other = mem_printf("%s.new", path);
	struct buf got, again, want;
	struct model m, twin;
	struct err e = ERR_INIT;

	buf_init(&got, BIG);
	buf_init(&again, BIG);
	buf_init(&want, BIG);
	make(&m);
	make(&twin);
	render(&got, &m);
	render(&again, &twin);
	assert_string_equal(again.data, got.data); /* the same model, the same bytes */
	assert_false(got.failed);
	if (getenv("GOLDEN_NEW"))
		assert_int_equal(path_write(other, got.data, got.len, 0644, &e), 0);
	if (path_read(path, &want, &e))
		fail_msg("%s", e.msg);
	assert_string_equal(got.data, want.data);
	model_release(&m);
	model_release(&twin);
	buf_release(&got);
	buf_release(&again);
	buf_release(&want);
	free(path);
	free(other);
}

static void report_of_a_clean_run(void **state)
{
	(void)state;
	expect_golden(fixture_clean, text_terminal, "report-clean.txt");
}

static void report_of_a_rough_run_says_what_is_missing(void **state)
{
	(void)state;
	expect_golden(fixture_rough, text_terminal, "report-rough.txt");
}

static void report_without_samples_has_sensible_words(void **state)
{
	(void)state;
	expect_golden(fixture_empty, text_terminal, "report-empty.txt");
}

static void report_of_a_single_mode_compares_nothing(void **state)
{
	(void)state;
	expect_golden(fixture_single, text_terminal, "report-single.txt");
}

static void report_names_the_reference_that_steps_in(void **state)
{
	(void)state;
	expect_golden(fixture_shifted, text_terminal, "report-shifted.txt");
}

static void show_has_two_lines_a_boot(void **state)
{
	(void)state;
	expect_golden(fixture_rough, show_plain, "show-rough.txt");
	expect_golden(fixture_single, show_samples, "show-samples.txt");
}

static void json_has_the_whole_model(void **state)
{
	(void)state;
	expect_golden(fixture_single, show_json, "show-single.json");
}

static void json_tells_of_two_stages(void **state)
{
	struct model m;
	struct buf b;
	json_t *o, *until;

	(void)state;
	fixture_single(&m);
	m.until = (struct run_until){.width = .005, .pilot = 5, .max = 30, .wanted = 12};
	buf_init(&b, BIG);
	show_json(&b, &m);
	o = json_loads(b.data, JSON_REJECT_DUPLICATES, NULL);
	until = json_object_get(o, "until");
	assert_true(json_real_value(json_object_get(until, "width")) == .005);
	assert_int_equal(json_integer_value(json_object_get(until, "pilot")), 5);
	assert_int_equal(json_integer_value(json_object_get(until, "max")), 30);
	assert_int_equal(json_integer_value(json_object_get(until, "wanted")), 12);
	json_decref(o);
	buf_release(&b);
	model_release(&m);
}

static void json_survives_bytes_that_are_not_utf8(void **state)
{
	json_t *v = report_json_text("a\xff\xfe"
				     "b");

	(void)state;
	assert_string_equal(json_string_value(v), "a??b");
	json_decref(v);
}

static void report_of_two_stages_names_the_rule(void **state)
{
	(void)state;
	expect_golden(fixture_two_stages, text_terminal, "report-stages.txt");
}

static void report_tells_each_way_between_boots(void **state)
{
	(void)state;
	expect_golden(fixture_restarts, text_terminal, "report-restarts.txt");
}

static void report_of_builds_compares_them_mode_by_mode(void **state)
{
	(void)state;
	expect_golden(fixture_builds, text_terminal, "report-builds.txt");
	expect_golden(fixture_builds, text_mail, "report-builds-mail.txt");
	expect_golden(fixture_builds, show_plain, "show-builds.txt");
}

static void report_of_a_build_that_hangs_says_so(void **state)
{
	(void)state;
	expect_golden(fixture_hang, text_terminal, "report-hang.txt");
}

static void report_of_a_build_that_lacks_a_mode_has_what_there_is(void **state)
{
	(void)state;
	expect_golden(fixture_lacks, text_terminal, "report-lacks.txt");
}

static void report_for_a_mail_is_narrower(void **state)
{
	(void)state;
	expect_golden(fixture_clean, text_mail, "report-mail.txt");
}

static void command_that_repeats_a_run_can_be_pasted(void **state)
{
	const char *argv[] = {"bash", "-c", NULL, NULL};
	const struct child_opts o = {.argv = argv, .deadline_ms = 20000, .out_max = BIG};
	struct child_result r;
	struct err e = ERR_INIT;
	struct model m;
	struct buf b;
	char *from, *script;

	(void)state;
	buf_init(&b, BIG);
	fixture_clean(&m);
	text_terminal(&b, &m);
	from = strstr(b.data, "\nagain");
	assert_non_null(from);
	*strstr(from, "\n\n") = '\0';
	assert_non_null(strstr(from + 1, " \\\n"));
	/* What a shell makes of it, words in lines. */
	script = mem_printf("harness() { printf '%%s\\n' harness \"$@\"; }\n%s", from + 6);
	argv[2] = script;
	assert_int_equal(child_run(&o, &r, &e), 0);
	assert_int_equal(r.status, 0);
	assert_string_equal(r.out.data,
		"harness\nrun\n--machine\nepyc9754\n--modes\nmixed,physical,cluster\n--boots\n3\n"
		"--samples\n6\n--iterations\n10000\n--warmup\n2\n--workload\nflush-all\n--"
		"seed\n41\n"
		"--args\nloglvl=all guest_loglvl=all\n");
	child_result_release(&r);
	free(script);
	buf_release(&b);
	model_release(&m);
}

static void values_are_kept_samples(void **state)
{
	struct model m;
	double *v;
	size_t n;

	(void)state;
	fixture_rough(&m);
	model_boot_values(&m.list[0], &v, &n);
	assert_int_equal(n, SAMPLES - 2);
	assert_true(v[0] == (double)m.list[0].r.samples[2].ns);
	assert_true(v[n - 1] == (double)m.list[0].r.samples[SAMPLES - 1].ns);
	free(v);
	model_boot_values(&m.list[1], &v, &n);
	assert_int_equal(n, 0);
	assert_null(v);
	model_boot_values(&m.list[3], &v, &n); /* a mismatch has samples, too */
	assert_int_equal(n, SAMPLES - 2);
	free(v);
	model_release(&m);
}

static void console_for_a_terminal_has_no_control_characters(void **state)
{
	static const char in[] = "a\tb\r\nc\rd\x1b[31m\x7f\0\x9b"
				 "e\r";
	struct buf b;

	(void)state;
	buf_init(&b, 1000);
	report_console(&b, in, sizeof(in) - 1);
	assert_string_equal(b.data, "a\tb\nc^Md^[[31m^?^@\\x9be^M");
	buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(report_of_a_clean_run),
		cmocka_unit_test(report_of_a_rough_run_says_what_is_missing),
		cmocka_unit_test(report_without_samples_has_sensible_words),
		cmocka_unit_test(report_of_a_single_mode_compares_nothing),
		cmocka_unit_test(report_names_the_reference_that_steps_in),
		cmocka_unit_test(show_has_two_lines_a_boot),
		cmocka_unit_test(json_has_the_whole_model),
		cmocka_unit_test(json_tells_of_two_stages),
		cmocka_unit_test(json_survives_bytes_that_are_not_utf8),
		cmocka_unit_test(report_of_two_stages_names_the_rule),
		cmocka_unit_test(report_tells_each_way_between_boots),
		cmocka_unit_test(report_of_builds_compares_them_mode_by_mode),
		cmocka_unit_test(report_of_a_build_that_hangs_says_so),
		cmocka_unit_test(report_of_a_build_that_lacks_a_mode_has_what_there_is),
		cmocka_unit_test(report_for_a_mail_is_narrower),
		cmocka_unit_test(command_that_repeats_a_run_can_be_pasted),
		cmocka_unit_test(values_are_kept_samples),
		cmocka_unit_test(console_for_a_terminal_has_no_control_characters),
	};
	return cmocka_run_group_tests_name("report", tests, NULL, NULL);
}
