/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/mem.h"
#include "harness/cmd_bisect.h"
#include "reports/alike.h"
#include "reports/render.h"
#include "reports/sides.h"

/* A commit may change what the hypervisor says of itself, and whether it tells the microcode, which
 * boots_keep() has seen to be the same; of the machine it may not. */
static const alike_set bisect_allow = 1U << ALIKE_MICROCODE | 1U << ALIKE_ARGS |
				      1U << ALIKE_SHORTHAND | 1U << ALIKE_DEBUG;

enum { REPORT_MAX = 64 << 20, DIFFERS_MAX = 65536 };

/* The runs that have both commits, as one comparison. */
static int bisect_compare(struct comparison *c, const struct cmd_bisect_out *o,
	const struct model **runs, struct err *e)
{
	const struct bisect_result *r = o->r;
	struct verdict_opts v = VERDICT_OPTS_INIT;
	struct side sides[2] = {{.name = ""}, {.name = ""}};
	struct buf differs;
	int rc;

	v.conf = o->opts->conf;
	v.effect = o->opts->effect;
	for (int i = 0; i < 2; i++) {
		snprintf(sides[i].name, sizeof(sides[i].name), "%.12s",
			i ? r->first.hash : r->last.hash);
		snprintf(sides[i].mode, sizeof(sides[i].mode), "%s", o->opts->ask.mode);
		snprintf(sides[i].image, sizeof(sides[i].image), "%s", r->units[i].image);
		sides[i].runs = runs;
		sides[i].n_runs = r->n_runs;
	}
	buf_init(&differs, DIFFERS_MAX);
	rc = sides_compare(c, sides, 2, NULL, &v, e);
	if (!rc)
		rc = alike_check(c, bisect_allow, &differs, e);
	if (!rc)
		rc = comparison_judge(c, e);
	if (!rc && differs.len)
		c->differs = buf_detach(&differs);
	if (!rc)
		c->again = r->n_runs == 1 ? mem_printf("harness report %s", runs[0]->id)
					  : mem_printf("harness compare image:%.16s image:%.16s",
						    r->units[0].image, r->units[1].image);
	buf_release(&differs);
	return rc;
}

static int bisect_report(
	const struct cmd_bisect_out *o, enum render_format form, struct buf *out, struct err *e)
{
	size_t n = o->r->n_runs, loaded = 0;
	struct model *models = mem_array(n + 1, sizeof(*models));
	const struct model **runs = mem_array(n + 1, sizeof(*runs));
	struct comparison c = {.title = NULL};
	int rc = 0;

	while (loaded < n && !rc) {
		rc = store_load(o->s, o->r->runs[loaded], &models[loaded], e);
		runs[loaded] = &models[loaded];
		loaded++;
	}
	if (!rc)
		rc = bisect_compare(&c, o, runs, e);
	if (!rc)
		rc = render(out, &c, form, false, e);
	comparison_release(&c);
	while (loaded)
		model_release(&models[--loaded]);
	free(models);
	free(runs);
	return rc;
}

static void bisect_text_found(const struct bisect_result *r, struct buf *out)
{
	buf_addf(out, "%s is the first bad commit%s\n  author  %s\n\n", r->first.hash,
		r->end == BISECT_FOUND ? "" : ", as far as single measurements tell",
		r->first.author);
	for (const char *p = r->first.message; *p; p += strcspn(p, "\n"), p += *p == '\n') {
		int n = (int)strcspn(p, "\n");

		buf_addf(out, "%s%.*s\n", n ? "    " : "", n, p);
	}
	buf_addf(out, "\nthe last good one: %.12s %s\n", r->last.hash, r->last.subject);
}

static void bisect_text_ends(const struct bisect_result *r, struct buf *out)
{
	const struct decide_ends *d = &r->ends;

	if (!d->bounded)
		return;
	buf_addf(out, "BAD is %.3g %% %s than GOOD [%.3g, %.3g]\n", d->pct < 0 ? -d->pct : d->pct,
		d->faster ? "faster" : "slower", d->faster ? -d->hi : d->lo,
		d->faster ? -d->lo : d->hi);
}

static int bisect_text(const struct cmd_bisect_out *o, struct buf *out, struct err *e)
{
	const struct bisect_result *r = o->r;
	int rc = 0;

	if (*r->first.hash)
		bisect_text_found(r, out);
	else
		buf_addf(out, "%s\n", r->why);
	for (size_t i = 0; i < r->n; i++)
		buf_addf(out, "  %s  %s\n", r->list[i].hash, r->list[i].subject);
	bisect_text_ends(r, out);
	if (r->n_runs) {
		buf_addc(out, '\n');
		rc = bisect_report(o, RENDER_TEXT, out, e);
	}
	if (r->log.n) {
		buf_addc(out, '\n');
		bisect_log_text(&r->log, out);
		buf_addf(out, "\nlog     %s\nreplay  git bisect replay %s\n", r->file, r->file);
	}
	return rc;
}

static json_t *bisect_json_commit(const struct bisect_commit *c)
{
	json_t *o;

	if (!*c->hash)
		return json_null();
	o = json_pack(
		"{s:s, s:s, s:s}", "commit", c->hash, "subject", c->subject, "author", c->author);
	if (c->message)
		json_object_set_new(o, "message", json_string(c->message));
	return o;
}

static json_t *bisect_json_steps(const struct bisect_log *l)
{
	json_t *a = json_array();

	for (size_t i = 0; i < l->n; i++)
		json_array_append_new(a,
			json_pack("{s:s, s:s, s:s}", "commit", l->v[i].mark.commit, "decision",
				walk_word_name(l->v[i].mark.word), "evidence", l->v[i].evidence));
	return a;
}

static json_t *bisect_json_ends(const struct decide_ends *d)
{
	return d->bounded ? json_pack("{s:f, s:f, s:f}", "percent", d->pct, "low", d->lo, "high",
				    d->hi)
			  : json_null();
}

static int bisect_json(const struct cmd_bisect_out *o, struct buf *out, struct err *e)
{
	const struct bisect_result *r = o->r;
	json_t *candidates = json_array(), *runs = json_array(), *all;
	struct buf report;
	char *text;
	int rc = 0;

	for (size_t i = 0; i < r->n; i++)
		json_array_append_new(candidates, bisect_json_commit(&r->list[i]));
	for (size_t i = 0; i < r->n_runs; i++)
		json_array_append_new(runs, json_string(r->runs[i]));
	all = json_pack("{s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o}", "result",
		bisect_end_name(r->end), "why", r->why, "machine", o->opts->ask.machine, "mode",
		o->opts->ask.mode, "difference", bisect_json_ends(&r->ends), "first_bad",
		bisect_json_commit(&r->first), "last_good", bisect_json_commit(&r->last),
		"candidates", candidates, "steps", bisect_json_steps(&r->log), "runs", runs);
	json_object_set_new(all, "log", r->log.n ? json_string(r->file) : json_null());
	buf_init(&report, REPORT_MAX);
	if (r->n_runs) {
		rc = bisect_report(o, RENDER_JSON, &report, e);
		json_object_set_new(all, "report", json_loads(report.data, 0, NULL));
	}
	text = rc ? NULL : json_dumps(all, JSON_INDENT(2));
	if (text)
		buf_addf(out, "%s\n", text);
	free(text);
	json_decref(all);
	buf_release(&report);
	return rc;
}

int cmd_bisect_print(const struct cmd_bisect_out *o, struct buf *out, struct err *e)
{
	return o->json ? bisect_json(o, out, e) : bisect_text(o, out, e);
}
