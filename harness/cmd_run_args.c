/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/cmd_run_args.h"

#include <stdlib.h>
#include <string.h>

#include "harness/base/mem.h"
#include "harness/base/path.h"
#include "harness/base/str.h"
#include "harness/cmd_run_build.h"
#include "harness/run_pilot.h"

/* Of --until: boots a mode when nothing else is said. */
enum { PILOT_BOOTS = 5, MAX_BOOTS = 30 };

/* Of an image's sha256, in the command that repeats a run. */
enum { AGAIN_DIGITS = 16 };

#define UNTIL_MIN 0.01 /* percent */
#define UNTIL_MAX 100.0

const char cmd_run_usage[] =
	"run --machine NAME[,NAME…]|--tag TAG [OPTIONS]\n\n"
	"Boots each mode in randomised blocks, keeps every sample, prints the "
	"report.\n\n"
	"  --build NAME=IMAGE[,IMAGE…]\n"
	"                   compare builds (up to 4 of these): stored images by the first\n"
	"                   digits of their sha256, one of each mode; the first build is the\n"
	"                   reference\n" CMD_RUN_USAGE
	"\nWhat is not given is taken from the target file.\n";

int cmd_run_names_add(
	struct cmd_run_names *names, const char *list, const char *option, struct err *e)
{
	for (const char *p = list;; p++) {
		size_t n = strcspn(p, ","), i = 0;

		if (!n)
			return err_set(e, ERR_USAGE, NULL,
				"%s takes names separated by commas, not \"%s\"", option, list);
		while (i < names->n && (strncmp(names->v[i], p, n) || names->v[i][n]))
			i++;
		if (i == names->n) {
			names->v = mem_grow(names->v, names->n + 1, sizeof(*names->v));
			names->v[names->n++] = mem_strndup(p, n);
		}
		p += n;
		if (!*p)
			return 0;
	}
}

char *cmd_run_args_file(const char *file, const char *machine)
{
	struct buf b;
	char *out;

	if (!file)
		return NULL;
	buf_init(&b, 65536);
	for (const char *p = file; *p; p++)
		if (p[0] == '%' && p[1] == 'm') {
			buf_adds(&b, machine);
			p++;
		} else {
			buf_addc(&b, *p);
		}
	out = mem_strdup(b.data);
	buf_release(&b);
	return out;
}

bool cmd_run_args_person(const struct cmd_render *r)
{
	return !r->file && (r->format == RENDER_TEXT || r->format == RENDER_MAIL);
}

static int cmd_run_args_check_file(
	const struct cmd_run_args *a, const char *name, const char *machine, struct err *e)
{
	char *file = cmd_run_args_file(name, machine);
	int rc = file ? path_check_write(file, e) : 0;

	free(file);
	return rc ? err_prefix(e, "%s", a->cmd) : 0;
}

/* The file of -o: its form, too. */
static int cmd_run_args_check_render(struct cmd_run_args *a, const char *machine, struct err *e)
{
	struct cmd_render r = a->render;
	char *file = cmd_run_args_file(r.file, machine);
	int rc;

	r.file = file;
	rc = cmd_render_check(&r, a->cmd, e);
	a->render.format = r.format;
	free(file);
	return rc;
}

int cmd_run_args_files(struct cmd_run_args *a, const char *const *machines, size_t n, struct err *e)
{
	const struct {
		const char *option, *file;
	} files[] = {{"--junit", a->junit}, {"--html", a->html}, {"-o", a->render.file}};
	int rc = 0;

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]) && n > 1; i++)
		if (files[i].file && !strstr(files[i].file, "%m"))
			return err_set(e, ERR_USAGE, NULL,
				"%s: %s %s is one file for %zu machines; put %%m into its name, "
				"which stands for the machine's",
				a->cmd, files[i].option, files[i].file, n);
	for (size_t i = 0; i < n && !rc; i++) {
		rc = cmd_run_args_check_file(a, a->junit, machines[i], e);
		if (!rc)
			rc = cmd_run_args_check_file(a, a->html, machines[i], e);
		if (!rc)
			rc = cmd_run_args_check_render(a, machines[i], e);
	}
	if (!rc && n > 1 && !a->render.file && !cmd_run_args_person(&a->render))
		return err_set(e, ERR_USAGE, NULL,
			"%s: the reports of %zu machines cannot be one file of this form: give -o "
			"with %%m in its name, which stands for the machine's",
			a->cmd, n);
	return rc;
}

