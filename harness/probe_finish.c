/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/buf.h"
#include "harness/base/clock.h"
#include "harness/base/mem.h"
#include "harness/probe_int.h"
#include "harness/stats/settle.h"

const char *probe_mode_of_driver(const char *driver)
{
	static const struct {
		const char *driver, *mode;
	} modes[] = {
		{"x2apic_mixed", "mixed"},
		{"x2apic_phys", "physical"},
		{"x2apic_cluster", "cluster"},
	};

	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		if (!strcmp(driver, modes[i].driver))
			return modes[i].mode;
	return driver;
}

void probe_decide(struct boot_result *r, enum outcome o, const char *code, const char *fmt, ...)
{
	char msg[sizeof(r->err.msg)];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(msg, sizeof(msg), fmt, ap);
	va_end(ap);
	r->outcome = o;
	err_set(&r->err, outcome_class(o), code, "%s", msg);
}

static void fact_int(const struct record *r, const char *key, int *out)
{
	int64_t v;

	if (!record_int(r, key, 0, INT32_MAX, &v))
		*out = (int)v;
}

/* BEGIN and WORK are checked, console lines are not: what they say comes first. */
static void facts_of_report(struct probe *p)
{
	struct facts *f = &p->facts;
	char text[96];
	struct record r;

	if (!probe_record(p, 0, &r) || !record_is(&r, "BEGIN"))
		return;
	if (!record_get(&r, "xen", text, sizeof(text)))
		facts_copy(f->hypervisor, sizeof(f->hypervisor), text, strlen(text));
	if (!record_get(&r, "build", text, sizeof(text)) && strcmp(text, "-"))
		facts_copy(f->build_id, sizeof(f->build_id), text, strlen(text));
	if (!record_get(&r, "apic", text, sizeof(text)))
		facts_copy(f->apic_driver, sizeof(f->apic_driver), text, strlen(text));
	fact_int(&r, "online", &f->cpus_online);
	fact_int(&r, "present", &f->cpus_present);
	fact_int(&r, "sockets", &f->sockets);
	fact_int(&r, "shorthand", &f->shorthand);
	record_int(&r, "khz", 1, INT64_MAX, &f->tsc_khz);
	/* The console also knows of sanitizers, which are no better for timing. */
	if (f->debug != 1)
		fact_int(&r, "debug", &f->debug);
	if (!probe_record(p, 1, &r) || !record_is(&r, "WORK"))
		return;
	fact_int(&r, "cpus", &f->target_cpus);
	fact_int(&r, "clusters", &f->clusters);
}

static bool foreign_build(const struct probe *p, const struct probe_expect *x)
{
	return x->build_id && x->build_id[0] && p->facts.build_id[0] &&
	       strcmp(x->build_id, p->facts.build_id);
}

static bool build_is_ours(const struct probe *p, const struct probe_expect *x)
{
	return x->build_id && x->build_id[0] && !strcmp(x->build_id, p->facts.build_id);
}

static void nothing_of_ours(
	const struct probe *p, struct boot_result *r, const struct probe_expect *x)
{
	if (p->state == PROBE_WAITING && !p->other_records)
		probe_decide(r, OUTCOME_LAB, "E_SILENT",
			"nothing from a hypervisor on the console: look at serial settings and at "
			"the console log");
	else if (p->other_records && p->owner != OWNER_OURS)
		probe_decide(r, OUTCOME_WRONG_IMAGE, "E_NONCE",
			"the only report on the console is of another boot (nonce %s…, not %.8s…)",
			p->other_nonce8, p->nonce);
	else if (p->owner == OWNER_OTHER)
		probe_decide(r, OUTCOME_WRONG_IMAGE, "E_NONCE",
			"the hypervisor was not started with our command line (no nonce %.8s… in "
			"it)",
			p->nonce);
	else if (p->owner == OWNER_OURS || build_is_ours(p, x))
		probe_decide(r, OUTCOME_CRASH, "E_CRASH",
			"the hypervisor started and stopped before the probe's first record");
	else
		probe_decide(r, OUTCOME_WRONG_IMAGE, "E_NONCE",
			"a hypervisor ran, and no probe reported our nonce: not the image that was "
			"sent");
}

