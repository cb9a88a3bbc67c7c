/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "harness/base/mem.h"
#include "reports/ministat.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define BIG	 (1u << 20)

/* The published EPYC 9754 figures, ns for 10 000 flush_tlb_all() on 512 CPUs. */
static const struct moments mixed = {
	25, 3.5432659e+08, 1566737.4, 3.5131328e+08, 3.5716441e+08, 3.5410987e+08};
static const struct moments phys = {
	12, 1.2357981e+09, 2853892.9, 1.231082e+09, 1.238824e+09, 1.2370528e+09};
static const struct moments cluster = {
	11, 3.5415668e+08, 1415071.9, 3.5099276e+08, 3.5561459e+08, 3.5461234e+08};

static struct ministat_set summary(const char *name, const struct moments *m)
{
	struct ministat_set s;
	struct err e = ERR_INIT;

	assert_int_equal(ministat_set_summary(&s, name, m, &e), 0);
	return s;
}

static struct ministat_set values(const char *name, double *v, size_t n)
{
	struct ministat_set s;
	struct err e = ERR_INIT;

	assert_int_equal(ministat_set_values(&s, name, v, n, &e), 0);
	return s;
}

static char *render(const struct ministat_set *sets, size_t nsets, const struct ministat_opts *o)
{
	struct err e = ERR_INIT;
	struct buf b;

	buf_init(&b, BIG);
	assert_int_equal(ministat_render(&b, sets, nsets, o, &e), 0);
	return buf_detach(&b); /* leaves nothing to release */
}

static void expect(const struct ministat_set *sets, size_t nsets, const struct ministat_opts *o,
	const char *want)
{
	char *got = render(sets, nsets, o);

	assert_string_equal(got, want);
	free(got);
}

static void expect_golden(const struct ministat_set *sets, size_t nsets,
	const struct ministat_opts *o, const char *name)
{
	char *path = mem_printf("tests/golden/ministat-%s.txt", name);
	char *want = mem_alloc(BIG);
	FILE *f = fopen(path, "r");

	if (!f)
		fail_msg("%s is missing", path);
	want[fread(want, 1, BIG - 1, f)] = '\0';
	fclose(f);
	expect(sets, nsets, o, want);
	free(want);
	free(path);
}

static void ministat_prints_the_published_table(void **state)
{
	const struct ministat_set sets[] = {
		summary("mixed", &mixed), summary("phys", &phys), summary("cluster", &cluster)};
	const struct ministat_opts o = MINISTAT_OPTS_INIT;

	(void)state;
	expect(sets, 3, &o,
		"x mixed\n"
		"+ phys\n"
		"* cluster\n"
		"    N           Min           Max        Median           Avg        Stddev\n"
		"x  25 3.5131328e+08 3.5716441e+08 3.5410987e+08 3.5432659e+08     1566737.4\n"
		"+  12  1.231082e+09  1.238824e+09 1.2370528e+09 1.2357981e+09     2853892.9\n"
		"Difference at 95.0% confidence\n"
		"\t8.81472e+08 +/- 1.46849e+06\n"
		"\t248.774% +/- 0.96566%\n"
		"\t(Student's t, pooled s = 2.05985e+06)\n"
		"*  11 3.5099276e+08 3.5561459e+08 3.5461234e+08 3.5415668e+08     1415071.9\n"
		"No difference proven at 95.0% confidence\n");
}

static void ministat_can_print_the_older_relative_error(void **state)
{
	const struct ministat_set sets[] = {summary("mixed", &mixed), summary("phys", &phys)};
	struct ministat_opts o = MINISTAT_OPTS_INIT;
	char *got;

	(void)state;
	o.relative = TTEST_RELATIVE_OLD;
	got = render(sets, 2, &o);
	assert_non_null(strstr(got, "\t248.774% +/- 0.414445%\n"));
	free(got);
}

