/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Error rates, counted.  All seeds are fixed: the rates are the same in every run, and the bands
 * are those that 10 000 runs leave to chance at the stated rate.
 */
#include "tests/unit/close.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

#include "harness/plan.h"
#include "harness/stats/effect.h"
#include "harness/verdict.h"

#define RUNS	10000
#define SAMPLES 25
#define BOOTS	40 /* at most, a side */
#define MEAN	1000.

/* 5 % in 10 000 runs, give or take what 1 in 100 experiments exceeds. */
#define BAND_LO 4.44
#define BAND_HI 5.56

static const struct verdict_opts usual = VERDICT_OPTS_INIT;

struct sim {
	gsl_rng *rng;
};

static struct sim sim_new(unsigned long seed)
{
	struct sim s = {gsl_rng_alloc(gsl_rng_mt19937)};

	assert_non_null(s.rng);
	gsl_rng_set(s.rng, seed);
	return s;
}

static void sim_release(struct sim *s)
{
	gsl_rng_free(s->rng);
}

static double sim_normal(struct sim *s, double mean, double sd)
{
	return mean + gsl_ran_gaussian_ziggurat(s->rng, sd);
}

static void sim_boots(struct sim *s, double *means, size_t n, double mean, double sd)
{
	for (size_t i = 0; i < n; i++)
		means[i] = sim_normal(s, mean, sd);
}

static struct verdict judge(const double *ref, size_t n0, const double *set, size_t n1)
{
	const struct verdict_side a = {ref, n0, 0}, b = {set, n1, 0};
	struct err e = ERR_INIT;
	struct verdict v;

	assert_int_equal(verdict_init(&v, &a, &b, &usual, &e), 0);
	return v;
}

static bool rejects(const struct verdict *v)
{
	return v->kind != VERDICT_NONE;
}

/* Both sides reordered. */
static bool pooled_rejects(double *ref, size_t n0, double *set, size_t n1)
{
	struct err e = ERR_INIT;
	struct moments m0, m1;
	struct ttest t;

	assert_int_equal(moments_init(&m0, ref, n0, &e), 0);
	assert_int_equal(moments_init(&m1, set, n1, &e), 0);
	assert_int_equal(ttest_student(&t, &m0, &m1, usual.conf, &e), 0);
	return t.p <= .05;
}

static double rate(int count, int of)
{
	return 100. * count / of;
}

static void in_band(const char *what, double got, double lo, double hi)
{
	print_message("# %s: %.2f %%\n", what, got);
	if (!(got >= lo && got <= hi))
		fail_msg("%s: %.2f %% is outside %g .. %g", what, got, lo, hi);
}

/* Boots of samples whose boots hold a part `icc` of the variance. */
static void sim_samples(struct sim *s, double icc, size_t boots, double *means, double *values)
{
	for (size_t i = 0; i < boots; i++) {
		double boot = sim_normal(s, MEAN, sqrt(icc)), sum = 0;

		for (size_t k = 0; k < SAMPLES; k++) {
			double v = sim_normal(s, boot, sqrt(1 - icc));

			values[i * SAMPLES + k] = v;
			sum += v;
		}
		means[i] = sum / SAMPLES;
	}
}

/* A against A: boots are the unit, samples are not. */
static void nothing_is_found_where_nothing_is(void **state)
{
	static const struct {
		double icc, naive_lo, naive_hi;
	} row[] = {{0, 4, 6}, {.01, 6.7, 8.7}, {.2, 40, 43.5}, {.5, 58, 62}, {.9, 65, 72}};
	static double a[10 * SAMPLES], b[10 * SAMPLES];
	double ma[10], mb[10];

	(void)state;
	for (size_t i = 0; i < COUNT(row); i++) {
		struct sim s = sim_new(101 + i);
		int boots = 0, naive = 0;
		char what[64];

		for (int r = 0; r < RUNS; r++) {
			struct verdict v;

			sim_samples(&s, row[i].icc, 10, ma, a);
			sim_samples(&s, row[i].icc, 10, mb, b);
			v = judge(ma, 10, mb, 10);
			boots += rejects(&v);
			naive += pooled_rejects(a, COUNT(a), b, COUNT(b));
		}
		sim_release(&s);
		snprintf(what, sizeof(what), "A/A, icc %g, verdict on boots", row[i].icc);
		in_band(what, rate(boots, RUNS), BAND_LO, BAND_HI);
		snprintf(what, sizeof(what), "A/A, icc %g, naive test on samples", row[i].icc);
		in_band(what, rate(naive, RUNS), row[i].naive_lo, row[i].naive_hi);
	}
}

