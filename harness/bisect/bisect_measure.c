/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/mem.h"
#include "harness/bisect/bisect_int.h"
#include "harness/verdict.h"

/* How often what is missing is booted before something must be wrong: the first boot of a bisect
 * may show that earlier ones cannot be compared any more. */
enum { BISECT_TRIES = 3 };

/* Commits that do not boot, before the machine is suspected. */
enum { BISECT_BLAME = 2 };

int bisect_unit(struct bisect *b, const char *commit, struct bisect_unit *u, struct builds_image *i,
	struct err *e)
{
	struct bisect_commit c;
	int rc = bisect_describe(b, commit, false, &c, e);

	if (!rc)
		rc = builds_get(b->builds, commit, &b->stop, i, e);
	if (rc)
		return rc;
	*u = (struct bisect_unit){.name = ""};
	snprintf(u->name, sizeof(u->name), "%.12s", commit);
	snprintf(u->text, sizeof(u->text), "commit %s (%s)\n", commit, c.subject);
	snprintf(u->image, sizeof(u->image), "%s", i->sha256);
	return 0;
}

/* Boot until each of two units (or one) has `want` boots: in turns as far as both lack some. */
static int measure_boot(struct bisect *b, const struct bisect_unit *units, const size_t *have,
	size_t n, size_t want, struct err *e)
{
	size_t lacks[2] = {0, 0}, both;
	char uuid[UUID_TEXT];
	int rc = bisect_stopped(b, e);

	for (size_t i = 0; i < n; i++)
		lacks[i] = have[i] < want ? want - have[i] : 0;
	both = lacks[0] < lacks[1] ? lacks[0] : lacks[1];
	if (both && !rc)
		rc = b->o->boot(b->o->arg, units, 2, (int)both, uuid, e);
	for (size_t i = 0; i < n && !rc; i++)
		if (lacks[i] > both)
			rc = b->o->boot(b->o->arg, &units[i], 1, (int)(lacks[i] - both), uuid, e);
	return rc;
}

static int measure_load(struct bisect *b, const struct bisect_unit *units, struct boots *to,
	size_t n, bool together, struct err *e)
{
	const struct boots_one *ref;
	struct store *s;
	int rc = store_open(&s, b->o->state, e);

	for (size_t i = 0; i < n; i++)
		boots_release(&to[i]);
	if (rc)
		return rc;
	for (size_t i = 0; i < n && !rc; i++)
		rc = boots_load(
			&to[i], s, &b->ask, units[i].image, together ? units[!i].image : NULL, e);
	/* Runs open it for themselves. */
	store_close(s);
	ref = n > 1 ? boots_reference(&to[0], &to[1]) : boots_reference(&b->ends[0], &b->ends[1]);
	for (size_t i = 0; i < n && !rc; i++) {
		rc = boots_keep(&to[i], ref, e);
		/* It may have been dropped with others of its set. */
		ref = n > 1 ? boots_reference(&to[0], &to[1]) : ref;
	}
	return rc;
}

static size_t measure_least(const struct boots *b, size_t n)
{
	return n > 1 && b[1].n < b[0].n ? b[1].n : b[0].n;
}

static size_t measure_failed(const struct boots *b, size_t n)
{
	return b[0].failed + (n > 1 ? b[1].failed : 0);
}

/* Load, and boot what is missing, until each has the look's boots, or one does not boot. */
static int measure_look(struct bisect *b, const struct bisect_unit *units, struct boots *to,
	size_t n, bool together, size_t *look, struct err *e)
{
	int rc = measure_load(b, units, to, n, together, e);
	size_t first = decide_look(&b->plan, measure_least(to, n));

	*look = first > *look ? first : *look;
	for (int tries = 0; !rc; tries++) {
		size_t have[2] = {to[0].n, n > 1 ? to[1].n : 0};
		struct err failed = ERR_INIT;

		if (to[0].broken || (n > 1 && to[1].broken) ||
			measure_least(to, n) >= b->plan.looks[*look])
			return 0;
		for (size_t i = 0; i < n && tries == BISECT_TRIES; i++)
			to[i].broken = to[i].failed && to[i].n < b->plan.looks[*look];
		if (to[0].broken || (n > 1 && to[1].broken))
			return 0;
		if (tries == BISECT_TRIES)
			return err_set(e, ERR_BUG, NULL,
				"boots of image %.12s were made, and are not in the store",
				units[0].image);
		rc = measure_boot(b, units, have, n, b->plan.looks[*look], &failed);
		/* What ended for the image's sake shows in the store. */
		if (rc && rc != -ERR_INTERRUPTED && rc != -ERR_BUSY && rc != -ERR_USAGE) {
			size_t before = measure_failed(to, n);
			int again = measure_load(b, units, to, n, together, e);

			if (!again && (to[0].broken || (n > 1 && to[1].broken)))
				return 0;
			/* It boots, but not always. */
			if (!again && measure_failed(to, n) > before) {
				rc = 0;
				continue;
			}
		}
		if (rc)
			*e = failed;
		else
			rc = measure_load(b, units, to, n, together, e);
	}
	return rc;
}

