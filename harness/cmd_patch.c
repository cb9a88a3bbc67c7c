/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>

#include "harness/base/path.h"
#include "harness/cmd.h"
#include "harness/patch.h"
#include "harness/patch_view.h"

enum { OUTPUT_MAX = 16 << 20 };

enum { OPT_CHECK = CMD_OPT_OWN, OPT_XEN, OPT_BASE, OPT_JSON };

struct args {
	struct cmd_common common;
	struct patch_opts patch;
	bool check, json;
};

static int patch_option(struct args *a, int opt, char **argv, struct err *e)
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
	case OPT_JSON:
		a->json = true;
		return 0;
	default:
		return cmd_common_option(&a->common, opt, argv, e);
	}
}

static int patch_parse(struct args *a, int argc, char **argv, struct err *e)
{
	static const struct option options[] = {CMD_COMMON_LONG,
		{"check", no_argument, NULL, OPT_CHECK}, {"xen", required_argument, NULL, OPT_XEN},
		{"base", required_argument, NULL, OPT_BASE}, {"json", no_argument, NULL, OPT_JSON},
		{NULL, 0, NULL, 0}};
	int opt;

	while ((opt = getopt_long(argc, argv, ":" CMD_COMMON_SHORT, options, NULL)) != -1)
		if (patch_option(a, opt, argv, e))
			return -(int)e->cls;
	if (!a->check)
		return err_set(
			e, ERR_USAGE, NULL, "patch: --check is needed; try harness patch --help");
	if (!a->patch.source)
		return err_set(e, ERR_USAGE, NULL,
			"patch: --xen TREE names the git repository that the series is for");
	if (optind == argc)
		return err_set(e, ERR_USAGE, NULL,
			"patch: name the file of the series; try harness patch --help");
	a->patch.files = (const char *const *)argv + optind;
	a->patch.n_files = (size_t)(argc - optind);
	cmd_common_apply(&a->common);
	return 0;
}

static int patch_command(int argc, char **argv, struct err *e)
{
	struct args a = {0};
	struct patch patch = {0};
	char *state = NULL;
	struct buf out;
	int rc;

	buf_init(&out, OUTPUT_MAX);
	rc = patch_parse(&a, argc, argv, e);
	if (!rc)
		rc = path_state(a.common.state, &state, e);
	if (rc)
		goto out;
	a.patch.state = state;
	rc = patch_check(&a.patch, &patch, e);
	if (rc)
		goto out;
	if (a.json)
		patch_view_json(&patch, &out);
	else
		patch_view_text(&patch, &out);
	fputs(out.data, stdout);
out:
	patch_release(&patch);
	free(state);
	buf_release(&out);
	return rc;
}

const struct cmd cmd_patch = {
	"patch",
	patch_command,
	"apply a series from a mail file",
	"patch --check --xen TREE [--base REV] SERIES…\n"
	"\n"
	"Reads the patches of one series from mail files (an mbox, one mail, what git "
	"format-patch\n"
	"or b4 am left), mends what mailers and archives do to mails, and applies them in a "
	"checkout\n"
	"below the state folder.  Prints what was found, each mend, and which files the blob ids "
	"of\n"
	"the patches prove.  The tree, its index and its branches stay as they are.\n"
	"\n"
	"  --check          do no more than that\n"
	"  --xen TREE       the git repository that the series is for; only read\n"
	"  --base REV       apply to this commit (default: that of the base-commit: line, if the\n"
	"                   repository has it, else HEAD)\n"
	"  --json           print the result as JSON\n" CMD_COMMON_USAGE "\n"
	"SERIES may be several files; - is standard input.\n"
	"Exit status: 0 the series applies, 2 usage, or no whole series in the files, 3 the state\n"
	"folder or git fails, 4 a patch does not apply, 6 busy, 130 interrupted.\n",
};
