/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/answer.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "harness/base/path.h"
#include "harness/mail/attach.h"
#include "reports/render.h"

#define NOTES_REF "refs/notes/harness"

enum { TEXT_MAX = 16 << 20, PATCH_MAX = 64 << 20, NOTE_OUT_MAX = 4096 };

int answer_init(struct answer *a, const struct comparison *c, struct err *e)
{
	const struct model *m = c->runs[0];
	int rc;

	snprintf(a->run, sizeof(a->run), "%s", m->uuid);
	buf_init(&a->text, TEXT_MAX);
	buf_init(&a->json, REPLY_MAX);
	if (!m->ended)
		return err_set(e, ERR_USAGE, NULL,
			"run %s has not ended: its report would still change", m->id);
	rc = render(&a->text, c, RENDER_MAIL, false, e);
	return rc ? rc : render(&a->json, c, RENDER_JSON, false, e);
}

void answer_release(struct answer *a)
{
	buf_release(&a->text);
	buf_release(&a->json);
}

int answer_patch(
	const struct answer *a, const char *file, bool in_message, bool *changed, struct err *e)
{
	struct attach what = {.run = a->run, .report = a->text.data, .in_message = in_message};
	struct buf before, after;
	struct stat st;
	int rc;

	*changed = false;
	buf_init(&before, PATCH_MAX);
	buf_init(&after, PATCH_MAX);
	rc = path_read(file, &before, e);
	if (rc)
		goto out;
	rc = attach_patch(&after, before.data, before.len, &what, e);
	if (rc) {
		err_prefix(e, "%s", file);
		goto out;
	}
	*changed = after.len != before.len || memcmp(after.data, before.data, after.len) != 0;
	if (*changed)
		rc = path_write(
			file, after.data, after.len, stat(file, &st) ? 0644 : st.st_mode & 0777, e);
out:
	buf_release(&before);
	buf_release(&after);
	return rc;
}

/* git's answer without its newline; *there false when git says no. */
static int answer_git(const char *repo, const char *const *args, const char *in, struct buf *out,
	bool *there, struct err *e)
{
	const struct git g = {.dir = repo};
	struct git_result r;
	char words[512];
	int rc = git_run(&g, args, in, NOTE_OUT_MAX, &r, e);

	if (rc)
		return rc;
	git_last_words(&r, words, sizeof(words));
	buf_add(out, r.out.data, strcspn(r.out.data, "\n"));
	if (there)
		*there = !r.status;
	else if (r.status)
		rc = err_set(e, ERR_LAB, "E_NOTE", "%s: no note was written: git %s: %s", repo,
			args[0], *words ? words : "failed without a word");
	git_result_release(&r);
	return rc;
}

int answer_note(const struct answer *a, const char *repo, const char *rev,
	char commit[GIT_HASH_MAX], bool *changed, struct err *e)
{
	struct buf text, blob, old;
	const char *store[] = {"hash-object", "-w", "--stdin", NULL};
	const char *list[] = {"notes", "--ref=" NOTES_REF, "list", commit, NULL};
	bool there = false;
	int rc = git_resolve(repo, rev, commit, e);

	*changed = false;
	if (rc)
		return rc;
	buf_init(&text, TEXT_MAX + 100);
	buf_init(&blob, GIT_HASH_MAX);
	buf_init(&old, GIT_HASH_MAX);
	buf_addf(&text, "harness report of run %s\n\n%s", a->run, a->text.data);
	rc = answer_git(repo, store, text.data, &blob, NULL, e);
	if (!rc)
		rc = answer_git(repo, list, NULL, &old, &there, e);
	if (!rc && !(there && !strcmp(old.data, blob.data))) {
		/* By its blob: git would strip blanks of a text. */
		const char *add[] = {
			"notes", "--ref=" NOTES_REF, "add", "-f", "-C", blob.data, commit, NULL};

		buf_clear(&old);
		rc = answer_git(repo, add, NULL, &old, NULL, e);
		*changed = !rc;
	}
	buf_release(&text);
	buf_release(&blob);
	buf_release(&old);
	return rc;
}
