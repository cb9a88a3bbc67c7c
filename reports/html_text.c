/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/html_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/clock.h"
#include "harness/base/str.h"

#define HTML_REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

/* Control characters, and those that turn the direction of what follows: text that shows something
 * else than it says. */
static bool html_harmful(const unsigned char *s, size_t n)
{
	if (n == 1)
		return (*s < 0x20 && *s != '\n' && *s != '\t') || *s == 0x7f;
	if (n == 2)
		return s[0] == 0xc2 && s[1] < 0xa0;
	return n == 3 && s[0] == 0xe2 &&
	       ((s[1] == 0x80 && s[2] >= 0xa8 && s[2] <= 0xae) ||
		       (s[1] == 0x81 && s[2] >= 0xa6 && s[2] <= 0xa9));
}

static const char *html_entity(char c)
{
	switch (c) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	default:
		return NULL;
	}
}

/* One character; returns its bytes. */
static size_t html_char(struct buf *out, const char *s)
{
	size_t n = str_utf8(s);

	if (!n || html_harmful((const unsigned char *)s, n))
		buf_adds(out, HTML_REPLACEMENT);
	else if (n == 1 && html_entity(*s))
		buf_adds(out, html_entity(*s));
	else
		buf_add(out, s, n);
	return n ? n : 1;
}

void html_esc(struct buf *out, const char *text)
{
	while (*text)
		text += html_char(out, text);
}

static void html_vescf(struct buf *out, const char *fmt, va_list ap)
	__attribute__((format(printf, 2, 0)));

static void html_vescf(struct buf *out, const char *fmt, va_list ap)
{
	struct buf b;

	buf_init(&b, HTML_TEXT_MAX);
	buf_vaddf(&b, fmt, ap);
	html_esc(out, b.data);
	buf_release(&b);
}

void html_escf(struct buf *out, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	html_vescf(out, fmt, ap);
	va_end(ap);
}

void html_cut(struct buf *out, const char *text, size_t columns)
{
	const char *end = text;
	size_t n = 0;

	for (; *end; n++)
		end += str_utf8(end) ? str_utf8(end) : 1;
	if (n <= columns) {
		html_esc(out, text);
		return;
	}
	for (n = 1; n < columns; n++)
		text += html_char(out, text);
	buf_adds(out, "\xe2\x80\xa6");
}

void html_command(struct buf *out, const char *text)
{
	while (*text) {
		bool quoted = false;

		if (*text == ' ') {
			buf_addc(out, *text++);
			continue;
		}
		buf_adds(out, "<span class=\"w\">");
		for (; *text && (quoted || *text != ' ');) {
			quoted = quoted != (*text == '\'');
			text += html_char(out, text);
		}
		buf_adds(out, "</span>");
	}
}

/* Two significant digits of the half width. */
static int html_digits(double half)
{
	double d;

	d = 1 - floor(log10(half));
	return d < 1 ? 1 : d > 6 ? 6 : (int)d;
}

struct html_word html_bound(double pct, double half)
{
	struct html_word w = {"-"};

	if (!isfinite(pct))
		return w;
	if (fabs(pct) >= 1e6 || !(half > 0) || half < 1e-6)
		snprintf(w.s, sizeof(w.s), "%+.4g", pct);
	else
		snprintf(w.s, sizeof(w.s), "%+.*f", html_digits(half), pct);
	/* What reads as zero has no sign. */
	if (!strpbrk(w.s, "123456789"))
		memmove(w.s, w.s + 1, strlen(w.s));
	return w;
}

struct html_word html_percent(double pct, double half)
{
	struct html_word w = html_bound(pct, half);

	size_t n = strlen(w.s);

	if (isfinite(pct) && n + 2 < sizeof(w.s))
		memcpy(w.s + n, " %", 3);
	return w;
}

struct html_word html_time(double ns, bool plus)
{
	struct html_word w = {"-"};
	char text[32];

	if (!isfinite(ns))
		return w;
	clock_measured(fabs(ns), text, sizeof(text));
	snprintf(w.s, sizeof(w.s), "%s%s", ns < 0 ? "-" : plus ? "+" : "", text);
	return w;
}

double html_unit(double ns, const char **name)
{
	static const char *const names[] = {"ns", "us", "ms", "s"};
	double unit = 1;
	size_t u = 0;

	for (; u < 3 && fabs(ns) >= 1000 * unit; u++)
		unit *= 1000;
	*name = names[u];
	return unit;
}

