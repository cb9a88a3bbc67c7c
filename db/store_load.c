/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "db/store_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/mem.h"

static int load_run(struct store *s, const char *uuid, struct model *m, int64_t *run, struct err *e)
{
	static const char sql[] =
		"SELECT run.id, uuid, short, machine.name, description, cpu_model, "
		"firmware_version, "
		"firmware, emulated, emulator, workload.name, boots, samples, iterations, warmup, "
		"repeat, total, seed, settings, extra_args, again, harness_version, user, host, "
		"started_ns, ended, end_class, end_code, end_msg, wall_ns, machine_ns, "
		"keep_rule, until_width, until_pilot, until_max, until_wanted FROM run "
		"JOIN machine ON machine.id = machine JOIN workload ON workload.id = workload "
		"WHERE uuid = ?";
	struct query q;
	int rc;

	query_open(&q, s, sql);
	query_text(&q, uuid);
	rc = query_step(&q, e);
	if (!rc)
		rc = err_set(e, ERR_USAGE, "E_NORUN", "no run %s in %s", uuid, s->file);
	if (rc < 0)
		goto out;
	*run = query_get_int(&q);
	query_get_text(&q, m->uuid, sizeof(m->uuid));
	query_get_text(&q, m->id, sizeof(m->id));
	query_get_text(&q, m->machine, sizeof(m->machine));
	query_get_text(&q, m->machine_description, sizeof(m->machine_description));
	query_get_text(&q, m->cpu_model, sizeof(m->cpu_model));
	query_get_text(&q, m->firmware_version, sizeof(m->firmware_version));
	query_get_text(&q, m->firmware, sizeof(m->firmware));
	m->emulated = query_get_bool(&q);
	query_get_text(&q, m->emulator, sizeof(m->emulator));
	query_get_text(&q, m->workload, sizeof(m->workload));
	m->boots = (int)query_get_int(&q);
	m->samples = (int)query_get_int(&q);
	m->iterations = (int)query_get_int(&q);
	m->warmup = (int)query_get_int(&q);
	m->repeat = (int)query_get_int(&q);
	m->total = (int)query_get_int(&q);
	m->seed = (uint64_t)query_get_int(&q);
	m->target_text = query_dup_text(&q);
	m->extra_args = query_dup_text(&q);
	m->again = query_dup_text(&q);
	query_get_text(&q, m->harness_version, sizeof(m->harness_version));
	query_get_text(&q, m->user, sizeof(m->user));
	query_get_text(&q, m->host, sizeof(m->host));
	m->started_wall_ns = query_get_int(&q);
	m->ended = query_get_bool(&q);
	m->end_err.cls = (enum err_class)query_get_int(&q);
	query_get_text(&q, m->end_err.code, sizeof(m->end_err.code));
	query_get_text(&q, m->end_err.msg, sizeof(m->end_err.msg));
	m->wall_ns = query_get_int(&q);
	m->machine_ns = query_get_int(&q);
	query_get_text(&q, m->keep_rule, sizeof(m->keep_rule));
	/* A run from before the rule was stored: it had no other one. */
	if (!*m->keep_rule)
		snprintf(m->keep_rule, sizeof(m->keep_rule), "after %d", m->warmup);
	m->until.width = query_get_real(&q);
	m->until.pilot = (int)query_get_int(&q);
	m->until.max = (int)query_get_int(&q);
	m->until.wanted = (int)query_get_int(&q);
	rc = 0;
out:
	query_end(&q);
	return rc;
}

static int load_builds(struct store *s, int64_t run, struct model *m, struct err *e)
{
	static const char sql[] = "SELECT name, text FROM run_build WHERE run = ? ORDER BY place";
	struct query q;
	int rc;

	query_open(&q, s, sql);
	query_int(&q, run);
	while ((rc = query_step(&q, e)) > 0) {
		struct run_build *b;

		m->builds = mem_grow(m->builds, m->n_builds + 1, sizeof(*m->builds));
		b = &m->builds[m->n_builds++];
		query_get_text(&q, b->name, sizeof(b->name));
		query_get_text(&q, b->text, sizeof(b->text));
	}
	query_end(&q);
	return rc;
}

static int load_modes(struct store *s, int64_t run, struct model *m, struct err *e)
{
	static const char sql[] =
		"SELECT build, run_mode.mode, image IS NULL, reason, coalesce(sha256, ''), recipe, "
		"version, "
		"source_version, compiler, build_id, config_hash, probe_version, source_hash, "
		"debug "
		"FROM run_mode LEFT JOIN image ON image.id = image WHERE run = ? ORDER BY place";
	struct query q;
	int rc;

	query_open(&q, s, sql);
	query_int(&q, run);
	while ((rc = query_step(&q, e)) > 0) {
		struct model_mode *d;

		m->modes = mem_grow(m->modes, m->n_modes + 1, sizeof(*m->modes));
		d = &m->modes[m->n_modes++];
		query_get_text(&q, d->build, sizeof(d->build));
		query_get_text(&q, d->mode, sizeof(d->mode));
		d->skipped = query_get_bool(&q);
		query_get_text(&q, d->reason, sizeof(d->reason));
		query_get_text(&q, d->image_sha256, sizeof(d->image_sha256));
		query_get_text(&q, d->recipe, sizeof(d->recipe));
		query_get_text(&q, d->version, sizeof(d->version));
		query_get_text(&q, d->commit, sizeof(d->commit));
		query_get_text(&q, d->compiler, sizeof(d->compiler));
		query_get_text(&q, d->build_id, sizeof(d->build_id));
		query_get_text(&q, d->config_hash, sizeof(d->config_hash));
		query_get_text(&q, d->probe_version, sizeof(d->probe_version));
		query_get_text(&q, d->source_hash, sizeof(d->source_hash));
		d->debug = query_get_bool(&q);
	}
	query_end(&q);
	return rc;
}