/* Numbers and texts; 1 for any other option. */
static int cmd_run_args_value(struct cmd_run_args *a, int opt, struct err *e)
{
	const struct {
		int opt;
		const char *name;
		int64_t lo, hi, *to;
	} numbers[] = {{CMD_OPT_BOOTS, "--boots", 1, 1000, &a->boots},
		{CMD_OPT_MAX_BOOTS, "--max-boots", 1, 1000, &a->max_boots},
		{CMD_OPT_SAMPLES, "--samples", 1, 1024, &a->samples},
		{CMD_OPT_ITERATIONS, "--iterations", 1, 100000000, &a->iterations},
		{CMD_OPT_WARMUP, "--warmup", 0, 1023, &a->warmup},
		{CMD_OPT_SEED, "--seed", 1, 4294967295, &a->seed}};
	const struct {
		int opt;
		const char **to;
	} texts[] = {{CMD_OPT_MODES, &a->modes}, {CMD_OPT_WORKLOAD, &a->workload},
		{CMD_OPT_IMAGE, &a->recipe}, {CMD_OPT_ARGS, &a->extra}, {CMD_OPT_JUNIT, &a->junit},
		{CMD_OPT_HTML, &a->html}};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		if (opt != numbers[i].opt)
			continue;
		if (!str_int(optarg, numbers[i].lo, numbers[i].hi, numbers[i].to))
			return 0;
		return err_set(e, ERR_USAGE, NULL,
			"%s: %s takes a number from %lld to %lld, not \"%s\"", a->cmd,
			numbers[i].name, (long long)numbers[i].lo, (long long)numbers[i].hi,
			optarg);
	}
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (opt == texts[i].opt) {
			*texts[i].to = optarg;
			return 0;
		}
	return 1;
}

int cmd_run_args_option(struct cmd_run_args *a, int opt, char **argv, struct err *e)
{
	int rc = cmd_run_args_value(a, opt, e);

	if (rc <= 0)
		return rc;
	switch (opt) {
	case CMD_OPT_UNTIL:
		if (!str_percent(optarg, UNTIL_MIN, UNTIL_MAX, &a->until))
			return 0;
		return err_set(e, ERR_USAGE, NULL,
			"%s: --until takes a percentage from %g%% to %g%%, such as 1%%, not \"%s\"",
			a->cmd, UNTIL_MIN, UNTIL_MAX, optarg);
	case CMD_OPT_MACHINE:
		rc = cmd_run_names_add(&a->machines, optarg, "--machine", e);
		return rc ? err_prefix(e, "%s", a->cmd) : 0;
	case CMD_OPT_TAG:
		rc = cmd_run_names_add(&a->tags, optarg, "--tag", e);
		return rc ? err_prefix(e, "%s", a->cmd) : 0;
	case CMD_OPT_BUILD:
		return cmd_run_build_add(a, optarg, e);
	case CMD_OPT_ALLOW_DEBUG:
		a->allow_debug = true;
		return 0;
	default:
		if (cmd_hold_is(opt))
			return cmd_hold_option(&a->hold, opt, argv, e) ? -(int)ERR_USAGE : 0;
		return cmd_render_option(&a->render, &a->common, opt, argv, e) ? -(int)ERR_USAGE
									       : 0;
	}
}

int cmd_run_args_check(const struct cmd_run_args *a, struct err *e)
{
	if (a->max_boots && a->until <= 0)
		return err_set(e, ERR_USAGE, NULL,
			"%s: --max-boots goes with --until; a run of one stage takes --boots",
			a->cmd);
	if (!a->machines.n && !a->tags.n)
		return err_set(e, ERR_USAGE, NULL,
			"%s: --machine NAME (or --tag TAG) is missing; harness machine list shows "
			"the names",
			a->cmd);
	return 0;
}

int cmd_run_args_parse(struct cmd_run_args *a, int argc, char **argv, struct err *e)
{
	static const struct option longs[] = {CMD_RUN_LONG,
		{"build", required_argument, NULL, CMD_OPT_BUILD}, {NULL, 0, NULL, 0}};
	const char *recipe = a->recipe;
	int opt, rc = 0;

	while (!rc && (opt = getopt_long(argc, argv, ":" CMD_RUN_SHORT, longs, NULL)) != -1)
		rc = cmd_run_args_option(a, opt, argv, e);
	if (rc)
		return rc;
	if (optind < argc)
		return err_set(e, ERR_USAGE, NULL,
			"run: unexpected \"%s\"; a machine is named by --machine", argv[optind]);
	if (a->n_builds && a->recipe != recipe)
		return err_set(e, ERR_USAGE, NULL,
			"run: --build names stored images, which know their recipe: it does not go "
			"with --image");
	return cmd_run_args_check(a, e);
}

