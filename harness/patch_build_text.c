/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "harness/base/buf.h"
#include "harness/base/str.h"
#include "harness/patch_build.h"

enum { LINE_MAX_BYTES = 300, MORE_ROOM = 80 };

/* Lines as long as there is room; the others are counted. */
struct text {
	struct run_build *build;
	size_t len, more;
};

/* Whatever is in mails becomes one line, cut at a whole character. */
static void text_line(struct text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void text_line(struct text *t, const char *fmt, ...)
{
	char line[LINE_MAX_BYTES + 8];
	size_t room = sizeof(t->build->text) - MORE_ROOM - t->len, n = 0, c;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, LINE_MAX_BYTES, fmt, ap);
	va_end(ap);
	while ((c = str_utf8(line + n)))
		n += c;
	/* What vsnprintf() cut a character of. */
	if (strlen(line) == LINE_MAX_BYTES - 1)
		line[n] = '\0';
	str_clean(line);
	n = strlen(line);
	if (t->more || n + 1 > room) {
		t->more++;
		return;
	}
	t->len += (size_t)snprintf(
		t->build->text + t->len, sizeof(t->build->text) - t->len, "%s\n", line);
}

static void text_end(struct text *t)
{
	if (t->more)
		snprintf(t->build->text + t->len, MORE_ROOM,
			"%zu more lines; harness patch --check shows them\n", t->more);
}

static void text_base(
	const struct patch *p, const char *given, struct text *t, const struct build_result *r)
{
	const char *base = p->apply.base;

	if (p->from == PATCH_BASE_MAIL)
		text_line(t, "%s, commit %.12s, the base-commit of the series", r->version, base);
	else if (p->from == PATCH_BASE_HEAD)
		text_line(t, "%s, commit %.12s, HEAD", r->version, base);
	else if (given && strncmp(given, base, strlen(given)) != 0)
		text_line(t, "%s, commit %.12s, %s", r->version, base, given);
	else
		text_line(t, "%s, commit %.12s", r->version, base);
}

static void text_series(const struct patch *p, struct text *t, const struct build_result *r)
{
	const struct series *s = &p->series;
	const struct series_mail *first = s->has_cover ? &s->cover : &s->mails[0];
	char version[16] = "";
	bool same = true;

	for (size_t i = 1; i < s->n; i++)
		same = same && !strcmp(p->apply.patches[i].author, p->apply.patches[0].author);
	if (s->version > 1)
		snprintf(version, sizeof(version), " (v%d)", s->version);
	text_line(t, "%s, commit %.12s: base + %zu patch%s of %s%s", r->version, p->apply.head,
		s->n, s->n == 1 ? "" : "es", p->apply.patches[0].author, same ? "" : " and others");
	text_line(t, "\"%s\"%s", first->title, version);
	if (*first->message_id)
		text_line(t, "Message-ID %s", first->message_id);
}

static void text_patch(const struct patch *p, size_t i, struct text *t)
{
	const struct apply_patch *a = &p->apply.patches[i];
	size_t n = p->series.n;

	for (size_t k = 0; k < a->mends.n; k++)
		text_line(t, "patch %zu/%zu mended: %s", i + 1, n, a->mends.line[k]);
	if (a->three_way)
		text_line(t, "patch %zu/%zu applied by a three-way merge", i + 1, n);
	for (size_t k = 0; k < a->n_files; k++)
		if (a->files[k].proof == APPLY_DIFFERS)
			text_line(t, "patch %zu/%zu: not the author's file, by its blob id: %s",
				i + 1, n, a->files[k].path);
}

void patch_build_text(const struct patch *p, const char *given, struct patch_build *b)
{
	struct text base = {.build = &b->build[PATCH_SIDE_BASE]};
	struct text patched = {.build = &b->build[PATCH_SIDE_PATCHED]};

	for (int s = 0; s < PATCH_SIDES; s++) {
		b->build[s] = (struct run_build){.name = ""};
		snprintf(b->build[s].name, sizeof(b->build[s].name), "%s",
			patch_side_name((enum patch_side)s));
	}
	text_base(p, given, &base, &b->result[PATCH_SIDE_BASE]);
	text_end(&base);
	text_series(p, &patched, &b->result[PATCH_SIDE_PATCHED]);
	for (size_t i = 0; i < p->series.notes.n; i++)
		text_line(&patched, "%s", p->series.notes.line[i]);
	for (size_t i = 0; i < p->apply.n; i++)
		text_patch(p, i, &patched);
	text_end(&patched);
}