static size_t count_records(const struct probe *p)
{
	size_t n = 0;

	for (size_t i = 0; i < PROBE_RECORDS_MAX; i++)
		n += p->records[i].len > 0;
	return n;
}

/* What went wrong before there was a whole report.  True when it is decided. */
static bool broken_boot(const struct probe *p, struct boot_result *r, const struct probe_expect *x)
{
	size_t n = count_records(p);

	if (p->wrong_nonce)
		probe_decide(r, OUTCOME_WRONG_IMAGE, "E_NONCE",
			"the probe's nonce is not ours (%.8s… at first, another after it)",
			p->nonce);
	else if (p->owner != OWNER_OTHER && foreign_build(p, x))
		probe_decide(r, OUTCOME_WRONG_IMAGE, "E_BUILDID",
			"the hypervisor's build-id is %s, the image's is %s", p->facts.build_id,
			x->build_id);
	else if (p->panics)
		probe_decide(r, OUTCOME_CRASH, "E_CRASH", "the hypervisor crashed: %s", p->reason);
	else if (p->reset)
		probe_decide(r, OUTCOME_CRASH, "E_RESET",
			"console replayed or machine restarted before the report was complete (%zu "
			"records so far)",
			n);
	else if (!n && !p->overflow)
		nothing_of_ours(p, r, x);
	else if (p->conflict_seq >= 0)
		probe_decide(r, OUTCOME_CONFLICT, "E_CONFLICT",
			"record %d came in two valid versions", p->conflict_seq);
	else
		return false;
	return true;
}

static bool refused(const struct probe *p, struct boot_result *r)
{
	char what[64] = "?";
	struct record rec;

	if (!probe_record(p, 1, &rec) || !record_is(&rec, "ERROR"))
		return false;
	record_get(&rec, "what", what, sizeof(what));
	probe_decide(r, OUTCOME_REFUSED, "E_PROBE", "the probe refused its parameter \"%s\"", what);
	return true;
}

static bool incomplete(const struct probe *p, struct boot_result *r)
{
	size_t n = (size_t)p->done_seq + 1, missing = 0, first = 0;
	struct record rec;
	int64_t records;

	for (size_t i = 0; i < PROBE_RECORDS_MAX; i++) {
		bool bad = i < n ? !p->records[i].len : p->records[i].len > 0;

		if (bad && !missing++)
			first = i;
	}
	if (missing && first < n)
		probe_decide(r, OUTCOME_INCOMPLETE, "E_INCOMPLETE",
			"%zu of %zu records are damaged or missing in every pass, the first is %zu",
			missing, n, first);
	else if (missing || p->overflow)
		probe_decide(
			r, OUTCOME_INCOMPLETE, "E_INCOMPLETE", "the report goes on after its end");
	else if (!probe_record(p, n - 1, &rec) ||
		 record_int(&rec, "records", 1, PROBE_RECORDS_MAX, &records) ||
		 (size_t)records != n)
		probe_decide(r, OUTCOME_INCOMPLETE, "E_INCOMPLETE",
			"the report's last record counts other records than the %zu there are", n);
	else
		return false;
	return true;
}

/* Why the mode is not the requested one, as far as anything said so. */
static const char *mode_reason(const struct facts *f, const char *mode)
{
	if (f->mode_reason[0])
		return f->mode_reason;
	if (!strcmp(mode, "cluster") && !strcmp(f->apic_driver, "x2apic_mixed"))
		return "no reason on the console; Xen 4.20 and later have no cluster mode";
	return "no reason on the console; look at the image's mode and at x2apic-mode=";
}

static void check_machine(
	const struct probe *p, struct boot_result *r, const struct probe_expect *x)
{
	const struct facts *f = &p->facts;

	if (f->debug == 1 && !x->allow_debug)
		probe_decide(r, OUTCOME_REFUSED, "E_DEBUG",
			"a debug or instrumented hypervisor: its times say nothing about a release "
			"build");
	else if (f->shorthand == 1)
		probe_decide(r, OUTCOME_REFUSED, "E_SHORTHAND",
			"the broadcast shorthand was in use: the times say nothing about the mode");
	else if (x->cpus > 0 && f->cpus_online != x->cpus)
		probe_decide(r, OUTCOME_CPU_MISMATCH, "E_CPUS",
			"%d CPUs online, the target file expects %d", f->cpus_online, x->cpus);
	else if (x->sockets > 0 && f->sockets != x->sockets)
		probe_decide(r, OUTCOME_CPU_MISMATCH, "E_CPUS",
			"%d sockets, the target file expects %d", f->sockets, x->sockets);
	else if (r->mode[0] && strcmp(r->mode, r->effective))
		probe_decide(r, OUTCOME_MODE_MISMATCH, "E_MODE",
			"asked for %s, the hypervisor runs %s: %s", r->mode, r->effective,
			mode_reason(f, r->mode));
	else
		r->outcome = OUTCOME_OK;
}

