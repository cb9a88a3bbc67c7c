/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/mem.h"
#include "harness/base/path.h"
#include "harness/base/str.h"
#include "harness/cmd_bisect.h"
#include "harness/cmd_hold.h"
#include "harness/cmd_run.h"

enum { OUTPUT_MAX = 64 << 20, SETTINGS_MAX = 65536, BOOTS_DEFAULT = 3, BOOTS_LIMIT_DEFAULT = 12 };

enum {
	OPT_MACHINE = CMD_OPT_OWN,
	OPT_MODE,
	OPT_XEN,
	OPT_IMAGE,
	OPT_EFFECT,
	OPT_CONF,
	OPT_BOOTS,
	OPT_MAX_BOOTS,
	OPT_SAMPLES,
	OPT_ITERATIONS,
	OPT_WARMUP,
	OPT_WORKLOAD,
	OPT_ARGS,
	OPT_JOBS,
	OPT_ALLOW_DEBUG,
	OPT_FRESH,
	OPT_JSON
};

struct args {
	struct cmd_common common;
	struct cmd_hold hold;
	struct bisect_opts bisect;
	const char *machine, *workload;
	int64_t boots, max_boots, samples, iterations, warmup, jobs; /* 0, -1: not given */
	bool json;
};

/* "95" or "95%", within lo and hi. */
static int bisect_percent(const char *name, double lo, double hi, double *to, struct err *e)
{
	char text[32];
	double share;

	snprintf(text, sizeof(text), "%s%s", optarg, strchr(optarg, '%') ? "" : "%");
	if (str_percent(text, lo, hi, &share))
		return err_set(e, ERR_USAGE, NULL,
			"bisect: %s takes a percentage from %g to %g, not \"%.40s\"", name, lo, hi,
			optarg);
	*to = 100 * share;
	return 0;
}

/* 1: it was one of these. */
static int bisect_number(struct args *a, int opt, struct err *e)
{
	const struct {
		int opt;
		const char *name;
		int64_t lo, hi, *to;
	} numbers[] = {{OPT_BOOTS, "--boots", VERDICT_BOOTS_MIN, 1000, &a->boots},
		{OPT_MAX_BOOTS, "--max-boots", VERDICT_BOOTS_MIN, 1000, &a->max_boots},
		{OPT_SAMPLES, "--samples", 1, 1024, &a->samples},
		{OPT_ITERATIONS, "--iterations", 1, 100000000, &a->iterations},
		{OPT_WARMUP, "--warmup", 0, 1023, &a->warmup},
		{OPT_JOBS, "--jobs", 1, 1024, &a->jobs}};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		if (opt != numbers[i].opt)
			continue;
		if (str_int(optarg, numbers[i].lo, numbers[i].hi, numbers[i].to))
			return err_set(e, ERR_USAGE, NULL,
				"bisect: %s takes a number from %lld to %lld, not \"%.40s\"",
				numbers[i].name, (long long)numbers[i].lo, (long long)numbers[i].hi,
				optarg);
		return 1;
	}
	return 0;
}

static int bisect_option(struct args *a, int opt, char **argv, struct err *e)
{
	const struct {
		int opt;
		const char **to;
	} texts[] = {{OPT_MACHINE, &a->machine}, {OPT_MODE, &a->bisect.ask.mode},
		{OPT_XEN, &a->bisect.repo}, {OPT_IMAGE, &a->bisect.recipe},
		{OPT_WORKLOAD, &a->workload}, {OPT_ARGS, &a->bisect.ask.args}};
	int rc = bisect_number(a, opt, e);

	if (rc)
		return rc > 0 ? 0 : rc;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (opt == texts[i].opt) {
			*texts[i].to = optarg;
			return 0;
		}
	switch (opt) {
	case OPT_EFFECT:
		return bisect_percent("--effect", 0.01, 1000, &a->bisect.effect, e);
	case OPT_CONF:
		return bisect_percent("--conf", 50, 99.999, &a->bisect.conf, e);
	case OPT_ALLOW_DEBUG:
		a->bisect.allow_debug = true;
		return 0;
	case OPT_FRESH:
		a->bisect.ask.fresh = true;
		return 0;
	case OPT_JSON:
		a->json = true;
		return 0;
	default:
		return cmd_hold_is(opt) ? cmd_hold_option(&a->hold, opt, argv, e)
					: cmd_common_option(&a->common, opt, argv, e);
	}
}

