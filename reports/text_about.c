/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Provenance: what a reviewer asks for before believing a number. */
#include "reports/text_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/clock.h"
#include "harness/base/mem.h"

enum { ABOUT_CONFIG = 16 }; /* digits of a configuration's hash that are shown */

const struct model_boot *text_facts_boot(const struct model *m)
{
	for (size_t i = 0; i < m->n_list; i++)
		if (m->list[i].r.outcome == OUTCOME_OK)
			return &m->list[i];
	for (size_t i = 0; i < m->n_list; i++)
		if (m->list[i].r.facts.cpus_online > 0 || *m->list[i].r.facts.hypervisor)
			return &m->list[i];
	return NULL;
}

void text_hardware(struct buf *b, const struct model *m, const struct facts *f)
{
	const char *cpu = *m->cpu_model ? m->cpu_model : f ? f->cpu_model : "";

	text_item(b, "%s: %s", m->machine, *cpu ? cpu : "CPU unknown");
	if (f && f->sockets > 0)
		text_item(b, "%d socket%s", f->sockets, f->sockets == 1 ? "" : "s");
	if (f && f->cpus_online > 0)
		text_item(b, "%d CPU%s", f->cpus_online, f->cpus_online == 1 ? "" : "s");
	if (f && f->cpus_present > f->cpus_online)
		text_item(b, "%d present", f->cpus_present);
	if (f && f->target_cpus > 0)
		text_item(b, "%d of them targets", f->target_cpus);
	if (f && f->clusters > 0)
		text_item(b, "%d cluster%s", f->clusters, f->clusters == 1 ? "" : "s");
}

static void about_machine(const struct text *t, const struct model *m, const struct facts *f)
{
	struct buf b;

	buf_init(&b, TEXT_LINE_MAX);
	text_hardware(&b, m, f);
	text_item(&b, "microcode %s", f && *f->microcode ? f->microcode : "unknown");
	text_item(&b, "firmware %s %s", strcmp(m->firmware, "uefi") == 0 ? "UEFI" : "BIOS",
		*m->firmware_version ? m->firmware_version : "(version not given)");
	text_para(t, "machine", b.data);
	if (*m->machine_description)
		text_para(t, "", m->machine_description);
	if (m->emulated) {
		buf_clear(&b);
		buf_addf(&b, "emulated by %s", *m->emulator ? m->emulator : "an emulator");
		text_para(t, "", b.data);
	}
	buf_release(&b);
}

static const char *about_version(const struct model *m)
{
	for (size_t i = 0; i < m->n_modes; i++)
		if (!m->modes[i].skipped)
			return m->modes[i].version;
	return "";
}

/* An earlier mode is of the same build. */
static bool about_told(const struct model *m, size_t mode)
{
	for (size_t i = 0; i < mode; i++)
		if (!m->modes[i].skipped && text_same_build(&m->modes[i], &m->modes[mode]))
			return true;
	return false;
}

/* Returns whether all modes are of one build; else there is a line a mode, or a line for all modes
 * of a build. */
static bool about_builds(const struct text *t, const struct model *m, struct buf *common)
{
	const struct model_mode *first = NULL;
	const char *label = "system";
	bool same = true;
	struct buf b;

	for (size_t i = 0; i < m->n_modes; i++) {
		if (m->modes[i].skipped)
			continue;
		first = first ? first : &m->modes[i];
		same = same && text_same_build(first, &m->modes[i]);
	}
	if (same && first)
		text_build(common, first);
	buf_init(&b, TEXT_LINE_MAX);
	for (size_t i = 0; i < m->n_modes && !same; i++) {
		if (m->modes[i].skipped || (m->n_builds && about_told(m, i)))
			continue;
		buf_clear(&b);
		if (m->n_builds)
			text_build_names(&b, m, &m->modes[i]);
		else
			buf_adds(&b, m->modes[i].mode);
		buf_adds(&b, ": ");
		text_build(&b, &m->modes[i]);
		text_para(t, label, b.data);
		label = "";
	}
	buf_release(&b);
	return same;
}

