/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/differs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/mem.h"
#include "reports/text_private.h"

enum { DIFFERS_VALUES = 4 }; /* different values that are listed */

enum scope {
	OF_RUN,	 /* one value for all boots */
	OF_MODE, /* one value for all boots of a mode */
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
	FACT(hypervisor, true, OF_RUN, "hypervisor"),
	FACT(changeset, true, OF_RUN, "changeset"),
	FACT(compiler, true, OF_RUN, "compiler"),
	FACT(debug, false, OF_RUN, "debug build"),
	FACT(shorthand, false, OF_RUN, "broadcast shorthand"),
	FACT(build_id, true, OF_MODE, "build-id"),
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

static bool differs_takes(const struct model_boot *b, const char *mode)
{
	return b->r.outcome == OUTCOME_OK && (!mode || !strcmp(b->r.mode, mode));
}

/* "0x1 in boots 1-3; 0x2 in boots 4, 5", or nothing when there is one value at most. */
static void differs_list(
	struct buf *out, const struct model *m, const struct differs_field *d, const char *mode)
{
	int *numbers = mem_array(m->n_list, sizeof(*numbers));
	bool *seen = mem_array(m->n_list, sizeof(*seen));
	size_t values = 0;
	struct buf list;

	buf_init(&list, TEXT_LINE_MAX);
	for (size_t i = 0; i < m->n_list; i++) {
		char a[24], b[24];
		const char *v = differs_value(&m->list[i].r.facts, d, a, sizeof(a));
		size_t n = 0;

		if (seen[i] || !*v || !differs_takes(&m->list[i], mode))
			continue;
		for (size_t j = i; j < m->n_list; j++) {
			const struct model_boot *o = &m->list[j];

			if (!differs_takes(o, mode) ||
				strcmp(v, differs_value(&o->r.facts, d, b, sizeof(b))))
				continue;
			seen[j] = true;
			numbers[n++] = o->number;
		}
		if (++values > DIFFERS_VALUES)
			continue;
		buf_addf(&list, "%s%s in boot%s ", list.len ? "; " : "", v, n == 1 ? "" : "s");
		text_ranges(&list, numbers, n);
	}
	if (values > DIFFERS_VALUES)
		buf_addf(&list, "; %zu more values", values - DIFFERS_VALUES);
	if (values > 1)
		buf_adds(out, list.data);
	buf_release(&list);
	free(numbers);
	free(seen);
}

static void differs_say(
	struct buf *out, const struct model *m, const struct differs_field *d, const char *mode)
{
	struct buf list;

	buf_init(&list, TEXT_LINE_MAX);
	differs_list(&list, m, d, mode);
	for (size_t i = 0; i < list.len; i++)
		if (list.data[i] == '\n')
			list.data[i] = '?';
	if (list.len)
		buf_addf(out, "%s%s%s: %s\n", d->label, mode ? " of " : "", mode ? mode : "",
			list.data);
	buf_release(&list);
}

/* The TSC is measured anew in each boot: only a change that no calibration explains counts. */
static void differs_tsc(struct buf *out, const struct model *m)
{
	int64_t lo = INT64_MAX, hi = 0;

	for (size_t i = 0; i < m->n_list; i++) {
		int64_t v = m->list[i].r.facts.tsc_khz;

		if (!differs_takes(&m->list[i], NULL) || v <= 0)
			continue;
		lo = v < lo ? v : lo;
		hi = v > hi ? v : hi;
	}
	if (hi && hi - lo > lo / 1000)
		buf_addf(out, "TSC: from %lld to %lld kHz\n", (long long)lo, (long long)hi);
}

void differs_lines(struct buf *out, const struct model *m)
{
	for (size_t i = 0; i < sizeof(differs_fields) / sizeof(differs_fields[0]); i++) {
		const struct differs_field *d = &differs_fields[i];

		if (d->scope == OF_RUN)
			differs_say(out, m, d, NULL);
		else
			for (size_t j = 0; j < m->n_modes; j++)
				differs_say(out, m, d, m->modes[j].mode);
	}
	differs_tsc(out, m);
}
