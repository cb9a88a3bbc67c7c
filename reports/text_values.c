/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The ministat block over all samples, and what the boots say. */
#include "reports/text_private.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/mem.h"
#include "harness/stats/moments.h"
#include "reports/ministat.h"

/* A mode with enough samples for the block. */
struct values_set {
	const char *mode;
	double *v; /* owned */
	size_t n;
};

static void values_block(struct buf *out, const struct values_set *sets, size_t n)
{
	struct ministat_set list[MINISTAT_MAX_SETS];
	struct ministat_opts opts = MINISTAT_OPTS_INIT;
	struct err e = ERR_INIT;
	int rc = 0;

	for (size_t i = 0; i < n && !rc; i++)
		rc = ministat_set_values(&list[i], sets[i].mode, sets[i].v, sets[i].n, &e);
	if (!rc)
		rc = ministat_render(out, list, n, &opts, &e);
	if (rc)
		text_para(out, "", e.msg);
}

/* Mean of boot means, deviation of boot means (n - 1), and the deviation within a boot pooled over
 * boots: sqrt(sum (k_i - 1) s_i^2 / sum (k_i - 1)). */
static void values_boots(struct buf *out, const struct model *m, const char *mode, char symbol)
{
	double *means = mem_array(m->n_list, sizeof(*means)), within = 0, dof = 0;
	char between_text[48] = "-", within_text[48] = "-";
	struct moments all, one;
	struct err e = ERR_INIT;
	size_t n = 0;

	for (size_t i = 0; i < m->n_list; i++) {
		const struct model_boot *b = &m->list[i];
		double *v;
		size_t k;

		if (b->r.outcome != OUTCOME_OK || strcmp(b->r.mode, mode) != 0)
			continue;
		model_boot_values(b, &v, &k);
		if (k && !moments_init(&one, v, k, &e)) {
			means[n++] = one.avg;
			if (k > 1) {
				within += (double)(k - 1) * one.sd * one.sd;
				dof += (double)(k - 1);
			}
		}
		free(v);
	}
	if (!n || moments_init(&all, means, n, &e))
		goto out;
	if (n > 1)
		snprintf(between_text, sizeof(between_text), "%.8g (%.2f %%)", all.sd,
			100 * all.sd / all.avg);
	if (dof > 0)
		snprintf(within_text, sizeof(within_text), "%.8g (%.2f %%)", sqrt(within / dof),
			100 * sqrt(within / dof) / all.avg);
	buf_addf(out, "%c %-10s %5zu %14.8g %22s %22s\n", symbol, mode, n, all.avg, between_text,
		within_text);
out:
	free(means);
}

static void values_means(
	struct buf *out, const struct values_set *sets, size_t n, const struct model *m)
{
	buf_adds(out, "\n");
	text_para(out, "note",
		n > 1 ? "The block takes all samples as independent. Samples of one boot are not: "
			"they share whatever changes from boot to boot, and where boots differ the "
			"errors above are too small. Before a difference is called proven, hold it "
			"against the spread between boots:"
		      : "Samples of one boot are not independent: they share whatever changes from "
			"boot to boot. The boots by themselves:");
	if (m->boots < MODEL_BOOTS_MIN)
		text_para(out, "", "Fewer than 3 boots a mode prove nothing.");
	buf_addf(out, "  %-10s %5s %14s %22s %22s\n", "mode", "boots", "mean of means",
		"sd between boots", "sd within a boot");
	for (size_t i = 0; i < n; i++)
		values_boots(out, m, sets[i].mode, MINISTAT_SYMBOLS[i + 1]);
}

/* Which modes are in the block, and why others are not.  Returns how many are. */
static size_t values_collect(
	struct buf *out, const struct model *m, struct values_set sets[MINISTAT_MAX_SETS])
{
	const char *first = NULL;
	struct buf line;
	size_t n = 0;

	buf_init(&line, TEXT_LINE_MAX);
	for (size_t i = 0; i < m->n_modes; i++) {
		struct values_set set = {.mode = m->modes[i].mode};

		if (m->modes[i].skipped)
			continue;
		first = first ? first : set.mode;
		model_values(m, set.mode, &set.v, &set.n);
		if (set.n >= MINISTAT_MIN_POINTS && n < MINISTAT_MAX_SETS) {
			sets[n++] = set;
			continue;
		}
		free(set.v);
		buf_clear(&line);
		if (set.n >= MINISTAT_MIN_POINTS)
			buf_addf(&line, "%s is not compared: the block holds %d modes at most",
				set.mode, MINISTAT_MAX_SETS);
		else
			buf_addf(&line,
				"%s is not compared: it has %zu sample%s, and %d are needed",
				set.mode, set.n, set.n == 1 ? "" : "s", MINISTAT_MIN_POINTS);
		text_para(out, "missing", line.data);
	}
	buf_clear(&line);
	if (!n)
		buf_adds(&line, "No mode has samples enough: there is nothing to compare.");
	else if (n == 1)
		buf_addf(&line, "Only %s has samples enough: there is nothing to compare it with.",
			sets[0].mode);
	else if (strcmp(first, sets[0].mode) != 0)
		buf_addf(&line, "The reference is %s, since %s is missing.", sets[0].mode, first);
	if (line.len)
		text_para(out, "compared", line.data);
	buf_release(&line);
	return n;
}

void text_values(struct buf *out, const struct model *m)
{
	struct values_set sets[MINISTAT_MAX_SETS];
	size_t n = values_collect(out, m, sets);

	if (n) {
		values_block(out, sets, n);
		values_means(out, sets, n, m);
	}
	for (size_t i = 0; i < n; i++)
		free(sets[i].v);
}
