/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include <string.h>

#include "harness/base/mem.h"
#include "reports/ministat.h"

/* The published EPYC 9754 figures, ns for 10 000 flush_tlb_all() on 512 CPUs. */
static const struct moments mixed = {
	25, 3.5432659e+08, 1566737.4, 3.5131328e+08, 3.5716441e+08, 3.5410987e+08};
static const struct moments phys = {
	12, 1.2357981e+09, 2853892.9, 1.231082e+09, 1.238824e+09, 1.2370528e+09};

static void expect(size_t columns, const char *want)
{
	struct ministat_opts o = MINISTAT_OPTS_INIT;
	struct ministat_set sets[2];
	struct err e = ERR_INIT;
	struct buf b;

	o.columns = columns;
	o.no_diff = true;
	buf_init(&b, 4096);
	assert_int_equal(ministat_set_summary(&sets[0], "mixed", &mixed, &e), 0);
	assert_int_equal(ministat_set_summary(&sets[1], "phys", &phys, &e), 0);
	assert_int_equal(ministat_render(&b, sets, 2, &o, &e), 0);
	assert_memory_equal(b.data, "x mixed\n+ phys\n", 15);
	assert_string_equal(b.data + 15, want);
	buf_release(&b);
}

static void a_table_that_fits_is_ministats(void **state)
{
	static const char want[] =
		"    N           Min           Max        Median           Avg        Stddev\n"
		"x  25 3.5131328e+08 3.5716441e+08 3.5410987e+08 3.5432659e+08     1566737.4\n"
		"+  12  1.231082e+09  1.238824e+09 1.2370528e+09 1.2357981e+09     2853892.9\n";

	(void)state;
	expect(0, want);
	expect(75, want);
}

static void a_narrow_table_loses_blanks_first(void **state)
{
	static const char want[] =
		"   N           Min           Max        Median           Avg    Stddev\n"
		"x 25 3.5131328e+08 3.5716441e+08 3.5410987e+08 3.5432659e+08 1566737.4\n"
		"+ 12  1.231082e+09  1.238824e+09 1.2370528e+09 1.2357981e+09 2853892.9\n";

	(void)state;
	expect(74, want);
	expect(70, want);
}

static void then_a_digit(void **state)
{
	(void)state;
	expect(69, "   N          Min          Max       Median          Avg  Stddev\n"
		   "x 25 3.513133e+08 3.571644e+08 3.541099e+08 3.543266e+08 1566737\n"
		   "+ 12 1.231082e+09 1.238824e+09 1.237053e+09 1.235798e+09 2853893\n");
	/* No fewer than four, whether they fit or not. */
	expect(10, "   N       Min       Max    Median       Avg    Stddev\n"
		   "x 25 3.513e+08 3.572e+08 3.541e+08 3.543e+08 1.567e+06\n"
		   "+ 12 1.231e+09 1.239e+09 1.237e+09 1.236e+09 2.854e+06\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_table_that_fits_is_ministats),
		cmocka_unit_test(a_narrow_table_loses_blanks_first),
		cmocka_unit_test(then_a_digit),
	};
	return cmocka_run_group_tests_name("ministat_narrow", tests, NULL, NULL);
}