/* The layout of the published table, 12 boots of the wider set against 25; then what Welch's test
 * makes of 3 boots: honest against 3, and not quite so when they are the noisy side against many.
 */
static void unequal_spreads_do_not_mislead(void **state)
{
	static const struct {
		size_t n0, n1;
		double sd0, sd1, lo, hi, pooled_lo, pooled_hi;
	} row[] = {
		{25, 12, 1.57, 2.85, BAND_LO, BAND_HI, 9.6, 11.6},
		{10, 10, 1, 3, BAND_LO, BAND_HI, 5, 7},
		{3, 3, 1, 1, 2.5, BAND_HI, 4, 6},
		{3, 3, 1, 4, 4, 6.5, 6, 10},
		{25, 3, 1, 1, 6, 8.5, 4, 6},
	};
	double a[BOOTS], b[BOOTS];

	(void)state;
	for (size_t i = 0; i < COUNT(row); i++) {
		struct sim s = sim_new(201 + i);
		size_t n0 = row[i].n0, n1 = row[i].n1;
		int welch = 0, pooled = 0;
		char what[96];

		for (int r = 0; r < RUNS; r++) {
			struct verdict v;

			sim_boots(&s, a, n0, MEAN, row[i].sd0);
			sim_boots(&s, b, n1, MEAN, row[i].sd1);
			v = judge(a, n0, b, n1);
			welch += rejects(&v);
			pooled += pooled_rejects(a, n0, b, n1);
		}
		sim_release(&s);
		snprintf(what, sizeof(what), "A/A, %zu boots of sd %g, %zu of %g, verdict", n0,
			row[i].sd0, n1, row[i].sd1);
		in_band(what, rate(welch, RUNS), row[i].lo, row[i].hi);
		in_band("the same, pooled t", rate(pooled, RUNS), row[i].pooled_lo,
			row[i].pooled_hi);
	}
}

/* Three modes against one reference: the error rate is that of the whole table. */
static void a_family_keeps_the_error_rate(void **state)
{
	struct sim s = sim_new(301);
	double ref[10], set[10];
	int holm = 0, alone = 0;

	(void)state;
	for (int r = 0; r < RUNS; r++) {
		struct verdict list[3];
		bool any = false;

		sim_boots(&s, ref, 10, MEAN, 1);
		for (size_t i = 0; i < 3; i++) {
			sim_boots(&s, set, 10, MEAN, 1);
			list[i] = judge(ref, 10, set, 10);
			any |= rejects(&list[i]);
		}
		alone += any;
		verdict_together(list, 3, &usual);
		holm += rejects(&list[0]) || rejects(&list[1]) || rejects(&list[2]);
	}
	sim_release(&s);
	in_band("3 modes against one, any found, Holm", rate(holm, RUNS), 3, BAND_HI);
	in_band("3 modes against one, any found, uncorrected", rate(alone, RUNS), 10, 14);
}

/* For equal spreads the stated power is that of the pooled test.  Welch's does not assume them and
 * pays for it with degrees of freedom, which shows with 5 boots; the verdict counts them. */
