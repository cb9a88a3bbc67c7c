/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Takes the samples out of a report whose records are all there, if it makes sense. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/buf.h"
#include "harness/base/mem.h"
#include "harness/probe_int.h"

/* No timing takes longer than this; a larger number is a broken probe. */
#define NS_MAX (INT64_C(24) * 3600 * 1000000000)

/* How far ns and tsc may be apart, as PROTOCOL.md has it: both clocks are read one after the other,
 * and what interrupts the probe between the two readings makes ns longer. */
#define CLOCK_PART     0.01	 /* of ns, or … */
#define CLOCK_NS       1000	 /* … this, whichever is larger */
#define CLOCK_PAUSE_NS 100000000 /* the longest interruption */

struct report {
	char workload[WORKLOAD_MAX];
	int64_t samples, warmup, iterations, khz;
	size_t first; /* number of the first S record */
};

enum kind { KIND_TEXT, KIND_BUILD, KIND_FLAG, KIND_NUMBER };

/* A key that a record must have: longest text, or smallest number. */
struct key {
	const char *name;
	enum kind kind;
	int64_t limit;
};

/* BEGIN's nonce was compared when it came. */
static const struct key begin_keys[] = {
	{"probe", KIND_TEXT, 16},
	{"xen", KIND_TEXT, 16},
	{"build", KIND_BUILD, 40},
	{"apic", KIND_TEXT, 20},
	{"online", KIND_NUMBER, 1},
	{"present", KIND_NUMBER, 1},
	{"sockets", KIND_NUMBER, 1},
	{"khz", KIND_NUMBER, 1},
	{"debug", KIND_FLAG, 0},
	{"shorthand", KIND_FLAG, 0},
};

static const struct key work_keys[] = {
	{"w", KIND_TEXT, 31},
	{"iters", KIND_NUMBER, 1},
	{"samples", KIND_NUMBER, 1},
	{"warmup", KIND_NUMBER, 0},
	{"cpus", KIND_NUMBER, 0},
	{"clusters", KIND_NUMBER, 0},
};

static bool key_valid(const struct record *rec, const struct key *k)
{
	char text[64];
	int64_t v;

	switch (k->kind) {
	case KIND_NUMBER:
		return !record_int(rec, k->name, k->limit, INT64_MAX, &v);
	case KIND_FLAG:
		return !record_int(rec, k->name, 0, 1, &v);
	case KIND_TEXT:
	case KIND_BUILD:
		break;
	}
	if (record_get(rec, k->name, text, sizeof(text)) || strlen(text) > (size_t)k->limit)
		return false;
	return k->kind == KIND_TEXT || !strcmp(text, "-") ||
	       !text[strspn(text, "0123456789abcdef")];
}

static bool keys_valid(const struct record *rec, const struct key *keys, size_t n, const char *type,
	struct boot_result *r)
{
	for (size_t i = 0; i < n; i++)
		if (!key_valid(rec, &keys[i])) {
			probe_decide(r, OUTCOME_INCOMPLETE, "E_INCOMPLETE",
				"record %s: %s= is missing or makes no sense", type, keys[i].name);
			return false;
		}
	return true;
}

/* A key whose number another one bounds. */
static bool between(const struct record *rec, const char *type, const char *key, int64_t lo,
	int64_t hi, struct boot_result *r)
{
	int64_t v;

	if (!record_int(rec, key, lo, hi, &v))
		return true;
	probe_decide(r, OUTCOME_INCOMPLETE, "E_INCOMPLETE",
		"record %s: %s= does not fit the report's other numbers", type, key);
	return false;
}

static int64_t number(const struct record *rec, const char *key)
{
	int64_t v = 0;

	record_int(rec, key, 0, INT64_MAX, &v);
	return v;
}

/* What BEGIN and WORK say of the machine. */
static bool check_head(const struct record *begin, const struct record *work, struct boot_result *r)
{
	int64_t online, cpus;
	char w[WORKLOAD_MAX];

	if (!keys_valid(
		    begin, begin_keys, sizeof(begin_keys) / sizeof(begin_keys[0]), "BEGIN", r) ||
		!keys_valid(work, work_keys, sizeof(work_keys) / sizeof(work_keys[0]), "WORK", r))
		return false;
	online = number(begin, "online");
	cpus = number(work, "cpus");
	record_get(work, "w", w, sizeof(w));
	return between(begin, "BEGIN", "present", online, INT32_MAX, r) &&
	       between(begin, "BEGIN", "sockets", 1, online, r) &&
	       between(work, "WORK", "cpus", strcmp(w, "flush-all") ? 0 : online - 1, online - 1,
		       r) &&
	       between(work, "WORK", "clusters", cpus > 0, cpus, r);
}

