/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/run_pilot.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/mem.h"
#include "harness/stats/stein.h"

enum { PILOT_LINE_MAX = 512 };

void run_pilot_init(struct run_pilot *p, const struct run_info *info)
{
	*p = (struct run_pilot){.info = info};
	p->modes = mem_array(info->n_modes, sizeof(*p->modes));
}

void run_pilot_release(struct run_pilot *p)
{
	for (size_t m = 0; p->modes && m < p->info->n_modes; m++)
		free(p->modes[m].means);
	free(p->modes);
	p->modes = NULL;
}

/* The place of a mode of a build among info->modes, or their number. */
static size_t pilot_find(const struct run_info *i, const char *build, const char *mode)
{
	size_t m = 0;

	while (m < i->n_modes &&
		(strcmp(i->modes[m].build, build) != 0 || strcmp(i->modes[m].mode, mode) != 0))
		m++;
	return m;
}

void run_pilot_add(struct run_pilot *p, const struct boot_result *b)
{
	size_t at = pilot_find(p->info, b->build, b->mode), kept = 0;
	struct run_pilot_mode *m = &p->modes[at];
	double sum = 0;

	for (size_t i = 0; i < b->n_samples; i++)
		if (!b->samples[i].warmup) {
			sum += (double)b->samples[i].ns;
			kept++;
		}
	if (at == p->info->n_modes || b->outcome != OUTCOME_OK || !kept)
		return;
	m->means = mem_grow(m->means, m->n + 1, sizeof(*m->means));
	m->means[m->n++] = sum / (double)kept;
}

void run_pilot_give_up(struct run_pilot *p, size_t mode)
{
	p->modes[mode].given_up = true;
}