static void ministat_options_leave_lines_out(void **state)
{
	double a[] = {1, 2, 3}, b[] = {1, 2, 4};
	const struct ministat_set sets[] = {values("a", a, 3), values("b", b, 3)};
#define NAMES "x a\n+ b\n"
#define HEAD  "    N           Min           Max        Median           Avg        Stddev\n"
#define ROW1  "x   3             1             3             2             2             1\n"
#define ROW2  "+   3             1             4             2     2.3333333     1.5275252\n"
#define SAME  "No difference proven at 95.0% confidence\n"
	static const struct {
		bool no_plot, no_diff, quiet;
		const char *want;
	} row[] = {
		{true, false, false, NAMES HEAD ROW1 ROW2 SAME},
		{false, true, false, NAMES HEAD ROW1 ROW2},
		{true, true, false, NAMES HEAD ROW1 ROW2},
		{true, false, true, ROW1 ROW2 SAME},
		{false, true, true, ROW1 ROW2},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(row); i++) {
		struct ministat_opts o = MINISTAT_OPTS_INIT;

		o.no_plot = row[i].no_plot;
		o.no_diff = row[i].no_diff;
		o.quiet = row[i].quiet;
		expect(sets, 2, &o, row[i].want);
	}
}

static void ministat_draws_bars_apart_or_together(void **state)
{
	double a[] = {50, 200, 150, 400, 750, 400, 150}, b[] = {150, 400, 720, 500, 930};
	const struct ministat_set sets[] = {values("iguana", a, 7), values("chameleon", b, 5)};
	struct ministat_opts o = MINISTAT_OPTS_INIT;

	(void)state;
	o.conf = 80;
	expect_golden(sets, 2, &o, "together");
	o.separate = true;
	o.width = 60;
	expect_golden(sets, 2, &o, "apart");
}

static void ministat_shares_cells_among_seven_sets(void **state)
{
	static const char *const name[] = {"one", "two", "three", "four", "five", "six", "seven"};
	double v[7][40];
	struct ministat_set sets[7];
	struct ministat_opts o = MINISTAT_OPTS_INIT;

	(void)state;
	for (size_t i = 0; i < 7; i++) {
		for (size_t j = 0; j < 40; j++)
			v[i][j] = (double)((j * j * (i + 3) + 11 * j) % 53 + 5 * i);
		sets[i] = values(name[i], v[i], 34 + i);
	}
	o.separate = true;
	expect_golden(sets, 7, &o, "seven");
}

static void ministat_scales_tall_stacks(void **state)
{
	double a[1000], b[6] = {1, 2, 3, 4, 5, 6};
	struct ministat_set sets[2];
	struct ministat_opts o = MINISTAT_OPTS_INIT;

	(void)state;
	for (size_t i = 0; i < 1000; i++)
		a[i] = i < 700 ? 3 : i < 999 ? 4 : 10;
	sets[0] = values("a", a, 1000);
	sets[1] = values("b", b, 6);
	o.max_height = 12;
	expect_golden(sets, 2, &o, "tall");
}

static size_t lines(const char *s)
{
	size_t n = 0;

	for (; *s; s++)
		n += *s == '\n';
	return n;
}

static void ministat_height_is_limited_only_when_asked(void **state)
{
	double v[403];
	struct ministat_set set;
	struct ministat_opts o = MINISTAT_OPTS_INIT;
	static const struct {
		size_t max_height, rows;
		bool note;
	} row[] = {{0, 400, false}, {400, 400, false}, {399, 200, true}, {100, 100, true},
		{1, 1, true}};

	(void)state;
	for (size_t i = 0; i < 403; i++)
		v[i] = i < 400 ? 0 : 100;
	set = values("v", v, 403);
	for (size_t i = 0; i < COUNT(row); i++) {
		char *got;

		o.max_height = row[i].max_height;
		got = render(&set, 1, &o);
		/* name, box, points, bars, box, note, header, row */
		assert_int_equal(lines(got), 6 + row[i].rows + row[i].note);
		assert_int_equal(!!strstr(got, "[a mark in the plot is up to "), row[i].note);
		free(got);
	}
}

static void ministat_says_when_there_is_no_span(void **state)
{
	double a[] = {.1, .1, .1, .1, .1, .1}, b[] = {.1, .1, .1};
	const struct ministat_set sets[] = {values("a", a, 6), values("b", b, 3)};
	const struct ministat_opts o = MINISTAT_OPTS_INIT;

	(void)state;
	expect(sets, 2, &o,
		"x a\n+ b\n[no plot, span is zero width]\n" HEAD
		"x   6           0.1           0.1           0.1           0.1             0\n"
		"+   3           0.1           0.1           0.1           0.1             "
		"0\n" SAME);
}