/* builds: those of the modes, too. */
static void about_system(
	const struct text *t, const struct model *m, const struct facts *f, bool builds)
{
	bool same = true;
	struct buf b;

	buf_init(&b, TEXT_LINE_MAX);
	if (builds)
		same = about_builds(t, m, &b);
	if (b.len && f && *f->hypervisor && strcmp(f->hypervisor, about_version(m)))
		text_item(&b, "calls itself %s", f->hypervisor);
	if (f && f->shorthand >= 0)
		text_item(&b, f->shorthand ? "broadcast shorthand in use" : "no shorthand");
	if (f && f->tsc_khz > 0)
		text_item(&b, "TSC %lld.%03d MHz", (long long)(f->tsc_khz / 1000),
			(int)(f->tsc_khz % 1000));
	if (f && *f->platform_timer)
		text_item(&b, "timer %s", f->platform_timer);
	text_para(t, same ? "system" : "", b.len ? b.data : "unknown");
	buf_release(&b);
}

/* A boot's command line with its nonce, which is another one each time, taken out. */
static void about_args(struct buf *b, const struct boot_result *r)
{
	const char *s = r->command_line, *hit;

	while (*r->nonce && (hit = strstr(s, r->nonce))) {
		buf_add(b, s, (size_t)(hit - s));
		buf_adds(b, "NONCE");
		s = hit + strlen(r->nonce);
	}
	buf_adds(b, s);
}

/* Each command line once, with the boots that had it when there is more than one. */
static void about_booted(const struct text *t, const struct model *m)
{
	int *numbers = mem_array(m->n_list, sizeof(*numbers));
	bool *seen = mem_array(m->n_list, sizeof(*seen));
	const char *label = "booted";
	struct buf mine, other, line;

	buf_init(&mine, TEXT_LINE_MAX);
	buf_init(&other, TEXT_LINE_MAX);
	buf_init(&line, TEXT_LINE_MAX);
	for (size_t i = 0; i < m->n_list; i++) {
		size_t n = 0;

		if (seen[i] || !*m->list[i].r.command_line)
			continue;
		buf_clear(&mine);
		about_args(&mine, &m->list[i].r);
		for (size_t j = i; j < m->n_list; j++) {
			buf_clear(&other);
			about_args(&other, &m->list[j].r);
			if (strcmp(mine.data, other.data) != 0)
				continue;
			seen[j] = true;
			numbers[n++] = m->list[j].number;
		}
		buf_clear(&line);
		if (n < m->n_list) {
			buf_addf(&line, "boot%s ", n == 1 ? "" : "s");
			text_ranges(&line, numbers, n);
			buf_adds(&line, ": ");
		}
		buf_adds(&line, mine.data);
		text_para(t, label, line.data);
		label = "";
	}
	buf_release(&mine);
	buf_release(&other);
	buf_release(&line);
	free(numbers);
	free(seen);
}

static void about_images(const struct text *t, const struct model *m)
{
	const char *label = "images";
	char name[LABEL_MAX];
	struct buf b;

	buf_init(&b, TEXT_LINE_MAX);
	for (size_t i = 0; i < m->n_modes; i++) {
		const struct model_mode *d = &m->modes[i];

		if (d->skipped)
			continue;
		buf_clear(&b);
		result_label(d->build, d->mode, name);
		buf_addf(&b, "%s: ", name);
		if (*d->config_hash)
			buf_addf(&b, "config %.*s, ", ABOUT_CONFIG, d->config_hash);
		if (*d->probe_version)
			buf_addf(&b, "probe %s, ", d->probe_version);
		buf_addf(&b, "sha256 %s", d->image_sha256);
		text_para(t, label, b.data);
		buf_clear(&b);
		if (*d->build_id) {
			buf_addf(&b, "build-id %s", d->build_id);
			text_para(t, "", b.data);
		}
		label = "";
	}
	buf_release(&b);
}

