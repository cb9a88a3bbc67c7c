/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The suite of a run: a case for each place of its plan. */
#include "reports/junit_suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/clock.h"
#include "harness/base/mem.h"
#include "reports/cost.h"
#include "reports/xml.h"

enum { RUN_TEXT_MAX = 1 << 20 }; /* bytes of one text */

static enum junit_result run_result(enum err_class cls)
{
	if (cls == ERR_NONE)
		return JUNIT_PASSED;
	return cls == ERR_MEASURE ? JUNIT_FAILURE : JUNIT_ERROR;
}

/* The boot whose facts stand for the run. */
static const struct facts *run_facts(const struct model *m)
{
	for (size_t i = 0; i < m->n_list; i++)
		if (m->list[i].r.outcome == OUTCOME_OK)
			return &m->list[i].r.facts;
	return m->n_list ? &m->list[0].r.facts : NULL;
}

static void run_property_int(struct junit_suite *s, const char *name, long long v)
{
	char text[24];

	snprintf(text, sizeof(text), "%lld", v);
	junit_suite_property(s, name, v < 0 ? "" : text);
}

static void run_properties_machine(struct junit_suite *s, const struct model *m)
{
	const struct facts *f = run_facts(m);
	char text[128];

	junit_suite_property(s, "machine", m->machine);
	junit_suite_property(s, "machine_description", m->machine_description);
	junit_suite_property(s, "emulator", m->emulator);
	junit_suite_property(s, "cpu", f && *f->cpu_model ? f->cpu_model : m->cpu_model);
	junit_suite_property(s, "microcode", f ? f->microcode : "");
	snprintf(text, sizeof(text), "%s%s%s", m->firmware, *m->firmware_version ? " " : "",
		m->firmware_version);
	junit_suite_property(s, "firmware", text);
	if (f)
		run_property_int(s, "cpus_online", f->cpus_online);
	junit_suite_property(s, "hypervisor", f ? f->hypervisor : "");
}

static void run_property_s(struct junit_suite *s, const char *name, int64_t ns)
{
	char text[32];

	snprintf(text, sizeof(text), "%lld.%03d", (long long)(ns / 1000000000),
		(int)(ns / 1000000 % 1000));
	junit_suite_property(s, name, text);
}

static void run_properties_cost(struct junit_suite *s, const struct model *m)
{
	struct cost c;
	char name[48];

	cost_init(&c, m);
	for (int w = 0; w < COST_UNKNOWN; w++) {
		const char *way = cost_way_name((enum cost_way)w);

		if (!c.ways[w].boots)
			continue;
		snprintf(name, sizeof(name), "cost.%s.boots", way);
		run_property_int(s, name, (long long)c.ways[w].boots);
		snprintf(name, sizeof(name), "cost.%s.median_s", way);
		run_property_s(s, name, c.ways[w].median_ns);
	}
	run_property_int(s, "cost.failed.boots", (long long)c.failed);
	run_property_s(s, "cost.failed_s", c.failed_ns);
}

static void run_properties(struct junit_suite *s, const struct model *m)
{
	char text[32];

	junit_suite_property(s, "run", m->uuid);
	run_properties_machine(s, m);
	for (size_t i = 0; i < m->n_modes; i++) {
		char label[LABEL_MAX], *name;

		result_label(m->modes[i].build, m->modes[i].mode, label);
		name = mem_printf("image.%s", label);
		junit_suite_property(s, name, m->modes[i].image_sha256);
		free(name);
	}
	for (size_t i = 0; i < m->n_builds; i++) {
		char *name = mem_printf("build.%s", m->builds[i].name);

		junit_suite_property(s, name, m->builds[i].text);
		free(name);
	}
	junit_suite_property(s, "workload", m->workload);
	run_property_int(s, "boots_per_mode", m->boots);
	run_property_int(s, "samples_per_boot", m->samples);
	run_property_int(s, "iterations", m->iterations);
	run_property_int(s, "warmup", m->warmup);
	junit_suite_property(s, "extra_args", m->extra_args);
	snprintf(text, sizeof(text), "%llu", (unsigned long long)m->seed);
	junit_suite_property(s, "seed", text);
	junit_suite_property(s, "harness_version", m->harness_version);
	junit_suite_property(s, "again", m->again);
	run_properties_cost(s, m);
}

/* What became of an attempt, as a line. */
static void run_attempt(struct buf *out, const struct model_boot *b, const char *also)
{
	const struct boot_result *r = &b->r;

	buf_addf(out, "boot %d: %s in stage %s: %s%s%s%s%s\n", b->number, outcome_name(r->outcome),
		stage_name(r->stage), *r->err.msg ? r->err.msg : "no reason given",
		*r->err.code ? " (" : "", r->err.code, *r->err.code ? ")" : "", also);
}

