/* SPDX-License-Identifier: GPL-3.0-or-later */
/* More runs for the tests of the HTML report, and comparisons of all of them by name. */
#ifndef TESTS_UNIT_FIXTURE_HTML_H
#define TESTS_UNIT_FIXTURE_HTML_H

#include "reports/comparison.h"
#include "tests/unit/fixture_model.h"

/* Text that would be harmful if it were taken as it is: markup, quotes, control bytes, a terminal's
 * escape, no UTF-8, a turned direction. */
#define FIXTURE_HOSTILE \
	"<script>alert(1)</script><!--\"'&--> ]]>\x01\x1b[31m\x7f\xff\xc0\xaf\xc2\x9b" \
	"\xe2\x80\xae" \
	"z\nline two"

enum { FIXTURE_LARGE_SAMPLES = 25 }; /* kept, a boot of fixture_large() */

/* The same numbers everywhere, without a library's generator: uniform in [-1, 1). */
static inline double fixture_noise(unsigned *state)
{
	*state = *state * 1664525u + 1013904223u;
	return (double)(*state >> 8) / (1 << 23) - 1;
}

/* Replace a boot's samples by n kept ones around a mean of its own. */
static inline void fixture_samples(
	struct model_boot *b, size_t n, double mean, double between, double within, unsigned *state)
{
	double own = mean * (1 + between * fixture_noise(state));

	free(b->r.samples);
	b->r.n_samples = n + 3;
	b->r.samples = mem_array(b->r.n_samples, sizeof(*b->r.samples));
	for (size_t i = 0; i < b->r.n_samples; i++)
		b->r.samples[i] = (struct sample){
			.ns = (int64_t)(own * (1 + within *
							      (fixture_noise(state) +
								      fixture_noise(state)) /
							      2)),
			.tsc = i,
			.warmup = i < 3};
}

/* fixture_boot() has nonces for 9 boots. */
static inline void fixture_nonce(struct boot_result *r)
{
	memset(r->nonce, 'a', NONCE_HEX);
	snprintf(r->command_line, sizeof(r->command_line),
		"com1=115200,8n1 console=com1 bootscrub=0 cpufreq=none cpuidle=0 hp_nonce=%s "
		"hp_work=flush-all hp_samples=28 hp_warmup=3 hp_iters=10000 hp_repeat=2",
		r->nonce);
}

/* `blocks` boots a mode of `samples` kept samples: one mode far slower, one alike.  One boot fails
 * and is repeated; one has a remark. */
static inline void fixture_sized(struct model *m, int blocks, size_t samples)
{
	static const char *const modes[] = {"mixed", "physical", "cluster"};
	static const double means[] = {354.3e6, 1235.8e6, 354.6e6};
	unsigned state = 41;

	fixture_begin(m);
	snprintf(m->machine_description, sizeof(m->machine_description), "two sockets in rack 4");
	for (size_t i = 0; i < 3; i++)
		fixture_mode(m, modes[i], NULL);
	m->boots = blocks;
	m->total = 3 * blocks;
	m->samples = (int)samples;
	m->warmup = 3;
	m->list = mem_grow(m->list, 3 * (size_t)blocks + 1, sizeof(*m->list));
	for (int i = 0; i < 3 * blocks; i++) {
		int k = (i + i / 3) % 3; /* another order in each block */

		if (i == 4) {
			fixture_boot(m, i, 0, modes[k], 354000000);
			fixture_failed(m, OUTCOME_LAB, STAGE_FIRMWARE, "E_TIMEOUT",
				"console silent for 300 s", true);
		}
		fixture_boot(m, i, i == 4, modes[k], 354000000);
		fixture_samples(&m->list[m->n_list - 1], samples, means[k], 0.004, 0.006, &state);
		fixture_nonce(&m->list[m->n_list - 1].r);
		for (int s = 0; s < STAGE_COUNT; s++)
			m->list[m->n_list - 1].r.stages[s].ns =
				(int64_t)(1e9 *
					  (s == STAGE_FIRMWARE		  ? 65
						  : s == STAGE_PROBE	  ? 40 + 30 * k
						  : s == STAGE_HYPERVISOR ? 9
									  : 1.5) *
					  (1 + 0.05 * fixture_noise(&state)));
	}
	free((char *)m->list[6].r.flags);
	m->list[6].r.flags = mem_strdup("console: 2 records repaired");
	m->wall_ns = 60000000000LL * 3 * blocks;
	m->machine_ns = m->wall_ns / 100 * 97;
}

