/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/fields.h"

#include <assert.h>
#include <math.h>

#include "harness/stats/effect.h"

static struct field *field_bool(struct field *f, const char *name, bool known, bool yes)
{
	*f = (struct field){.name = name, .type = known ? FIELD_BOOL : FIELD_NONE, .yes = yes};
	return f + 1;
}

static struct field *field_int(struct field *f, const char *name, bool known, size_t count)
{
	*f = (struct field){.name = name, .type = known ? FIELD_INT : FIELD_NONE, .count = count};
	return f + 1;
}

static struct field *field_real(struct field *f, const char *name, bool known, double real)
{
	known = known && isfinite(real);
	*f = (struct field){.name = name, .type = known ? FIELD_REAL : FIELD_NONE};
	if (known)
		f->real = real;
	return f + 1;
}

static struct field *fields_test(struct field *f, const struct verdict *v, bool known)
{
	f = field_real(f, "reference_mean_ns", known, v->ref_mean);
	f = field_real(f, "set_mean_ns", known, v->set_mean);
	f = field_real(f, "difference_ns", known, v->diff);
	f = field_real(f, "difference_low_ns", known, v->lo);
	f = field_real(f, "difference_high_ns", known, v->hi);
	f = field_real(f, "standard_error_ns", known, v->se);
	f = field_real(f, "dof", known, v->dof);
	f = field_bool(f, "exact", known, v->exact);
	f = field_real(f, "t", known && !v->exact, v->t);
	f = field_real(f, "p", known, v->p);
	f = field_real(f, "p_holm", known, v->holm);
	f = field_int(f, "holm_factor", known, v->factor);
	return f;
}

static struct field *fields_percent(struct field *f, const struct verdict *v, bool known)
{
	bool bounded = known && v->relative && v->pct_bounded;

	f = field_real(f, "difference_pct", known && v->relative, v->pct);
	f = field_real(f, "difference_low_pct", bounded, v->pct_lo);
	f = field_real(f, "difference_high_pct", bounded, v->pct_hi);
	return f;
}

/* 0: it does not apply. */
static struct field *field_boots(
	struct field *f, const char *name, const char *hopeless, bool known, size_t n)
{
	bool applies = known && n > 0;

	f = field_int(f, name, applies && n <= EFFECT_BOOTS_MAX, n);
	return field_bool(f, hopeless, applies, n > EFFECT_BOOTS_MAX);
}

static struct field *fields_reach(struct field *f, const struct verdict *v, bool known)
{
	bool seen = known && v->seen_known;

	f = field_real(f, "seen_ns", seen, v->seen);
	f = field_real(f, "seen_pct", seen && v->relative, v->seen_pct);
	f = field_boots(f, "observed_boots", "observed_hopeless", seen, v->observed_boots);
	f = field_boots(f, "effect_boots", "effect_hopeless", seen, v->effect_boots);
	return f;
}

void fields_verdict(struct field list[FIELDS_VERDICT], const struct verdict *v)
{
	bool known = v->kind != VERDICT_TOO_FEW;
	bool rank = known && v->rank_known;
	struct field *f = list;

	f = field_int(f, "reference_boots", true, v->ref_boots);
	f = field_int(f, "set_boots", true, v->set_boots);
	f = field_int(f, "boots_needed", true, v->needed);
	f = field_bool(f, "pilot", known, v->pilot);
	f = fields_test(f, v, known);
	f = fields_percent(f, v, known);
	f = fields_reach(f, v, known);
	f = field_real(f, "rank_p", rank, v->rank_p);
	f = field_bool(f, "rank_contradicts", rank, v->rank_contradicts);
	f = field_bool(f, "proven", known, v->kind == VERDICT_LOWER || v->kind == VERDICT_HIGHER);
	assert(f == list + FIELDS_VERDICT);
}
