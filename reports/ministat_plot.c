/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/ministat_plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/mem.h"

struct plot {
	size_t width;
	size_t height; /* rows of points */
	size_t scale;  /* points a mark, at most */
	double lo, hi;
	double x0, dx;
	size_t *stack; /* [set][column]: points, later marks */
	char *bars;    /* [row][column] */
};

static void plot_cover(struct plot *p, const struct moments *m)
{
	p->lo = fmin(p->lo, fmin(m->min, m->avg - m->sd));
	p->hi = fmax(p->hi, fmax(m->max, m->avg + m->sd));
}

/* Clamped: with a span of few representable numbers, rounding can leave the box. */
static size_t plot_column(const struct plot *p, double v)
{
	double x = (v - p->x0) / p->dx;

	if (!(x > 0))
		return 0;
	return x < (double)p->width ? (size_t)x : p->width - 1;
}

static void plot_stack(struct plot *p, size_t set, const struct ministat_set *s)
{
	size_t *stack = p->stack + set * p->width;

	for (size_t i = 0; i < s->m.n; i++) {
		size_t c = plot_column(p, s->v[i]);

		if (++stack[c] > p->height)
			p->height = stack[c];
	}
}

static void plot_rescale(struct plot *p, size_t nsets, size_t max_height)
{
	p->scale = 1;
	if (!max_height || p->height <= max_height)
		return;
	p->scale = (p->height + max_height - 1) / max_height;
	/* Rounded up, so that no point vanishes. */
	for (size_t i = 0; i < nsets * p->width; i++)
		p->stack[i] = (p->stack[i] + p->scale - 1) / p->scale;
	p->height = (p->height + p->scale - 1) / p->scale;
}

static void plot_bar(const struct plot *p, char *row, const struct moments *m)
{
	size_t from = plot_column(p, m->avg - m->sd);
	size_t to = plot_column(p, m->avg + m->sd);

	row[from] = row[to] = '|';
	for (size_t c = from + 1; c < to; c++)
		if (row[c] == ' ')
			row[c] = '_';
	row[plot_column(p, m->median)] = 'M';
	row[plot_column(p, m->avg)] = 'A';
}

static void plot_line(struct buf *out, char end, const char *cells, size_t width)
{
	buf_addc(out, end);
	buf_add(out, cells, width);
	buf_addc(out, end);
	buf_addc(out, '\n');
}

static void plot_points(struct buf *out, const struct plot *p, size_t nsets, char *cells)
{
	for (size_t row = p->height; row > 0 && !out->failed; row--) {
		for (size_t c = 0; c < p->width; c++) {
			size_t mask = 0;

			for (size_t i = 0; i < nsets; i++)
				if (p->stack[i * p->width + c] >= row)
					mask |= i + 1;
			cells[c] = MINISTAT_SYMBOLS[mask];
		}
		plot_line(out, '|', cells, p->width);
	}
}

void ministat_plot_render(struct buf *out, const struct ministat_set *sets, size_t nsets,
	const struct ministat_opts *o)
{
	struct plot p = {.width = o->width, .lo = INFINITY, .hi = -INFINITY};
	size_t rows = o->separate ? nsets : 1;
	char *cells;

	for (size_t i = 0; i < nsets; i++)
		plot_cover(&p, &sets[i].m);
	p.dx = (p.hi - p.lo) / ((double)p.width - 1);
	p.x0 = p.lo - p.dx / 2;
	if (!(p.dx > 0)) {
		buf_adds(out, "[no plot, span is zero width]\n");
		return;
	}

	p.stack = mem_array(nsets * p.width, sizeof(*p.stack));
	p.bars = mem_array(rows, p.width);
	cells = mem_array(1, p.width);
	memset(p.bars, ' ', rows * p.width);
	for (size_t i = 0; i < nsets; i++) {
		plot_stack(&p, i, &sets[i]);
		plot_bar(&p, p.bars + (o->separate ? i * p.width : 0), &sets[i].m);
	}
	plot_rescale(&p, nsets, o->max_height);

	memset(cells, '-', p.width);
	plot_line(out, '+', cells, p.width);
	plot_points(out, &p, nsets, cells);
	for (size_t i = 0; i < rows; i++)
		plot_line(out, '|', p.bars + i * p.width, p.width);
	memset(cells, '-', p.width);
	plot_line(out, '+', cells, p.width);
	if (p.scale > 1)
		buf_addf(out, "[a mark in the plot is up to %zu points]\n", p.scale);

	free(cells);
	free(p.bars);
	free(p.stack);
}