static int bisect_check(struct args *a, int argc, char **argv, struct err *e)
{
	const char *modes[2];
	size_t n = 2;
	int rc;

	if (!a->machine || !a->bisect.ask.mode || !a->bisect.repo)
		return err_set(e, ERR_USAGE, NULL,
			"bisect: --machine NAME, --mode MODE and --xen TREE are needed; try "
			"harness bisect --help");
	if (argc - optind != 2)
		return err_set(e, ERR_USAGE, NULL, "bisect: give two commits, GOOD and BAD, not %d",
			argc - optind);
	a->bisect.good = argv[optind];
	a->bisect.bad = argv[optind + 1];
	if (!a->boots)
		a->boots = BOOTS_DEFAULT;
	if (!a->max_boots)
		a->max_boots = a->boots > BOOTS_LIMIT_DEFAULT ? a->boots : BOOTS_LIMIT_DEFAULT;
	if (a->max_boots < a->boots)
		return err_set(e, ERR_USAGE, NULL,
			"bisect: --boots %lld are more than the %lld that --max-boots allows",
			(long long)a->boots, (long long)a->max_boots);
	rc = image_modes_parse(a->bisect.recipe, a->bisect.ask.mode, modes, &n, e);
	if (!rc && n != 1)
		rc = err_set(e, ERR_USAGE, NULL, "--mode takes one mode, not \"%.60s\"",
			a->bisect.ask.mode);
	return rc ? err_prefix(e, "bisect") : 0;
}

static int bisect_parse(struct args *a, int argc, char **argv, struct err *e)
{
	static const struct option longs[] = {CMD_COMMON_LONG, CMD_HOLD_LONG,
		{"machine", required_argument, NULL, OPT_MACHINE},
		{"mode", required_argument, NULL, OPT_MODE},
		{"xen", required_argument, NULL, OPT_XEN},
		{"image", required_argument, NULL, OPT_IMAGE},
		{"effect", required_argument, NULL, OPT_EFFECT},
		{"conf", required_argument, NULL, OPT_CONF},
		{"boots", required_argument, NULL, OPT_BOOTS},
		{"max-boots", required_argument, NULL, OPT_MAX_BOOTS},
		{"samples", required_argument, NULL, OPT_SAMPLES},
		{"iterations", required_argument, NULL, OPT_ITERATIONS},
		{"warmup", required_argument, NULL, OPT_WARMUP},
		{"workload", required_argument, NULL, OPT_WORKLOAD},
		{"args", required_argument, NULL, OPT_ARGS},
		{"jobs", required_argument, NULL, OPT_JOBS},
		{"allow-debug", no_argument, NULL, OPT_ALLOW_DEBUG},
		{"fresh", no_argument, NULL, OPT_FRESH}, {"json", no_argument, NULL, OPT_JSON},
		{NULL, 0, NULL, 0}};
	int opt;

	while ((opt = getopt_long(argc, argv, ":" CMD_COMMON_SHORT, longs, NULL)) != -1)
		if (bisect_option(a, opt, argv, e))
			return -(int)e->cls;
	return bisect_check(a, argc, argv, e);
}

/* What is not given is the target file's. */
static void bisect_measure(struct args *a, const struct target *t, struct buf *settings)
{
	struct boots_ask *ask = &a->bisect.ask;

	ask->machine = t->name;
	ask->workload = a->workload ? a->workload : t->measure.workload;
	ask->samples = a->samples ? (int)a->samples : t->measure.samples;
	ask->iterations = a->iterations ? (int)a->iterations : t->measure.iterations;
	ask->warmup = a->warmup >= 0 ? (int)a->warmup : t->measure.warmup;
	ask->repeat = t->measure.repeat;
	store_settings(settings, t);
	ask->settings = settings->data;
	a->bisect.boots = (size_t)a->boots;
	a->bisect.max_boots = (size_t)a->max_boots;
	a->bisect.jobs = (int)a->jobs;
}

static void bisect_say(void *arg, const char *line)
{
	const struct args *a = arg;

	if (!a->common.quiet)
		fprintf(stderr, "bisect: %s\n", line);
}

static int bisect_boot(void *arg, const struct bisect_unit *units, size_t n, int boots,
	char uuid[UUID_TEXT], struct err *e)
{
	const struct args *a = arg;
	const struct boots_ask *ask = &a->bisect.ask;
	struct cmd_run_args r = CMD_RUN_ARGS;
	struct cmd_run_went went = {.uuid = ""};
	int rc;

	r.common = a->common;
	r.hold = a->hold;
	r.machines.v = mem_alloc(sizeof(*r.machines.v));
	r.machines.v[r.machines.n++] = mem_strdup(ask->machine);
	r.modes = ask->mode;
	r.workload = ask->workload;
	r.recipe = a->bisect.recipe;
	r.extra = ask->args;
	r.boots = boots;
	r.samples = ask->samples;
	r.iterations = ask->iterations;
	r.warmup = ask->warmup;
	r.allow_debug = a->bisect.allow_debug;
	r.silent = true;
	r.trial = true;
	r.builds = mem_array(n, sizeof(*r.builds));
	for (; r.n_builds < n; r.n_builds++) {
		struct cmd_run_build *b = &r.builds[r.n_builds];
		const struct bisect_unit *u = &units[r.n_builds];

		snprintf(b->build.name, sizeof(b->build.name), "%s", u->name);
		snprintf(b->build.text, sizeof(b->build.text), "%s", u->text);
		b->images.v = mem_alloc(sizeof(*b->images.v));
		b->images.v[b->images.n++] = mem_strdup(u->image);
	}
	rc = cmd_run_go(&r, &went, e);
	snprintf(uuid, UUID_TEXT, "%s", went.uuid);
	cmd_run_args_release(&r);
	return rc > 0 ? 0 : rc;
}