struct html_words html_time_interval(double ns, double lo, double hi)
{
	struct html_words w = {"-"};
	const char *name;
	double unit = html_unit(fmax(fabs(ns), fmax(fabs(lo), fabs(hi))), &name);

	if (isfinite(ns) && isfinite(lo) && isfinite(hi))
		snprintf(w.s, sizeof(w.s), "%+.4g %s [%+.4g, %+.4g]", ns / unit, name, lo / unit,
			hi / unit);
	return w;
}

struct html_word html_share(double part, double whole)
{
	struct html_word w = {"-"};
	double v = 100 * part / whole;

	if (isfinite(v))
		snprintf(w.s, sizeof(w.s), fabs(v) >= 0.01 || v == 0 ? "%.2f %%" : "%.2g %%", v);
	return w;
}

struct html_word html_rough(double v)
{
	struct html_word w = {"-"};

	if (isfinite(v))
		snprintf(w.s, sizeof(w.s), fabs(v) >= 10 && fabs(v) < 1e6 ? "%.0f" : "%.2g", v);
	return w;
}

struct html_word html_p(double p)
{
	struct html_word w = {"-"};

	if (!isfinite(p))
		return w;
	if (p < 1e-12)
		snprintf(w.s, sizeof(w.s), "< 1e-12");
	else
		snprintf(w.s, sizeof(w.s), "= %.2g", p);
	return w;
}

void html_number(struct buf *out, double v)
{
	char text[40];

	if (!isfinite(v)) {
		buf_addc(out, '-');
		return;
	}
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, v);
		if (strtod(text, NULL) == v)
			break;
	}
	buf_adds(out, text);
}

void html_px(struct buf *out, double v)
{
	char text[40];
	size_t n;

	if (!isfinite(v) || fabs(v) > 1e6 || fabs(v) < 0.05) {
		buf_addc(out, '0');
		return;
	}
	snprintf(text, sizeof(text), "%.1f", v);
	n = strlen(text);
	if (!strcmp(text + n - 2, ".0"))
		text[n - 2] = '\0';
	buf_adds(out, text);
}

void html_cell(struct buf *out, const char *fmt, ...)
{
	va_list ap;

	buf_adds(out, "<td>");
	va_start(ap, fmt);
	html_vescf(out, fmt, ap);
	va_end(ap);
	buf_adds(out, "</td>");
}

void html_cell_number(struct buf *out, const char *fmt, ...)
{
	va_list ap;

	buf_adds(out, "<td class=\"n\">");
	va_start(ap, fmt);
	html_vescf(out, fmt, ap);
	va_end(ap);
	buf_adds(out, "</td>");
}

void html_cell_data(struct buf *out, double v, const char *text)
{
	if (!isfinite(v)) {
		buf_adds(out, "<td class=\"n\">-</td>");
		return;
	}
	buf_adds(out, "<td class=\"n\"><data value=\"");
	html_number(out, v);
	buf_adds(out, "\">");
	html_esc(out, text);
	buf_adds(out, "</data></td>");
}

void html_row_head(struct buf *out, const char *fmt, ...)
{
	va_list ap;

	buf_adds(out, "<th scope=\"row\">");
	va_start(ap, fmt);
	html_vescf(out, fmt, ap);
	va_end(ap);
	buf_adds(out, "</th>");
}

void html_scroll_open(struct buf *out, const char *label, const char *more_class)
{
	buf_addf(out, "<div class=\"scroll%s%s\" role=\"group\" tabindex=\"0\" aria-label=\"",
		*more_class ? " " : "", more_class);
	html_esc(out, label);
	buf_adds(out, "\">\n");
}

void html_scroll_close(struct buf *out)
{
	buf_adds(out, "</div>\n");
}

void html_table_open(struct buf *out, const char *id, const char *caption, const char *const *heads,
	size_t n_heads)
{
	html_scroll_open(out, caption, "");
	buf_addf(out, "<table id=\"%s\"><caption>", id);
	html_esc(out, caption);
	buf_adds(out, "</caption><thead><tr>");
	for (size_t i = 0; i < n_heads; i++) {
		bool number = *heads[i] == '#';

		buf_adds(out, number ? "<th scope=\"col\" class=\"n\">" : "<th scope=\"col\">");
		html_esc(out, heads[i] + number);
		buf_adds(out, "</th>");
	}
	buf_adds(out, "</tr></thead><tbody>\n");
}

void html_table_close(struct buf *out)
{
	buf_adds(out, "</tbody></table>\n");
	html_scroll_close(out);
}
