/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "harness/base/path.h"
#include "harness/base/str.h"
#include "harness/build.h"
#include "harness/build_view.h"
#include "harness/cmd.h"

enum { OUTPUT_MAX = 65536, JOBS_MAX = 1024 };

enum {
	OPT_IMAGE = CMD_OPT_OWN,
	OPT_MODES,
	OPT_XEN,
	OPT_REV,
	OPT_ASIDE,
	OPT_JOBS,
	OPT_DEBUG,
	OPT_FORCE,
	OPT_JSON
};

struct args {
	struct cmd_common common;
	struct build_opts build;
	const char *modes;
	bool json;
};

static int build_option(struct args *a, int opt, char **argv, struct err *e)
{
	int64_t n;

	switch (opt) {
	case OPT_IMAGE:
		a->build.recipe = optarg;
		return 0;
	case OPT_MODES:
		a->modes = optarg;
		return 0;
	case OPT_XEN:
		a->build.source = optarg;
		return 0;
	case OPT_REV:
		a->build.rev = optarg;
		return 0;
	case OPT_ASIDE:
		a->build.aside = true;
		return 0;
	case OPT_JOBS:
		if (str_int(optarg, 1, JOBS_MAX, &n))
			return err_set(e, ERR_USAGE, NULL,
				"--jobs \"%.40s\": must be a number from 1 to %d", optarg,
				JOBS_MAX);
		a->build.jobs = (int)n;
		return 0;
	case OPT_DEBUG:
		a->build.allow_debug = true;
		return 0;
	case OPT_FORCE:
		a->build.force = true;
		return 0;
	case OPT_JSON:
		a->json = true;
		return 0;
	default:
		return cmd_common_option(&a->common, opt, argv, e);
	}
}

static int build_parse(struct args *a, int argc, char **argv, struct err *e)
{
	static const struct option options[] = {CMD_COMMON_LONG,
		{"image", required_argument, NULL, OPT_IMAGE},
		{"modes", required_argument, NULL, OPT_MODES},
		{"xen", required_argument, NULL, OPT_XEN},
		{"rev", required_argument, NULL, OPT_REV}, {"aside", no_argument, NULL, OPT_ASIDE},
		{"jobs", required_argument, NULL, OPT_JOBS},
		{"allow-debug", no_argument, NULL, OPT_DEBUG},
		{"force", no_argument, NULL, OPT_FORCE}, {"json", no_argument, NULL, OPT_JSON},
		{NULL, 0, NULL, 0}};
	int opt;

	while ((opt = getopt_long(argc, argv, ":" CMD_COMMON_SHORT, options, NULL)) != -1)
		if (build_option(a, opt, argv, e))
			return -(int)e->cls;
	if (optind < argc)
		return err_set(e, ERR_USAGE, NULL,
			"build: unexpected \"%.60s\"; try harness build --help", argv[optind]);
	if (a->build.rev && !a->build.source)
		return err_set(e, ERR_USAGE, NULL,
			"--rev is a commit of a git repository, which --xen DIR names");
	cmd_common_apply(&a->common);
	return 0;
}

static int build_command(int argc, char **argv, struct err *e)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	struct args a = {
		.modes = "all", .build = {.recipe = "xen", .jobs = cpus > 0 ? (int)cpus : 1}};
	const char *modes[BUILD_MODES_MAX];
	struct build_result result;
	struct build_view view;
	char *state = NULL;
	struct buf out;
	int rc;

	buf_init(&out, OUTPUT_MAX);
	rc = build_parse(&a, argc, argv, e);
	if (rc)
		goto out;
	a.build.modes = modes;
	a.build.n_modes = BUILD_MODES_MAX;
	rc = image_modes_parse(a.build.recipe, a.modes, modes, &a.build.n_modes, e);
	if (!rc)
		rc = path_state(a.common.state, &state, e);
	if (rc)
		goto out;
	a.build.state = state;
	a.build.progress = a.common.quiet ? NULL : build_view_progress;
	a.build.arg = &view;
	build_view_init(&view, !a.common.quiet && isatty(STDERR_FILENO));
	rc = build_run(&a.build, &result, e);
	build_view_release(&view);
	if (rc)
		goto out;
	if (a.json)
		build_view_json(a.build.recipe, &result, &out);
	else
		build_view_table(&result, &out);
	fputs(out.data, stdout);
out:
	free(state);
	buf_release(&out);
	return rc;
}

const struct cmd cmd_build = {
	"build",
	build_command,
	"build the images to boot, one for each x2APIC mode",
	"build [--image xen] [--modes all|LIST] [OPTIONS]\n"
	"\n"
	"Builds the hypervisor with the probe in it, once for each mode, from the distribution's\n"
	"source package or from your own tree, and keeps the images in the state folder.  Modes\n"
	"whose inputs have not changed are not built again.\n"
	"\n"
	"  --image NAME     what to build (default xen)\n"
	"  --modes LIST     all, or mixed, physical, cluster with commas between (default all)\n"
	"  --xen DIR        a Xen git tree or unpacked source, 4.17 or newer; never written to\n"
	"  --rev REV        build this commit of that git repository, not the files as they are\n"
	"  --aside          store the images, but leave to each mode the one that it has\n"
	"  --jobs N         compilers at a time (default: one a CPU)\n"
	"  --allow-debug    also build with DEBUG, UBSAN or gcov\n"
	"  --force          build again what is up to date\n"
	"  --json           print the result as JSON\n" CMD_COMMON_USAGE "\n"
	"Exit status: 0 built or up to date, 2 usage, 3 no room or no rights in the state folder,\n"
	"4 the build failed or no asked-for mode exists in this tree, 130 interrupted.\n",
};
