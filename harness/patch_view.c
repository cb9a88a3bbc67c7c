/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/patch_view.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/mem.h"
#include "harness/base/str.h"

static const char *view_base(enum patch_base b)
{
	return b == PATCH_BASE_GIVEN ? "given" : b == PATCH_BASE_MAIL ? "base-commit" : "HEAD";
}

/* Names of files come from the patch. */
static char *view_clean(const char *text)
{
	char *s = mem_strdup(text);

	str_clean(s);
	return s;
}

static void view_file(const struct apply_file *f, struct buf *out)
{
	static const char *const words[] = {
		[APPLY_OTHER_BASE] = "the base has another file than the "
				     "patch was made for",
		[APPLY_NO_ID] = "the patch names no blob id that could prove it",
		[APPLY_DIFFERS] = "another file than the author's (its blob id differs)"};
	char *path;

	if (f->proof == APPLY_PROVEN)
		return;
	path = view_clean(f->path);
	buf_addf(out, "       not proven: %s: %s\n", path, words[f->proof]);
	free(path);
}

static void view_done(const struct apply_patch *a, struct buf *out)
{
	for (size_t k = 0; k < a->mends.n; k++)
		buf_addf(out, "       mended: %s\n", a->mends.line[k]);
	if (a->three_way)
		buf_adds(out, "       applied by a three-way merge\n");
}

static void view_patch(const struct patch *p, size_t i, struct buf *out)
{
	const struct series_mail *m = &p->series.mails[i];
	const struct apply_patch *a = &p->apply.patches[i];

	buf_addf(out, "  %zu/%zu  %s\n", i + 1, p->series.n, m->title);
	buf_addf(out, "       %.12s  %s, %s\n", a->commit, a->author,
		*m->date ? m->date : "no date");
	view_done(a, out);
	if (a->proven)
		buf_addf(out, "       proven by blob id: %zu of %zu file%s\n", a->proven,
			a->n_files, a->n_files == 1 ? "" : "s");
	for (size_t k = 0; k < a->n_files; k++)
		view_file(&a->files[k], out);
}

static void view_head(const struct patch *p, struct buf *out)
{
	const struct series *s = &p->series;

	buf_addf(out, "series   v%d, %zu patch%s\n", s->version, s->n, s->n == 1 ? "" : "es");
	if (s->has_cover)
		buf_addf(out, "cover    %s\n", s->cover.title);
	buf_addf(out, "base     %s (%s)\n", p->apply.base, view_base(p->from));
	for (size_t i = 0; i < s->notes.n; i++)
		buf_addf(out, "note     %s\n", s->notes.line[i]);
}

void patch_view_short(const struct patch *p, struct buf *out)
{
	view_head(p, out);
	for (size_t i = 0; i < p->series.n; i++) {
		const struct apply_patch *a = &p->apply.patches[i];

		buf_addf(out, "  %zu/%zu  %s\n", i + 1, p->series.n, p->series.mails[i].title);
		view_done(a, out);
		for (size_t k = 0; k < a->n_files; k++)
			if (a->files[k].proof == APPLY_DIFFERS)
				view_file(&a->files[k], out);
	}
}

void patch_view_text(const struct patch *p, struct buf *out)
{
	const struct series *s = &p->series;

	view_head(p, out);
	for (size_t i = 0; i < s->n; i++)
		view_patch(p, i, out);
	buf_addf(out, "commit   %s\ntree     %s\n", p->apply.head, p->apply.tree);
}

static json_t *view_lines(const struct mends *m)
{
	json_t *a = json_array();

	for (size_t i = 0; i < m->n; i++)
		json_array_append_new(a, json_string(m->line[i]));
	return a;
}

static json_t *view_json_patch(const struct patch *p, size_t i)
{
	const struct series_mail *m = &p->series.mails[i];
	const struct apply_patch *a = &p->apply.patches[i];
	char *file = view_clean(m->file);
	json_t *files = json_array(), *o;

	for (size_t k = 0; k < a->n_files; k++) {
		char *path = view_clean(a->files[k].path);

		json_array_append_new(files, json_pack("{s:s, s:s}", "path", path, "proof",
						     apply_proof_name(a->files[k].proof)));
		free(path);
	}
	o = json_pack("{s:i, s:s, s:s, s:s, s:s, s:s, s:s, s:i, s:s, s:b, s:o, s:o}", "number",
		(int)i + 1, "subject", m->subject, "title", m->title, "author", a->author, "from",
		m->from, "date", m->date, "file", file, "mail", (int)m->nth, "message_id",
		m->message_id, "three_way", a->three_way, "mends", view_lines(&a->mends), "files",
		files);
	if (o)
		json_object_set_new(o, "commit", json_string(a->commit));
	free(file);
	return o;
}

void patch_view_json(const struct patch *p, struct buf *out)
{
	const struct series *s = &p->series;
	json_t *patches = json_array(), *cover = json_null(), *o;
	char *text;

	for (size_t i = 0; i < s->n; i++)
		json_array_append_new(patches, view_json_patch(p, i));
	if (s->has_cover)
		cover = json_pack("{s:s, s:s}", "subject", s->cover.subject, "message_id",
			s->cover.message_id);
	o = json_pack("{s:i, s:o, s:s, s:s, s:o, s:o, s:s, s:s}", "version", s->version, "cover",
		cover, "base", p->apply.base, "base_from", view_base(p->from), "notes",
		view_lines(&s->notes), "patches", patches, "commit", p->apply.head, "tree",
		p->apply.tree);
	text = o ? json_dumps(o, JSON_INDENT(2)) : NULL;
	if (text)
		buf_addf(out, "%s\n", text);
	free(text);
	json_decref(o);
}