/* The next candidates are built while the machine is busy: what follows after each decision. */
static void measure_ahead(struct bisect *b, const char *commit)
{
	static const enum walk_word words[] = {WALK_GOOD, WALK_BAD};
	struct err ignored = ERR_INIT;
	const char *want[2];
	struct walk w[2] = {{.list = NULL}, {.list = NULL}};
	size_t n = 0;

	for (int i = 0; i < (commit ? 2 : 1); i++) {
		struct walk_marks m;

		bisect_log_marks(&b->r->log, &m);
		m.v = mem_grow(m.v, m.n + 2, sizeof(*m.v));
		if (commit) {
			m.v[m.n].word = words[i];
			snprintf(m.v[m.n++].commit, GIT_HASH_MAX, "%s", commit);
		} else if (!m.n) {
			m.v[m.n].word = WALK_GOOD;
			snprintf(m.v[m.n++].commit, GIT_HASH_MAX, "%s", b->good);
			m.v[m.n].word = WALK_BAD;
			snprintf(m.v[m.n++].commit, GIT_HASH_MAX, "%s", b->bad);
		}
		if (!walk_at(b->o->repo, &m, &w[i], &ignored) && w[i].kind == WALK_NEXT)
			want[n++] = w[i].commit;
		free(m.v);
	}
	builds_want(b->builds, want, n);
	walk_release(&w[0]);
	walk_release(&w[1]);
}

static int ends_units(struct bisect *b, struct bisect_unit units[2], struct err *e)
{
	static const char *const names[] = {"good", "bad"}, *const words[] = {"GOOD", "BAD"};
	const char *both[] = {b->good, b->bad};
	struct builds_image image;
	int rc = 0;

	builds_want(b->builds, both, 2);
	for (int i = 0; i < 2 && !rc; i++) {
		rc = bisect_unit(b, both[i], &units[i], &image, e);
		if (!rc && !image.made)
			rc = err_set(e, ERR_IMAGE, "E_ENDS", "%s (%.12s) %s; give another commit",
				words[i], both[i], image.why);
		if (!rc)
			snprintf(units[i].name, sizeof(units[i].name), "%s", names[i]);
	}
	return rc;
}

/* "-9.8 % [-10.1, -9.5]", "+0.12 %" */
static void ends_percent(const struct decide_ends *d, char *out, size_t size)
{
	int n = snprintf(out, size, "%+.3g %%", d->pct);

	if (d->bounded && n > 0 && (size_t)n < size)
		snprintf(out + n, size - (size_t)n, " [%+.3g, %+.3g]", d->lo, d->hi);
}

static int ends_log(struct bisect *b, struct err *e)
{
	const char *both[] = {b->good, b->bad};
	char mean[64], runs[200], percent[96], line[BISECT_LINE];
	int rc = 0;

	ends_percent(&b->r->ends, percent, sizeof(percent));
	for (int i = 0; i < 2 && !rc; i++) {
		struct bisect_commit c;

		rc = bisect_describe(b, both[i], false, &c, e);
		bisect_mean(&b->ends[i], mean, sizeof(mean));
		boots_runs(&b->ends[i], runs, sizeof(runs));
		snprintf(line, sizeof(line), "%s%s%s, run %s: %.100s", mean, i ? ", " : "",
			i ? percent : "", runs, c.subject);
		if (!rc)
			bisect_log_add(&b->r->log, both[i], i ? WALK_BAD : WALK_GOOD, line);
	}
	return rc ? rc : bisect_state_save(b, e);
}

