/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of the HTML report and what they share.  Pure, as report_html(). */
#ifndef HARNESS_REPORTS_HTML_PRIVATE_H
#define HARNESS_REPORTS_HTML_PRIVATE_H

#include "harness/base/buf.h"
#include "reports/comparison.h"
#include "reports/html_text.h"

/* A boot that has a place in the plots: one that counts, or one that was lost. */
struct html_boot {
	const struct model *run;
	const struct model_boot *boot;
	size_t run_at;		    /* index in comparison.runs */
	const struct moments *kept; /* NULL: it does not count */
	const double *values;	    /* kept->n, ns, in the order in which they were taken */
	size_t set;		    /* index; n_sets: none */
};

/* A comparison, with what all parts look up in it. */
struct html_view {
	const struct comparison *c;
	/* Of each set: its number among the usable sets of its block, from 1, which chooses its
	 * symbol and its colour; 0 when it is not usable. */
	size_t *symbol;
	/* The boots of the runs in the order in which they ran; a boot of two sets is there twice.
	 */
	struct html_boot *boots;
	size_t n_boots;
	bool emulated; /* some run's machine was */
};

void html_view_init(struct html_view *v, const struct comparison *c); /* borrows c */
void html_view_release(struct html_view *v);

/* How a person calls a boot: "boot 3", or with several runs "7f3a boot 3". */
struct html_word html_boot_name(const struct html_view *v, const struct html_boot *b);

/* "patched mixed". */
struct html_name {
	char s[LABEL_MAX];
};
struct html_name html_name_of(const char *build, const char *mode);

/* The sets of one block: [*first, return value). */
size_t html_block(const struct comparison *c, size_t block, size_t *first);

/* What a workload calls, where its name does not say so. */
const char *html_called(const char *workload);

/* Verdicts in words, as plain text: "physical is slower than mixed by 248.8 %". */
void html_finding(struct buf *plain, const struct comparison *c, size_t set);

/* Each adds a section, or nothing when it has nothing to say. */
void html_verdicts(struct buf *out, const struct html_view *v);
void html_effects(struct buf *out, const struct html_view *v); /* plot of intervals */
void html_block_text(struct buf *out, const struct html_view *v);
void html_plots(struct buf *out, const struct html_view *v); /* the next three */
void html_sets(struct buf *out, const struct html_view *v, size_t block);
void html_strip(struct buf *out, const struct html_view *v, size_t block);
void html_order(struct buf *out, const struct html_view *v, size_t block);
void html_variance(struct buf *out, const struct html_view *v);
void html_stages(struct buf *out, const struct html_view *v);
void html_about(struct buf *out, const struct html_view *v);
void html_boots(struct buf *out, const struct html_view *v);
void html_left(struct buf *out, const struct html_view *v); /* left out, differs */

#endif
