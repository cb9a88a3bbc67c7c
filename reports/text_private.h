/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of the text report, in the order in which they stand in it.  Pure, as report_text(). */
#ifndef HARNESS_REPORTS_TEXT_PRIVATE_H
#define HARNESS_REPORTS_TEXT_PRIVATE_H

#include "harness/base/buf.h"
#include "reports/comparison.h"
#include "reports/model.h"
#include "reports/text.h"

enum {
	TEXT_LABEL = 10,       /* columns of the labels on the left */
	TEXT_LINE_MAX = 65536, /* bytes of one paragraph */
};

/* A blank at which no line is broken; only in text that text_flow() prints. */
#define TEXT_GLUE "\x1f"

/* Where text goes, and how. */
struct text {
	struct buf *out; /* borrowed */
	size_t width;	 /* columns; only a single longer word passes it */
	bool colour;
};

enum text_style { TEXT_PLAIN, TEXT_DIM, TEXT_RED, TEXT_GREEN, TEXT_YELLOW, TEXT_STYLES };

/* ---- words and lines: text_flow.c ---- */

/* s in a style; nothing is wrapped, and s holds no control character. */
void text_styled(const struct text *t, enum text_style style, const char *s);

/* Text from column col on, wrapped at blanks to lines that begin at column indent (a word that does
 * not fit there begins further left); a blank comes first when col is past indent.  Ends the line.
 * Control characters become '?'. */
void text_flow(const struct text *t, size_t indent, size_t col, const char *text);

/* A paragraph: a label ("" for none) on the left of its first line. */
void text_para(const struct text *t, const char *label, const char *text);

/* A name from column 2 on, filled up to width columns; a longer one gets a line of its own before.
 */
void text_name(const struct text *t, const char *name, size_t width);

/* A paragraph a line of the list, all under one label. */
void text_lines(const struct text *t, const char *label, const char *list);

/* A paragraph that is a shell command: quoted blanks stay, and lines but the last end in a
 * backslash. */
void text_command(const struct text *t, const char *label, const char *text);

/* One more entry of a list in a buffer: ", " first unless the buffer is empty. */
void text_item(struct buf *list, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* "1-3, 5" from numbers that rise. */
void text_ranges(struct buf *out, const int *v, size_t n);

/* ---- numbers: text_number.c ---- */

/* A value and its interval; not bounded: there is none. */
struct text_range {
	double v, lo, hi;
	bool bounded;
};

/* "248.77 % [247.95, 249.60]": with the digits that the interval deserves, two of its half width.
 * sign: '+' before what is above 0. */
void text_percent(struct buf *b, const struct text_range *r, bool sign);

/* "+880.83 ms [+877.90, +883.77]", in a unit from ns to s; the range is in ns. */
void text_time_range(struct buf *b, const struct text_range *r, bool sign);

/* "p = 0.76", "p < 1e-12": two digits, never 0.  p is 0..1. */
void text_p(struct buf *b, double p);

/* Two digits of a number, and all before the point: "0.92", "21". */
void text_about_number(struct buf *b, double v);

/* A standard deviation in percent of a mean, "0.31 %", or "-" where the mean is 0. */
void text_spread(char *out, size_t size, double sd, double mean);

/* ---- parts ---- */

/* The boot whose facts stand for the run: the first that counts, else the first that said
 * anything, else NULL. */
const struct model_boot *text_facts_boot(const struct model *m);

void text_about(const struct text *t, const struct model *m);	/* machine … again */
void text_machine(const struct text *t, const struct model *m); /* machine, system, booted */
void text_builds(const struct text *t, const struct model *m);	/* where each comes from */
/* "Xen 4.19.1 (3d1fe1c), debug=n, gcc 12.2.0" */
void text_build(struct buf *b, const struct model_mode *d);
/* "epyc9754: AMD EPYC 9754, 2 sockets, 512 CPUs", with what the boot said; f NULL: nothing. */
void text_hardware(struct buf *b, const struct model *m, const struct facts *f);
/* Which modes have the same version, commit and compiler as this one: "mixed, cluster"; "patched"
 * for all modes of a build, else "patched mixed". */
void text_build_names(struct buf *b, const struct model *m, const struct model_mode *d);
/* What the hypervisor really ran, which a boot's name alone does not prove: "mixed in 3 boots
 * (x2apic_mixed)". */
void text_effective(struct buf *b, const struct model *m);
bool text_same_build(const struct model_mode *a, const struct model_mode *b);

void text_differs(const struct text *t, const struct model *m); /* facts that changed */

/* What it comes to, in a line, where that is whether something got slower. */
void text_result(const struct text *t, const struct comparison *c);

/* Several runs: machine, what differs, a line a run, again. */
void text_sides(const struct text *t, const struct comparison *c);

/* The ministat block of one block of sets, and which are missing.  Returns how many are in it. */
size_t text_block(const struct text *t, const struct comparison *c, size_t block);

/* How much boots and samples vary, a line a set. */
void text_variation(const struct text *t, const struct comparison *c, size_t block);

/* What is proven, and what would settle the rest. */
void text_verdict(const struct text *t, const struct comparison *c, size_t block);

/* The lines of one set that is compared, from column indent on; the first line is begun. */
void text_told(const struct text *t, const struct comparison *c, const struct comparison_set *s,
	size_t indent);

/* Skipped modes, failed boots, remarks. */
void text_left_out(const struct text *t, const struct model *m);
void text_cost(const struct text *t, const struct model *m);

#endif
