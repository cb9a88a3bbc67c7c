/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/json.h"

#include <stdio.h>
#include <stdlib.h>

#include "harness/base/mem.h"
#include "harness/base/str.h"
#include "reports/cost.h"

json_t *report_json_text(const char *s)
{
	json_t *v = json_string(s ? s : "");
	char *copy;
	size_t n;

	if (v)
		return v;
	copy = mem_strdup(s);
	for (char *p = copy; *p; p += n ? n : 1) {
		n = str_utf8(p);
		if (!n)
			*p = '?';
	}
	v = json_string(copy);
	free(copy);
	return v;
}

json_t *report_json_err(const struct err *e)
{
	json_t *o;

	if (!e->cls)
		return json_null();
	o = json_object();
	json_object_set_new(o, "class", report_json_text(err_class_name(e->cls)));
	json_object_set_new(o, "code", report_json_text(e->code));
	json_object_set_new(o, "message", report_json_text(e->msg));
	return o;
}

static void json_text(json_t *o, const char *key, const char *s)
{
	json_object_set_new(o, key, report_json_text(s));
}

static void json_int(json_t *o, const char *key, int64_t v)
{
	json_object_set_new(o, key, json_integer(v));
}

static void json_bool(json_t *o, const char *key, bool v)
{
	json_object_set_new(o, key, json_boolean(v));
}

static void json_unsigned(json_t *o, const char *key, uint64_t v)
{
	char text[24];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)v);
	json_text(o, key, text);
}

static json_t *json_mode(const struct model_mode *d)
{
	json_t *o = json_object();

	json_text(o, "mode", d->mode);
	json_text(o, "build", d->build);
	json_bool(o, "skipped", d->skipped);
	if (d->skipped) {
		json_text(o, "reason", d->reason);
		return o;
	}
	json_text(o, "image_sha256", d->image_sha256);
	json_text(o, "recipe", d->recipe);
	json_text(o, "version", d->version);
	json_text(o, "commit", d->commit);
	json_text(o, "compiler", d->compiler);
	json_text(o, "build_id", d->build_id);
	json_text(o, "config_hash", d->config_hash);
	json_text(o, "probe_version", d->probe_version);
	json_text(o, "source_hash", d->source_hash);
	json_bool(o, "debug", d->debug);
	return o;
}

static json_t *json_facts(const struct facts *f)
{
	json_t *o = json_object();

	json_text(o, "hypervisor", f->hypervisor);
	json_text(o, "build_id", f->build_id);
	json_text(o, "changeset", f->changeset);
	json_text(o, "compiler", f->compiler);
	json_text(o, "apic_driver", f->apic_driver);
	json_text(o, "cpu_model", f->cpu_model);
	json_text(o, "cpu_vendor", f->cpu_vendor);
	json_text(o, "microcode", f->microcode);
	json_text(o, "platform_timer", f->platform_timer);
	json_text(o, "mode_reason", f->mode_reason);
	json_int(o, "cpus_online", f->cpus_online);
	json_int(o, "cpus_present", f->cpus_present);
	json_int(o, "sockets", f->sockets);
	json_int(o, "clusters", f->clusters);
	json_int(o, "target_cpus", f->target_cpus);
	json_int(o, "tsc_khz", f->tsc_khz);
	json_int(o, "debug", f->debug);
	json_int(o, "shorthand", f->shorthand);
	return o;
}

static json_t *json_stages(const struct boot_result *r)
{
	json_t *o = json_object();

	for (int s = 0; s < STAGE_COUNT; s++) {
		const struct stage_time *t = &r->stages[s];
		json_t *one;

		if (!t->reached)
			continue;
		one = json_object();
		json_int(one, "start_ns", t->start_ns);
		json_int(one, "ns", t->ns);
		json_int(one, "settle_ns", t->settle_ns);
		json_object_set_new(o, stage_name((enum stage)s), one);
	}
	return o;
}

static void json_way(json_t *o, enum cost_way w)
{
	const char *name = cost_way_name(w);

	json_object_set_new(o, "began_by", name ? report_json_text(name) : json_null());
}

/* Only stages that took time: another way enters other ones. */
static json_t *json_cost_group(const struct cost_group *g, enum cost_way w)
{
	json_t *o = json_object(), *stages = json_object();

	json_way(o, w);
	json_int(o, "boots", (int64_t)g->boots);
	json_int(o, "median_ns", g->median_ns);
	for (int s = 0; s < STAGE_COUNT; s++)
		if (g->stages_ns[s])
			json_int(stages, stage_name((enum stage)s), g->stages_ns[s]);
	json_object_set_new(o, "stages_ns", stages);
	return o;
}

static json_t *json_cost(const struct model *m)
{
	json_t *o = json_object(), *ways = json_array();
	struct cost c;

	cost_init(&c, m);
	for (int w = 0; w < COST_WAYS; w++)
		if (c.ways[w].boots)
			json_array_append_new(ways, json_cost_group(&c.ways[w], (enum cost_way)w));
	json_object_set_new(o, "ways", ways);
	json_int(o, "failed_boots", (int64_t)c.failed);
	json_int(o, "failed_ns", c.failed_ns);
	return o;
}