static void the_smallest_effect_is_found_as_often_as_stated(void **state)
{
	static const struct {
		size_t n;
		double least;
	} row[] = {{5, 76.5}, {10, 79}, {25, 79}};
	double a[BOOTS], b[BOOTS];

	(void)state;
	for (size_t i = 0; i < COUNT(row); i++) {
		size_t n = row[i].n;
		double effect = effect_smallest_sd(n, usual.conf, usual.power);
		struct sim s = sim_new(401 + i);
		int found = 0, pooled = 0, again = 0;
		char what[64];

		for (int r = 0; r < RUNS; r++) {
			struct verdict v;

			sim_boots(&s, a, n, MEAN, 1);
			sim_boots(&s, b, n, MEAN + effect, 1);
			v = judge(a, n, b, n);
			found += rejects(&v);
			pooled += pooled_rejects(a, n, b, n);
			/* `seen` of that run, were its standard error the true one */
			sim_boots(&s, a, n, MEAN, 1);
			sim_boots(&s, b, n, MEAN + v.seen / v.se * sqrt(2. / (double)n), 1);
			v = judge(a, n, b, n);
			again += rejects(&v);
		}
		sim_release(&s);
		snprintf(what, sizeof(what), "%.3f sd, %zu boots, found by pooled t", effect, n);
		in_band(what, rate(pooled, RUNS), 79, 81);
		in_band("the same, found by the verdict", rate(found, RUNS), row[i].least, 81);
		in_band("what the verdict says it sees, found", rate(again, RUNS), 79, 81);
	}
}

/* One real effect among two modes without: it is found at the level that the verdict names. */
static void the_smallest_effect_of_a_family_is_found_too(void **state)
{
	struct sim s = sim_new(501);
	double effect = effect_smallest_sd(10, 100 - 5. / 3, usual.power);
	double ref[10], set[10];
	int found = 0;

	(void)state;
	for (int r = 0; r < RUNS; r++) {
		struct verdict list[3];

		sim_boots(&s, ref, 10, MEAN, 1);
		for (size_t i = 0; i < 3; i++) {
			sim_boots(&s, set, 10, i ? MEAN : MEAN + effect, 1);
			list[i] = judge(ref, 10, set, 10);
		}
		verdict_together(list, 3, &usual);
		found += rejects(&list[0]);
	}
	sim_release(&s);
	in_band("one effect among 3 modes, found", rate(found, RUNS), 79, 81.5);
}

/* The size of the second stage follows the variance of the first: where that was small by chance,
 * no more boots are taken and it stays small.  The spread of all boots is no honest one then. */
static void two_stages_keep_the_error_rate(void **state)
{
	enum { PILOT = 3 };
	struct sim s = sim_new(601);
	double a[BOOTS], b[BOOTS];
	int kept = 0, forgot = 0;

	(void)state;
	for (int r = 0; r < RUNS; r++) {
		struct verdict_side ref = {a, PILOT, 0}, set = {b, PILOT, 0};
		struct err e = ERR_INIT;
		struct verdict v;
		size_t n;

		sim_boots(&s, a, PILOT, MEAN, 1);
		sim_boots(&s, b, PILOT, MEAN, 1);
		v = judge(a, PILOT, b, PILOT);
		/* Stein: an interval of +-1.2 */
		n = (size_t)fmin(BOOTS, fmax(PILOT, ceil(PILOT * pow((v.hi - v.lo) / 2.4, 2))));
		sim_boots(&s, a + PILOT, n - PILOT, MEAN, 1);
		sim_boots(&s, b + PILOT, n - PILOT, MEAN, 1);
		ref.n = set.n = n;
		v = judge(a, n, b, n);
		forgot += rejects(&v);
		ref.pilot = set.pilot = PILOT;
		assert_int_equal(verdict_init(&v, &ref, &set, &usual, &e), 0);
		kept += rejects(&v);
	}
	sim_release(&s);
	in_band("two stages, spread of the pilot", rate(kept, RUNS), 3, BAND_HI);
	in_band("two stages, spread of all boots", rate(forgot, RUNS), BAND_HI, 9);
}

