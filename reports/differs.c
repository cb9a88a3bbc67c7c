/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/differs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/mem.h"
#include "reports/alike_values.h"
#include "reports/text_private.h"

enum { DIFFERS_VALUES = 4 }; /* different values that are listed */

enum scope {
	OF_RUN,	  /* one value for all boots */
	OF_MODE,  /* one value for all boots of a mode, of whatever build */
	OF_BUILD, /* one value for all boots of a build */
	OF_IMAGE, /* one value for all boots of a mode of a build */
};

#define FACT(field, text, scope, label) \
	{ \
		label, offsetof(struct facts, field), text, scope \
	}

static const struct differs_field {
	const char *label;
	size_t offset;
	bool text; /* else an int */
	enum scope scope;
} differs_fields[] = {
	FACT(cpu_model, true, OF_RUN, "CPU"),
	FACT(microcode, true, OF_RUN, "microcode"),
	FACT(cpus_online, false, OF_RUN, "CPUs online"),
	FACT(cpus_present, false, OF_RUN, "CPUs present"),
	FACT(sockets, false, OF_RUN, "sockets"),
	FACT(target_cpus, false, OF_RUN, "target CPUs"),
	FACT(platform_timer, true, OF_RUN, "platform timer"),
	FACT(hypervisor, true, OF_BUILD, "hypervisor"),
	FACT(changeset, true, OF_BUILD, "changeset"),
	FACT(compiler, true, OF_RUN, "compiler"),
	FACT(debug, false, OF_RUN, "debug build"),
	FACT(shorthand, false, OF_RUN, "broadcast shorthand"),
	FACT(build_id, true, OF_IMAGE, "build-id"),
	FACT(apic_driver, true, OF_MODE, "APIC driver"),
	FACT(clusters, false, OF_MODE, "clusters"),
};

/* The value as text; "" where the boot said nothing. */
static const char *differs_value(
	const struct facts *f, const struct differs_field *d, char *out, size_t size)
{
	const char *at = (const char *)f + d->offset;
	int n;

	if (d->text)
		return at;
	memcpy(&n, at, sizeof(n));
	snprintf(out, size, "%d", n);
	return n < 0 ? "" : out;
}

/* Boots that should have one value; NULL: whatever it is. */
struct differs_boots {
	const char *build, *mode;
};

static bool differs_takes(const struct model_boot *b, const struct differs_boots *of)
{
	return b->r.outcome == OUTCOME_OK && (!of->mode || !strcmp(b->r.mode, of->mode)) &&
	       (!of->build || !strcmp(b->r.build, of->build));
}

/* Do the boots that have the value, which are marked, have all boots of a build or none of it? */
static bool differs_by_build(
	const struct model *m, const struct differs_boots *of, const bool *has, struct buf *names)
{
	for (size_t i = 0; i < m->n_builds; i++) {
		const struct differs_boots build = {m->builds[i].name, of->mode};
		size_t all = 0, with = 0;

		for (size_t k = 0; k < m->n_list; k++) {
			if (!differs_takes(&m->list[k], &build))
				continue;
			all++;
			with += has[k];
		}
		if (with && with < all)
			return false;
		if (with)
			text_item(names, "%s", build.build);
	}
	return names->len > 0;
}

/* "boots 1-3", or "patched" where builds are compared and those are its boots. */
static void differs_where(
	struct buf *out, const struct model *m, const struct differs_boots *of, const bool *has)
{
	int *numbers = mem_array(m->n_list, sizeof(*numbers));
	struct buf names;
	size_t n = 0;

	buf_init(&names, TEXT_LINE_MAX);
	for (size_t i = 0; i < m->n_list; i++)
		if (has[i])
			numbers[n++] = m->list[i].number;
	if (!of->build && differs_by_build(m, of, has, &names)) {
		buf_adds(out, names.data);
	} else {
		buf_addf(out, "boot%s ", n == 1 ? "" : "s");
		text_ranges(out, numbers, n);
	}
	buf_release(&names);
	free(numbers);
}

