/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/cmd_patch.h"

#include <stdio.h>
#include <string.h>

#include "harness/base/log.h"
#include "harness/base/path.h"
#include "harness/mail/attach.h"
#include "harness/mail/mbox.h"

enum { AGAIN_MAX = 65536 };

/* Stands for a run that is still to come. */
static const char no_run[] = "00000000-0000-4000-8000-000000000000";

bool cmd_patch_attaches(const struct cmd_patch_args *a)
{
	return a->attach || a->note || a->reply;
}

/* Where a reader of the list looks: in the first patch.  A cover letter has no --- below which it
 * would not become part of something. */
static const char *patch_file(const struct series *s)
{
	return s->mails[0].file;
}

static int check_patch(const struct cmd_patch_args *a, const char *file, struct err *e)
{
	struct attach what = {.run = no_run, .report = "\n", .in_message = a->in_message};
	struct buf before, after;
	int rc = path_check_write(file, e);

	buf_init(&before, MBOX_MAX);
	buf_init(&after, MBOX_MAX);
	if (!rc)
		rc = path_read(file, &before, e);
	if (!rc && attach_patch(&after, before.data, before.len, &what, e))
		rc = err_prefix(e, "--attach: %s", file);
	buf_release(&before);
	buf_release(&after);
	return rc;
}

/* The whole answer, but for the report in it. */
static int check_reply(const struct cmd_patch_args *a, struct err *e)
{
	struct answer_mail_opts o = {.from = a->mail.from,
		.nth = (size_t)a->mail.nth,
		.except = a->mail.except,
		.n_except = a->mail.n_except};
	struct answer what = {.run = ""};
	struct answer_mail mail;
	int rc;

	snprintf(what.run, sizeof(what.run), "%s", no_run);
	buf_init(&what.text, 16);
	buf_init(&what.json, 16);
	buf_adds(&what.text, "\n");
	buf_adds(&what.json, "{}\n");
	rc = answer_mail_make(&mail, &what, a->mail.reply, &o, e);
	answer_mail_release(&mail);
	answer_release(&what);
	return rc ? err_prefix(e, "--reply") : 0;
}

int cmd_patch_attach_check(struct cmd_patch_args *a, const struct series *s, struct err *e)
{
	const struct series_mail *first = s->has_cover ? &s->cover : &s->mails[0];
	int rc = 0;

	if (a->reply && !a->mail.reply) {
		a->mail.reply = first->file;
		a->mail.nth = (int64_t)first->nth;
	}
	if (a->attach)
		rc = check_patch(a, patch_file(s), e);
	if (!rc && a->note)
		rc = git_resolve(a->patch.source, a->note, a->note_commit, e);
	if (!rc && a->reply)
		rc = check_reply(a, e);
	return rc;
}

static void again_option(struct buf *b, const char *option, const char *value)
{
	if (!value)
		return;
	buf_addf(b, " %s ", option);
	cmd_run_args_quote(b, value);
}

static void again_mail(struct buf *b, const struct cmd_attach_mail *m)
{
	static const char *const password[] = {[SECRET_FILE] = "--password-file",
		[SECRET_ENV] = "--password-env",
		[SECRET_COMMAND] = "--password-command"};

	again_option(b, "--reply", m->reply);
	if (m->nth > 1)
		buf_addf(b, " --mail %lld", (long long)m->nth);
	again_option(b, "--from", m->from);
	for (size_t i = 0; i < m->n_except; i++)
		again_option(b, "--except", m->except[i]);
	again_option(b, "-o", m->file);
	if (m->send)
		buf_adds(b, " --send");
	again_option(b, "--smtp", m->smtp);
	again_option(b, "--ca", m->ca_file);
	again_option(b, "--user", m->user);
	if (m->password_kind != SECRET_NONE)
		again_option(b, password[m->password_kind], m->password_from);
	if (m->plain)
		buf_adds(b, " --plain");
	if (m->yes)
		buf_adds(b, " --yes");
	if (m->again)
		buf_adds(b, " --again");
}

/* The command that does it again. */
static void again(
	struct buf *b, const struct cmd_patch_args *a, const struct series *s, const char *uuid)
{
	buf_addf(b, "harness attach %s", uuid);
	again_option(b, "--state", a->run.common.state);
	if (a->attach)
		again_option(b, "--patch", patch_file(s));
	if (a->in_message)
		buf_adds(b, " --in-message");
	if (a->note) {
		again_option(b, "--note", a->note_commit);
		again_option(b, "--repo", a->patch.source);
	}
	if (a->reply)
		again_mail(b, &a->mail);
}

/* WHAT: the command, on a line of its own. */
static void tell_again(
	const char *what, const struct cmd_patch_args *a, const struct series *s, const char *uuid)
{
	struct buf b;

	buf_init(&b, AGAIN_MAX);
	again(&b, a, s, uuid);
	fprintf(stderr, "         %s: %s\n", what, b.data);
	buf_release(&b);
}

void cmd_patch_attach_not(const struct cmd_patch_args *a, const struct series *s, const char *uuid)
{
	tell_again("its report was put nowhere, since the run did not end well; it can be", a, s,
		uuid);
}

static int attach_all(const struct cmd_patch_args *a, const struct series *s, struct store *db,
	const struct answer *what, struct err *e)
{
	bool quiet = a->run.common.quiet > 0, changed;
	char commit[GIT_HASH_MAX];
	int rc = 0;

	if (a->attach)
		rc = answer_patch(what, patch_file(s), a->in_message, &changed, e);
	if (!rc && a->attach && !quiet)
		fprintf(stderr, "%s has the report of run %.8s %s\n", patch_file(s), what->run,
			a->in_message ? "in its message" : "below ---");
	if (!rc && a->note)
		rc = answer_note(what, a->patch.source, a->note_commit, commit, &changed, e);
	if (!rc && a->note && !quiet)
		fprintf(stderr, "%.12s has the report of run %.8s: git log --notes=harness\n",
			commit, what->run);
	if (!rc && a->reply)
		rc = cmd_attach_mail(&a->mail, db, what, quiet, e);
	if (!rc && a->reply && a->mail.file && !quiet)
		fprintf(stderr, "%s is the answer with the report of run %.8s\n", a->mail.file,
			what->run);
	return rc;
}

static int attach_run(
	const struct cmd_patch_args *a, const struct series *s, const char *uuid, struct err *e)
{
	/* As harness attach does it, so that it can do it again. */
	static const struct verdict_opts verdict = VERDICT_OPTS_INIT;
	struct comparison c = {.n_sets = 0};
	struct answer what = {.run = ""};
	struct store *db = NULL;
	struct model m;
	int rc;

	model_init(&m);
	rc = store_open(&db, a->patch.state, e);
	if (!rc)
		rc = store_load(db, uuid, &m, e);
	if (!rc)
		rc = comparison_of_run(&c, &m, &verdict, e);
	if (!rc)
		rc = answer_init(&what, &c, e);
	if (!rc)
		rc = attach_all(a, s, db, &what, e);
	answer_release(&what);
	comparison_release(&c);
	model_release(&m);
	store_close(db);
	return rc;
}

int cmd_patch_attach(const struct cmd_patch_args *a, const struct series *s, const char *uuid)
{
	struct err e = ERR_INIT;

	if (!attach_run(a, s, uuid, &e))
		return 0;
	log_fatal("%s%s%s%s", e.msg, *e.code ? " (" : "", e.code, *e.code ? ")" : "");
	tell_again("the run is stored; once that is mended", a, s, uuid);
	return (int)e.cls;
}
