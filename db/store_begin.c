/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rows that stand when a run begins: its machine, workload, images, builds, modes, and itself.
 */
#include "db/store_write.h"

#include <stdio.h>

enum {
	WRITE_SHORT_MIN = 4,	    /* digits of a run's short id */
	WRITE_SETTINGS_MAX = 16384, /* bytes of a machine's settings */
};

int write_select_id(struct query *q, int64_t *id, struct err *e)
{
	int rc = query_step(q, e);

	if (rc > 0)
		*id = query_get_int(q);
	query_end(q);
	return rc < 0 ? rc : 0;
}

static int write_machine(
	struct store *s, const struct target *t, bool emulated, int64_t *id, struct err *e)
{
	static const char insert[] =
		"INSERT INTO machine (name, description, cpu_model, firmware, firmware_version, "
		"emulated, settings) VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING";
	static const char find[] = "SELECT id FROM machine WHERE name = ? AND settings = ?";
	struct buf settings;
	struct query q;
	int rc;

	buf_init(&settings, WRITE_SETTINGS_MAX);
	store_settings(&settings, t);
	query_open(&q, s, insert);
	query_text(&q, t->name);
	query_text(&q, t->description);
	query_text(&q, t->cpu_model);
	query_text(&q, t->firmware == FIRMWARE_UEFI ? "uefi" : "bios");
	query_text(&q, t->firmware_version);
	query_int(&q, emulated);
	query_text(&q, settings.data);
	rc = query_run(&q, e);
	if (!rc) {
		query_open(&q, s, find);
		query_text(&q, t->name);
		query_text(&q, settings.data);
		rc = write_select_id(&q, id, e);
	}
	buf_release(&settings);
	return rc;
}

static int write_workload(struct store *s, const char *name, int64_t *id, struct err *e)
{
	static const char insert[] =
		"INSERT INTO workload (name) VALUES (?) ON CONFLICT DO NOTHING";
	static const char find[] = "SELECT id FROM workload WHERE name = ?";
	struct query q;
	int rc;

	query_open(&q, s, insert);
	query_text(&q, name);
	rc = query_run(&q, e);
	if (rc)
		return rc;
	query_open(&q, s, find);
	query_text(&q, name);
	return write_select_id(&q, id, e);
}

static void write_image_values(struct query *q, const struct image *i)
{
	query_text(q, i->sha256);
	query_text(q, i->recipe);
	query_text(q, i->mode);
	query_text(q, i->version);
	query_text(q, i->commit);
	query_text(q, i->compiler);
	query_text(q, i->build_id);
	query_text(q, i->config_hash);
	query_text(q, i->probe_version);
	query_text(q, i->source_hash);
	query_int(q, i->debug);
}

int write_image(struct store *s, const struct image *i, int64_t *id, struct err *e)
{
	static const char insert[] =
		"INSERT INTO image (sha256, recipe, mode, version, source_version, compiler, "
		"build_id, "
		"config_hash, probe_version, source_hash, debug) "
		"VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING";
	static const char find[] = "SELECT id FROM image WHERE (sha256, recipe, mode, version, "
				   "source_version, compiler, "
				   "build_id, config_hash, probe_version, source_hash, debug) = "
				   "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
	struct query q;
	int rc;

	query_open(&q, s, insert);
	write_image_values(&q, i);
	rc = query_run(&q, e);
	if (rc)
		return rc;
	query_open(&q, s, find);
	write_image_values(&q, i);
	return write_select_id(&q, id, e);
}

static int write_builds(struct store_writer *w, const struct run_info *info, struct err *e)
{
	static const char sql[] =
		"INSERT INTO run_build (run, place, name, text) VALUES (?, ?, ?, ?)";
	struct query q;
	int rc = 0;

	for (size_t i = 0; i < info->n_builds && !rc; i++) {
		query_open(&q, w->s, sql);
		query_int(&q, w->run);
		query_int(&q, (int64_t)i);
		query_text(&q, info->builds[i].name);
		query_text(&q, info->builds[i].text);
		rc = query_run(&q, e);
	}
	return rc;
}