static void ends_say(struct bisect *b)
{
	char good[64], bad[64], percent[96], line[BISECT_LINE];

	bisect_mean(&b->ends[0], good, sizeof(good));
	bisect_mean(&b->ends[1], bad, sizeof(bad));
	ends_percent(&b->r->ends, percent, sizeof(percent));
	snprintf(line, sizeof(line), "GOOD %.12s %s; BAD %.12s %s: %s", b->good, good, b->bad, bad,
		percent);
	b->o->say(b->o->arg, line);
	if (b->r->ends.kind == DECIDE_DIFFER)
		return;
	b->r->end = b->r->ends.kind == DECIDE_SAME ? BISECT_SAME : BISECT_OPEN;
	snprintf(b->r->why, sizeof(b->r->why),
		b->r->end == BISECT_SAME
			? "GOOD and BAD do not differ by %g %%: %s (GOOD %s; BAD %s)"
			: "%g %%: whether GOOD and BAD differ by that cannot be told: %s (GOOD "
			  "%s; BAD %s); --max-boots allows more",
		b->o->effect, percent, good, bad);
}

int bisect_measure_ends(struct bisect *b, bool *differ, struct err *e)
{
	struct bisect_unit units[2];
	struct decide_ends *d = &b->r->ends;
	size_t look = 0;
	int rc = ends_units(b, units, e);

	*differ = false;
	if (rc)
		return rc;
	if (!strcmp(units[0].image, units[1].image)) {
		b->r->end = BISECT_SAME;
		snprintf(b->r->why, sizeof(b->r->why),
			"the images of GOOD and BAD are the same, to the byte");
		return 0;
	}
	measure_ahead(b, NULL);
	do {
		rc = measure_look(b, units, b->ends, 2, false, &look, e);
		for (int i = 0; i < 2 && !rc; i++)
			if (b->ends[i].broken)
				rc = err_set(e, ERR_IMAGE, "E_ENDS",
					"%s (%.12s) %s; give another commit", i ? "BAD" : "GOOD",
					i ? b->bad : b->good, b->ends[i].why);
		if (!rc)
			rc = decide_ends(d, &b->plan, &b->ends[0].m, &b->ends[1].m, e);
	} while (!rc && d->kind == DECIDE_OPEN && ++look < b->plan.n);
	if (rc)
		return rc;
	*differ = d->kind == DECIDE_DIFFER;
	ends_say(b);
	return *differ && !b->r->log.n ? ends_log(b, e) : 0;
}

/* One commit that does not boot is its own fault.  After a second one a machine that broke is as
 * likely, which would have every other commit skipped: then GOOD does not boot any more, either. */
static int one_blame(struct bisect *b, struct err *e)
{
	struct builds_image image;
	struct bisect_unit good;
	char uuid[UUID_TEXT];
	struct err failed = ERR_INIT;
	int rc;

	if (++b->broken < BISECT_BLAME)
		return 0;
	b->o->say(b->o->arg, "several commits do not boot: does GOOD, still?");
	rc = bisect_unit(b, b->good, &good, &image, e);
	if (!rc)
		rc = b->o->boot(b->o->arg, &good, 1, 1, uuid, &failed);
	b->broken = 0;
	if (rc && failed.cls != ERR_INTERRUPTED && failed.cls != ERR_BUSY && failed.cls)
		return err_set(e, ERR_LAB, "E_BROKEN",
			"GOOD (%.12s) does not boot any more, so the machine is at fault, and "
			"those "
			"that were skipped may be, too; mend it, then bisect with --fresh: %.400s",
			b->good, failed.msg);
	if (rc && failed.cls)
		*e = failed;
	return rc;
}

static int one_boots(
	struct bisect *b, const char *commit, const struct bisect_unit *u, struct err *e)
{
	struct boots boots = {.v = NULL};
	struct decide_commit d = {.decided = false};
	char mean[64], runs[200], line[BISECT_LINE], t[32];
	enum walk_word word = WALK_SKIP;
	size_t look = 0;
	int rc;

	do {
		rc = measure_look(b, u, &boots, 1, false, &look, e);
		if (rc || boots.broken)
			break;
		rc = decide_commit(&d, &b->plan, &boots.m, &b->ends[0].m, &b->ends[1].m, e);
	} while (!rc && !d.decided && ++look < b->plan.n);
	if (rc)
		goto out;
	if (boots.broken) {
		rc = one_blame(b, e);
		if (rc)
			goto out;
		snprintf(line, sizeof(line), "%s", boots.why);
	} else {
		bisect_mean(&boots, mean, sizeof(mean));
		boots_runs(&boots, runs, sizeof(runs));
		snprintf(t, sizeof(t), d.exact ? "no spread" : "t %+.3g", d.t);
		snprintf(line, sizeof(line), "%s%s, %s, run %s",
			d.decided ? "" : "on neither side after all boots allowed: ", mean, t,
			runs);
		word = d.decided ? d.word : WALK_SKIP;
	}
	rc = bisect_decided(b, commit, word, line, e);
out:
	boots_release(&boots);
	return rc;
}