static inline void fixture_large(struct model *m)
{
	fixture_sized(m, 5, FIXTURE_LARGE_SAMPLES);
}

/* More samples than a plot draws. */
static inline void fixture_huge(struct model *m)
{
	fixture_sized(m, 10, 1000);
}

/* As much of it as there is room for. */
static inline void fixture_put(char *to, size_t size)
{
	size_t n = strlen(FIXTURE_HOSTILE);

	n = n < size ? n : size - 1;
	memcpy(to, FIXTURE_HOSTILE, n);
	to[n] = '\0';
}

/* Every text of a run is hostile. */
static inline void fixture_hostile(struct model *m)
{
	fixture_clean(m);
#define HOSTILE(field) fixture_put(field, sizeof(field))
	HOSTILE(m->machine);
	HOSTILE(m->machine_description);
	HOSTILE(m->cpu_model);
	HOSTILE(m->firmware_version);
	HOSTILE(m->workload);
	HOSTILE(m->keep_rule);
	HOSTILE(m->harness_version);
	HOSTILE(m->user);
	HOSTILE(m->host);
	HOSTILE(m->emulator);
	HOSTILE(m->id);
	m->emulated = true;
	free(m->again);
	m->again = mem_strdup("harness run " FIXTURE_HOSTILE);
	err_set(&m->end_err, ERR_LAB, "E_<b>", "%s", FIXTURE_HOSTILE);
	snprintf(m->modes[1].mode, MODE_MAX, "<b>\"'&\x1b\xff");
	for (size_t i = 0; i < m->n_modes; i++) {
		HOSTILE(m->modes[i].version);
		HOSTILE(m->modes[i].commit);
		HOSTILE(m->modes[i].compiler);
		HOSTILE(m->modes[i].build_id);
		HOSTILE(m->modes[i].recipe);
		HOSTILE(m->modes[i].config_hash);
		HOSTILE(m->modes[i].image_sha256);
	}
	for (size_t i = 0; i < m->n_list; i++) {
		struct boot_result *r = &m->list[i].r;

		if (!strcmp(r->mode, "physical"))
			snprintf(r->mode, MODE_MAX, "%s", m->modes[1].mode);
		HOSTILE(r->command_line);
		HOSTILE(r->effective);
		HOSTILE(r->facts.microcode);
		HOSTILE(r->facts.hypervisor);
		HOSTILE(r->facts.platform_timer);
		HOSTILE(r->facts.apic_driver);
		free((char *)r->flags);
		r->flags = mem_strdup(FIXTURE_HOSTILE);
	}
	HOSTILE(m->list[1].r.facts.microcode);
	m->list[1].r.facts.microcode[0] = '>';
	err_set(&m->list[8].r.err, ERR_LAB, "<i>", "%s", FIXTURE_HOSTILE);
	m->list[8].r.outcome = OUTCOME_LAB;
#undef HOSTILE
}

/* Every sample is the same: no spread anywhere. */
static inline void fixture_flat(struct model *m)
{
	fixture_clean(m);
	for (size_t i = 0; i < m->n_list; i++)
		for (size_t k = 0; k < m->list[i].r.n_samples; k++)
			m->list[i].r.samples[k].ns = 354000000;
}

/* The reference took no time at all, so there are no percents. */
static inline void fixture_zero(struct model *m)
{
	fixture_clean(m);
	for (size_t i = 0; i < m->n_list; i++)
		for (size_t k = 0; k < m->list[i].r.n_samples; k++)
			if (!strcmp(m->list[i].r.mode, "mixed"))
				m->list[i].r.samples[k].ns = 0;
}

