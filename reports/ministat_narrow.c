/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/ministat_narrow.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const narrow_names[MINISTAT_FIELDS] = {"Min", "Max", "Median", "Avg", "Stddev"};

/* What a summary does not tell is NAN, and prints as '-'. */
static int narrow_field(char *out, size_t size, const struct moments *m, int field, int digits)
{
	const double v[MINISTAT_FIELDS] = {m->min, m->max, m->median, m->avg, m->sd};

	return isnan(v[field]) ? snprintf(out, size, "-")
			       : snprintf(out, size, "%.*g", digits, v[field]);
}

/* Make the columns at least so wide, and as wide as their contents.  Returns the length of a row.
 */
static size_t narrow_measure(struct ministat_narrow *t, const struct ministat_set *sets,
	size_t nsets, int count, int field)
{
	char s[48];
	size_t row = 2;

	t->n = count;
	for (size_t i = 0; i < nsets; i++) {
		int n = snprintf(s, sizeof(s), "%zu", sets[i].m.n);

		t->n = n > t->n ? n : t->n;
	}
	row += (size_t)t->n;
	for (int f = 0; f < MINISTAT_FIELDS; f++) {
		int title = (int)strlen(narrow_names[f]);

		t->fields[f] = field > title ? field : title;
		for (size_t i = 0; i < nsets; i++) {
			int n = narrow_field(s, sizeof(s), &sets[i].m, f, t->digits);

			t->fields[f] = n > t->fields[f] ? n : t->fields[f];
		}
		row += 1 + (size_t)t->fields[f];
	}
	return row;
}

void ministat_narrow_init(
	struct ministat_narrow *t, const struct ministat_set *sets, size_t nsets, size_t columns)
{
	*t = (struct ministat_narrow){.digits = MINISTAT_DIGITS};
	if (!columns || narrow_measure(t, sets, nsets, 3, 13) <= columns)
		return;
	t->on = true;
	while (narrow_measure(t, sets, nsets, 1, 0) > columns && t->digits > MINISTAT_DIGITS_MIN)
		t->digits--;
}

void ministat_narrow_header(struct buf *out, const struct ministat_narrow *t)
{
	buf_addf(out, "  %*s", t->n, "N");
	for (int f = 0; f < MINISTAT_FIELDS; f++)
		buf_addf(out, " %*s", t->fields[f], narrow_names[f]);
	buf_addc(out, '\n');
}

void ministat_narrow_row(
	struct buf *out, const struct ministat_narrow *t, char symbol, const struct moments *m)
{
	char s[48];

	buf_addf(out, "%c %*zu", symbol, t->n, m->n);
	for (int f = 0; f < MINISTAT_FIELDS; f++) {
		narrow_field(s, sizeof(s), m, f, t->digits);
		buf_addf(out, " %*s", t->fields[f], s);
	}
	buf_addc(out, '\n');
}
