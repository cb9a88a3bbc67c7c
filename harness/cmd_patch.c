/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/cmd_patch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/path.h"
#include "harness/base/str.h"
#include "harness/build.h"
#include "harness/cmd_run_set.h"
#include "harness/patch_view.h"

enum { OUTPUT_MAX = 16 << 20, JOBS_MAX = 1024 };

enum { OPT_CHECK = CMD_OPT_OWN, OPT_XEN, OPT_BASE, OPT_JOBS, OPT_ATTACH, OPT_IN_MESSAGE, OPT_NOTE };

/* 1 when it is none of these. */
static int patch_option_own(struct cmd_patch_args *a, int opt, struct err *e)
{
	switch (opt) {
	case OPT_CHECK:
		a->check = true;
		return 0;
	case OPT_XEN:
		a->patch.source = optarg;
		return 0;
	case OPT_BASE:
		a->patch.base = optarg;
		return 0;
	case OPT_JOBS:
		if (!str_int(optarg, 1, JOBS_MAX, &a->jobs))
			return 0;
		return err_set(e, ERR_USAGE, NULL,
			"patch: --jobs takes a number from 1 to %d, not \"%.40s\"", JOBS_MAX,
			optarg);
	case OPT_ATTACH:
		a->attach = true;
		return 0;
	case OPT_IN_MESSAGE:
		a->in_message = true;
		return 0;
	case OPT_NOTE:
		a->note = optarg;
		return 0;
	case CMD_OPT_REPLY:
		a->reply = true;
		a->mail.reply = optarg;
		return 0;
	default:
		return 1;
	}
}

static int patch_option(struct cmd_patch_args *a, int opt, char **argv, struct err *e)
{
	int rc = patch_option_own(a, opt, e);

	if (rc > 0) {
		rc = cmd_attach_mail_option(&a->mail, opt, e);
		if (rc < 0)
			err_prefix(e, "patch");
	}
	return rc > 0 ? cmd_run_args_option(&a->run, opt, argv, e) : rc;
}

static bool patch_is_stdin(const struct patch_opts *o)
{
	for (size_t i = 0; i < o->n_files; i++)
		if (!strcmp(o->files[i], "-"))
			return true;
	return false;
}

/* Where the report is to go. */
static int patch_check_places(const struct cmd_patch_args *a, struct err *e)
{
	struct cmd_attach_mail mail = a->mail;
	bool in = patch_is_stdin(&a->patch);
	const char *wrong = NULL;

	/* A bare --reply gets its file when the series has been read. */
	if (a->reply && !mail.reply)
		mail.reply = a->patch.files[0];
	if (a->in_message && !a->attach)
		wrong = "--in-message goes with --attach";
	else if (a->attach && in)
		wrong = "--attach wants the series in files, not on standard input";
	else if (a->reply && !a->mail.reply && in)
		wrong = "standard input cannot be answered in the end; --reply=MAIL names a file";
	else if (a->mail.nth && !a->mail.reply)
		wrong = "--mail N goes with --reply=MAIL";
	else if (a->reply && !mail.file && !mail.send)
		wrong = "--reply: where to? --answer FILE or --send";
	if (wrong)
		return err_set(e, ERR_USAGE, NULL, "patch: %s", wrong);
	for (size_t i = 0; i < a->patch.n_files; i++)
		if (cmd_attach_same(mail.file, a->patch.files[i], e))
			return err_prefix(e, "patch");
	return cmd_attach_mail_check(&mail, e) ? err_prefix(e, "patch") : 0;
}

static int patch_check_run(struct cmd_patch_args *a, struct err *e)
{
	const char *modes[BUILD_MODES_MAX];
	size_t n = BUILD_MODES_MAX, machines;
	int rc = cmd_run_args_check(&a->run, e);

	if (!rc)
		rc = patch_check_places(a, e);
	if (!rc)
		rc = image_modes_parse(a->run.recipe, a->run.modes, modes, &n, e);
	if (!rc)
		rc = cmd_run_set_check(&a->run, &machines, e);
	if (!rc && cmd_patch_attaches(a) && machines != 1)
		rc = err_set(e, ERR_USAGE, NULL,
			"patch: the reports of %zu machines cannot go to one place: leave out "
			"--attach, --note and --reply, and use harness attach RUN then",
			machines);
	return rc;
}