static int load_samples(
	struct store *s, int64_t boot, const char *workload, struct boot_result *r, struct err *e)
{
	static const char sql[] =
		"SELECT warmup, ns, tsc FROM sample WHERE boot = ? AND workload = "
		"(SELECT id FROM workload WHERE name = ?) ORDER BY place";
	size_t room = 0;
	struct query q;
	int rc;

	query_open(&q, s, sql);
	query_int(&q, boot);
	query_text(&q, workload);
	while ((rc = query_step(&q, e)) > 0) {
		struct sample *d;

		if (r->n_samples == room) {
			room = room ? 2 * room : 32;
			r->samples = mem_grow(r->samples, room, sizeof(*r->samples));
		}
		d = &r->samples[r->n_samples++];
		d->warmup = query_get_bool(&q);
		d->ns = query_get_int(&q);
		d->tsc = (uint64_t)query_get_int(&q);
	}
	query_end(&q);
	return rc;
}

static int load_boot(struct query *q, struct model *m, int64_t *id, struct err *e)
{
	struct model_boot *b = &m->list[m->n_list];
	struct boot_result *r = &b->r;
	const char *outcome, *stage;

	*b = (struct model_boot){.last_attempt = true};
	*id = query_get_int(q);
	b->number = (int)query_get_int(q);
	r->index = (int)query_get_int(q);
	r->block = (int)query_get_int(q);
	r->attempt = (int)query_get_int(q);
	b->will_retry = query_get_bool(q);
	query_get_text(q, r->mode, sizeof(r->mode));
	query_get_text(q, r->effective, sizeof(r->effective));
	outcome = query_peek_text(q);
	if (outcome_parse(outcome, &r->outcome))
		return err_set(e, ERR_LAB, "E_STORE", "boot %d of run %s has outcome \"%s\"",
			b->number, m->id, outcome);
	stage = query_peek_text(q);
	for (int i = 0; i < STAGE_COUNT; i++)
		if (!strcmp(stage, stage_name((enum stage)i)))
			r->stage = (enum stage)i;
	r->err.cls = (enum err_class)query_get_int(q);
	query_get_text(q, r->err.code, sizeof(r->err.code));
	query_get_text(q, r->err.msg, sizeof(r->err.msg));
	query_get_text(q, r->image_sha256, sizeof(r->image_sha256));
	query_get_text(q, r->nonce, sizeof(r->nonce));
	query_get_text(q, r->command_line, sizeof(r->command_line));
	r->started_wall_ns = query_get_int(q);
	r->flags = query_dup_text(q);
	m->n_list++;
	store_stages_parse(query_peek_text(q), r->stages);
	store_facts_parse(query_peek_text(q), &r->facts);
	r->console_len = (size_t)query_get_int(q);
	query_get_text(q, r->build, sizeof(r->build));
	return 0;
}

static int load_boots(struct store *s, int64_t run, struct model *m, struct err *e)
{
	static const char sql[] =
		"SELECT boot.id, number, place, block, attempt, will_retry, boot.mode, effective, "
		"outcome, stage, err_class, err_code, err_msg, coalesce(sha256, ''), nonce, "
		"command_line, started_ns, flags, stages, facts, console_len, build "
		"FROM boot LEFT JOIN image ON image.id = image WHERE run = ? ORDER BY number";
	size_t room = 0;
	struct query q;
	int64_t id;
	int rc;

	query_open(&q, s, sql);
	query_int(&q, run);
	while ((rc = query_step(&q, e)) > 0) {
		if (m->n_list == room) {
			room = room ? 2 * room : 16;
			m->list = mem_grow(m->list, room, sizeof(*m->list));
		}
		rc = load_boot(&q, m, &id, e);
		if (!rc)
			rc = load_samples(s, id, m->workload, &m->list[m->n_list - 1].r, e);
		if (rc)
			break;
	}
	query_end(&q);
	return rc;
}

/* Places of the plan are numbered from 0, and repetitions come after what they repeat. */
static void load_last_attempts(struct model *m)
{
	for (size_t i = 0; i < m->n_list; i++)
		for (size_t j = i + 1; j < m->n_list && m->list[i].last_attempt; j++)
			if (m->list[j].r.index == m->list[i].r.index)
				m->list[i].last_attempt = false;
}

int store_load(struct store *s, const char *uuid, struct model *m, struct err *e)
{
	int64_t run = 0;
	int rc;

	model_init(m);
	/* One moment of the database, also while the run goes on. */
	if (sqlite3_exec(s->db, "BEGIN", NULL, NULL, NULL) != SQLITE_OK)
		return store_err(s, e);
	rc = load_run(s, uuid, m, &run, e);
	if (!rc)
		rc = load_builds(s, run, m, e);
	if (!rc)
		rc = load_modes(s, run, m, e);
	if (!rc)
		rc = load_boots(s, run, m, e);
	store_rollback(s);
	if (rc) {
		model_release(m);
		return rc;
	}
	load_last_attempts(m);
	return 0;
}