static void __attribute__((format(printf, 2, 3))) remark(struct buf *b, const char *fmt, ...)
{
	va_list ap;

	buf_adds(b, b->len ? "; " : "console: ");
	va_start(ap, fmt);
	buf_vaddf(b, fmt, ap);
	va_end(ap);
}

static void write_flags(struct probe *p)
{
	char words[REMARK_WORDS];
	int repaired = 0;
	struct buf b;

	buf_init(&b, sizeof(p->flags) - 1);
	for (int k = 0; k < REMARK_KINDS; k++)
		if (p->owner != OWNER_OTHER &&
			remarks_words(&p->remarks, (enum remark_kind)k, words, sizeof(words)))
			remark(&b, "%s", words);
	for (size_t i = 0; i < PROBE_RECORDS_MAX; i++)
		repaired += p->records[i].len && p->records[i].pass > 1;
	if (repaired)
		remark(&b, "%d record%s taken from another pass", repaired,
			repaired == 1 ? "" : "s");
	if (p->damaged)
		remark(&b, "%d cop%s damaged", p->damaged, p->damaged == 1 ? "y" : "ies");
	if (p->dones && p->dones < p->repeat)
		remark(&b, "%d of %d passes ended", p->dones, p->repeat);
	if (p->other_records)
		remark(&b, "report of another boot left out (nonce %s)", p->other_nonce8);
	if (p->replays)
		remark(&b, "replayed %d time%s", p->replays, p->replays == 1 ? "" : "s");
	if (p->panic_late)
		remark(&b, "panic after the report");
	memcpy(p->flags, b.data, b.len + 1);
	buf_release(&b);
}

/* Flag a boot whose kept timings still went somewhere.  It stays as good as any other. */
static void check_settled(struct probe *p, const struct boot_result *r)
{
	double *v = mem_array(r->n_samples, sizeof(*v));
	char first[24], second[24];
	struct err e = ERR_INIT;
	struct settle s;
	size_t n = 0, len = strlen(p->flags);

	for (size_t i = 0; i < r->n_samples; i++)
		if (!r->samples[i].warmup)
			v[n++] = (double)r->samples[i].ns;
	if (!settle_check(&s, v, n, &e) && s.state == SETTLE_NEVER) {
		clock_measured(s.first, first, sizeof(first));
		clock_measured(s.second, second, sizeof(second));
		snprintf(p->flags + len, sizeof(p->flags) - len,
			"%snever settled: median %s in the first half, %s in the second",
			len ? "; " : "", first, second);
	}
	free(v);
}

void probe_finish(struct probe *p, struct boot_result *r, const struct probe_expect *x)
{
	probe_flush(p);
	/* A second banner whose command line never came. */
	p->reset |= p->again && !p->dones;
	facts_of_report(p);
	write_flags(p);
	r->samples = NULL;
	r->n_samples = 0;
	r->err = (struct err)ERR_INIT;
	r->flags = p->flags;
	r->facts = p->facts;
	snprintf(r->effective, sizeof(r->effective), "%.*s", MODE_MAX - 1,
		probe_mode_of_driver(p->facts.apic_driver));
	if (broken_boot(p, r, x) || refused(p, r))
		return;
	if (!p->dones) {
		probe_decide(r, OUTCOME_CRASH, "E_CRASH",
			"the report broke off after %zu records, without DONE", count_records(p));
		return;
	}
	if (incomplete(p, r) || !probe_report(p, r, x))
		return;
	check_machine(p, r, x);
	if (r->outcome == OUTCOME_OK)
		check_settled(p, r);
}
