/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/git/apply.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/mem.h"
#include "harness/base/path.h"
#include "harness/git/apply_int.h"
#include "harness/mail/mend.h"
#include "harness/mail/message.h"

enum { AM_OUT_MAX = 1 << 20, WHY_MAX = 400, MAIL_MAX = MESSAGE_MAX + (1 << 20) };

/* A way to apply a patch. */
struct way {
	struct mend_how how;
	bool merge;	   /* git am -3 */
	bool ignore_space; /* git am --ignore-whitespace */
};

static const struct way ways[] = {
	{.how = {false, MEND_TABS_NONE}},
	{.how = {true, MEND_TABS_NONE}},
	{.how = {false, MEND_TABS_NONE}, .merge = true},
	{.how = {true, MEND_TABS_NONE}, .merge = true},
	{.how = {false, MEND_TABS_NONE}, .ignore_space = true},
	{.how = {false, MEND_TABS_LINE}, .ignore_space = true},
	{.how = {false, MEND_TABS_TEXT}, .ignore_space = true},
	{.how = {false, MEND_TABS_LINE_ALL}, .ignore_space = true},
	{.how = {false, MEND_TABS_TEXT_ALL}, .ignore_space = true},
	{.how = {true, MEND_TABS_NONE}, .ignore_space = true},
	{.how = {true, MEND_TABS_LINE}, .ignore_space = true},
	{.how = {true, MEND_TABS_TEXT}, .ignore_space = true},
	{.how = {true, MEND_TABS_LINE_ALL}, .ignore_space = true},
	{.how = {true, MEND_TABS_TEXT_ALL}, .ignore_space = true},
};

enum { WAYS = sizeof(ways) / sizeof(ways[0]) };

struct applying {
	const char *dir;
	const struct series_mail *mail;
	struct apply_patch *patch;
	char parent[GIT_HASH_MAX];
	char base_date[64];
	bool bad_date;	   /* git does not understand the mail's */
	char why[WHY_MAX]; /* of the first way that failed */
	struct buf text;   /* of the way that was tried last, mended */
	size_t joined, differs;
	bool applied;
};

void apply_release(struct apply *a)
{
	for (size_t i = 0; i < a->n; i++) {
		mends_release(&a->patches[i].mends);
		free(a->patches[i].files);
	}
	free(a->patches);
	*a = (struct apply){0};
}

/* Whatever a try has left. */
static int apply_reset(const char *dir, const char *commit, struct err *e)
{
	const char *reset[] = {"reset", "-q", "--hard", commit, NULL};
	const struct git g = {.dir = dir, .ours = true};
	char *am = mem_printf("%s/.git/rebase-apply", dir);
	int rc = path_remove(am, e);

	if (!rc)
		rc = git_do(&g, reset, dir, ERR_LAB, "E_GIT", NULL, e);
	free(am);
	return rc;
}

/* Run git am; a->applied tells whether it could. */
static int apply_am(struct applying *a, const struct way *w, const struct diff *d, struct err *e)
{
	/* The numbers are gone from the subject (subject.h): brackets that are left belong to it.
	 * Ends of lines are as they are in files (message.h). */
	const char *args[] = {"am", "-q", "--patch-format=mboxrd", "--keep-non-patch", "--keep-cr",
		"--committer-date-is-author-date", "--whitespace=nowarn",
		w->ignore_space ? "--ignore-whitespace" : "--no-ignore-whitespace",
		w->merge ? "-3" : "--no-3way", NULL};
	const char *date = a->bad_date || !*a->mail->date ? a->base_date : NULL;
	const struct git g = {.dir = a->dir, .ours = true};
	struct git_result r;
	struct buf mail;
	int rc;

	buf_init(&mail, MAIL_MAX);
	apply_mail(a->mail, date, a->text.data, &mail);
	if (mail.failed)
		rc = err_set(e, ERR_USAGE, "E_MAIL", "the patch is too large");
	else
		rc = git_run(&g, args, mail.data, AM_OUT_MAX, &r, e);
	buf_release(&mail);
	if (rc)
		return rc;
	a->applied = !r.status;
	if (!a->applied && !date && strstr(r.err.data, "invalid date")) {
		git_result_release(&r);
		a->bad_date = true;
		rc = apply_reset(a->dir, a->parent, e);
		return rc ? rc : apply_am(a, w, d, e);
	}
	if (!a->applied && !*a->why)
		apply_why(&r, d, a->why, sizeof(a->why));
	git_result_release(&r);
	return 0;
}

/* Mend and apply in one way. */
static int apply_try(struct applying *a, const struct way *w, struct mends *mends, struct err *e)
{
	struct diff d = {0};
	int rc;

	buf_clear(&a->text);
	a->applied = false;
	rc = mend_patch(a->mail->text, &w->how, &a->text, mends, &a->joined, e);
	if (rc)
		return rc;
	diff_parse(&d, a->text.data);
	rc = apply_am(a, w, &d, e);
	if (!rc && a->applied)
		rc = apply_prove(a->dir, &d, a->patch, &a->differs, e);
	else if (!rc)
		rc = apply_reset(a->dir, a->parent, e);
	diff_release(&d);
	return rc;
}

/* Would this way do what another one has done already? */
static bool apply_is_idle(const struct applying *a, const struct way *w, bool applied)
{
	struct buf text;
	struct mends mends = {0};
	struct err ignored;
	size_t joined;
	bool idle;

	if ((w->how.blank && !a->joined) || (w->merge && applied))
		return true;
	if (!w->how.tabs)
		return applied && w->ignore_space && !w->how.blank;
	buf_init(&text, MESSAGE_MAX);
	idle = mend_patch(a->mail->text, &w->how, &text, &mends, &joined, &ignored) ||
	       !strcmp(text.data, a->text.data);
	mends_release(&mends);
	buf_release(&text);
	return idle;
}

