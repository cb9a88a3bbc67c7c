/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The ministat block over all samples of a block's sets. */
#include "reports/text_private.h"

#include <stdlib.h>
#include <string.h>

#include "harness/base/mem.h"
#include "reports/ministat.h"

/* What the box of the plot and its margin take of a line: ministat's 74 columns of 80. */
enum { BLOCK_FRAME = 6 };

/* Symbols in the order of MINISTAT_SYMBOLS; no red and green, which are verdicts. */
static const char *const block_colours[] = {
	"", "\x1b[36m", "\x1b[35m", "\x1b[34m", "\x1b[33m", "\x1b[96m", "\x1b[95m", "\x1b[94m"};

static const char *block_colour(char symbol)
{
	const char *at = symbol == ' ' ? NULL : strchr(MINISTAT_SYMBOLS, symbol);

	return at && *at ? block_colours[at - MINISTAT_SYMBOLS] : "";
}

static void block_coloured(struct buf *out, const char *line, size_t n, size_t symbols)
{
	const char *now = "";

	for (size_t i = 0; i < n; i++) {
		const char *want = i < symbols ? block_colour(line[i]) : "";

		if (strcmp(want, now) != 0) {
			buf_adds(out, *now ? "\x1b[0m" : "");
			buf_adds(out, want);
			now = want;
		}
		buf_addc(out, line[i]);
	}
	buf_adds(out, *now ? "\x1b[0m" : "");
	buf_addc(out, '\n');
}

/* Symbols are whatever a plot's line holds, and what names and rows begin with. */
static void block_paint(struct buf *out, const char *block)
{
	while (*block) {
		size_t n = strcspn(block, "\n");

		block_coloured(out, block, n, *block == '|' ? n : n > 1 && block[1] == ' ');
		block += n + (block[n] == '\n');
	}
}

static void block_draw(const struct text *t, const struct comparison *c,
	const struct comparison_set *const *sets, size_t n)
{
	struct ministat_opts opts = MINISTAT_OPTS_INIT;
	struct ministat_set list[MINISTAT_MAX_SETS];
	double *copies[MINISTAT_MAX_SETS] = {NULL};
	struct err e = ERR_INIT;
	struct buf b;
	int rc = 0;

	opts.width = t->width - BLOCK_FRAME;
	opts.columns = t->width;
	opts.conf = c->opts.conf;
	opts.max_height = TEXT_PLOT_ROWS;
	buf_init(&b, t->out->max);
	for (size_t i = 0; i < n && !rc; i++) {
		copies[i] = mem_array(sets[i]->n_values, sizeof(*copies[i]));
		memcpy(copies[i], sets[i]->values, sets[i]->n_values * sizeof(*copies[i]));
		rc = ministat_set_values(&list[i], sets[i]->name, copies[i], sets[i]->n_values, &e);
	}
	if (!rc)
		rc = ministat_render(&b, list, n, &opts, &e);
	if (rc)
		text_para(t, "", e.msg);
	else if (t->colour)
		block_paint(t->out, b.data);
	else
		buf_add(t->out, b.data, b.len);
	for (size_t i = 0; i < n; i++)
		free(copies[i]);
	buf_release(&b);
}

static void block_missing(const struct text *t, const struct comparison_set *s)
{
	struct buf b;

	buf_init(&b, TEXT_LINE_MAX);
	if (*s->build && !s->n_boots)
		buf_addf(&b, "%s: no boot counts", s->name);
	else if (s->usable)
		buf_addf(&b, "%s is not in the block, which holds %d sets at most", s->name,
			MINISTAT_MAX_SETS);
	else
		buf_addf(&b, "%s is not compared: it has %zu sample%s, and %d are needed", s->name,
			s->n_values, s->n_values == 1 ? "" : "s", COMPARISON_SAMPLES_MIN);
	text_para(t, "missing", b.data);
	buf_release(&b);
}

/* What the sets that are there can be held against. */
static void block_reference(const struct text *t, const struct comparison *c,
	const struct comparison_set *first, const struct comparison_set *const *sets, size_t n)
{
	struct buf b;

	buf_init(&b, TEXT_LINE_MAX);
	if (!n)
		buf_addf(&b, "No %s has samples enough: there is nothing to compare.",
			c->kind == COMPARISON_RUN ? "mode" : "set");
	else if (n == 1)
		buf_addf(&b, "Only %s has samples enough: there is nothing to compare it with.",
			sets[0]->name);
	else if (first != sets[0])
		buf_addf(&b, "The reference is %s, since %s is missing.", sets[0]->name,
			first->name);
	if (b.len)
		text_para(t, "compared", b.data);
	buf_release(&b);
}

size_t text_block(const struct text *t, const struct comparison *c, size_t block)
{
	const struct comparison_set *sets[MINISTAT_MAX_SETS], *first = NULL;
	size_t n = 0;

	for (size_t i = 0; i < c->n_sets; i++) {
		const struct comparison_set *s = &c->sets[i];

		if (s->block != block)
			continue;
		first = first ? first : s;
		if (s->usable && n < MINISTAT_MAX_SETS)
			sets[n++] = s;
		else
			block_missing(t, s);
	}
	if (first)
		block_reference(t, c, first, sets, n);
	if (n)
		block_draw(t, c, sets, n);
	return n;
}