static void pilot_say(run_pilot_say_fn *say, void *arg, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
static void pilot_say(run_pilot_say_fn *say, void *arg, const char *fmt, ...)
{
	char line[PILOT_LINE_MAX];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	say(arg, line);
}

/* Why this mode takes no part: "it …"; or NULL. */
static const char *pilot_lacks(const struct run_pilot_mode *m, char *out, size_t size)
{
	if (m->given_up)
		return "cannot be had here";
	if (m->n >= RUN_PILOT_MIN)
		return NULL;
	snprintf(out, size, "has %zu good boot%s of the %d that are needed", m->n,
		m->n == 1 ? "" : "s", RUN_PILOT_MIN);
	return out;
}

/* A share as percent: two digits, or all before the point. */
static const char *pilot_percent(double share, char out[24])
{
	double pct = 100 * share;

	snprintf(out, 24, pct < 99.5 ? "%.2g" : "%.0f", fmin(pct, 1e12));
	return out;
}

static void pilot_say_decision(const struct run_pilot *p, const struct stein *s,
	const struct moments *ref, const char *name, int wanted, run_pilot_say_fn *say, void *arg)
{
	const struct run_until *u = &p->info->until;
	char vary[24], half[24], width[24], more[24];
	int all = wanted < u->max ? wanted : u->max;

	pilot_percent(s->s0 / fabs(ref->avg), vary);
	pilot_percent(stein_half(s, all) / fabs(ref->avg), half);
	snprintf(width, sizeof(width), "%.6g", 100 * u->width);
	snprintf(more, sizeof(more), "%s%d", s->capped ? "more than " : "", wanted);
	if (wanted > u->max && u->max > u->pilot)
		pilot_say(say, arg,
			"second stage: %d boots a mode, the most allowed; the interval will be "
			"about +-%s %%, as +-%s %% of %s would take %s (pilot of %d: boot means "
			"vary by %s %%)",
			all, half, width, name, more, u->pilot, vary);
	else if (wanted > u->max)
		pilot_say(say, arg,
			"no second stage: the pilot's %d boots a mode are the most allowed; the "
			"interval will be about +-%s %%, as +-%s %% of %s would take %s (boot "
			"means vary by %s %%)",
			u->pilot, half, width, name, more, vary);
	else if (wanted > u->pilot)
		pilot_say(say, arg,
			"second stage: %d boots a mode (pilot of %d: boot means vary by %s %%, "
			"+-%s %% of %s asked for)",
			wanted, u->pilot, vary, width, name);
	else
		pilot_say(say, arg,
			"no second stage: the pilot's %d boots a mode are enough (boot means vary "
			"by %s %%, +-%s %% of %s asked for)",
			u->pilot, vary, width, name);
}

/* Boots that the pilot has lost are not booted again, but each side must have as many as the rule
 * says. */
static void pilot_make_up(struct stein *s, const struct run_pilot *p,
	const struct run_pilot_mode *ref, const struct run_pilot_mode *mode)
{
	size_t least = mode->n < ref->n ? mode->n : ref->n;
	int lost = p->info->until.pilot - (int)least;

	if (lost > 0 && s->boots < STEIN_BOOTS_MAX - lost)
		s->boots += lost;
}

/* The first mode that is not skipped, of this build or (NULL) of any; or their number. */
static size_t pilot_first(const struct run_info *i, const char *build)
{
	size_t m = 0;

	while (m < i->n_modes &&
		(i->modes[m].skipped || (build && strcmp(i->modes[m].build, build) != 0)))
		m++;
	return m;
}

/* What a mode is compared with by the rule; its own place: with nothing. */
static size_t pilot_ref(const struct run_info *i, size_t m, bool by_build)
{
	const struct run_mode *d = &i->modes[m];
	size_t same;

	if (!by_build)
		return pilot_first(i, NULL);
	if (!strcmp(d->build, i->builds[0].name))
		return m;
	same = pilot_find(i, i->builds[0].name, d->mode);
	return same < i->n_modes && !i->modes[same].skipped ? same : pilot_first(i, d->build);
}

/* How many comparisons there are to be. */
static int pilot_pairs(const struct run_info *i, bool by_build)
{
	int n = 0;

	for (size_t m = 0; m < i->n_modes; m++)
		n += !i->modes[m].skipped && pilot_ref(i, m, by_build) != m;
	return n;
}

static const char *pilot_label(const struct run_mode *m, char out[LABEL_MAX])
{
	result_label(m->build, m->mode, out);
	return out;
}

/* The comparison that asks for most boots. */
struct pilot_most {
	struct stein s;
	struct moments ref;
	size_t ref_at; /* of it, among info->modes */
	int n;	       /* comparisons that took part */
};

static int pilot_compare(
	const struct run_pilot *p, size_t m, size_t r, struct pilot_most *most, struct err *e)
{
	struct moments ref, mode;
	struct stein s;
	int rc = moments_init_copy(&ref, p->modes[r].means, p->modes[r].n, e);

	if (!rc)
		rc = moments_init_copy(&mode, p->modes[m].means, p->modes[m].n, e);
	if (!rc)
		rc = stein_boots(&s, &ref, m == r ? NULL : &mode, p->info->until.width, e);
	if (rc)
		return rc;
	pilot_make_up(&s, p, &p->modes[r], &p->modes[m]);
	if (!most->n++ || s.boots > most->s.boots ||
		(s.boots == most->s.boots && s.s0 * s.t > most->s.s0 * most->s.t)) {
		most->s = s;
		most->ref = ref;
		most->ref_at = r;
	}
	return 0;
}

static int pilot_widest(const struct run_pilot *p, bool by_build, struct pilot_most *most,
	run_pilot_say_fn *say, void *arg, struct err *e)
{
	const struct run_info *i = p->info;
	char why[96], label[LABEL_MAX], ref[LABEL_MAX];
	int rc = 0;

	for (size_t m = 0; m < i->n_modes && !rc; m++) {
		size_t r = pilot_ref(i, m, by_build);
		const char *lacks;

		if (i->modes[m].skipped || r == m)
			continue;
		lacks = pilot_lacks(&p->modes[m], why, sizeof(why));
		pilot_label(&i->modes[m], label);
		if (lacks) {
			pilot_say(say, arg, "%s%s takes no part in the second stage's rule: it %s",
				by_build ? "" : "mode ", label, lacks);
			continue;
		}
		lacks = pilot_lacks(&p->modes[r], why, sizeof(why));
		if (lacks)
			pilot_say(say, arg,
				"%s takes no part in the second stage's rule: it is compared with "
				"%s, which %s",
				label, pilot_label(&i->modes[r], ref), lacks);
		else
			rc = pilot_compare(p, m, r, most, e);
	}
	return rc;
}

int run_pilot_decide(const struct run_pilot *p, run_pilot_say_fn *say, void *arg)
{
	const struct run_info *i = p->info;
	bool by_build = i->n_builds && pilot_pairs(i, true);
	struct pilot_most most = {.n = 0};
	size_t first = pilot_first(i, NULL);
	char why[96], ref[LABEL_MAX];
	struct err e = ERR_INIT;
	const char *lacks;
	int rc;

	if (first == i->n_modes)
		return 0;
	lacks = pilot_lacks(&p->modes[first], why, sizeof(why));
	if (lacks && !by_build) {
		pilot_say(say, arg, "no second stage: mode %s is the reference, and it %s",
			pilot_label(&i->modes[first], ref), lacks);
		return 0;
	}
	if (pilot_pairs(i, by_build))
		rc = pilot_widest(p, by_build, &most, say, arg, &e);
	else
		rc = pilot_compare(p, first, first, &most, &e);
	if (rc) {
		pilot_say(say, arg, "no second stage: %s", e.msg);
		return 0;
	}
	if (!most.n) {
		pilot_say(say, arg, "no second stage: no mode is left to compare with %s",
			by_build ? i->builds[0].name : pilot_label(&i->modes[first], ref));
		return 0;
	}
	if (most.s.boots < i->until.pilot)
		most.s.boots = i->until.pilot;
	pilot_say_decision(p, &most.s, &most.ref, pilot_label(&i->modes[most.ref_at], ref),
		most.s.boots, say, arg);
	return most.s.boots;
}