static void apply_tell(struct applying *a, const struct way *w, struct mends *mends)
{
	mends_join(&a->patch->mends, &a->mail->mends);
	mends_join(&a->patch->mends, mends);
	if (a->bad_date)
		mends_add(&a->patch->mends, "Date \"%s\" is none: that of the base is taken",
			a->mail->date);
	if (a->joined && w->how.blank)
		mends_add(&a->patch->mends, "lines were joined with a blank");
	if (w->ignore_space)
		mends_add(&a->patch->mends, "white space of unchanged lines was not compared");
	a->patch->three_way = w->merge;
}

/* The way that is taken; WAYS: there is none. */
static int apply_choose(struct applying *a, size_t *chosen, struct mends *mends, struct err *e)
{
	size_t fallback = WAYS;

	for (size_t i = 0; i < WAYS; i++) {
		int rc;

		if (i && apply_is_idle(a, &ways[i], fallback < WAYS))
			continue;
		mends_release(mends);
		rc = apply_try(a, &ways[i], mends, e);
		if (rc)
			return rc;
		if (!a->applied)
			continue;
		*chosen = i;
		if (!a->differs)
			return 0;
		if (fallback == WAYS)
			fallback = i;
		rc = apply_reset(a->dir, a->parent, e);
		if (rc)
			return rc;
	}
	*chosen = fallback;
	mends_release(mends);
	return fallback == WAYS ? 0 : apply_try(a, &ways[fallback], mends, e);
}

/* What the joined lines were cannot be known when the ids say that they were others. */
static int apply_refuse(const struct applying *a, struct err *e)
{
	for (size_t i = 0; i < a->patch->n_files; i++)
		if (a->patch->files[i].proof == APPLY_DIFFERS)
			return err_set(e, ERR_IMAGE, "E_APPLY",
				"%s: its lines were wrapped, and joined they do not give the file "
				"that "
				"the index line names: get the mail in another way (lore, or the "
				"author's branch)",
				a->patch->files[i].path);
	return 0;
}

static bool apply_is_proven(const struct applying *a, const char *path)
{
	for (size_t i = 0; i < a->patch->n_files; i++)
		if (!strcmp(a->patch->files[i].path, path))
			return a->patch->files[i].proof == APPLY_PROVEN;
	return false;
}

/* Without an id that tells, an added line that was joined is a guess. */
static int apply_refuse_doubts(const struct applying *a, const struct mends *mends, struct err *e)
{
	for (size_t i = 0; i < mends->n_doubts; i++)
		if (!apply_is_proven(a, mends->doubts[i].path))
			return err_set(e, ERR_IMAGE, "E_APPLY",
				"%s: line %zu of the mail's text was wrapped, and nothing tells "
				"whether there was a blank: get the mail in another way (lore, or "
				"the author's branch)",
				mends->doubts[i].path, mends->doubts[i].line);
	return 0;
}

static int apply_one(struct applying *a, struct err *e)
{
	struct mends mends = {0};
	size_t way = WAYS;
	int rc = apply_choose(a, &way, &mends, e);

	if (!rc && way == WAYS)
		rc = err_set(e, ERR_IMAGE, "E_APPLY",
			"%s does not apply to %.12s; --base REV names the commit that the series "
			"was made for",
			a->why, a->parent);
	if (!rc && a->differs && a->joined)
		rc = apply_refuse(a, e);
	if (!rc)
		rc = apply_refuse_doubts(a, &mends, e);
	if (!rc)
		apply_tell(a, &ways[way], &mends);
	mends_release(&mends);
	return rc;
}

static int apply_patches(const char *dir, const struct series *s, struct apply *a,
	const char *base_date, struct err *e)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct series_mail *m = &s->mails[i];
		struct applying p = {.dir = dir, .mail = m, .patch = &a->patches[i]};
		int rc;

		snprintf(p.parent, sizeof(p.parent), "%s", i ? a->patches[i - 1].commit : a->base);
		snprintf(p.base_date, sizeof(p.base_date), "%s", base_date);
		buf_init(&p.text, MESSAGE_MAX);
		rc = apply_one(&p, e);
		buf_release(&p.text);
		if (rc && (e->cls == ERR_IMAGE || e->cls == ERR_USAGE))
			err_prefix(e, "patch %zu/%zu \"%.100s\"", i + 1, s->n, m->title);
		if (rc)
			return rc;
	}
	return 0;
}

int apply_series(
	const char *dir, const char *base, const struct series *s, struct apply *a, struct err *e)
{
	static const char *const args[] = {"log", "-1", "--format=%cD", NULL};
	const struct git g = {.dir = dir, .ours = true};
	struct err ignored;
	struct buf date;
	int rc;

	assert(s->n);
	*a = (struct apply){.n = s->n, .patches = mem_array(s->n, sizeof(*a->patches))};
	snprintf(a->base, sizeof(a->base), "%s", base);
	buf_init(&date, 64);
	rc = git_do(&g, args, dir, ERR_LAB, "E_GIT", &date, e);
	if (!rc)
		rc = apply_patches(dir, s, a, date.data, e);
	if (!rc) {
		memcpy(a->head, a->patches[a->n - 1].commit, sizeof(a->head));
		memcpy(a->tree, a->patches[a->n - 1].tree, sizeof(a->tree));
	} else if (rc != -ERR_INTERRUPTED) {
		(void)!apply_reset(dir, base, &ignored);
	}
	buf_release(&date);
	return rc;
}
