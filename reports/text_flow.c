/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Words into lines of a width. */
#include "reports/text_private.h"

#include <string.h>

#include "harness/base/str.h"

void text_styled(const struct text *t, enum text_style style, const char *s)
{
	static const char *const codes[TEXT_STYLES] = {
		[TEXT_DIM] = "\x1b[2m",
		[TEXT_RED] = "\x1b[31m",
		[TEXT_GREEN] = "\x1b[32m",
		[TEXT_YELLOW] = "\x1b[33m",
	};
	const char *code = t->colour && *s ? codes[style] : NULL;

	buf_addf(t->out, "%s%s%s", code ? code : "", s, code ? "\x1b[0m" : "");
}

struct flow {
	size_t indent, col, limit;
	bool shell;
	bool first; /* nothing stands in this line yet */
};

/* Bytes of the word at s; its columns too, where what follows the first byte of a UTF-8 sequence
 * takes none. */
static size_t flow_word(const char *s, bool shell, size_t *columns)
{
	bool quoted = false;
	size_t n = 0;

	*columns = 0;
	for (; s[n] && (quoted || s[n] != ' '); n++) {
		if (shell && s[n] == '\'')
			quoted = !quoted;
		*columns += ((unsigned char)s[n] & 0xc0) != 0x80;
	}
	return n;
}

/* C0, DEL, C1, and what turns the direction of writing (U+202A .. U+202E, U+2066 .. U+2069). */
static bool flow_controls(const char *s)
{
	const unsigned char *p = (const unsigned char *)s;

	return *p < 0x20 || *p == 0x7f || (*p == 0xc2 && p[1] < 0xa0) ||
	       (*p == 0xe2 && p[1] == 0x80 && p[2] >= 0xaa && p[2] <= 0xae) ||
	       (*p == 0xe2 && p[1] == 0x81 && p[2] >= 0xa6 && p[2] <= 0xa9);
}

/* One character, n bytes of s at most; what no terminal should get is '?'.  Returns its bytes. */
static size_t flow_char(struct buf *out, const char *s, size_t n)
{
	size_t bytes = str_utf8(s);

	if (*s == *TEXT_GLUE)
		buf_addc(out, ' ');
	else if (!bytes || bytes > n || flow_controls(s))
		buf_addc(out, '?');
	else
		buf_add(out, s, bytes);
	return bytes && bytes <= n ? bytes : 1;
}

static void flow_break(const struct text *t, struct flow *f, size_t columns)
{
	size_t indent = f->indent;

	if (indent + columns > f->limit && columns <= f->limit)
		indent = f->limit - columns;
	buf_addf(t->out, "%s\n%*s", f->shell ? " \\" : "", (int)indent, "");
	f->col = indent;
	f->first = true;
}

/* A word that no line holds is cut, but not where a shell would read it. */
static void flow_word_out(const struct text *t, struct flow *f, const char *text, size_t n)
{
	for (size_t i = 0; i < n; f->col++) {
		if (!f->shell && f->col >= f->limit) {
			f->first = false;
			flow_break(t, f, 1);
		}
		i += flow_char(t->out, text + i, n - i);
	}
}

static void flow_words(const struct text *t, struct flow *f, const char *text)
{
	size_t n, columns, value;

	for (; *text; text += n) {
		n = flow_word(text, f->shell, &columns);
		if (!n) {
			n = 1;
			continue;
		}
		/* An option and its value stay together. */
		if (f->shell && !strncmp(text, "--", 2) && text[n] == ' ' && text[n + 1] != '-') {
			n += 1 + flow_word(text + n + 1, true, &value);
			columns += 1 + value;
		}
		if (!f->first && f->col + 1 + columns > f->limit)
			flow_break(t, f, columns);
		if (!f->first) {
			buf_addc(t->out, ' ');
			f->col++;
		}
		flow_word_out(t, f, text, n);
		f->first = false;
	}
	buf_addc(t->out, '\n');
}

void text_flow(const struct text *t, size_t indent, size_t col, const char *text)
{
	struct flow f = {.indent = indent, .col = col, .limit = t->width, .first = col <= indent};

	flow_words(t, &f, text);
}

void text_name(const struct text *t, const char *name, size_t width)
{
	size_t columns = 0;

	for (const char *p = name; *p; p++)
		columns += ((unsigned char)*p & 0xc0) != 0x80;
	if (columns > width) {
		text_flow(t, 2, 2, name);
		buf_addf(t->out, "%*s", (int)width + 2, "");
		return;
	}
	while (*name)
		name += flow_char(t->out, name, strlen(name));
	buf_addf(t->out, "%*s", (int)(width - columns), "");
}

static void flow_label(const struct text *t, const char *label)
{
	int pad = TEXT_LABEL - (int)strlen(label);

	text_styled(t, TEXT_DIM, label);
	buf_addf(t->out, "%*s", pad > 1 ? pad : 1, "");
}

void text_para(const struct text *t, const char *label, const char *text)
{
	flow_label(t, label);
	text_flow(t, TEXT_LABEL, TEXT_LABEL, text);
}

void text_lines(const struct text *t, const char *label, const char *list)
{
	struct buf line;

	buf_init(&line, TEXT_LINE_MAX);
	while (*list) {
		size_t n = strcspn(list, "\n");

		buf_clear(&line);
		buf_add(&line, list, n);
		if (n)
			text_para(t, label, line.data);
		label = n ? "" : label;
		list += n + (list[n] == '\n');
	}
	buf_release(&line);
}

void text_command(const struct text *t, const char *label, const char *text)
{
	struct flow f = {.indent = TEXT_LABEL,
		.col = TEXT_LABEL,
		.limit = t->width - 2, /* " \" */
		.shell = true,
		.first = true};

	flow_label(t, label);
	flow_words(t, &f, text);
}

void text_item(struct buf *list, const char *fmt, ...)
{
	va_list ap;

	if (list->len)
		buf_adds(list, ", ");
	va_start(ap, fmt);
	buf_vaddf(list, fmt, ap);
	va_end(ap);
}

void text_ranges(struct buf *out, const int *v, size_t n)
{
	for (size_t i = 0, j; i < n; i = j) {
		for (j = i + 1; j < n && v[j] == v[j - 1] + 1; j++)
			;
		buf_addf(out, i ? ", %d" : "%d", v[i]);
		if (j - i > 1)
			buf_addf(out, j - i > 2 ? "-%d" : ", %d", v[j - 1]);
	}
}
