/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/ministat_data.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/json.h"

/* A set against the reference. */
struct data_pair {
	struct ttest_ministat block, other; /* other: the relative error of the other formula */
	struct ttest student, welch;
};

static int data_pair_init(struct data_pair *p, const struct ministat_set *ref,
	const struct ministat_set *set, const struct ministat_opts *o, struct err *e)
{
	enum ttest_relative other = o->relative == TTEST_RELATIVE_NEW ? TTEST_RELATIVE_OLD
								      : TTEST_RELATIVE_NEW;
	int rc = ttest_ministat(&p->block, &ref->m, &set->m, o->conf, o->relative, e);

	if (!rc)
		rc = ttest_ministat(&p->other, &ref->m, &set->m, o->conf, other, e);
	if (!rc)
		rc = ttest_student(&p->student, &ref->m, &set->m, o->conf, e);
	if (!rc)
		rc = ttest_welch(&p->welch, &ref->m, &set->m, o->conf, e);
	return rc;
}

/* Also the reference against itself, which finds a level that is out of range. */
static int data_pairs(struct data_pair *pairs, const struct ministat_set *sets, size_t nsets,
	const struct ministat_opts *o, struct err *e)
{
	int rc = ministat_check(sets, nsets, o, e);

	for (size_t i = 0; !rc && i < nsets; i++)
		rc = data_pair_init(&pairs[i], &sets[0], &sets[i], o, e);
	return rc;
}

/* One order of fields for both forms. */
struct data_field {
	const char *name;
	double value;
};

#define DATA_BLOCK   7
#define DATA_TEST    8
#define DATA_MOMENTS 5

static void data_block(struct data_field *f, const struct data_pair *p, enum ttest_relative how)
{
	const struct ttest_ministat *new = how == TTEST_RELATIVE_NEW ? &p->block : &p->other;
	const struct ttest_ministat *old = how == TTEST_RELATIVE_NEW ? &p->other : &p->block;
	const struct data_field list[DATA_BLOCK] = {
		{"difference", p->block.diff},
		{"error", p->block.err},
		{"percent", p->block.pct},
		{"percent_error", p->block.pct_err},
		{"percent_error_new", new->pct_err},
		{"percent_error_old", old->pct_err},
		{"pooled_sd", p->block.pooled},
	};

	memcpy(f, list, sizeof(list));
}

static void data_test(struct data_field *f, const struct ttest *t)
{
	const struct data_field list[DATA_TEST] = {
		{"difference", t->diff},
		{"standard_error", t->se},
		{"dof", t->dof},
		{"t", t->t},
		{"p", t->p},
		{"error", t->half},
		{"low", t->lo},
		{"high", t->hi},
	};

	memcpy(f, list, sizeof(list));
}

static void data_moments(struct data_field *f, const struct moments *m)
{
	const struct data_field list[DATA_MOMENTS] = {
		{"min", m->min},
		{"max", m->max},
		{"median", m->median},
		{"avg", m->avg},
		{"sd", m->sd},
	};

	memcpy(f, list, sizeof(list));
}

static int data_full(const struct buf *out, struct err *e)
{
	return out->failed
		       ? err_set(e, ERR_BUG, NULL,
				 "the comparison does not fit into a report of %zu bytes", out->max)
		       : 0;
}

static void data_json_fields(json_t *o, const struct data_field *f, size_t n)
{
	for (size_t i = 0; i < n; i++)
		json_object_set_new(
			o, f[i].name, isfinite(f[i].value) ? json_real(f[i].value) : json_null());
}

static json_t *data_json_set(const struct ministat_set *s, size_t i)
{
	const char symbol[] = {MINISTAT_SYMBOLS[i + 1], '\0'};
	struct data_field f[DATA_MOMENTS];
	json_t *o = json_object();

	json_object_set_new(o, "name", report_json_text(s->name));
	json_object_set_new(o, "symbol", json_string(symbol));
	json_object_set_new(o, "summary", json_boolean(!s->v));
	json_object_set_new(o, "n", json_integer((json_int_t)s->m.n));
	data_moments(f, &s->m);
	data_json_fields(o, f, DATA_MOMENTS);
	return o;
}

static json_t *data_json_test(const struct ttest *t)
{
	struct data_field f[DATA_TEST];
	json_t *o = json_object();

	data_test(f, t);
	data_json_fields(o, f, DATA_TEST);
	return o;
}

