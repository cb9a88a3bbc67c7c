/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/comparison_json.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/embed.h"
#include "harness/base/mem.h"
#include "reports/fields.h"
#include "reports/json.h"

extern const struct embed embed_schema[]; /* reports/schema/ */

static void put(json_t *o, const char *key, json_t *value)
{
	int rc = json_object_set_new(o, key, value);

	assert(!rc);
	(void)rc;
}

static void put_text(json_t *o, const char *key, const char *s)
{
	put(o, key, s ? report_json_text(s) : json_null());
}

static void put_count(json_t *o, const char *key, size_t n)
{
	put(o, key, json_integer((json_int_t)n));
}

static void put_real(json_t *o, const char *key, double v)
{
	put(o, key, isfinite(v) ? json_real(v) : json_null());
}

static void put_bool(json_t *o, const char *key, bool v)
{
	put(o, key, json_boolean(v));
}

/* An entry a line; NULL has none. */
static json_t *json_lines(const char *s)
{
	json_t *list = json_array();

	while (s && *s) {
		size_t n = strcspn(s, "\n");
		char *line = mem_strndup(s, n);

		json_array_append_new(list, report_json_text(line));
		free(line);
		s += n + (s[n] != '\0');
	}
	return list;
}

static json_t *json_moments(const struct moments *m)
{
	json_t *o = json_object();

	put_count(o, "n", m->n);
	put_real(o, "mean_ns", m->avg);
	put_real(o, "sd_ns", m->n > 1 ? m->sd : NAN);
	put_real(o, "min_ns", m->min);
	put_real(o, "max_ns", m->max);
	put_real(o, "median_ns", m->median);
	return o;
}

static json_t *json_variance(const struct variance *v)
{
	bool known = v->dof1 > 0; /* else no group has 2 values */
	json_t *o = json_object();

	put_count(o, "groups", v->boots);
	put_count(o, "values", v->samples);
	put_real(o, "mean_ns", v->mean);
	put_real(o, "within_sd_ns", known ? v->within : NAN);
	put_real(o, "between_sd_ns", v->between);
	put_real(o, "icc", known ? v->icc : NAN);
	put_real(o, "within_variance_ns2", known ? v->s1_sq : NAN);
	put_real(o, "within_dof", v->dof1);
	put_real(o, "means_variance_ns2", v->s2_sq);
	put_real(o, "means_dof", v->dof2);
	put_real(o, "mean_inverse_size", v->samples_inv);
	put_real(o, "f", v->f);
	put_real(o, "p", v->p);
	return o;
}

/* What the ministat block says: all samples, as if boots did not matter. */
static json_t *json_ministat(
	const struct comparison_set *ref, const struct comparison_set *set, double conf)
{
	struct err ignored = ERR_INIT;
	struct ttest_ministat t;
	json_t *o;

	if (ttest_ministat(&t, &ref->all, &set->all, conf, TTEST_RELATIVE_NEW, &ignored))
		return json_null();
	o = json_object();
	put_bool(o, "proven", t.proven);
	put_real(o, "difference_ns", t.diff);
	put_real(o, "error_ns", t.err);
	put_real(o, "difference_pct", t.pct);
	put_real(o, "error_pct", t.pct_err);
	put_real(o, "pooled_sd_ns", t.pooled);
	return o;
}

static json_t *json_field(const struct field *f)
{
	switch (f->type) {
	case FIELD_BOOL:
		return json_boolean(f->yes);
	case FIELD_INT:
		return json_integer((json_int_t)f->count);
	case FIELD_REAL:
		return json_real(f->real);
	case FIELD_NONE:
		break;
	}
	return json_null();
}

static json_t *json_verdict(const struct verdict *v)
{
	struct field list[FIELDS_VERDICT];
	json_t *o = json_object();

	put_text(o, "kind", verdict_name(v->kind));
	fields_verdict(list, v);
	for (size_t i = 0; i < FIELDS_VERDICT; i++)
		put(o, list[i].name, json_field(&list[i]));
	return o;
}

static json_t *json_set_boots(const struct comparison_set *s)
{
	json_t *list = json_array();

	for (size_t i = 0; i < s->n_boots; i++) {
		const struct comparison_boot *b = &s->boots[i];
		json_t *o = json_object();

		put_text(o, "run", b->run->uuid);
		put(o, "number", json_integer(b->boot->number));
		put_count(o, "n", b->kept.n);
		put_real(o, "mean_ns", b->kept.avg);
		put_real(o, "sd_ns", b->kept.n > 1 ? b->kept.sd : NAN);
		put_real(o, "median_ns", b->kept.median);
		json_array_append_new(list, o);
	}
	return list;
}