static int write_modes(struct store_writer *w, const struct run_info *info, struct err *e)
{
	static const char sql[] = "INSERT INTO run_mode (run, place, build, mode, image, reason) "
				  "VALUES (?, ?, ?, ?, ?, ?)";
	struct query q;

	for (size_t i = 0; i < info->n_modes; i++) {
		const struct run_mode *m = &info->modes[i];
		int64_t image = 0;
		int rc = m->skipped ? 0 : write_image(w->s, &m->image, &image, e);

		if (rc)
			return rc;
		query_open(&q, w->s, sql);
		query_int(&q, w->run);
		query_int(&q, (int64_t)i);
		query_text(&q, m->build);
		query_text(&q, m->mode);
		query_id(&q, image);
		query_text(&q, m->skipped ? m->reason : "");
		rc = query_run(&q, e);
		if (rc)
			return rc;
	}
	return 0;
}

/* The shortest prefix that no other run shares; its neighbours in order decide. */
static int write_short(struct store *s, const char *uuid, char out[UUID_TEXT], struct err *e)
{
	static const char sql[] =
		"SELECT coalesce((SELECT max(uuid) FROM run WHERE uuid <= ?1), ''), "
		"coalesce((SELECT min(uuid) FROM run WHERE uuid > ?1), '')";
	size_t n = WRITE_SHORT_MIN;
	struct query q;
	int rc;

	query_open(&q, s, sql);
	query_text(&q, uuid);
	rc = query_step(&q, e);
	for (int i = 0; rc > 0 && i < 2; i++) {
		const char *near = query_peek_text(&q);
		size_t same = 0;

		while (uuid[same] && uuid[same] == near[same])
			same++;
		if (same + 1 > n)
			n = same + 1;
	}
	query_end(&q);
	snprintf(out, UUID_TEXT, "%.*s", (int)n, uuid);
	return rc < 0 ? rc : 0;
}

static int write_run(
	struct store_writer *w, const struct run_info *i, int64_t machine, struct err *e)
{
	static const char sql[] =
		"INSERT INTO run (uuid, short, machine, workload, boots, samples, iterations, "
		"warmup, "
		"repeat, total, seed, extra_args, again, harness_version, user, host, emulator, "
		"started_ns, keep_rule, until_width, until_pilot, until_max, until_wanted) "
		"VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
	char id[UUID_TEXT];
	struct query q;
	int rc = write_short(w->s, i->uuid, id, e);

	if (rc)
		return rc;
	query_open(&q, w->s, sql);
	query_text(&q, i->uuid);
	query_text(&q, id);
	query_int(&q, machine);
	query_int(&q, w->workload);
	query_int(&q, i->boots);
	query_int(&q, i->samples);
	query_int(&q, i->iterations);
	query_int(&q, i->warmup);
	query_int(&q, i->repeat);
	query_int(&q, i->total);
	query_int(&q, (int64_t)i->seed);
	query_text(&q, i->extra_args);
	query_text(&q, i->again);
	query_text(&q, i->harness_version);
	query_text(&q, i->user);
	query_text(&q, i->host);
	query_text(&q, i->emulator);
	query_int(&q, i->started_wall_ns);
	query_text(&q, i->keep_rule);
	query_real(&q, i->until.width);
	query_int(&q, i->until.pilot);
	query_int(&q, i->until.max);
	query_int(&q, i->until.wanted);
	rc = query_run(&q, e);
	w->run = sqlite3_last_insert_rowid(w->s->db);
	return rc;
}

int write_rows(struct store_writer *w, const struct run_info *info, struct err *e)
{
	bool emulated = info->target->lab.present || (info->emulator && *info->emulator);
	int64_t machine = 0;
	int rc = write_machine(w->s, info->target, emulated, &machine, e);

	if (!rc)
		rc = write_workload(w->s, info->workload, &w->workload, e);
	if (!rc)
		rc = write_run(w, info, machine, e);
	if (!rc)
		rc = write_builds(w, info, e);
	if (!rc)
		rc = write_modes(w, info, e);
	return rc;
}
