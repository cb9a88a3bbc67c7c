/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The block that people know, as text. */
#include "reports/html_private.h"

#include <stdlib.h>
#include <string.h>

#include "harness/base/mem.h"
#include "reports/ministat.h"

/* The table below the plot should not be a screen away. */
enum { MINISTAT_ROWS = 32 };

/* ministat_set_values() reorders: each set is copied first. */
static int block_collect(struct buf *out, const struct html_view *v, size_t first, size_t end,
	struct ministat_set *list, double **copies, size_t *n, struct err *e)
{
	int rc = 0;

	*n = 0;
	for (size_t i = first; i < end && !rc; i++) {
		const struct comparison_set *s = &v->c->sets[i];

		if (!s->usable)
			continue;
		if (*n == MINISTAT_MAX_SETS) {
			buf_adds(out, "<p class=\"missing\">");
			html_escf(out, "The block holds %d sets at most: %s is not in it.",
				MINISTAT_MAX_SETS, s->name);
			buf_adds(out, "</p>\n");
			continue;
		}
		copies[*n] = mem_array(s->n_values, sizeof(**copies));
		memcpy(copies[*n], s->values, s->n_values * sizeof(**copies));
		rc = ministat_set_values(&list[*n], s->name, copies[*n], s->n_values, e);
		++*n;
	}
	return rc;
}

static void block_one(struct buf *out, const struct html_view *v, size_t block)
{
	struct ministat_opts opts = MINISTAT_OPTS_INIT;
	struct ministat_set list[MINISTAT_MAX_SETS];
	double *copies[MINISTAT_MAX_SETS];
	size_t first, end = html_block(v->c, block, &first), n;
	struct err e = ERR_INIT;
	struct buf text;
	int rc;

	opts.conf = v->c->opts.conf;
	opts.max_height = MINISTAT_ROWS;
	buf_init(&text, HTML_TEXT_MAX);
	rc = block_collect(out, v, first, end, list, copies, &n, &e);
	if (!rc && n)
		rc = ministat_render(&text, list, n, &opts, &e);
	if (rc || n) {
		html_scroll_open(out, "ministat block", "");
		buf_adds(out, "<pre class=\"ministat\">");
		html_esc(out, rc ? e.msg : text.data);
		buf_adds(out, "</pre>\n");
		html_scroll_close(out);
	}
	for (size_t i = 0; i < n; i++)
		free(copies[i]);
	buf_release(&text);
}

void html_block_text(struct buf *out, const struct html_view *v)
{
	bool any = false;

	for (size_t i = 0; i < v->c->n_sets; i++)
		any = any || v->symbol[i];
	if (!any)
		return;
	buf_adds(out, "<section id=\"ministat\" aria-labelledby=\"h-ministat\">\n"
		      "<h2 id=\"h-ministat\">As ministat prints it</h2>\n"
		      "<p>Nanoseconds. The block takes all samples as independent. Samples of one "
		      "boot are not: where boots differ, its errors are too small. The verdict "
		      "above is the one to go by.</p>\n");
	for (size_t b = 0; b < v->c->n_blocks; b++)
		block_one(out, v, b);
	buf_adds(out, "</section>\n");
}
