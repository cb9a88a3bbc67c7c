/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers for people: no more digits than are known, and none that is no number. */
#include "reports/text_private.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NUMBER_FREE = -1, NUMBER_DECIMALS = 6 };

#define NUMBER_FIXED 1e9 /* from here on, and with NUMBER_FREE, four digits and an exponent */

/* Decimals at which the half width of the interval has two digits. */
static int number_decimals(const struct text_range *r)
{
	double half = r->bounded ? fmax(r->hi - r->v, r->v - r->lo) : fabs(r->v) / 20;
	double n;

	if (!(half > 0) || !isfinite(half))
		return NUMBER_FREE;
	n = 1 - floor(log10(half));
	return n < 0 ? 0 : n > NUMBER_DECIMALS ? NUMBER_FREE : (int)n;
}

static void number_add(struct buf *b, double v, int decimals, bool sign)
{
	char s[48];
	bool zero;

	if (!isfinite(v)) {
		buf_addc(b, '?');
		return;
	}
	if (decimals == NUMBER_FREE || fabs(v) >= NUMBER_FIXED)
		snprintf(s, sizeof(s), "%.4g", fabs(v));
	else
		snprintf(s, sizeof(s), "%.*f", decimals, fabs(v));
	zero = !strpbrk(s, "123456789");
	buf_addf(b, "%s%s", zero ? "" : v < 0 ? "-" : sign ? "+" : "", s);
}

static void number_range(struct buf *b, const struct text_range *r, const char *unit, bool sign)
{
	int decimals = number_decimals(r);

	number_add(b, r->v, decimals, sign);
	buf_addf(b, TEXT_GLUE "%s", unit);
	if (!r->bounded)
		return;
	buf_adds(b, TEXT_GLUE "[");
	number_add(b, r->lo, decimals, sign);
	buf_adds(b, "," TEXT_GLUE);
	number_add(b, r->hi, decimals, sign);
	buf_addc(b, ']');
}

void text_percent(struct buf *b, const struct text_range *r, bool sign)
{
	number_range(b, r, "%", sign);
}

void text_time_range(struct buf *b, const struct text_range *r, bool sign)
{
	static const char *const units[] = {"ns", "us", "ms", "s"};
	double most = fabs(r->v), scale = 1;
	struct text_range scaled;
	size_t u = 0;

	if (r->bounded)
		most = fmax(most, fmax(fabs(r->lo), fabs(r->hi)));
	for (; most / scale >= 1000 && u < 3; u++)
		scale *= 1000;
	scaled = (struct text_range){r->v / scale, r->lo / scale, r->hi / scale, r->bounded};
	number_range(b, &scaled, units[u], sign);
}

void text_p(struct buf *b, double p)
{
	if (!(p >= 1e-12))
		buf_adds(b, "p" TEXT_GLUE "<" TEXT_GLUE "1e-12");
	else
		buf_addf(b, "p" TEXT_GLUE "=" TEXT_GLUE "%.2g", fmin(p, 1));
}

void text_about_number(struct buf *b, double v)
{
	if (!isfinite(v))
		buf_addc(b, '?');
	else
		buf_addf(b, fabs(v) >= 9.95 && fabs(v) < NUMBER_FIXED ? "%.0f" : "%.2g", v);
}

void text_spread(char *out, size_t size, double sd, double mean)
{
	double pct = 100 * sd / fabs(mean);

	if (!isfinite(pct))
		snprintf(out, size, "-");
	else
		snprintf(out, size, pct < 1000 ? "%.2f %%" : "%.3g %%", pct);
}
