/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "harness/mail/mend_int.h"

enum { TAB = 8 };

/* n blanks that begin at a column, as tabs as far as they reach. */
static void tab_run(size_t from, size_t n, struct buf *out)
{
	size_t to = from + n;

	while (from / TAB * TAB + TAB <= to) {
		buf_addc(out, '\t');
		from = from / TAB * TAB + TAB;
	}
	for (; from < to; from++)
		buf_addc(out, ' ');
}

bool mend_tab_line(const char *p, size_t n, enum mend_tabs tabs, struct buf *out)
{
	bool all = tabs == MEND_TABS_LINE_ALL || tabs == MEND_TABS_TEXT_ALL;
	size_t column = tabs == MEND_TABS_LINE || tabs == MEND_TABS_LINE_ALL;
	size_t before = out->len;

	buf_addc(out, '+');
	for (size_t i = 1; i < n;) {
		size_t run = 0;

		while (i + run < n && p[i + run] == ' ')
			run++;
		/* One blank between words was one. */
		if (run > 1 && (all || i == 1)) {
			tab_run(column, run, out);
		} else {
			run = run ? run : 1;
			buf_add(out, p + i, run);
		}
		column = p[i] == '\t' ? column / TAB * TAB + TAB : column + run;
		i += run;
	}
	return out->len - before != n || memcmp(out->data + before, p, n) != 0;
}