/* BEGIN, WORK, one S for each timing in order, END, DONE, and nothing else that we know. */
static bool read_report(const struct probe *p, struct boot_result *r, struct report *rep)
{
	struct record begin, work, end, done;
	size_t n = (size_t)p->done_seq + 1;
	char w[WORKLOAD_MAX];
	int64_t timings, v;

	if (n < 4 || !probe_record(p, 0, &begin) || !record_is(&begin, "BEGIN") ||
		!probe_record(p, 1, &work) || !record_is(&work, "WORK"))
		goto bad;
	if (!check_head(&begin, &work, r))
		return false;
	rep->khz = number(&begin, "khz");
	rep->samples = number(&work, "samples");
	rep->warmup = number(&work, "warmup");
	rep->iterations = number(&work, "iters");
	record_get(&work, "w", rep->workload, sizeof(rep->workload));
	rep->first = 2;
	if (rep->samples > PROBE_RECORDS_MAX || rep->warmup > PROBE_RECORDS_MAX)
		goto bad;
	timings = rep->samples + rep->warmup;
	if (n == (size_t)timings + 4 && probe_record(p, n - 2, &end) && record_is(&end, "END") &&
		!record_int(&end, "count", timings, timings, &v) &&
		!record_get(&end, "w", w, sizeof(w)) && !strcmp(w, rep->workload) &&
		probe_record(p, n - 1, &done) && !record_int(&done, "repeat", 1, 16, &v))
		return true;
bad:
	probe_decide(r, OUTCOME_INCOMPLETE, "E_INCOMPLETE",
		"the report is whole and makes no sense: its parts do not fit together");
	return false;
}

static bool read_sample(const struct probe *p, const struct report *rep, size_t i, struct sample *s)
{
	char w[WORKLOAD_MAX];
	struct record rec;
	int64_t v;

	s->warmup = i < (size_t)rep->warmup;
	if (!probe_record(p, rep->first + i, &rec) || !record_is(&rec, "S") ||
		record_int(&rec, "i", (int64_t)i, (int64_t)i, &v) ||
		record_get(&rec, "w", w, sizeof(w)) || strcmp(w, rep->workload) ||
		record_int(&rec, "ns", 1, NS_MAX, &s->ns) ||
		record_int(&rec, "tsc", 1, INT64_MAX, &v))
		return false;
	s->tsc = (uint64_t)v;
	return true;
}

/* The samples' two clocks against each other. */
static bool clocks_agree(const struct report *rep, struct boot_result *r)
{
	size_t paused = 0, last = 0;
	bool broken = false;

	for (size_t i = 0; !broken && i < r->n_samples; i++) {
		const struct sample *s = &r->samples[i];
		double ns = (double)s->ns, by = ns - (double)s->tsc * 1e6 / (double)rep->khz;

		if (fabs(by) <= fmax(CLOCK_PART * ns, CLOCK_NS))
			continue;
		last = i;
		paused++;
		broken = by < 0 || by > CLOCK_PAUSE_NS;
	}
	if (!broken && 2 * paused < r->n_samples)
		return true;
	probe_decide(r, OUTCOME_CONFLICT, "E_CLOCK",
		"clocks disagree: timing %zu is %lld ns by the hypervisor's clock, and %llu cycles "
		"of a %lld kHz counter",
		last, (long long)r->samples[last].ns, (unsigned long long)r->samples[last].tsc,
		(long long)rep->khz);
	return false;
}

static void drop_samples(struct boot_result *r)
{
	free(r->samples);
	r->samples = NULL;
	r->n_samples = 0;
}

bool probe_report(const struct probe *p, struct boot_result *r, const struct probe_expect *x)
{
	struct report rep = {0};
	size_t n;

	if (!read_report(p, r, &rep))
		return false;
	if ((size_t)rep.samples != x->samples || (size_t)rep.warmup != x->warmup ||
		(x->iterations && rep.iterations != x->iterations) ||
		(x->workload && strcmp(rep.workload, x->workload))) {
		probe_decide(r, OUTCOME_REFUSED, "E_PROBE",
			"the probe ran %s with %d samples after %d of warm-up, %lld iterations "
			"each: not what was asked for; look at the command line on the console",
			rep.workload, (int)rep.samples, (int)rep.warmup, (long long)rep.iterations);
		return false;
	}
	n = (size_t)(rep.samples + rep.warmup);
	r->samples = mem_array(n, sizeof(*r->samples));
	r->n_samples = n;
	for (size_t i = 0; i < n; i++)
		if (!read_sample(p, &rep, i, &r->samples[i])) {
			probe_decide(r, OUTCOME_INCOMPLETE, "E_INCOMPLETE",
				"timing %zu is no time: \"%.*s\"", i, (int)p->records[i + 2].len,
				p->text + p->records[i + 2].at);
			drop_samples(r);
			return false;
		}
	if (!clocks_agree(&rep, r)) {
		drop_samples(r);
		return false;
	}
	return true;
}