static int patch_parse(struct cmd_patch_args *a, int argc, char **argv, struct err *e)
{
	static const struct option options[] = {CMD_RUN_LONG, CMD_ATTACH_MAIL_LONG,
		{"reply", optional_argument, NULL, CMD_OPT_REPLY},
		{"answer", required_argument, NULL, CMD_OPT_ANSWER},
		{"check", no_argument, NULL, OPT_CHECK}, {"xen", required_argument, NULL, OPT_XEN},
		{"base", required_argument, NULL, OPT_BASE},
		{"jobs", required_argument, NULL, OPT_JOBS},
		{"attach", no_argument, NULL, OPT_ATTACH},
		{"in-message", no_argument, NULL, OPT_IN_MESSAGE},
		{"note", required_argument, NULL, OPT_NOTE}, {NULL, 0, NULL, 0}};
	int opt, rc = 0;

	while (!rc && (opt = getopt_long(argc, argv, ":" CMD_RUN_SHORT, options, NULL)) != -1)
		rc = patch_option(a, opt, argv, e);
	if (rc)
		return rc;
	if (!a->patch.source)
		return err_set(e, ERR_USAGE, NULL,
			"patch: --xen TREE names the git repository that the series is for");
	if (optind == argc)
		return err_set(e, ERR_USAGE, NULL,
			"patch: name the file of the series; try harness patch --help");
	a->patch.files = (const char *const *)argv + optind;
	a->patch.n_files = (size_t)(argc - optind);
	cmd_common_apply(&a->run.common);
	return a->check ? 0 : patch_check_run(a, e);
}

static int patch_only_check(const struct cmd_patch_args *a, struct err *e)
{
	struct patch patch = PATCH_INIT;
	struct buf out;
	int rc = patch_check(&a->patch, &patch, e);

	buf_init(&out, OUTPUT_MAX);
	if (!rc && a->run.render.format == RENDER_JSON)
		patch_view_json(&patch, &out);
	else if (!rc)
		patch_view_text(&patch, &out);
	fputs(out.data, stdout);
	patch_release(&patch);
	buf_release(&out);
	return rc;
}

static int patch_command(int argc, char **argv, struct err *e)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	struct cmd_patch_args a = {.run = CMD_RUN_ARGS, .jobs = cpus > 0 ? cpus : 1};
	char *state = NULL;
	int rc;

	a.run.cmd = "patch";
	rc = patch_parse(&a, argc, argv, e);
	if (!rc)
		rc = path_state(a.run.common.state, &state, e);
	a.patch.state = state;
	if (!rc)
		rc = a.check ? patch_only_check(&a, e) : cmd_patch_measure(&a, e);
	cmd_run_args_release(&a.run);
	free(state);
	return rc;
}

const struct cmd cmd_patch = {
	.name = "patch",
	.run = patch_command,
	.brief = "measure a series from a mail file against its base",
	.usage = "patch --machine NAME --xen TREE [--base REV] [OPTIONS] SERIES…\n"
		 "       harness patch --check --xen TREE [--base REV] [--json] SERIES…\n"
		 "\n"
		 "Reads the patches of one series from mail files (an mbox, one mail, what git "
		 "format-patch\n"
		 "or b4 am left), mends what mailers and archives do to mails, and applies them in "
		 "a "
		 "checkout\n"
		 "below the state folder.  Builds base and patched, boots both in turns, and "
		 "compares "
		 "them mode\n"
		 "by mode.  The tree, its index and its branches stay as they are.\n"
		 "\n"
		 "  --xen TREE       the git repository that the series is for; only read\n"
		 "  --base REV       apply to this commit (default: that of the base-commit: line, "
		 "if "
		 "the\n"
		 "                   repository has it, else HEAD)\n"
		 "  --jobs N         compilers at a time (default: one a CPU)\n"
		 "  --check          only apply, and print what was found, each mend, and which "
		 "files "
		 "the blob\n"
		 "                   ids of the patches prove; --json as JSON\n"
		 "\nThe run, as of harness run:\n\n" CMD_RUN_USAGE
		 "\nThe report, once the run has ended well:\n\n"
		 "  --attach         put it below the --- of the first patch, in its file\n"
		 "  --in-message     with --attach: into the commit message instead\n"
		 "  --note REV       make it the git note of this commit of TREE, under "
		 "refs/notes/harness\n"
		 "  --reply[=MAIL]   answer the cover letter, or the first patch; or the first "
		 "mail of "
		 "this\n"
		 "                   file\n"
		 "  --answer FILE    write the answer to FILE\n" CMD_ATTACH_MAIL_USAGE
		 "\nSERIES may be several files; - is standard input.\n"
		 "Exit status: 0 no regression, 1 patched is slower, 2 usage, 3 lab, 4 a patch "
		 "does not "
		 "apply\n"
		 "or a side cannot be built, 5 measurement, also when only patched hangs, 6 busy, "
		 "130\n"
		 "interrupted.\n",
};
