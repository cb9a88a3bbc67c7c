/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/unit.h"

#include <math.h>
#include <stdbool.h>

#include "harness/stats/ranks.h"

static bool near(double got, double want, double rel)
{
	return fabs(got - want) <= rel * fabs(want);
}

static struct ranks of(const double *a, size_t na, const double *b, size_t nb)
{
	struct err e = ERR_INIT;
	struct ranks r;

	assert_int_equal(ranks_mann_whitney(&r, a, na, b, nb, &e), 0);
	return r;
}

/* U by its definition. */
static double pairs_won(const double *a, size_t na, const double *b, size_t nb)
{
	double u = 0;

	for (size_t i = 0; i < na; i++)
		for (size_t j = 0; j < nb; j++)
			u += (a[i] > b[j]) + (a[i] == b[j]) / 2.;
	return u;
}

/* Every way to give na of n places to a: p by counting, against the recurrence. */
static void ranks_are_exact_for_every_order(void **state)
{
	(void)state;
	for (unsigned na = 1; na <= 6; na++)
		for (unsigned nb = 1; nb <= 6; nb++) {
			unsigned n = na + nb, count[37] = {0}, all = 0;

			for (int pass = 0; pass < 2; pass++)
				for (unsigned set = 0; set < 1u << n; set++) {
					double a[12], b[12], u;
					size_t ia = 0, ib = 0;
					unsigned tail = 0;
					struct ranks r;

					if ((unsigned)__builtin_popcount(set) != na)
						continue;
					for (unsigned i = 0; i < n; i++)
						if (set >> i & 1)
							a[ia++] = i * 1.5 - 3;
						else
							b[ib++] = i * 1.5 - 3;
					u = pairs_won(a, na, b, nb);
					if (!pass) {
						count[(int)u]++;
						all++;
						continue;
					}
					r = of(a, na, b, nb);
					for (unsigned s = 0; s <= na * nb; s++)
						if (s <= fmin(u, na * nb - u))
							tail += count[s];
					assert_true(r.exact && r.u == u);
					assert_true(near(r.p, fmin(2. * tail / all, 1), 1e-14));
				}
		}
}

/* At the largest sizes that are exact, the normal limit is near. */
static void ranks_exact_and_normal_agree_where_they_meet(void **state)
{
	double a[51], b[51];
	struct ranks small, large;

	(void)state;
	for (int i = 0; i < 51; i++) {
		a[i] = (i * 37) % 51 + 0.25;
		b[i] = i + 7;
	}
	small = of(a, 50, b, 50);
	large = of(a, 51, b, 50);
	assert_true(small.exact && !large.exact);
	assert_true(near(small.p, erfc(fabs(small.z) / sqrt(2)), .01));
	/* The most extreme order of 50 and 50: 2 / C(100, 50). */
	for (int i = 0; i < 50; i++)
		a[i] = 1000 + i;
	assert_true(near(of(a, 50, b, 50).p, 2 / 1.0089134454556e29, 1e-12));
}

static void ranks_count_ties_as_half(void **state)
{
	const double a[] = {1, 2, 2, 3}, b[] = {2, 3, 4, 4, 5};
	/* sizes of ties: 3 of "2", 2 of "3", 2 of "4" */
	double var = 4 * 5 / 12. * (10 - (24 + 6 + 6) / (9. * 8));
	struct ranks r = of(a, 4, b, 5), turned = of(b, 5, a, 4);

	(void)state;
	assert_true(!r.exact && r.u == pairs_won(a, 4, b, 5) && r.u == 2.5);
	assert_true(near(r.z, -(7.5 - .5) / sqrt(var), 1e-14));
	assert_true(near(r.p, erfc(7 / sqrt(2 * var)), 1e-14));
	assert_true(turned.u == 20 - r.u && turned.z == -r.z && turned.p == r.p);
}

static void ranks_of_equal_values_show_nothing(void **state)
{
	const double v[] = {7, 7, 7, 7, 7, 7};
	struct ranks r = of(v, 6, v, 4);

	(void)state;
	assert_true(r.u == 12 && r.z == 0 && r.p == 1);
	r = of(v, 1, v, 1);
	assert_true(r.u == .5 && r.z == 0 && r.p == 1);
}

static void ranks_look_at_the_order_only(void **state)
{
	const double a[] = {1, 4, 6, 1e300}, b[] = {-1e300, 2, 3, 5};
	const double c[] = {2, 5, 7, 8}, d[] = {1, 3, 4, 6};
	struct ranks one = of(a, 4, b, 4), two = of(c, 4, d, 4);

	(void)state;
	assert_true(one.exact && one.u == 12 && two.u == 12 && one.p == two.p);
}

static void ranks_refuse_what_has_no_rank(void **state)
{
	const double v[] = {1, NAN}, w[] = {1, INFINITY};
	struct err e = ERR_INIT;
	struct ranks r;

	(void)state;
	assert_int_equal(ranks_mann_whitney(&r, v, 2, w, 1, &e), -ERR_MEASURE);
	assert_string_equal(e.msg, "value 2 of the first set is no finite number: it has no rank");
	assert_int_equal(ranks_mann_whitney(&r, v, 1, w, 2, &e), -ERR_MEASURE);
	assert_int_equal(ranks_mann_whitney(&r, v, 0, w, 1, &e), -ERR_MEASURE);
	assert_string_equal(e.msg, "a rank test needs a value a side, not 0 and 1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranks_are_exact_for_every_order),
		cmocka_unit_test(ranks_exact_and_normal_agree_where_they_meet),
		cmocka_unit_test(ranks_count_ties_as_half),
		cmocka_unit_test(ranks_of_equal_values_show_nothing),
		cmocka_unit_test(ranks_look_at_the_order_only),
		cmocka_unit_test(ranks_refuse_what_has_no_rank),
	};
	return cmocka_run_group_tests_name("ranks", tests, NULL, NULL);
}