static json_t *data_json_pair(
	const struct data_pair *p, const struct ministat_set *s, const struct ministat_opts *opts)
{
	struct data_field f[DATA_BLOCK];
	json_t *o = json_object();

	json_object_set_new(o, "set", report_json_text(s->name));
	json_object_set_new(o, "proven", json_boolean(p->block.proven));
	data_block(f, p, opts->relative);
	data_json_fields(o, f, DATA_BLOCK);
	json_object_set_new(o, "student", data_json_test(&p->student));
	json_object_set_new(o, "welch", data_json_test(&p->welch));
	return o;
}

int ministat_data_json(struct buf *out, const struct ministat_set *sets, size_t nsets,
	const struct ministat_opts *o, struct err *e)
{
	struct data_pair pairs[MINISTAT_MAX_SETS];
	json_t *top, *list, *comparisons;
	char *text;
	int rc = data_pairs(pairs, sets, nsets, o, e);

	if (rc)
		return rc;
	top = json_object();
	list = json_array();
	comparisons = json_array();
	for (size_t i = 0; i < nsets; i++) {
		json_array_append_new(list, data_json_set(&sets[i], i));
		if (i && !o->no_diff)
			json_array_append_new(comparisons, data_json_pair(&pairs[i], &sets[i], o));
	}
	json_object_set_new(top, "format", json_string("harness-stat"));
	json_object_set_new(top, "version", json_integer(MINISTAT_DATA_VERSION));
	json_object_set_new(top, "confidence", json_real(o->conf));
	json_object_set_new(top, "reference", report_json_text(sets[0].name));
	json_object_set_new(top, "sets", list);
	json_object_set_new(top, "comparisons", comparisons);
	text = json_dumps(top, JSON_INDENT(2) | JSON_REAL_PRECISION(17));
	json_decref(top);
	if (!text)
		return err_set(e, ERR_BUG, NULL, "the comparison cannot be written as JSON");
	buf_adds(out, text);
	buf_addc(out, '\n');
	free(text);
	return data_full(out, e);
}

/* In quotes where it must be (RFC 4180). */
static void data_csv_text(struct buf *out, const char *s)
{
	if (!strpbrk(s, ",\"\r\n")) {
		buf_adds(out, s);
		return;
	}
	buf_addc(out, '"');
	for (; *s; s++) {
		if (*s == '"')
			buf_addc(out, '"');
		buf_addc(out, *s);
	}
	buf_addc(out, '"');
}

static void data_csv_names(
	struct buf *out, const char *prefix, const struct data_field *f, size_t n)
{
	for (size_t i = 0; i < n; i++)
		buf_addf(out, ",%s%s", prefix, f[i].name);
}

/* known false: as many empty fields */
static void data_csv_values(struct buf *out, const struct data_field *f, size_t n, bool known)
{
	for (size_t i = 0; i < n; i++)
		if (known && isfinite(f[i].value))
			buf_addf(out, ",%.17g", f[i].value);
		else
			buf_addc(out, ',');
}

/* set NULL: the header */
static void data_csv_row(struct buf *out, const struct ministat_set *set, const struct data_pair *p,
	const struct ministat_opts *o, bool compared)
{
	struct data_field m[DATA_MOMENTS], block[DATA_BLOCK], student[DATA_TEST], welch[DATA_TEST];

	data_block(block, p, o->relative);
	data_test(student, &p->student);
	data_test(welch, &p->welch);
	data_moments(m, set ? &set->m : &(struct moments){.n = 0});
	if (!set) {
		buf_adds(out, "name,n");
		data_csv_names(out, "", m, DATA_MOMENTS);
		buf_adds(out, ",confidence,proven");
		data_csv_names(out, "", block, DATA_BLOCK);
		data_csv_names(out, "student_", student, DATA_TEST);
		data_csv_names(out, "welch_", welch, DATA_TEST);
	} else {
		data_csv_text(out, set->name);
		buf_addf(out, ",%zu", set->m.n);
		data_csv_values(out, m, DATA_MOMENTS, true);
		buf_addf(out, ",%.17g", o->conf);
		buf_adds(out, !compared ? "," : p->block.proven ? ",true" : ",false");
		data_csv_values(out, block, DATA_BLOCK, compared);
		data_csv_values(out, student, DATA_TEST, compared);
		data_csv_values(out, welch, DATA_TEST, compared);
	}
	buf_addc(out, '\n');
}

int ministat_data_csv(struct buf *out, const struct ministat_set *sets, size_t nsets,
	const struct ministat_opts *o, struct err *e)
{
	struct data_pair pairs[MINISTAT_MAX_SETS];
	int rc = data_pairs(pairs, sets, nsets, o, e);

	if (rc)
		return rc;
	data_csv_row(out, NULL, &pairs[0], o, false);
	for (size_t i = 0; i < nsets; i++)
		data_csv_row(out, &sets[i], &pairs[i], o, i && !o->no_diff);
	return data_full(out, e);
}
