/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What was built: of a run's modes, and of the builds that it compares. */
#include "reports/text_private.h"

#include <string.h>

enum { BUILDS_INDENT = 2 }; /* columns of the lines that follow a build's first */

void text_build(struct buf *b, const struct model_mode *d)
{
	buf_addf(b, "%s %s%s%s%s, debug=%c", strcmp(d->recipe, "xen") ? d->recipe : "Xen",
		d->version, *d->commit ? " (" : "", d->commit, *d->commit ? ")" : "",
		d->debug ? 'y' : 'n');
	if (*d->compiler)
		text_item(b, "%s", d->compiler);
}

bool text_same_build(const struct model_mode *a, const struct model_mode *b)
{
	return !strcmp(a->recipe, b->recipe) && !strcmp(a->version, b->version) &&
	       !strcmp(a->commit, b->commit) && !strcmp(a->compiler, b->compiler) &&
	       a->debug == b->debug;
}

/* All modes that the build has are as this one. */
static bool builds_whole(const struct model *m, const char *build, const struct model_mode *d)
{
	for (size_t i = 0; i < m->n_modes; i++)
		if (!m->modes[i].skipped && !strcmp(m->modes[i].build, build) &&
			!text_same_build(&m->modes[i], d))
			return false;
	return true;
}

/* It is named already, with its build. */
static bool builds_named(const struct model *m, size_t mode)
{
	for (size_t i = 0; i < mode; i++)
		if (!m->modes[i].skipped && !strcmp(m->modes[i].build, m->modes[mode].build))
			return true;
	return false;
}

void text_build_names(struct buf *b, const struct model *m, const struct model_mode *d)
{
	char label[LABEL_MAX];

	for (size_t i = 0; i < m->n_modes; i++) {
		const struct model_mode *o = &m->modes[i];
		bool whole = *o->build && builds_whole(m, o->build, d);

		if (o->skipped || !text_same_build(o, d) || (whole && builds_named(m, i)))
			continue;
		result_label(o->build, o->mode, label);
		text_item(b, "%s", whole ? o->build : label);
	}
}

/* The lines under the first are further in. */
static void builds_one(const struct text *t, const char *label, const struct run_build *build)
{
	const char *text = build->text;
	size_t n = strcspn(text, "\n");
	struct buf b;

	buf_init(&b, TEXT_LINE_MAX);
	buf_addf(&b, "%s%s%.*s", build->name, n ? ": " : "", (int)n, text);
	text_para(t, label, b.data);
	while (*(text += n) == '\n') {
		n = strcspn(++text, "\n");
		buf_clear(&b);
		buf_add(&b, text, n);
		if (!n)
			continue;
		buf_addf(t->out, "%*s", TEXT_LABEL + BUILDS_INDENT, "");
		text_flow(t, TEXT_LABEL + BUILDS_INDENT, TEXT_LABEL + BUILDS_INDENT, b.data);
	}
	buf_release(&b);
}

void text_builds(const struct text *t, const struct model *m)
{
	for (size_t i = 0; i < m->n_builds; i++)
		builds_one(t, i ? "" : "builds", &m->builds[i]);
}
