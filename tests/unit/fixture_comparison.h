/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Comparisons for the tests of reports, each with the runs that it borrows.  The includer has
 * cmocka and its kin, and releases each with made_release(). */
#ifndef TESTS_UNIT_FIXTURE_COMPARISON_H
#define TESTS_UNIT_FIXTURE_COMPARISON_H

#include <stdlib.h>

#include "reports/comparison.h"
#include "tests/unit/fixture_model.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

enum { MADE_RUNS = 16 };

struct made {
	struct model m[MADE_RUNS];
	size_t n_runs;
	struct comparison c;
};

static inline void made_release(struct made *d)
{
	comparison_release(&d->c);
	for (size_t i = 0; i < d->n_runs; i++)
		model_release(&d->m[i]);
}

static inline void make_run(struct made *d, void (*fixture)(struct model *))
{
	const struct verdict_opts usual = VERDICT_OPTS_INIT;
	struct err e = ERR_INIT;

	d->n_runs = 1;
	fixture(&d->m[0]);
	assert_int_equal(comparison_of_run(&d->c, &d->m[0], &usual, &e), 0);
}

static inline void make_begin(struct made *d)
{
	const struct verdict_opts usual = VERDICT_OPTS_INIT;

	comparison_init(&d->c, COMPARISON_SIDES, &usual);
}

static inline void make_clean(struct made *d)
{
	make_run(d, fixture_clean);
}

static inline void make_rough(struct made *d)
{
	make_run(d, fixture_rough);
}

static inline void make_empty(struct made *d)
{
	make_run(d, fixture_empty);
}

static inline void make_single(struct made *d)
{
	make_run(d, fixture_single);
}

static inline void make_shifted(struct made *d)
{
	make_run(d, fixture_shifted);
}

static inline void make_stages(struct made *d)
{
	make_run(d, fixture_two_stages);
}

static inline void make_zero_model(struct model *m)
{
	fixture_clean(m);
	for (size_t i = 0; i < m->n_list; i++)
		for (size_t k = 0; k < m->list[i].r.n_samples; k++)
			if (m->list[i].r.mode[0] != 'c')
				m->list[i].r.samples[k].ns = 0;
}

static inline void make_zero(struct made *d)
{
	make_run(d, make_zero_model);
}

static inline void make_side(struct made *d, const char *name, const char *mode,
	const struct model *run, size_t n, size_t block)
{
	const struct model *runs[MADE_RUNS];
	struct comparison_pick p = {
		.name = name, .mode = mode, .image = "", .runs = runs, .n_runs = n, .block = block};
	struct err e = ERR_INIT;

	for (size_t i = 0; i < n; i++)
		runs[i] = run + i;
	assert_int_equal(comparison_add(&d->c, &p, &e), 0);
}

static inline void make_sides(struct made *d)
{
	static const char *const modes[] = {"mixed", "physical", "cluster"};
	struct err e = ERR_INIT;
	char name[64];

	d->n_runs = 2;
	fixture_clean(&d->m[0]);
	fixture_later(&d->m[1]);
	make_begin(d);
	for (size_t i = 0; i < COUNT(modes); i++)
		for (size_t k = 0; k < 2; k++) {
			snprintf(name, sizeof(name), "%s %s", d->m[k].id, modes[i]);
			make_side(d, name, modes[i], &d->m[k], 1, i);
		}
	assert_int_equal(comparison_judge(&d->c, &e), 0);
	d->c.title = mem_strdup("8b21 against 7f3a");
	d->c.again = mem_strdup("harness compare 7f3a 8b21");
}

static inline void make_allowed(struct made *d)
{
	make_sides(d);
	d->c.differs = mem_strdup("microcode: 0xaa00215 in 7f3a; 0xaa00219 in 8b21\n"
				  "firmware: 1.12 in 7f3a; 1.14 in 8b21\n");
	d->c.left = mem_strdup("run 9c00: ended before a boot counted\n");
}

/* Many runs a side; every second run is 2 % slower, so that runs differ among themselves. */
static inline void make_many(struct made *d)
{
	struct err e = ERR_INIT;

	d->n_runs = 14;
	for (size_t i = 0; i < d->n_runs; i++) {
		struct model *m = &d->m[i];

		fixture_clean(m);
		snprintf(m->uuid, sizeof(m->uuid), "%02x3a90c2-1b2d-4e5f-8a9b-0c1d2e3f4a5b",
			(unsigned)i & 0xff);
		snprintf(m->id, sizeof(m->id), "%02x3a", (unsigned)i & 0xff);
		m->started_wall_ns += (int64_t)i * 86400 * 1000000000LL;
		for (size_t k = 0; k < m->n_list && i % 2; k++)
			for (size_t j = 0; j < m->list[k].r.n_samples; j++)
				m->list[k].r.samples[j].ns += m->list[k].r.samples[j].ns / 50;
	}
	make_begin(d);
	make_side(d, "a name too long for its column", "mixed", &d->m[0], 7, 0);
	make_side(d, "B", "mixed", &d->m[7], 7, 0);
	assert_int_equal(comparison_judge(&d->c, &e), 0);
}

/* All of them. */
static void (*const makes[])(struct made *) = {make_clean, make_rough, make_empty, make_single,
	make_shifted, make_stages, make_zero, make_sides, make_allowed, make_many};

#endif
