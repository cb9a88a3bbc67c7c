/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Comparisons for the tests of what programs read, by name: those of the model fixtures, and some
 * with numbers that are hard to write down.  Every number has a fixed seed.
 *
 *	fixture_formats(&f, "noisy");
 *	... f.c ...
 *	fixture_formats_release(&f);
 */
#ifndef TESTS_UNIT_FIXTURE_FORMATS_H
#define TESTS_UNIT_FIXTURE_FORMATS_H

#include <stdlib.h>

#include "reports/comparison.h"
#include "tests/unit/fixture_model.h"

enum { FORMATS_MODELS = 4 };

struct fixture_formats {
	struct model m[FORMATS_MODELS];
	const struct model *of[FORMATS_MODELS];
	size_t n;
	struct comparison c;
	uint64_t random;
};

/* Near normal: mean 0, sd about 1. */
static inline double formats_noise(struct fixture_formats *f)
{
	double sum = -6;

	for (int i = 0; i < 12; i++) {
		f->random = f->random * 6364136223846793005u + 1442695040888963407u;
		sum += (double)(f->random >> 11) / 9007199254740992.0;
	}
	return sum;
}

static inline struct model *formats_model(struct fixture_formats *f)
{
	struct model *m = &f->m[f->n];

	f->of[f->n] = m;
	fixture_begin(m);
	m->uuid[0] = (char)('1' + f->n);
	m->id[0] = m->uuid[0];
	m->started_wall_ns += (int64_t)f->n * 3600000000000;
	f->n++;
	return m;
}

/* One more boot with times about base; the last sample is missing in every third boot. */
static inline struct model_boot *formats_boot(struct fixture_formats *f, struct model *m,
	const char *mode, double base, double boot_sd, double sd)
{
	int at = (int)m->n_list;
	struct model_boot *b;

	m->list = mem_grow(m->list, m->n_list + 1, sizeof(*m->list));
	fixture_boot(m, at, 0, mode, (int64_t)base);
	b = &m->list[at];
	base += boot_sd * formats_noise(f);
	for (size_t i = 0; i < b->r.n_samples; i++)
		b->r.samples[i].ns = (int64_t)(base + sd * formats_noise(f));
	b->r.n_samples -= at % 3 == 2;
	return b;
}

/* `boots` boots of two or three modes; slower: part by which the second is. */
static inline struct model *formats_run(struct fixture_formats *f, int boots, int modes,
	double base, double slower, double boot_sd, double sd)
{
	static const char *const names[] = {"mixed", "physical", "cluster"};
	struct model *m = formats_model(f);

	m->boots = boots;
	m->total = boots * modes;
	for (int k = 0; k < modes; k++)
		fixture_mode(m, names[k], NULL);
	for (int i = 0; i < boots; i++)
		for (int k = 0; k < modes; k++)
			formats_boot(
				f, m, names[k], k == 1 ? base * (1 + slower) : base, boot_sd, sd)
				->r.block = i;
	return m;
}

/* Everything that comes from outside, as bad as it may be. */
#define FORMATS_HOSTILE \
	"=1+2,\"'<b>&]]>\r\n\t\x01\x1b[31m\x7f\xff\xc3(\xed\xa0\x80\xef\xbf\xbf\xc2\x85\xc3\xa9"

static inline void formats_hostile(struct fixture_formats *f)
{
	struct model *m = formats_run(f, 3, 2, 354e6, 0.05, 1e6, 1e6);
	char *const fields[] = {m->machine_description, m->cpu_model, m->firmware_version,
		m->emulator, m->harness_version, m->user, m->host};
	const size_t sizes[] = {sizeof(m->machine_description), sizeof(m->cpu_model),
		sizeof(m->firmware_version), sizeof(m->emulator), sizeof(m->harness_version),
		sizeof(m->user), sizeof(m->host)};

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		snprintf(fields[i], sizes[i], "%s", FORMATS_HOSTILE);
	snprintf(m->machine, sizeof(m->machine), "@%s", "a,\"b\r\n<\xff");
	snprintf(m->workload, sizeof(m->workload), "-%s", "w\"]]>\x02&");
	snprintf(m->modes[1].mode, MODE_MAX, "%s", "+p,\"<&]]>\n\x03\xfe");
	snprintf(m->modes[0].version, sizeof(m->modes[0].version), "%s", FORMATS_HOSTILE);
	free(m->again);
	m->again = mem_strdup(FORMATS_HOSTILE);
	for (size_t i = 0; i < m->n_list; i++) {
		struct boot_result *r = &m->list[i].r;

		if (r->mode[0] == 'p')
			snprintf(r->mode, MODE_MAX, "%s", m->modes[1].mode);
		snprintf(r->effective, MODE_MAX, "%s", "\tx,\"<\x04");
		free((char *)r->flags);
		r->flags = mem_strdup(FORMATS_HOSTILE);
		snprintf(
			r->facts.microcode, sizeof(r->facts.microcode), "%s", "=,\"<\n\x05\xff]]>");
	}
	m->list[0].r.outcome = OUTCOME_CONFLICT;
	m->list[0].r.err.cls = ERR_MEASURE;
	snprintf(m->list[0].r.err.msg, sizeof(m->list[0].r.err.msg), "%s", FORMATS_HOSTILE);
	snprintf(m->list[0].r.err.code, sizeof(m->list[0].r.err.code), "%s", "<\"&>");
	m->list[1].r.samples[3].tsc = UINT64_MAX;
	m->seed = UINT64_MAX;
}