static bool run_at(const struct model_boot *b, const struct model_mode *mode, int index)
{
	return b->r.index == index && model_mode_takes(mode, &b->r);
}

/* All attempts at one place; there is one at least. */
static void run_place(struct junit_suite *s, const struct model *m, struct junit_case *c,
	const struct model_mode *mode, int index)
{
	const struct model_boot *last = NULL;
	struct buf text, said;

	buf_init(&text, RUN_TEXT_MAX);
	buf_init(&said, RUN_TEXT_MAX);
	for (size_t i = 0; i < m->n_list; i++) {
		const struct model_boot *b = &m->list[i];

		if (!run_at(b, mode, index))
			continue;
		if (last)
			run_attempt(&said, last, "; repeated");
		c->ms += cost_boot_ns(&b->r) / 1000000;
		last = b;
	}
	c->result = run_result(outcome_class(last->r.outcome));
	if (c->result != JUNIT_PASSED) {
		run_attempt(&text, last, last->will_retry ? "; to be repeated, but was not" : "");
		c->type = outcome_name(last->r.outcome);
		c->message = *last->r.err.msg ? last->r.err.msg : c->type;
		c->text = text.data;
	}
	if (last->r.flags && *last->r.flags)
		buf_addf(&said, "boot %d: %s\n", last->number, last->r.flags);
	c->said = said.data;
	junit_suite_case(s, c);
	s->cases.failed |= said.failed || text.failed;
	buf_release(&said);
	buf_release(&text);
}

/* The next place of a mode after this one, or -1. */
static int run_next(const struct model *m, const struct model_mode *mode, int index)
{
	int next = -1;

	for (size_t i = 0; i < m->n_list; i++) {
		const struct boot_result *r = &m->list[i].r;

		if (r->index > index && (next < 0 || r->index < next) && model_mode_takes(mode, r))
			next = r->index;
	}
	return next;
}

static void run_mode(struct junit_suite *s, const struct model *m, const struct model_mode *d,
	const char *suffix)
{
	char label[LABEL_MAX], *class;
	int index = -1, n = 0;

	result_label(d->build, d->mode, label);
	class = mem_printf("%s.%s.%s", m->machine, m->workload, label);
	for (; !d->skipped && (index = run_next(m, d, index)) >= 0; n++) {
		char *name = mem_printf("boot %d%s", n + 1, suffix);
		struct junit_case c = {.classname = class, .name = name};

		run_place(s, m, &c, d, index);
		free(name);
	}
	/* Places without a boot say no mode, but every mode has the same number of them. */
	for (; n < m->boots; n++) {
		char *name = mem_printf("boot %d%s", n + 1, suffix);
		const char *why = !m->ended	   ? "not run: the run has not ended"
				  : m->end_err.cls ? m->end_err.msg
						   : "not run";
		struct junit_case c = {.classname = class,
			.name = name,
			.result = JUNIT_SKIPPED,
			.message = d->skipped ? d->reason : why};

		junit_suite_case(s, &c);
		free(name);
	}
	free(class);
}

/* An early end may be nobody's boot. */
static void run_end(struct junit_suite *s, const struct model *m, const char *suffix)
{
	char *class = mem_printf("%s.%s", m->machine, m->workload);
	char *name = mem_printf("end%s", suffix);
	struct junit_case c = {.classname = class, .name = name};

	if (!m->ended) {
		c.result = JUNIT_SKIPPED;
		c.message = "the run has not ended";
	} else if (m->end_err.cls && m->end_err.cls != ERR_REGRESSION) {
		c.result = run_result(m->end_err.cls);
		c.type = err_class_name(m->end_err.cls);
		c.message = c.text = m->end_err.msg;
	}
	junit_suite_case(s, &c);
	free(name);
	free(class);
}

void junit_run(struct buf *out, struct junit_suite *s, const struct model *m, bool several)
{
	char *suffix = several ? mem_printf(" of run %s", m->id) : mem_strdup("");
	char *name = mem_printf("%s %s, run %s", m->machine, m->workload, m->id);
	struct buf attrs;
	char when[32];

	run_properties(s, m);
	for (size_t i = 0; i < m->n_modes; i++)
		run_mode(s, m, &m->modes[i], suffix);
	run_end(s, m, suffix);

	clock_iso(m->started_wall_ns, when, sizeof(when));
	when[strcspn(when, "Z")] = '\0'; /* not all readers take a zone */
	buf_init(&attrs, RUN_TEXT_MAX);
	xml_attr(&attrs, "timestamp", when);
	xml_attr(&attrs, "hostname", m->host);
	junit_suite_write(out, s, name, attrs.data, NULL);
	buf_release(&attrs);
	free(name);
	free(suffix);
}
