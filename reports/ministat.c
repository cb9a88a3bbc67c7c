/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/ministat.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "reports/ministat_narrow.h"
#include "reports/ministat_plot.h"

int ministat_set_values(
	struct ministat_set *s, const char *name, double *v, size_t n, struct err *e)
{
	*s = (struct ministat_set){.name = name, .v = v};
	return moments_init(&s->m, v, n, e) ? err_prefix(e, "%s", name) : 0;
}

int ministat_set_summary(
	struct ministat_set *s, const char *name, const struct moments *given, struct err *e)
{
	*s = (struct ministat_set){.name = name};
	return moments_init_summary(&s->m, given, e) ? err_prefix(e, "%s", name) : 0;
}

int ministat_check(
	const struct ministat_set *sets, size_t nsets, const struct ministat_opts *o, struct err *e)
{
	if (!nsets || nsets > MINISTAT_MAX_SETS)
		return err_set(e, ERR_USAGE, NULL, "%zu sets to compare: give 1 to %d", nsets,
			MINISTAT_MAX_SETS);
	if (o->width < MINISTAT_MIN_WIDTH || o->width > MINISTAT_MAX_WIDTH)
		return err_set(e, ERR_USAGE, NULL, "plot width %zu is outside %d .. %d", o->width,
			MINISTAT_MIN_WIDTH, MINISTAT_MAX_WIDTH);
	for (size_t i = 0; i < nsets; i++)
		if (sets[i].m.n < MINISTAT_MIN_POINTS)
			return err_set(e, ERR_USAGE, NULL,
				"Dataset %s must contain at least %d data points", sets[i].name,
				MINISTAT_MIN_POINTS);
	return 0;
}

static void ministat_name(struct buf *out, char symbol, const char *name)
{
	buf_addf(out, "%c ", symbol);
	for (; *name; name++)
		buf_addc(out, (unsigned char)*name < 0x20 || *name == 0x7f ? '?' : *name);
	buf_addc(out, '\n');
}

static void ministat_row(struct buf *out, char symbol, const struct moments *m)
{
	buf_addf(out, "%c %3zu", symbol, m->n);
	if (isnan(m->median))
		buf_addf(out, " %13s %13s %13s", "-", "-", "-");
	else
		buf_addf(out, " %13.8g %13.8g %13.8g", m->min, m->max, m->median);
	buf_addf(out, " %13.8g %13.8g\n", m->avg, m->sd);
}

static void ministat_verdict(
	struct buf *out, const struct ttest_ministat *t, const struct moments *ref, double conf)
{
	char level[32];

	/* One decimal is the format; a level that needs more keeps its digits. */
	snprintf(level, sizeof(level), "%.1f", conf);
	for (int digits = 3; digits <= 17 && strtod(level, NULL) != conf; digits++)
		snprintf(level, sizeof(level), "%.*g", digits, conf);
	if (!t->proven) {
		buf_addf(out, "No difference proven at %s%% confidence\n", level);
		return;
	}
	buf_addf(out, "Difference at %s%% confidence\n", level);
	buf_addf(out, "\t%g +/- %g\n", t->diff, t->err);
	if (isfinite(t->pct) && isfinite(t->pct_err))
		buf_addf(out, "\t%g%% +/- %g%%\n", t->pct, t->pct_err);
	else
		buf_addf(out, "\tno percentage: the mean of the reference is %g\n", ref->avg);
	buf_addf(out, "\t(Student's t, pooled s = %g)\n", t->pooled);
}

int ministat_render(struct buf *out, const struct ministat_set *sets, size_t nsets,
	const struct ministat_opts *o, struct err *e)
{
	struct ttest_ministat diff[MINISTAT_MAX_SETS];
	bool plot = !o->no_plot && !o->no_diff;
	struct ministat_narrow narrow;
	int rc;

	rc = ministat_check(sets, nsets, o, e);
	for (size_t i = 0; !rc && i < nsets; i++) {
		/* The reference against itself too: a bad level is an error also for one set. */
		rc = ttest_ministat(&diff[i], &sets[0].m, &sets[i].m, o->conf, o->relative, e);
		plot = plot && sets[i].v;
	}
	if (rc)
		return rc;

	for (size_t i = 0; !o->quiet && i < nsets; i++)
		ministat_name(out, MINISTAT_SYMBOLS[i + 1], sets[i].name);
	if (plot)
		ministat_plot_render(out, sets, nsets, o);
	ministat_narrow_init(&narrow, sets, nsets, o->columns);
	if (!o->quiet && narrow.on)
		ministat_narrow_header(out, &narrow);
	else if (!o->quiet)
		buf_adds(out, "    N           Min           Max        Median           Avg"
			      "        Stddev\n");
	for (size_t i = 0; i < nsets; i++) {
		if (narrow.on)
			ministat_narrow_row(out, &narrow, MINISTAT_SYMBOLS[i + 1], &sets[i].m);
		else
			ministat_row(out, MINISTAT_SYMBOLS[i + 1], &sets[i].m);
		if (i && !o->no_diff)
			ministat_verdict(out, &diff[i], &sets[0].m, o->conf);
	}
	if (out->failed)
		return err_set(e, ERR_BUG, NULL,
			"the comparison does not fit into a report of %zu bytes", out->max);
	return 0;
}