/* A reference so uncertain that its ratio has no bounds. */
static inline void fixture_wild(struct model *m)
{
	static const int64_t far[] = {1, 2, 3000000000LL};
	size_t n = 0;

	fixture_clean(m);
	for (size_t i = 0; i < m->n_list; i++) {
		if (strcmp(m->list[i].r.mode, "mixed") != 0)
			continue;
		for (size_t k = 0; k < m->list[i].r.n_samples; k++)
			m->list[i].r.samples[k].ns = far[n % 3] + (int64_t)k;
		n++;
	}
}

/* One kept sample a boot, times as large as they can be. */
static inline void fixture_extreme(struct model *m)
{
	fixture_clean(m);
	for (size_t i = 0; i < m->n_list; i++) {
		m->list[i].r.n_samples = 3;
		for (size_t k = 0; k < 3; k++)
			m->list[i].r.samples[k].ns = INT64_MAX - (int64_t)(i * 1000003);
		for (int s = 0; s < STAGE_COUNT; s++)
			m->list[i].r.stages[s].ns = INT64_MAX / 16;
	}
}

/* More modes than a block and its symbols hold, in two stages: one mode far faster, the others
 * alike. */
static inline void fixture_many(struct model *m)
{
	unsigned state = 7;
	char name[MODE_MAX];

	fixture_begin(m);
	m->modes = mem_grow(m->modes, 9, sizeof(*m->modes));
	m->list = mem_grow(m->list, 9 * 4, sizeof(*m->list));
	m->boots = 4;
	m->total = 9 * 4;
	m->until = (struct run_until){.width = 0.01, .pilot = 3, .max = 10, .wanted = 4};
	snprintf(m->keep_rule, sizeof(m->keep_rule), "all after 3 of warm-up");
	for (int i = 0; i < 9; i++) {
		snprintf(name, sizeof(name), "mode-%d", i);
		fixture_mode(m, name, NULL);
	}
	for (int i = 0; i < 9 * 4; i++) {
		struct boot_result *r;

		snprintf(name, sizeof(name), "mode-%d", i % 9);
		fixture_boot(m, i, 0, name, 354000000);
		fixture_samples(&m->list[i], 10, i % 9 == 4 ? 340e6 : 354e6, 0.004, 0.006, &state);
		r = &m->list[i].r;
		r->block = i / 9;
		fixture_nonce(r);
	}
}

/* A comparison of fixtures; the models live as long as it does. */
struct fixture_comparison {
	struct comparison c;
	struct model a, b;
};

static const struct fixture_named {
	const char *name;
	void (*fill)(struct model *);
} fixture_names[] = {
	{"clean", fixture_clean},
	{"rough", fixture_rough},
	{"empty", fixture_empty},
	{"single", fixture_single},
	{"shifted", fixture_shifted},
	{"large", fixture_large},
	{"huge", fixture_huge},
	{"hostile", fixture_hostile},
	{"flat", fixture_flat},
	{"zero", fixture_zero},
	{"wild", fixture_wild},
	{"extreme", fixture_extreme},
	{"many", fixture_many},
	{"builds", fixture_builds},
	{"hang", fixture_hang},
	{"lacks", fixture_lacks},
};

enum { FIXTURE_NAMES = sizeof(fixture_names) / sizeof(fixture_names[0]) };