/* A run has millions of them: they become text at once. */
static void json_samples(struct json_write *w, const struct boot_result *r)
{
	char text[32];

	json_write_open(w, "samples", '[');
	for (size_t i = 0; i < r->n_samples; i++) {
		json_write_open(w, NULL, '{');
		snprintf(text, sizeof(text), "%lld", (long long)r->samples[i].ns);
		json_write_token(w, "ns", text);
		snprintf(text, sizeof(text), "\"%llu\"", (unsigned long long)r->samples[i].tsc);
		json_write_token(w, "tsc", text);
		json_write_token(w, "warmup", r->samples[i].warmup ? "true" : "false");
		json_write_close(w, '}');
	}
	json_write_close(w, ']');
}

/* All of it but the samples. */
static json_t *json_boot(const struct model_boot *b)
{
	const struct boot_result *r = &b->r;
	json_t *o = json_object();

	json_int(o, "number", b->number);
	json_int(o, "index", r->index);
	json_int(o, "block", r->block);
	json_int(o, "attempt", r->attempt);
	json_bool(o, "last_attempt", b->last_attempt);
	json_text(o, "mode", r->mode);
	json_text(o, "build", r->build);
	json_text(o, "effective", r->effective);
	json_text(o, "outcome", outcome_name(r->outcome));
	json_text(o, "stage", stage_name(r->stage));
	json_object_set_new(o, "error", report_json_err(&r->err));
	json_text(o, "image_sha256", r->image_sha256);
	json_text(o, "nonce", r->nonce);
	json_text(o, "command_line", r->command_line);
	json_int(o, "started_wall_ns", r->started_wall_ns);
	json_text(o, "flags", r->flags);
	json_int(o, "console_len", (int64_t)r->console_len);
	json_way(o, cost_way(r));
	json_int(o, "cost_ns", cost_boot_ns(r));
	json_object_set_new(o, "stages", json_stages(r));
	json_object_set_new(o, "facts", json_facts(&r->facts));
	return o;
}

static json_t *json_until(const struct run_until *u)
{
	json_t *o;

	if (!(u->width > 0))
		return json_null();
	o = json_object();
	json_object_set_new(o, "width", json_real(u->width));
	json_int(o, "pilot", u->pilot);
	json_int(o, "max", u->max);
	json_int(o, "wanted", u->wanted);
	return o;
}

static json_t *json_builds(const struct model *m)
{
	json_t *list = json_array();

	for (size_t i = 0; i < m->n_builds; i++) {
		json_t *o = json_object();

		json_text(o, "name", m->builds[i].name);
		json_text(o, "text", m->builds[i].text);
		json_array_append_new(list, o);
	}
	return list;
}

static void json_run(json_t *o, const struct model *m)
{
	json_text(o, "uuid", m->uuid);
	json_text(o, "id", m->id);
	json_text(o, "machine", m->machine);
	json_text(o, "machine_description", m->machine_description);
	json_text(o, "cpu_model", m->cpu_model);
	json_text(o, "firmware", m->firmware);
	json_text(o, "firmware_version", m->firmware_version);
	json_bool(o, "emulated", m->emulated);
	json_text(o, "emulator", m->emulator);
	json_text(o, "workload", m->workload);
	json_int(o, "boots_per_mode", m->boots);
	json_int(o, "samples_per_boot", m->samples);
	json_int(o, "iterations", m->iterations);
	json_int(o, "warmup", m->warmup);
	json_int(o, "repeat", m->repeat);
	json_int(o, "total", m->total);
	json_text(o, "keep_rule", m->keep_rule);
	json_object_set_new(o, "until", json_until(&m->until));
	json_unsigned(o, "seed", m->seed);
	json_text(o, "target", m->target_text);
	json_text(o, "extra_args", m->extra_args);
	json_text(o, "again", m->again);
	json_text(o, "harness_version", m->harness_version);
	json_text(o, "user", m->user);
	json_text(o, "host", m->host);
	json_int(o, "started_wall_ns", m->started_wall_ns);
	json_bool(o, "ended", m->ended);
	json_object_set_new(o, "error", report_json_err(&m->end_err));
	json_int(o, "wall_ns", m->wall_ns);
	json_int(o, "machine_ns", m->machine_ns);
	json_object_set_new(o, "cost", json_cost(m));
	json_object_set_new(o, "builds", json_builds(m));
}

void report_json(struct json_write *w, const struct model *m)
{
	json_t *o = json_object();

	json_run(o, m);
	json_write_members(w, o);
	json_write_open(w, "modes", '[');
	for (size_t i = 0; i < m->n_modes; i++)
		json_write_put(w, NULL, json_mode(&m->modes[i]));
	json_write_close(w, ']');
	json_write_open(w, "boots", '[');
	for (size_t i = 0; i < m->n_list; i++) {
		json_write_open(w, NULL, '{');
		json_write_members(w, json_boot(&m->list[i]));
		json_samples(w, &m->list[i].r);
		json_write_close(w, '}');
	}
	json_write_close(w, ']');
}