int bisect_one(struct bisect *b, const struct walk *w, struct err *e)
{
	const char *commit = w->commit;
	struct builds_image image;
	struct bisect_unit u;
	char line[BISECT_LINE];
	int rc;

	snprintf(line, sizeof(line), "%zu commits left, about %d %s: %.12s", w->n, w->steps,
		w->steps == 1 ? "step" : "steps", commit);
	b->o->say(b->o->arg, line);
	builds_want(b->builds, &commit, 1);
	rc = bisect_unit(b, commit, &u, &image, e);
	if (rc)
		return rc;
	if (!image.made)
		return bisect_decided(b, commit, WALK_SKIP, image.why, e);
	measure_ahead(b, commit);
	return one_boots(b, commit, &u, e);
}

/* In turns within one run, as boots of two commits are compared best. */
static int confirm_boots(struct bisect *b, struct boots boots[2], bool *shown, struct err *e)
{
	struct bisect_result *r = b->r;
	struct decide_ends d;
	size_t look = 0;
	int rc;

	do {
		rc = measure_look(b, r->units, boots, 2, true, &look, e);
		if (rc)
			return rc;
		if (boots[0].broken || boots[1].broken) {
			snprintf(r->why, sizeof(r->why), "%.12s %.400s",
				boots[0].broken ? r->last.hash : r->first.hash,
				boots[0].broken ? boots[0].why : boots[1].why);
			return 0;
		}
		rc = decide_ends(&d, &b->plan, &boots[0].m, &boots[1].m, e);
		*shown = !rc && d.p < (100 - b->plan.conf) / 100 && d.faster == b->r->ends.faster;
	} while (!rc && !*shown && ++look < b->plan.n);
	if (!rc && !*shown) {
		char percent[96];

		ends_percent(&d, percent, sizeof(percent));
		snprintf(r->why, sizeof(r->why),
			"%.12s and the good commit before it, booted in turns, do not show the "
			"difference: %s",
			r->first.hash, percent);
	}
	return rc;
}

static void confirm_add_runs(struct bisect_result *r, const struct boots *b)
{
	for (size_t i = 0; i < b->n; i++) {
		size_t k = 0;

		while (k < r->n_runs && strcmp(r->runs[k], b->v[i].run) != 0)
			k++;
		if (k < r->n_runs)
			continue;
		r->runs = mem_grow(r->runs, r->n_runs + 1, sizeof(*r->runs));
		snprintf(r->runs[r->n_runs++], UUID_TEXT, "%s", b->v[i].run);
	}
}

/* For the report, which wants boots of both. */
static void confirm_runs(struct bisect_result *r, const struct boots boots[2])
{
	for (int i = 0; i < 2; i++)
		if (boots[i].broken || boots[i].n < VERDICT_BOOTS_MIN)
			return;
	confirm_add_runs(r, &boots[0]);
	confirm_add_runs(r, &boots[1]);
}

int bisect_confirm(struct bisect *b, struct err *e)
{
	struct bisect_result *r = b->r;
	const char *both[] = {r->last.hash, r->first.hash};
	struct boots boots[2] = {{.v = NULL}, {.v = NULL}};
	struct builds_image image;
	char line[BISECT_LINE];
	bool shown = false;
	int rc;

	r->end = BISECT_UNCONFIRMED;
	builds_want(b->builds, both, 2);
	rc = bisect_unit(b, both[0], &r->units[0], &image, e);
	if (!rc && !image.made) {
		/* It was never measured: it is good because commits after it are. */
		rc = bisect_describe(b, b->good, false, &r->last, e);
		if (!rc)
			rc = bisect_unit(b, b->good, &r->units[0], &image, e);
	}
	if (!rc)
		rc = bisect_unit(b, both[1], &r->units[1], &image, e);
	if (rc)
		return rc;
	if (!strcmp(r->units[0].image, r->units[1].image)) {
		snprintf(r->why, sizeof(r->why),
			"the images of %.12s and the good commit before it, %.12s, are the same, "
			"to the byte",
			r->first.hash, r->last.hash);
		return 0;
	}
	snprintf(line, sizeof(line), "first bad: %.12s %.200s; against %.12s, in turns",
		r->first.hash, r->first.subject, r->last.hash);
	b->o->say(b->o->arg, line);
	rc = confirm_boots(b, boots, &shown, e);
	if (!rc) {
		r->end = shown ? BISECT_FOUND : BISECT_UNCONFIRMED;
		confirm_runs(r, boots);
	}
	boots_release(&boots[0]);
	boots_release(&boots[1]);
	return rc;
}