/* The rule by which a run of two stages chose its size. */
static void about_until(const struct text *t, const struct model *m)
{
	const struct run_until *u = &m->until;
	char ref[LABEL_MAX] = "";
	size_t modes = 0;
	struct buf b;

	if (!u->pilot)
		return;
	for (size_t i = 0; i < m->n_modes; i++) {
		if (m->modes[i].skipped)
			continue;
		if (!modes++)
			result_label(m->modes[i].build, m->modes[i].mode, ref);
	}
	buf_init(&b, TEXT_LINE_MAX);
	buf_addf(&b,
		"two stages (Stein): pilot of %d boots a mode, +-%.6g" TEXT_GLUE
		"%% of %s at 95" TEXT_GLUE "%% asked for, ",
		u->pilot, 100 * u->width, modes < 2 ? "its mean" : ref);
	if (!u->wanted)
		buf_addf(&b, "at most %d; no second stage was planned", u->max);
	else
		buf_addf(&b, "%d boot%s by the rule, at most %d", u->wanted,
			u->wanted == 1 ? "" : "s", u->max);
	if (u->wanted > u->max)
		buf_addf(&b, ": the interval is wider than asked for");
	text_para(t, "", b.data);
	buf_release(&b);
}

static void about_design(const struct text *t, const struct model *m)
{
	size_t modes = 0, ok = 0;
	struct buf b;

	for (size_t i = 0; i < m->n_modes; i++)
		modes += !m->modes[i].skipped;
	for (size_t i = 0; i < m->n_list; i++)
		ok += m->list[i].r.outcome == OUTCOME_OK;
	buf_init(&b, TEXT_LINE_MAX);
	text_item(&b, "%zu of %d boots (%d a mode%s)", ok, m->total, m->boots,
		m->n_builds ? " of each build" : "");
	text_item(&b, "%d samples a boot after %d of warm-up", m->samples, m->warmup);
	text_item(&b, "report sent %d time%s", m->repeat, m->repeat == 1 ? "" : "s");
	text_item(&b, "order random in blocks of %zu", modes);
	text_item(&b, "seed %llu", (unsigned long long)m->seed);
	text_para(t, "design", b.data);
	buf_clear(&b);
	if (*m->keep_rule)
		buf_addf(&b, "samples kept: %s", m->keep_rule);
	if (b.len)
		text_para(t, "", b.data);
	buf_release(&b);
}

void text_effective(struct buf *b, const struct model *m)
{
	for (size_t i = 0; i < m->n_modes; i++) {
		const char *driver = "";
		char label[LABEL_MAX];
		size_t ok = 0;

		result_label(m->modes[i].build, m->modes[i].mode, label);
		for (size_t j = 0; j < m->n_list; j++) {
			const struct boot_result *r = &m->list[j].r;

			if (r->outcome != OUTCOME_OK || !model_mode_takes(&m->modes[i], r) ||
				strcmp(r->effective, r->mode))
				continue;
			if (!ok++)
				driver = r->facts.apic_driver;
		}
		if (ok)
			text_item(b, "%s in %zu boot%s%s%s%s", label, ok, ok == 1 ? "" : "s",
				*driver ? " (" : "", driver, *driver ? ")" : "");
	}
}

static void about_effective(const struct text *t, const struct model *m)
{
	struct buf b;

	buf_init(&b, TEXT_LINE_MAX);
	text_effective(&b, m);
	if (b.len)
		text_para(t, "effective", b.data);
	buf_release(&b);
}

void text_machine(const struct text *t, const struct model *m)
{
	const struct model_boot *boot = text_facts_boot(m);

	about_machine(t, m, boot ? &boot->r.facts : NULL);
	about_system(t, m, boot ? &boot->r.facts : NULL, false);
	about_booted(t, m);
}

void text_about(const struct text *t, const struct model *m)
{
	const struct model_boot *boot = text_facts_boot(m);
	const struct facts *f = boot ? &boot->r.facts : NULL;
	char when[32];
	struct buf b;

	about_machine(t, m, f);
	text_builds(t, m);
	about_system(t, m, f, true);
	about_booted(t, m);
	about_images(t, m);
	about_design(t, m);
	about_until(t, m);
	about_effective(t, m);
	clock_iso(m->started_wall_ns, when, sizeof(when));
	buf_init(&b, TEXT_LINE_MAX);
	buf_addf(&b, "by %s on %s, %s, harness %s", m->user, m->host, when, m->harness_version);
	text_para(t, "run", b.data);
	buf_release(&b);
	text_command(t, "again", m->again ? m->again : "");
}
