/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/cmd_attach.h"

#include <stdio.h>
#include <stdlib.h>

#include "harness/base/path.h"

enum { OPT_MACHINE = CMD_OPT_OWN, OPT_PATCH, OPT_IN_MESSAGE, OPT_NOTE, OPT_REPO };

struct cmd_attach_args {
	struct cmd_common common;
	struct cmd_attach_mail mail;
	const char *run, *machine, *patch, *note, *repo;
	bool in_message;
};

static int cmd_attach_option(struct cmd_attach_args *a, int opt, char **argv, struct err *e)
{
	int rc;

	switch (opt) {
	case OPT_MACHINE:
		a->machine = optarg;
		return 0;
	case OPT_PATCH:
		a->patch = optarg;
		return 0;
	case OPT_IN_MESSAGE:
		a->in_message = true;
		return 0;
	case OPT_NOTE:
		a->note = optarg;
		return 0;
	case OPT_REPO:
		a->repo = optarg;
		return 0;
	default:
		rc = cmd_attach_mail_option(&a->mail, opt == 'o' ? CMD_OPT_ANSWER : opt, e);
		if (rc > 0)
			return cmd_common_option(&a->common, opt, argv, e) ? -(int)ERR_USAGE : 0;
		return rc ? err_prefix(e, "attach") : 0;
	}
}

static int cmd_attach_check(const struct cmd_attach_args *a, struct err *e)
{
	const char *wrong = NULL;

	if (a->in_message && !a->patch)
		wrong = "--in-message goes with --patch FILE";
	else if (a->repo && !a->note)
		wrong = "--repo goes with --note REV";
	else if (!a->patch && !a->note && !a->mail.reply && !a->mail.any)
		wrong = "where to? --patch FILE, --note REV or --reply MAIL; see harness attach "
			"--help";
	if (wrong)
		return err_set(e, ERR_USAGE, NULL, "attach: %s", wrong);
	return cmd_attach_mail_check(&a->mail, e) ? err_prefix(e, "attach") : 0;
}

static int cmd_attach_parse(struct cmd_attach_args *a, int argc, char **argv, struct err *e)
{
	static const struct option longs[] = {CMD_COMMON_LONG, CMD_ATTACH_MAIL_LONG,
		{"reply", required_argument, NULL, CMD_OPT_REPLY},
		{"output", required_argument, NULL, 'o'},
		{"machine", required_argument, NULL, OPT_MACHINE},
		{"patch", required_argument, NULL, OPT_PATCH},
		{"in-message", no_argument, NULL, OPT_IN_MESSAGE},
		{"note", required_argument, NULL, OPT_NOTE},
		{"repo", required_argument, NULL, OPT_REPO}, {NULL, 0, NULL, 0}};
	int opt, rc = 0;

	while (!rc && (opt = getopt_long(argc, argv, ":o:" CMD_COMMON_SHORT, longs, NULL)) != -1)
		rc = cmd_attach_option(a, opt, argv, e);
	if (rc)
		return rc;
	a->run = optind < argc ? argv[optind++] : "last";
	if (optind < argc)
		return err_set(e, ERR_USAGE, NULL,
			"attach: unexpected \"%s\"; try harness attach --help", argv[optind]);
	return cmd_attach_check(a, e);
}

static int cmd_attach_patch(
	const struct cmd_attach_args *a, const struct answer *what, struct err *e)
{
	bool changed;
	int rc = answer_patch(what, a->patch, a->in_message, &changed, e);

	if (!rc && !a->common.quiet)
		fprintf(stderr, "%s: %s the report of run %.8s %s\n", a->patch,
			changed ? "has" : "already had", what->run,
			a->in_message ? "in its message" : "below ---");
	return rc;
}

static int cmd_attach_note(
	const struct cmd_attach_args *a, const struct answer *what, struct err *e)
{
	char commit[GIT_HASH_MAX];
	bool changed;
	int rc = answer_note(what, a->repo ? a->repo : ".", a->note, commit, &changed, e);

	if (!rc && !a->common.quiet)
		fprintf(stderr, "%.12s: %s the report of run %.8s: git log --notes=harness\n",
			commit, changed ? "has" : "already had", what->run);
	return rc;
}

static int cmd_attach_all(
	const struct cmd_attach_args *a, struct store *s, const struct comparison *c, struct err *e)
{
	struct answer what;
	int rc = answer_init(&what, c, e);

	if (!rc && a->patch)
		rc = cmd_attach_patch(a, &what, e);
	if (!rc && a->note)
		rc = cmd_attach_note(a, &what, e);
	if (!rc && a->mail.reply)
		rc = cmd_attach_mail(&a->mail, s, &what, a->common.quiet > 0, e);
	answer_release(&what);
	return rc;
}

static int cmd_attach_run(int argc, char **argv, struct err *e)
{
	static const struct verdict_opts verdict = VERDICT_OPTS_INIT;
	struct cmd_attach_args a = {.run = NULL};
	struct comparison c = {.n_sets = 0};
	char *state = NULL, uuid[UUID_TEXT];
	struct store *s = NULL;
	struct model m;
	int rc = cmd_attach_parse(&a, argc, argv, e);

	if (rc)
		return rc;
	cmd_common_apply(&a.common);
	model_init(&m);
	rc = path_state(a.common.state, &state, e);
	if (!rc)
		rc = store_open(&s, state, e);
	if (!rc)
		rc = store_find(s, a.run, a.machine, uuid, e);
	if (!rc)
		rc = store_load(s, uuid, &m, e);
	if (!rc)
		rc = comparison_of_run(&c, &m, &verdict, e);
	if (!rc)
		rc = cmd_attach_all(&a, s, &c, e);
	comparison_release(&c);
	model_release(&m);
	store_close(s);
	free(state);
	return rc;
}

const struct cmd cmd_attach = {
	.name = "attach",
	.run = cmd_attach_run,
	.brief = "put a run's report into a patch, a git note, an answer to a mail",
	.usage = "attach [RUN] [--patch FILE [--in-message]] [--note REV [--repo DIR]]\n"
		 "                      [--reply MAIL --from ADDRESS [-o FILE] [--send --smtp "
		 "URL]]\n\n"
		 "Takes the report from what is stored: the same run always gives the same text.\n"
		 "RUN is the first digits of its id, or last (the default).\n\n"
		 "  --patch FILE     below the --- of this patch, in place of an earlier one\n"
		 "  --in-message     in its commit message instead\n"
		 "  --note REV       as the git note of a commit, under refs/notes/harness\n"
		 "  --repo DIR       of this repository (default: where you are)\n"
		 "  --machine NAME   last means the last run of this machine\n"
		 "  --reply MAIL     answer the first mail of this file (one mail, or an mbox)\n"
		 "  -o, --output FILE\n"
		 "                   write the answer to FILE (default: standard "
		 "output)\n" CMD_ATTACH_MAIL_USAGE CMD_COMMON_USAGE,
};
