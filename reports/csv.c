/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/csv.h"

#include <stdlib.h>
#include <string.h>

#include "harness/base/mem.h"
#include "harness/base/str.h"
#include "reports/cost.h"
#include "reports/fields.h"

void report_csv_text(struct buf *out, const char *s)
{
	char *clean = mem_strdup(s);
	bool formula, quote;

	str_clean(clean);
	formula = *clean && strchr("=+-@'", *clean);
	quote = strpbrk(clean, ",\"");
	if (quote)
		buf_addc(out, '"');
	if (formula)
		buf_addc(out, '\'');
	for (const char *p = clean; *p; p++) {
		if (*p == '"')
			buf_addc(out, '"');
		buf_addc(out, *p);
	}
	if (quote)
		buf_addc(out, '"');
	free(clean);
}

/* Text with a comma after it. */
static void csv_text(struct buf *out, const char *s)
{
	report_csv_text(out, s);
	buf_addc(out, ',');
}

static void csv_boot(struct buf *out, const struct model *m, const struct model_boot *b,
	const struct comparison_set *set)
{
	const char *way = cost_way_name(cost_way(&b->r));

	for (size_t i = 0; i < b->r.n_samples; i++) {
		const struct sample *s = &b->r.samples[i];

		csv_text(out, m->uuid);
		csv_text(out, m->machine);
		csv_text(out, m->workload);
		csv_text(out, set ? set->name : "");
		csv_text(out, b->r.mode);
		csv_text(out, b->r.effective);
		buf_addf(out, "%d,%d,%d,%s,%zu,%d,%lld,%llu,%d,%s,", b->number, b->r.block,
			b->r.attempt, outcome_name(b->r.outcome), i, s->warmup, (long long)s->ns,
			(unsigned long long)s->tsc, set && !s->warmup, way ? way : "");
		report_csv_text(out, b->r.build);
		buf_adds(out, "\r\n");
	}
}

static bool csv_holds(const struct comparison_set *s, const struct model_boot *b)
{
	for (size_t i = 0; i < s->n_boots; i++)
		if (s->boots[i].boot == b)
			return true;
	return false;
}

void report_csv(struct buf *out, const struct comparison *c)
{
	buf_adds(out, "run,machine,workload,set,mode,effective,boot,block,attempt,outcome,sample,"
		      "warmup,ns,tsc,used,began_by,build\r\n");
	for (size_t r = 0; r < c->n_runs; r++)
		for (size_t i = 0; i < c->runs[r]->n_list; i++) {
			const struct model_boot *b = &c->runs[r]->list[i];
			bool any = false;

			for (size_t k = 0; k < c->n_sets; k++) {
				if (!csv_holds(&c->sets[k], b))
					continue;
				csv_boot(out, c->runs[r], b, &c->sets[k]);
				any = true;
			}
			if (!any)
				csv_boot(out, c->runs[r], b, NULL);
		}
}

static void csv_field(struct buf *out, const struct field *f)
{
	buf_addc(out, ',');
	switch (f->type) {
	case FIELD_BOOL:
		buf_addf(out, "%d", f->yes);
		break;
	case FIELD_INT:
		buf_addf(out, "%zu", f->count);
		break;
	case FIELD_REAL:
		buf_addf(out, "%.17g", f->real);
		break;
	case FIELD_NONE:
		break;
	}
}

void report_csv_verdicts(struct buf *out, const struct comparison *c)
{
	struct field list[FIELDS_VERDICT];

	fields_verdict(list, &(struct verdict){.kind = VERDICT_TOO_FEW});
	buf_adds(out, "block,mode,set,reference,verdict");
	for (size_t i = 0; i < FIELDS_VERDICT; i++)
		buf_addf(out, ",%s", list[i].name);
	buf_adds(out, ",build\r\n");
	for (size_t k = 0; k < c->n_sets; k++) {
		const struct comparison_set *s = &c->sets[k];

		if (s->ref == k)
			continue;
		buf_addf(out, "%zu,", s->block);
		csv_text(out, s->mode);
		csv_text(out, s->name);
		csv_text(out, c->sets[s->ref].name);
		buf_adds(out, verdict_name(s->verdict.kind));
		fields_verdict(list, &s->verdict);
		for (size_t i = 0; i < FIELDS_VERDICT; i++)
			csv_field(out, &list[i]);
		buf_addc(out, ',');
		report_csv_text(out, s->build);
		buf_adds(out, "\r\n");
	}
}
