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

static struct run_pilot_mode *pilot_mode(struct run_pilot *p, const char *mode)
{
	for (size_t m = 0; m < p->info->n_modes; m++)
		if (!strcmp(p->info->modes[m].mode, mode))
			return &p->modes[m];
	return NULL;
}

void run_pilot_add(struct run_pilot *p, const struct boot_result *b)
{
	struct run_pilot_mode *m = pilot_mode(p, b->mode);
	double sum = 0;
	size_t kept = 0;

	for (size_t i = 0; i < b->n_samples; i++)
		if (!b->samples[i].warmup) {
			sum += (double)b->samples[i].ns;
			kept++;
		}
	if (!m || b->outcome != OUTCOME_OK || !kept)
		return;
	m->means = mem_grow(m->means, m->n + 1, sizeof(*m->means));
	m->means[m->n++] = sum / (double)kept;
}

void run_pilot_give_up(struct run_pilot *p, const char *mode)
{
	struct run_pilot_mode *m = pilot_mode(p, mode);

	if (m)
		m->given_up = true;
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

/* The comparison that asks for most boots.  Returns how many comparisons there are, or negative. */
static int pilot_widest(const struct run_pilot *p, size_t r, const struct moments *ref,
	struct stein *most, run_pilot_say_fn *say, void *arg, struct err *e)
{
	const struct run_info *i = p->info;
	int pairs = 0, others = 0;
	char why[96];

	for (size_t m = r + 1; m < i->n_modes; m++) {
		const char *lacks = pilot_lacks(&p->modes[m], why, sizeof(why));
		struct moments mode;
		struct stein s;
		int rc;

		if (i->modes[m].skipped)
			continue;
		others++;
		if (lacks) {
			pilot_say(say, arg,
				"mode %s takes no part in the second stage's rule: it %s",
				i->modes[m].mode, lacks);
			continue;
		}
		rc = moments_init_copy(&mode, p->modes[m].means, p->modes[m].n, e);
		if (!rc)
			rc = stein_boots(&s, ref, &mode, i->until.width, e);
		if (rc)
			return rc;
		pilot_make_up(&s, p, &p->modes[r], &p->modes[m]);
		if (!pairs++ || s.boots > most->boots ||
			(s.boots == most->boots && s.s0 * s.t > most->s0 * most->t))
			*most = s;
	}
	if (others)
		return pairs;
	pairs = stein_boots(most, ref, NULL, i->until.width, e);
	if (pairs)
		return pairs;
	pilot_make_up(most, p, &p->modes[r], &p->modes[r]);
	return 1;
}

int run_pilot_decide(const struct run_pilot *p, run_pilot_say_fn *say, void *arg)
{
	const struct run_info *i = p->info;
	struct err e = ERR_INIT;
	struct moments ref;
	const char *lacks;
	struct stein s;
	size_t r = 0;
	char why[96];
	int n;

	while (r + 1 < i->n_modes && i->modes[r].skipped)
		r++;
	lacks = pilot_lacks(&p->modes[r], why, sizeof(why));
	if (lacks) {
		pilot_say(say, arg, "no second stage: mode %s is the reference, and it %s",
			i->modes[r].mode, lacks);
		return 0;
	}
	n = moments_init_copy(&ref, p->modes[r].means, p->modes[r].n, &e);
	if (!n)
		n = pilot_widest(p, r, &ref, &s, say, arg, &e);
	if (n < 0)
		pilot_say(say, arg, "no second stage: %s", e.msg);
	else if (!n)
		pilot_say(say, arg, "no second stage: no mode is left to compare with %s",
			i->modes[r].mode);
	if (n <= 0)
		return 0;
	if (s.boots < i->until.pilot)
		s.boots = i->until.pilot;
	pilot_say_decision(p, &s, &ref, i->modes[r].mode, s.boots, say, arg);
	return s.boots;
}