static void ministat_draws_inside_the_box_whatever_the_span(void **state)
{
	/* Spans of a few representable numbers, of subnormal ones, and the widest. */
	double v[][4] = {
		{1e9, 1e9, nextafter(1e9, 2e9), 1e9},
		{1, nextafter(1, 0), 1, nextafter(1, 2)},
		{0, 5e-324, 0, 5e-324},
		{0, 1e-310, 3e-310, 0},
		{-MOMENTS_LIMIT, MOMENTS_LIMIT, 0, 1},
	};
	static const size_t width[] = {MINISTAT_MIN_WIDTH, 3, 74, 1000};

	(void)state;
	for (size_t i = 0; i < COUNT(v); i++) {
		for (size_t k = 0; k < COUNT(width); k++) {
			const struct ministat_set set = values("v", v[i], 4);
			struct ministat_opts o = MINISTAT_OPTS_INIT;
			char *got, *box;

			o.width = width[k];
			got = render(&set, 1, &o);
			box = strchr(got, '\n') + 1;
			while (*box != ' ' && *box != '[') {
				char *end = strchr(box, '\n');

				assert_int_equal(end - box, width[k] + 2);
				assert_true(box[0] == end[-1] && (*box == '+' || *box == '|'));
				box = end + 1;
			}
			free(got);
		}
	}
}

static void ministat_prints_levels_with_the_digits_they_have(void **state)
{
	static const struct {
		double conf;
		const char *text;
	} row[] = {
		{95, "proven at 95.0% confidence\n"},
		{99.5, "proven at 99.5% confidence\n"},
		{99.9, "proven at 99.9% confidence\n"},
		{99.99, "proven at 99.99% confidence\n"},
	};
	const struct ministat_set sets[] = {summary("a", &mixed), summary("b", &cluster)};

	(void)state;
	for (size_t i = 0; i < COUNT(row); i++) {
		struct ministat_opts o = MINISTAT_OPTS_INIT;
		char *got;

		o.conf = row[i].conf;
		got = render(sets, 2, &o);
		assert_non_null(strstr(got, row[i].text));
		free(got);
	}
}

static void ministat_says_that_zero_has_no_percentage(void **state)
{
	double a[] = {-1, 0, 1}, b[] = {9, 10, 11};
	const struct ministat_set sets[] = {values("a", a, 3), values("b", b, 3)};
	const struct ministat_opts o = MINISTAT_OPTS_INIT;
	char *got = render(sets, 2, &o);

	(void)state;
	assert_non_null(strstr(got, "\t10 +/- 2.26659\n"
				    "\tno percentage: the mean of the reference is 0\n"
				    "\t(Student's t, pooled s = 1)\n"));
	free(got);
}

static void ministat_prints_a_dash_for_what_a_summary_does_not_tell(void **state)
{
	const struct moments little = {12, 10, 2, NAN, NAN, NAN};
	const struct ministat_set set = summary("a", &little);
	const struct ministat_opts o = MINISTAT_OPTS_INIT;

	(void)state;
	expect(&set, 1, &o,
		"x a\n"
		"    N           Min           Max        Median           Avg        Stddev\n"
		"x  12             -             -             -            10             2\n");
}

static void ministat_compares_numbers_whose_squares_do_not_fit(void **state)
{
	const struct moments huge = {1000000000000, 1, 1e150, NAN, NAN, NAN};
	const struct moments tiny = {12, 1e-200, 1e-201, NAN, NAN, NAN};
	const struct moments half = {12, 5e-201, 1e-201, NAN, NAN, NAN};
	const struct ministat_set large[] = {summary("a", &huge), summary("b", &huge)};
	const struct ministat_set small[] = {summary("a", &tiny), summary("b", &half)};
	const struct ministat_opts o = MINISTAT_OPTS_INIT;
	struct err e = ERR_INIT;
	struct buf b;

	(void)state;
	buf_init(&b, BIG);
	assert_int_equal(ministat_render(&b, large, 2, &o, &e), 0);
	assert_non_null(strstr(b.data, "No difference proven"));
	buf_clear(&b);
	assert_int_equal(ministat_render(&b, small, 2, &o, &e), 0);
	assert_non_null(strstr(b.data, "-5e-201 +/- 8.46"));
	assert_non_null(strstr(b.data, "pooled s = 1e-201"));
	buf_release(&b);
}

static void ministat_names_cannot_paint_the_terminal(void **state)
{
	const struct ministat_set set = summary("a\033[2J\nb", &mixed);
	struct ministat_opts o = MINISTAT_OPTS_INIT;
	char *got = render(&set, 1, &o);

	(void)state;
	assert_memory_equal(got, "x a?[2J?b\n", 10);
	free(got);
}