/* A side a run, or two: the same modes, block by block. */
static inline int formats_sides(
	struct fixture_formats *f, const struct verdict_opts *o, struct err *e)
{
	static const char *const modes[] = {"mixed", "physical"};
	size_t half = f->n / 2;
	char name[96];
	int rc = 0;

	comparison_init(&f->c, COMPARISON_SIDES, o);
	for (size_t i = 0; i < 4 && !rc; i++) {
		bool after = i % 2;
		struct comparison_pick p = {.name = name,
			.mode = modes[i / 2],
			.image = "",
			.runs = f->of + (after ? half : 0),
			.n_runs = half,
			.block = i / 2};

		snprintf(name, sizeof(name), "%s %s", after ? "after" : "before", modes[i / 2]);
		rc = comparison_add(&f->c, &p, e);
	}
	f->c.title = mem_strdup("before against after");
	f->c.again = mem_strdup("harness compare before after --allow firmware");
	f->c.differs = mem_strdup("firmware: 1.12, 1.13\nmicrocode: 0xaa00215, 0xaa00219");
	f->c.left = mem_strdup("boot 4 of run 1f3a: lab");
	return rc ? rc : comparison_judge(&f->c, e);
}

static inline void formats_set_all(struct model *m, const char *mode, int64_t ns)
{
	for (size_t i = 0; i < m->n_list; i++)
		for (size_t k = 0; k < m->list[i].r.n_samples; k++)
			if (!strcmp(m->list[i].r.mode, mode))
				m->list[i].r.samples[k].ns = ns;
}

static inline bool formats_make(struct fixture_formats *f, const char *name)
{
	static const struct {
		const char *name;
		void (*make)(struct model *);
	} plain[] = {{"clean", fixture_clean}, {"rough", fixture_rough}, {"empty", fixture_empty},
		{"single", fixture_single}, {"shifted", fixture_shifted},
		{"restarts", fixture_restarts}, {"builds", fixture_builds}, {"hang", fixture_hang},
		{"lacks", fixture_lacks}};
	struct model *m;

	for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++)
		if (!strcmp(name, plain[i].name)) {
			plain[i].make(&f->m[0]);
			f->of[f->n++] = &f->m[0];
			return true;
		}
	if (!strcmp(name, "hostile")) {
		formats_hostile(f);
	} else if (!strcmp(name, "noisy")) {
		formats_run(f, 12, 3, 354e6, 0.004, 1.5e6, 2e6);
	} else if (!strcmp(name, "large")) { /* past the end of ministat's table */
		formats_run(f, 30, 2, 354e6, 0.001, 1.5e6, 2e6);
	} else if (!strcmp(name, "pilot")) {
		m = formats_run(f, 9, 2, 354e6, 0.01, 1.5e6, 2e6);
		m->until = (struct run_until){.width = 0.01, .pilot = 4, .max = 30, .wanted = 9};
	} else if (!strcmp(name, "flat")) { /* no spread on either side */
		m = formats_run(f, 4, 3, 354e6, 0, 0, 0);
		formats_set_all(m, "physical", 354000001);
	} else if (!strcmp(name, "zero")) { /* no percentage */
		m = formats_run(f, 4, 2, 1e6, 0.5, 1e5, 1e5);
		formats_set_all(m, "mixed", 0);
	} else if (!strcmp(name, "wide")) { /* a percentage without an interval */
		formats_run(f, 4, 2, 4e6, 0.5, 2e6, 1e5);
	} else if (!strcmp(name, "sides")) {
		formats_run(f, 6, 2, 354e6, 0.5, 1e6, 2e6);
		formats_run(f, 5, 2, 364e6, 0.4, 1e6, 2e6);
	} else if (!strcmp(name, "runs")) { /* two a side */
		for (int i = 0; i < 4; i++)
			formats_run(f, 3, 2, 354e6 + 1e6 * i, 0.1, 1e6, 2e6);
	} else {
		return false;
	}
	return true;
}

/* False for a name that is not known: then there is nothing to release. */
static inline bool fixture_formats(struct fixture_formats *f, const char *name)
{
	static const struct verdict_opts opts = VERDICT_OPTS_INIT;
	struct err e = ERR_INIT;
	int rc;

	memset(f, 0, sizeof(*f));
	f->random = 20240229;
	if (!formats_make(f, name))
		return false;
	rc = f->n > 1 ? formats_sides(f, &opts, &e) : comparison_of_run(&f->c, f->of[0], &opts, &e);
	if (rc) {
		fprintf(stderr, "%s: %s\n", name, e.msg);
		exit(70);
	}
	return true;
}

static inline void fixture_formats_release(struct fixture_formats *f)
{
	comparison_release(&f->c);
	for (size_t i = 0; i < f->n; i++)
		model_release(&f->m[i]);
}

/* All of them; ends with NULL. */
static const char *const fixture_formats_names[] = {"clean", "rough", "empty", "single", "shifted",
	"restarts", "builds", "hang", "lacks", "hostile", "noisy", "large", "pilot", "flat", "zero",
	"wide", "sides", "runs", NULL};

#endif
