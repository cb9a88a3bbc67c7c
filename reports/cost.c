/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/cost.h"

#include <math.h>
#include <stdlib.h>

#include "harness/base/clock.h"
#include "harness/base/mem.h"
#include "harness/stats/median.h"

enum { COST_SHOWN = 50 }; /* a stage is told from this part of a boot on: 2 % */

enum cost_way cost_way(const struct boot_result *r)
{
	if (r->stages[STAGE_POWER_OFF].reached)
		return COST_CYCLE;
	if (r->stages[STAGE_BOOT_DEVICE].reached)
		return COST_RESET;
	if (r->stages[STAGE_FIRMWARE].reached)
		return COST_RESTART;
	return COST_UNKNOWN;
}

const char *cost_way_name(enum cost_way w)
{
	switch (w) {
	case COST_CYCLE:
		return "cycle";
	case COST_RESET:
		return "reset";
	case COST_RESTART:
		return "restart";
	case COST_UNKNOWN:
	case COST_WAYS:
		break;
	}
	return NULL;
}

static int64_t cost_stage_ns(const struct boot_result *r, int stage)
{
	return r->stages[stage].reached && r->stages[stage].ns > 0 ? r->stages[stage].ns : 0;
}

int64_t cost_boot_ns(const struct boot_result *r)
{
	int64_t ns = 0;

	for (int s = 0; s < STAGE_COUNT; s++)
		ns += cost_stage_ns(r, s);
	return ns;
}

/* Median over the boots of a way, of a stage or (STAGE_COUNT) of all. */
static int64_t cost_median(const struct model *m, enum cost_way w, int stage, double *room)
{
	size_t n = 0;

	for (size_t i = 0; i < m->n_list; i++) {
		const struct boot_result *r = &m->list[i].r;

		if (r->outcome == OUTCOME_OK && cost_way(r) == w)
			room[n++] = (double)(stage == STAGE_COUNT ? cost_boot_ns(r)
								  : cost_stage_ns(r, stage));
	}
	return n ? llround(median_of(room, n)) : 0;
}

void cost_init(struct cost *c, const struct model *m)
{
	double *room = mem_array(m->n_list + 1, sizeof(*room));

	*c = (struct cost){.failed = 0};
	for (size_t i = 0; i < m->n_list; i++) {
		const struct boot_result *r = &m->list[i].r;

		if (r->outcome == OUTCOME_OK) {
			c->ways[cost_way(r)].boots++;
		} else {
			c->failed++;
			c->failed_ns += cost_boot_ns(r);
		}
	}
	for (int w = 0; w < COST_WAYS; w++) {
		struct cost_group *g = &c->ways[w];

		if (!g->boots)
			continue;
		g->median_ns = cost_median(m, (enum cost_way)w, STAGE_COUNT, room);
		for (int s = 0; s < STAGE_COUNT; s++)
			g->stages_ns[s] = cost_median(m, (enum cost_way)w, s, room);
	}
	free(room);
}

/* "14 boots by restart, median 41.2s each: firmware 20.1s, hypervisor 12.4s" */
static void cost_group_line(struct buf *out, const struct cost_group *g, const char *way)
{
	const char *sep = ": ";
	char text[32];

	clock_human(g->median_ns, text, sizeof(text));
	buf_addf(out, "%zu boot%s%s%s, %s%s", g->boots, g->boots == 1 ? "" : "s", way ? " by " : "",
		way ? way : "", g->boots == 1 ? "" : "median ", text);
	for (int s = 0; s < STAGE_COUNT; s++) {
		if (g->stages_ns[s] <= 0 || g->stages_ns[s] < g->median_ns / COST_SHOWN)
			continue;
		clock_human(g->stages_ns[s], text, sizeof(text));
		buf_addf(out, "%s%s %s", sep, stage_name((enum stage)s), text);
		sep = ", ";
	}
	buf_addc(out, '\n');
}

void cost_lines(struct buf *out, const struct model *m)
{
	struct cost c;
	char text[32];

	cost_init(&c, m);
	if (m->ended && m->wall_ns > 0) {
		double machine = 100.0 * (double)m->machine_ns / (double)m->wall_ns;

		clock_human(m->wall_ns, text, sizeof(text));
		buf_addf(out,
			"%s for %zu boot%s: machine %.1f %% (firmware to probe, and settling), "
			"harness %.1f %%\n",
			text, m->n_list, m->n_list == 1 ? "" : "s", machine, 100.0 - machine);
	}
	for (int w = 0; w < COST_WAYS; w++)
		if (c.ways[w].boots)
			cost_group_line(out, &c.ways[w], cost_way_name((enum cost_way)w));
	if (c.failed) {
		clock_human(c.failed_ns, text, sizeof(text));
		buf_addf(out, "%zu boot%s that do%s not count took %s\n", c.failed,
			c.failed == 1 ? "" : "s", c.failed == 1 ? "es" : "", text);
	}
}