static void ministat_refuses_with_one_clear_line(void **state)
{
	double two[] = {1, 2}, three[] = {1, 2, 3};
	struct ministat_set sets[8];
	static const struct {
		size_t nsets, width;
		double conf;
		bool few;
		const char *msg;
	} row[] = {
		{0, 74, 95, false, "0 sets to compare: give 1 to 7"},
		{8, 74, 95, false, "8 sets to compare: give 1 to 7"},
		{1, 74, 95, true, "Dataset few must contain at least 3 data points"},
		{2, 74, 95, true, "Dataset few must contain at least 3 data points"},
		{2, 1, 95, false, "plot width 1 is outside 2 .. 10000"},
		{2, 10001, 95, false, "plot width 10001 is outside 2 .. 10000"},
		{1, 74, 100, false,
			"confidence 100 % is outside 0 .. 100 (ministat's levels: 80 90 95 98 99 "
			"99.5)"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(row); i++) {
		struct ministat_opts o = MINISTAT_OPTS_INIT;
		struct err e = ERR_INIT;
		struct buf b;

		for (size_t k = 0; k < 8; k++)
			sets[k] = row[i].few ? values("few", two, 2) : values("ok", three, 3);
		o.width = row[i].width;
		o.conf = row[i].conf;
		buf_init(&b, BIG);
		buf_adds(&b, "before\n");
		assert_int_equal(ministat_render(&b, sets, row[i].nsets, &o, &e), -ERR_USAGE);
		assert_string_equal(e.msg, row[i].msg);
		assert_string_equal(b.data, "before\n");
		buf_release(&b);
	}
}

static void ministat_set_errors_name_the_set(void **state)
{
	double v[] = {1, NAN, 3};
	struct ministat_set s;
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(ministat_set_values(&s, "phys", v, 3, &e), -ERR_MEASURE);
	assert_memory_equal(e.msg, "phys: value 2 is nan", 20);
	assert_int_equal(
		ministat_set_summary(&s, "phys", &(struct moments){.n = 0}, &e), -ERR_MEASURE);
	assert_string_equal(e.msg, "phys: a summary needs n >= 2, not 0");
}

static void ministat_reports_a_full_buffer(void **state)
{
	double v[] = {1, 2, 4};
	const struct ministat_set set = values("v", v, 3);
	const struct ministat_opts o = MINISTAT_OPTS_INIT;

	(void)state;
	/* Every limit below the block's length must fail, wherever it cuts. */
	for (size_t max = 0;; max++) {
		struct err e = ERR_INIT;
		struct buf b;
		int rc;

		buf_init(&b, max);
		rc = ministat_render(&b, &set, 1, &o, &e);
		if (!rc) {
			assert_int_equal(b.len, max);
			buf_release(&b);
			return;
		}
		assert_int_equal(rc, -ERR_BUG);
		assert_true(b.len <= max);
		buf_release(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ministat_prints_the_published_table),
		cmocka_unit_test(ministat_can_print_the_older_relative_error),
		cmocka_unit_test(ministat_options_leave_lines_out),
		cmocka_unit_test(ministat_draws_bars_apart_or_together),
		cmocka_unit_test(ministat_shares_cells_among_seven_sets),
		cmocka_unit_test(ministat_scales_tall_stacks),
		cmocka_unit_test(ministat_height_is_limited_only_when_asked),
		cmocka_unit_test(ministat_says_when_there_is_no_span),
		cmocka_unit_test(ministat_draws_inside_the_box_whatever_the_span),
		cmocka_unit_test(ministat_prints_levels_with_the_digits_they_have),
		cmocka_unit_test(ministat_says_that_zero_has_no_percentage),
		cmocka_unit_test(ministat_prints_a_dash_for_what_a_summary_does_not_tell),
		cmocka_unit_test(ministat_compares_numbers_whose_squares_do_not_fit),
		cmocka_unit_test(ministat_names_cannot_paint_the_terminal),
		cmocka_unit_test(ministat_refuses_with_one_clear_line),
		cmocka_unit_test(ministat_set_errors_name_the_set),
		cmocka_unit_test(ministat_reports_a_full_buffer),
	};
	return cmocka_run_group_tests_name("ministat", tests, NULL, NULL);
}