static json_t *json_set(const struct comparison *c, size_t i)
{
	const struct comparison_set *s = &c->sets[i], *ref = &c->sets[s->ref];
	bool compared = s->ref != i;
	json_t *o = json_object();

	put_text(o, "name", s->name);
	put_text(o, "mode", s->mode);
	put_text(o, "build", s->build);
	put_bool(o, "usable", s->usable);
	put_text(o, "reference", compared ? ref->name : NULL);
	put(o, "planned", json_integer(s->planned));
	put_count(o, "pilot", s->pilot);
	put(o, "boots", json_set_boots(s));
	put(o, "samples", s->n_values ? json_moments(&s->all) : json_null());
	put(o, "boot_means", s->n_boots ? json_moments(&s->between) : json_null());
	put(o, "boot_variance", s->has_variance ? json_variance(&s->variance) : json_null());
	put(o, "run_variance", s->has_runs ? json_variance(&s->runs) : json_null());
	put(o, "ministat", compared ? json_ministat(ref, s, c->opts.conf) : json_null());
	put(o, "verdict", compared ? json_verdict(&s->verdict) : json_null());
	return o;
}

/* A list of lists would leave no room for keys of a block. */
static json_t *json_blocks(const struct comparison *c)
{
	json_t *list = json_array(), *sets = NULL;

	for (size_t i = 0; i < c->n_sets; i++) {
		if (!i || c->sets[i].block != c->sets[i - 1].block) {
			json_t *block = json_object();

			sets = json_array();
			put(block, "sets", sets);
			json_array_append_new(list, block);
		}
		json_array_append_new(sets, json_set(c, i));
	}
	return list;
}

static json_t *json_summary(const struct comparison *c)
{
	size_t count[VERDICT_HIGHER + 1] = {0};
	json_t *o = json_object();

	for (size_t i = 0; i < c->n_sets; i++)
		if (c->sets[i].ref != i)
			count[c->sets[i].verdict.kind]++;
	put_count(o, "compared", c->n_compared);
	put_count(o, "higher", count[VERDICT_HIGHER]);
	put_count(o, "lower", count[VERDICT_LOWER]);
	put_count(o, "none", count[VERDICT_NONE]);
	put_count(o, "too_few", count[VERDICT_TOO_FEW]);
	return o;
}

static json_t *json_opts(const struct verdict_opts *opts)
{
	json_t *o = json_object();

	put_real(o, "confidence_pct", opts->conf);
	put_real(o, "power_pct", opts->power);
	put_real(o, "effect_pct", opts->effect);
	return o;
}

/* The report of one run is made again by running again. */
static const char *json_again(const struct comparison *c)
{
	return c->again ? c->again : c->n_runs == 1 ? c->runs[0]->again : NULL;
}

json_t *comparison_json(const struct comparison *c)
{
	json_t *o = json_object();

	put_text(o, "format", COMPARISON_JSON_FORMAT);
	put(o, "version", json_integer(COMPARISON_JSON_VERSION));
	put_text(o, "kind", c->kind == COMPARISON_RUN ? "run" : "sides");
	put_text(o, "title", c->title);
	put_text(o, "again", json_again(c));
	put_bool(o, "regression", comparison_regressed(c));
	put(o, "summary", json_summary(c));
	put(o, "options", json_opts(&c->opts));
	put(o, "differs", json_lines(c->differs));
	put(o, "left_out", json_lines(c->left));
	put(o, "blocks", json_blocks(c));
	return o;
}

void comparison_json_write(struct buf *out, const struct comparison *c)
{
	struct json_write w;

	json_write_init(&w, out, 1);
	json_write_open(&w, NULL, '{');
	json_write_members(&w, comparison_json(c));
	json_write_open(&w, "runs", '[');
	for (size_t i = 0; i < c->n_runs; i++) {
		json_write_open(&w, NULL, '{');
		report_json(&w, c->runs[i]);
		json_write_close(&w, '}');
	}
	json_write_close(&w, ']');
	json_write_close(&w, '}');
	buf_addc(out, '\n');
}

const char *report_schema(void)
{
	for (const struct embed *e = embed_schema; e->name; e++)
		if (!strcmp(e->name, "report-1.schema.json"))
			return (const char *)e->data;
	assert(!"the schema is in the binary");
	return "";
}