static int bisect_answer(
	const struct args *a, struct store *s, const struct bisect_result *r, struct err *e)
{
	const struct cmd_bisect_out o = {.opts = &a->bisect, .r = r, .s = s, .json = a->json};
	struct buf out;
	int rc;

	buf_init(&out, OUTPUT_MAX);
	rc = cmd_bisect_print(&o, &out, e);
	fputs(out.data, stdout);
	buf_release(&out);
	if (!rc && r->end != BISECT_FOUND)
		rc = err_set(e, ERR_MEASURE, "E_BISECT", "bisect: %s", r->why);
	return rc;
}

static int bisect_command(int argc, char **argv, struct err *e)
{
	struct args a = {.hold = CMD_HOLD_INIT,
		.bisect = {.recipe = "xen", .conf = 95, .effect = 2, .ask = {.args = ""}},
		.warmup = -1};
	struct bisect_result r = {.file = NULL};
	struct target t = {.name = ""};
	struct store *s = NULL;
	char *state = NULL;
	struct buf settings;
	int rc;

	buf_init(&settings, SETTINGS_MAX);
	rc = bisect_parse(&a, argc, argv, e);
	if (rc)
		goto out;
	cmd_common_apply(&a.common);
	rc = target_find(&t, a.common.targets, a.machine, e);
	if (!rc)
		rc = path_state(a.common.state, &state, e);
	if (rc)
		goto out;
	bisect_measure(&a, &t, &settings);
	a.bisect.state = state;
	a.bisect.boot = bisect_boot;
	a.bisect.say = bisect_say;
	a.bisect.arg = &a;
	rc = bisect_run(&a.bisect, &r, e);
	if (!rc)
		rc = store_open(&s, state, e);
	if (!rc)
		rc = bisect_answer(&a, s, &r, e);
out:
	bisect_release(&r);
	store_close(s);
	target_release(&t);
	free(state);
	buf_release(&settings);
	return rc;
}

const struct cmd cmd_bisect = {
	"bisect",
	bisect_command,
	"find the commit that made a machine slower or faster",
	"bisect --machine NAME --mode MODE --xen TREE [OPTIONS] GOOD BAD\n"
	"\n"
	"Measures GOOD and BAD, which must differ, then builds, boots and decides one commit "
	"after\n"
	"the other until the first bad one is left, and measures that against the one before it.\n"
	"Commits that do not build or boot, or cannot be told, are skipped.  The same command "
	"goes\n"
	"on after it was stopped; nothing that is stored is booted again.  The tree is only read.\n"
	"\n"
	"  --machine NAME   the machine\n"
	"  --mode MODE      mixed, physical or cluster\n"
	"  --xen TREE       the git repository\n"
	"  --effect PERCENT GOOD and BAD differ by that at least (2%)\n"
	"  --conf PERCENT   confidence of each decision (95)\n"
	"  --boots N        boots of a commit at first (3)\n"
	"  --max-boots N    boots of a commit at most, where fewer do not tell (12)\n"
	"  --samples M      timings kept of each boot\n"
	"  --iterations K   calls that one timing covers\n"
	"  --warmup W       timings before those, stored but not compared\n"
	"  --workload W     what the probe times (flush-all)\n"
	"  --args TEXT      more arguments for the hypervisor's command line\n"
	"  --image RECIPE   system under test (xen)\n"
	"  --jobs N         compilers at a time (default: one a CPU)\n"
	"  --allow-debug    take images that were built for debugging\n"
	"  --fresh          begin anew, and take no boot that was measured before\n"
	"  --json           print the result as JSON\n" CMD_HOLD_USAGE CMD_COMMON_USAGE "\n"
	"Exit status: 0 found, 2 usage, 3 the lab, 4 GOOD or BAD does not build or boot, 5 cannot\n"
	"tell (they do not differ, or only skipped commits are left), 6 busy, 130 interrupted.\n",
};