/* A machine that drifts by 0.05 sd a boot, two modes of 12 boots. */
static void drift_does_not_look_like_a_mode(void **state)
{
	struct sim s = sim_new(701);
	double v[2][12];
	int sequential = 0, blocks = 0;

	(void)state;
	for (int r = 0; r < RUNS; r++) {
		size_t n[2] = {0, 0};
		struct verdict found;
		struct plan p;

		for (size_t i = 0; i < 24; i++)
			v[i / 12][i % 12] = sim_normal(&s, MEAN + .05 * (double)i, 1);
		found = judge(v[0], 12, v[1], 12);
		sequential += rejects(&found);
		plan_init(&p, 2, 12, (uint32_t)r + 1);
		for (size_t i = 0; i < p.n; i++) {
			size_t m = (size_t)p.items[i].mode;

			v[m][n[m]++] = sim_normal(&s, MEAN + .05 * (double)i, 1);
		}
		plan_release(&p);
		found = judge(v[0], 12, v[1], 12);
		blocks += rejects(&found);
	}
	sim_release(&s);
	in_band("drift, one mode after the other", rate(sequential, RUNS), 26, 30);
	in_band("drift, randomised blocks", rate(blocks, RUNS), 3.2, BAND_HI);
}

/* Far from a ratio of 1 the degrees of freedom that Welch's test of the difference has are not
 * those of the ratio; the interval takes the fewer, and so may cover more.  Where few noisy boots
 * of the reference decide, it falls short of 95 % as Welch's test itself does. */
static void intervals_cover_what_they_say(void **state)
{
	static const struct {
		size_t n0, n1;
		double sd0, ratio, sd1, least, most;
	} row[] = {
		{10, 10, 10, 1.02, 10, 94.3, 95.7},
		{12, 8, 20, 1.1, 60, 94.3, 95.7},
		{6, 6, 150, 2, 100, 94.3, 95.7},
		{10, 25, 20, 5, 200, 94.3, 95.7},
		{25, 12, 4.42, 3.48774, 8.05, 94.3, 96.5},
		{5, 20, 30, .5, 10, 94.3, 96.5},
		{5, 25, 20, 5, 200, 93.5, 95.7},
		{3, 25, 20, 5, 200, 92.3, 94.3},
	};
	double a[BOOTS], b[BOOTS];

	(void)state;
	for (size_t i = 0; i < COUNT(row); i++) {
		struct sim s = sim_new(801 + i);
		int welch = 0, fieller = 0;
		double mean = MEAN * row[i].ratio, pct = 100 * (row[i].ratio - 1);
		char what[160];

		for (int r = 0; r < RUNS; r++) {
			struct verdict v;

			sim_boots(&s, a, row[i].n0, MEAN, row[i].sd0);
			sim_boots(&s, b, row[i].n1, mean, row[i].sd1);
			v = judge(a, row[i].n0, b, row[i].n1);
			welch += v.lo <= mean - MEAN && mean - MEAN <= v.hi;
			/* Without an end it holds everything. */
			fieller += !v.pct_bounded || (v.pct_lo <= pct && pct <= v.pct_hi);
		}
		sim_release(&s);
		snprintf(what, sizeof(what),
			"%zu boots, sd %g, %zu at %g times, sd %g: Welch's covers", row[i].n0,
			row[i].sd0, row[i].n1, row[i].ratio, row[i].sd1);
		in_band(what, rate(welch, RUNS), 94.3, 95.7);
		in_band("the same, Fieller's covers", rate(fieller, RUNS), row[i].least,
			row[i].most);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_found_where_nothing_is),
		cmocka_unit_test(unequal_spreads_do_not_mislead),
		cmocka_unit_test(a_family_keeps_the_error_rate),
		cmocka_unit_test(the_smallest_effect_is_found_as_often_as_stated),
		cmocka_unit_test(the_smallest_effect_of_a_family_is_found_too),
		cmocka_unit_test(two_stages_keep_the_error_rate),
		cmocka_unit_test(drift_does_not_look_like_a_mode),
		cmocka_unit_test(intervals_cover_what_they_say),
	};
	return cmocka_run_group_tests_name("simulation", tests, NULL, NULL);
}