/* Two runs, a block a mode, the second run 2 % slower; the models release it. */
static inline int fixture_sides(struct fixture_comparison *f, struct err *e)
{
	static const struct verdict_opts usual = VERDICT_OPTS_INIT;
	const char *const modes[] = {"mixed", "physical", "cluster"};
	const struct model *runs[] = {&f->a, &f->b};
	int rc = 0;

	fixture_large(&f->a);
	fixture_large(&f->b);
	f->b.uuid[0] = '8';
	snprintf(f->b.id, sizeof(f->b.id), "8f3a");
	f->b.started_wall_ns += 86400000000000;
	for (size_t i = 0; i < f->b.n_list; i++)
		for (size_t k = 0; k < f->b.list[i].r.n_samples; k++)
			f->b.list[i].r.samples[k].ns += f->b.list[i].r.samples[k].ns / 50;
	comparison_init(&f->c, COMPARISON_SIDES, &usual);
	for (size_t i = 0; i < 6 && !rc; i++) {
		char name[96];
		struct comparison_pick p = {.name = name,
			.mode = modes[i / 2],
			.image = "",
			.runs = &runs[i % 2],
			.n_runs = 1,
			.block = i / 2};

		snprintf(name, sizeof(name), "%s %s", i % 2 ? "after" : "before", modes[i / 2]);
		rc = comparison_add(&f->c, &p, e);
	}
	f->c.title = mem_strdup("7f3a against 8f3a");
	f->c.again = mem_strdup("harness compare 7f3a 8f3a");
	f->c.differs = mem_strdup("command line: loglvl=all | loglvl=info\n");
	f->c.left = mem_strdup("run 6e10: another machine\n");
	return rc ? rc : comparison_judge(&f->c, e);
}

/* One side of two runs that differ, and one of the later run alone: its boots are in both. */
static inline int fixture_nights(struct fixture_comparison *f, struct err *e)
{
	static const struct verdict_opts usual = VERDICT_OPTS_INIT;
	const struct model *runs[] = {&f->a, &f->b};
	struct comparison_pick both = {
		.name = "both nights", .mode = "mixed", .image = "", .runs = runs, .n_runs = 2};
	struct comparison_pick later = {
		.name = "later night", .mode = "mixed", .image = "", .runs = runs + 1, .n_runs = 1};
	int rc;

	fixture_large(&f->a);
	fixture_large(&f->b);
	f->b.uuid[0] = '8';
	snprintf(f->b.id, sizeof(f->b.id), "8f3a");
	f->b.started_wall_ns += 86400000000000;
	for (size_t i = 0; i < f->b.n_list; i++)
		for (size_t k = 0; k < f->b.list[i].r.n_samples; k++)
			f->b.list[i].r.samples[k].ns += 20000000;
	comparison_init(&f->c, COMPARISON_SIDES, &usual);
	rc = comparison_add(&f->c, &both, e);
	rc = rc ? rc : comparison_add(&f->c, &later, e);
	return rc ? rc : comparison_judge(&f->c, e);
}

static inline int fixture_none(struct fixture_comparison *f, struct err *e)
{
	static const struct verdict_opts usual = VERDICT_OPTS_INIT;

	comparison_init(&f->c, COMPARISON_SIDES, &usual);
	return comparison_judge(&f->c, e);
}

/* Comparisons that are not of one run. */
static const struct fixture_several {
	const char *name;
	int (*fill)(struct fixture_comparison *, struct err *);
} fixture_several[] = {
	{"sides", fixture_sides}, {"nights", fixture_nights}, {"none", fixture_none}};

enum { FIXTURE_SEVERAL = sizeof(fixture_several) / sizeof(fixture_several[0]) };

/* "clean" … or "sides" …; 0, or negative with e filled.  Release it in either case. */
static inline int fixture_comparison(struct fixture_comparison *f, const char *name, struct err *e)
{
	static const struct verdict_opts usual = VERDICT_OPTS_INIT;

	*f = (struct fixture_comparison){0};
	for (size_t i = 0; i < FIXTURE_SEVERAL; i++)
		if (!strcmp(fixture_several[i].name, name))
			return fixture_several[i].fill(f, e);
	for (size_t i = 0; i < FIXTURE_NAMES; i++) {
		if (strcmp(fixture_names[i].name, name) != 0)
			continue;
		fixture_names[i].fill(&f->a);
		return comparison_of_run(&f->c, &f->a, &usual, e);
	}
	return err_set(e, ERR_USAGE, NULL, "no fixture is called %s", name);
}

static inline void fixture_comparison_release(struct fixture_comparison *f)
{
	comparison_release(&f->c);
	model_release(&f->a);
	model_release(&f->b);
}

#endif