/* "0x1 in boots 1-3; 0x2 in boots 4, 5", or nothing when there is one value at most. */
static void differs_list(struct buf *out, const struct model *m, const struct differs_field *d,
	const struct differs_boots *of)
{
	bool *seen = mem_array(m->n_list, sizeof(*seen));
	bool *has = mem_array(m->n_list, sizeof(*has));
	size_t values = 0;
	struct buf list;

	buf_init(&list, TEXT_LINE_MAX);
	for (size_t i = 0; i < m->n_list; i++) {
		char a[24], b[24];
		const char *v = differs_value(&m->list[i].r.facts, d, a, sizeof(a));

		if (seen[i] || !*v || !differs_takes(&m->list[i], of))
			continue;
		for (size_t j = 0; j < m->n_list; j++) {
			const struct model_boot *o = &m->list[j];

			has[j] = differs_takes(o, of) &&
				 !strcmp(v, differs_value(&o->r.facts, d, b, sizeof(b)));
			seen[j] = seen[j] || has[j];
		}
		if (++values > DIFFERS_VALUES)
			continue;
		buf_addf(&list, "%s%s in ", list.len ? "; " : "", v);
		differs_where(&list, m, of, has);
	}
	if (values > DIFFERS_VALUES)
		buf_addf(&list, "; %zu more values", values - DIFFERS_VALUES);
	if (values > 1)
		buf_adds(out, list.data);
	buf_release(&list);
	free(seen);
	free(has);
}

static void differs_say(struct buf *out, const struct model *m, const struct differs_field *d,
	const struct differs_boots *of)
{
	const char *build = of->build ? of->build : "", *mode = of->mode ? of->mode : "";
	struct buf list;

	buf_init(&list, TEXT_LINE_MAX);
	differs_list(&list, m, d, of);
	for (size_t i = 0; i < list.len; i++)
		if (list.data[i] == '\n')
			list.data[i] = '?';
	if (list.len)
		buf_addf(out, "%s%s%s%s%s: %s\n", d->label, *build || *mode ? " of " : "", build,
			*build && *mode ? " " : "", mode, list.data);
	buf_release(&list);
}

static bool differs_mode_before(const struct model *m, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (!strcmp(m->modes[i].mode, m->modes[at].mode))
			return true;
	return false;
}

static void differs_fact(struct buf *out, const struct model *m, const struct differs_field *d)
{
	struct differs_boots of = {NULL, NULL};

	if (d->scope == OF_RUN || (d->scope == OF_BUILD && !m->n_builds))
		differs_say(out, m, d, &of);
	for (size_t i = 0; i < m->n_builds && d->scope == OF_BUILD; i++) {
		of.build = m->builds[i].name;
		differs_say(out, m, d, &of);
	}
	for (size_t i = 0; i < m->n_modes && d->scope == OF_IMAGE; i++) {
		of = (struct differs_boots){m->modes[i].build, m->modes[i].mode};
		differs_say(out, m, d, &of);
	}
	for (size_t i = 0; i < m->n_modes && d->scope == OF_MODE; i++) {
		of.mode = m->modes[i].mode;
		if (!differs_mode_before(m, i))
			differs_say(out, m, d, &of);
	}
}

/* Builds that are not booted with the same words: only in a run with builds, whose header says of
 * each command line but not what in it differs. */
static void differs_args(struct buf *out, const struct model *m)
{
	struct comparison_boot *boots = mem_array(m->n_list + 1, sizeof(*boots));
	struct comparison_set set = {.boots = boots};
	const struct comparison c = {.sets = &set, .n_sets = 1};
	const struct differs_boots all = {NULL, NULL};
	struct alike_values v;

	for (size_t i = 0; i < m->n_list && m->n_builds; i++)
		if (differs_takes(&m->list[i], &all))
			boots[set.n_boots++] = (struct comparison_boot){
				.run = m, .boot = &m->list[i]};
	alike_values_init(&v, &c, alike_getters[ALIKE_ARGS]);
	v.words = true;
	if (v.n > 1) {
		buf_adds(out, "command line: ");
		alike_values_list(&v, out);
		buf_addc(out, '\n');
	}
	alike_values_release(&v);
	free(boots);
}

/* The TSC is measured anew in each boot: only a change that no calibration explains counts. */
static void differs_tsc(struct buf *out, const struct model *m)
{
	const struct differs_boots all = {NULL, NULL};
	int64_t lo = INT64_MAX, hi = 0;

	for (size_t i = 0; i < m->n_list; i++) {
		int64_t v = m->list[i].r.facts.tsc_khz;

		if (!differs_takes(&m->list[i], &all) || v <= 0)
			continue;
		lo = v < lo ? v : lo;
		hi = v > hi ? v : hi;
	}
	if (hi && hi - lo > lo / 1000)
		buf_addf(out, "TSC: from %lld to %lld kHz\n", (long long)lo, (long long)hi);
}

void differs_lines(struct buf *out, const struct model *m)
{
	for (size_t i = 0; i < sizeof(differs_fields) / sizeof(differs_fields[0]); i++)
		differs_fact(out, m, &differs_fields[i]);
	differs_args(out, m);
	differs_tsc(out, m);
}