static void cmd_run_names_release(struct cmd_run_names *names)
{
	for (size_t i = 0; i < names->n; i++)
		free(names->v[i]);
	free(names->v);
	*names = (struct cmd_run_names){NULL, 0};
}

void cmd_run_args_release(struct cmd_run_args *a)
{
	cmd_run_names_release(&a->machines);
	cmd_run_names_release(&a->tags);
	for (size_t i = 0; i < a->n_builds; i++) {
		cmd_run_names_release(&a->builds[i].images);
		cmd_run_names_release(&a->builds[i].skipped);
	}
	free(a->builds);
	a->builds = NULL;
	a->n_builds = 0;
}

int cmd_run_args_boots(
	const struct cmd_run_args *a, const struct target *t, struct run_info *i, struct err *e)
{
	int pilot, max;

	i->until = (struct run_until){.width = a->until};
	i->boots = a->boots ? (int)a->boots : t->measure.boots;
	if (a->until <= 0)
		return 0;
	pilot = a->boots || i->boots > PILOT_BOOTS ? i->boots : PILOT_BOOTS;
	max = a->max_boots ? (int)a->max_boots : MAX_BOOTS;
	if (pilot < RUN_PILOT_MIN)
		return err_set(e, ERR_USAGE, NULL,
			"%s: --until wants a pilot of %d boots or more, not --boots %d", a->cmd,
			RUN_PILOT_MIN, pilot);
	if (max < pilot)
		return err_set(e, ERR_USAGE, NULL,
			"%s: the pilot's %d boots a mode are more than the %d that --max-boots "
			"allows%s; give --boots or --max-boots",
			a->cmd, pilot, max, a->max_boots ? "" : " by default");
	i->boots = i->until.pilot = pilot;
	i->until.max = max;
	return 0;
}

void cmd_run_args_quote(struct buf *b, const char *s)
{
	buf_addc(b, '\'');
	for (; *s; s++)
		if (*s == '\'')
			buf_adds(b, "'\\''");
		else
			buf_addc(b, *s);
	buf_addc(b, '\'');
}

/* --build, with its images; nothing for a build of which none is booted. */
static void again_build(struct buf *b, const struct run_info *i, const char *name)
{
	bool any = false;

	for (size_t m = 0; m < i->n_modes; m++) {
		const struct run_mode *d = &i->modes[m];

		if (d->skipped || strcmp(d->build, name) != 0)
			continue;
		if (any)
			buf_addc(b, ',');
		else
			buf_addf(b, " --build %s=", name);
		buf_addf(b, "%.*s", AGAIN_DIGITS, d->image.sha256);
		any = true;
	}
}

/* Has a build an image of this mode? */
static bool again_has(const struct run_info *i, const char *mode)
{
	for (size_t m = 0; m < i->n_modes; m++)
		if (!i->modes[m].skipped && !strcmp(i->modes[m].mode, mode))
			return true;
	return false;
}

/* In their order, which is the same in all builds. */
static void again_modes(struct buf *b, const struct run_info *i)
{
	size_t n = i->n_builds ? i->n_modes / i->n_builds : i->n_modes;
	bool any = false;

	for (size_t m = 0; m < n; m++)
		if (!i->n_builds || again_has(i, i->modes[m].mode)) {
			buf_addf(b, "%s%s", any ? "," : "", i->modes[m].mode);
			any = true;
		}
}

void cmd_run_args_again(struct buf *b, const struct run_info *i, const struct cmd_run_args *a)
{
	buf_addf(b, "harness run --machine %s", i->target->name);
	for (size_t k = 0; k < i->n_builds; k++)
		again_build(b, i, i->builds[k].name);
	buf_adds(b, " --modes ");
	again_modes(b, i);
	buf_addf(b,
		" --boots %d --samples %d --iterations %d --warmup %d --workload %s --seed %llu",
		i->boots, i->samples, i->iterations, i->warmup, i->workload,
		(unsigned long long)i->seed);
	if (i->until.width > 0)
		buf_addf(b, " --until %.10g%% --max-boots %d", 100 * i->until.width, i->until.max);
	if (!i->n_builds && strcmp(a->recipe, "xen") != 0)
		buf_addf(b, " --image %s", a->recipe);
	if (a->allow_debug)
		buf_adds(b, " --allow-debug");
	if (a->common.targets) {
		buf_adds(b, " --targets ");
		cmd_run_args_quote(b, a->common.targets);
	}
	if (*i->extra_args) {
		buf_adds(b, " --args ");
		cmd_run_args_quote(b, i->extra_args);
	}
}
