/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/mem.h"
#include "harness/base/path.h"
#include "harness/cmd.h"
#include "harness/cmd_compare.h"
#include "harness/cmd_render.h"
#include "reports/alike.h"

enum { OPT_MACHINE = CMD_OPT_OWN, OPT_MODES, OPT_ALLOW };

enum { COMPARE_AGAIN_MAX = 65536 };

struct cmd_compare_args {
	struct cmd_common common;
	struct side_word *words; /* owned */
	size_t n_words;
	const char *machine, *modes, *allow;
	alike_set allowed;
	struct cmd_render render;
};

static int cmd_compare_option(struct cmd_compare_args *a, int opt, char **argv, struct err *e)
{
	switch (opt) {
	case OPT_MACHINE:
		a->machine = optarg;
		return 0;
	case OPT_MODES:
		a->modes = optarg;
		return 0;
	case OPT_ALLOW:
		a->allow = optarg;
		return 0;
	default:
		return cmd_render_option(&a->render, &a->common, opt, argv, e);
	}
}

static int cmd_compare_words(struct cmd_compare_args *a, int n, char **words, struct err *e)
{
	int rc = 0;

	if (!n && !(a->machine && a->modes))
		return err_set(e, ERR_USAGE, NULL,
			"give two sides, as in harness compare last~1 last, or --machine and "
			"--modes");
	if (n == 1 && !a->modes)
		return err_set(e, ERR_USAGE, NULL,
			"what is \"%s\" compared with? Give a second side, or --modes", words[0]);
	a->words = mem_array((size_t)n + 1, sizeof(*a->words));
	for (int i = 0; i < n && !rc; i++)
		rc = side_parse(&a->words[a->n_words++], words[i], e);
	return rc;
}

static int cmd_compare_parse(struct cmd_compare_args *a, int argc, char **argv, struct err *e)
{
	static const struct option longs[] = {CMD_COMMON_LONG, CMD_RENDER_LONG,
		{"machine", required_argument, NULL, OPT_MACHINE},
		{"modes", required_argument, NULL, OPT_MODES},
		{"allow", required_argument, NULL, OPT_ALLOW}, {NULL, 0, NULL, 0}};
	int opt, rc = 0;

	while (!rc && (opt = getopt_long(argc, argv, ":" CMD_RENDER_SHORT CMD_COMMON_SHORT, longs,
			       NULL)) != -1)
		rc = cmd_compare_option(a, opt, argv, e);
	if (rc)
		return rc;
	if (a->allow)
		rc = alike_allow(a->allow, &a->allowed, e);
	if (!rc)
		rc = cmd_compare_words(a, argc - optind, argv + optind, e);
	return rc ? err_prefix(e, "compare") : cmd_render_check(&a->render, "compare", e);
}

/* Nothing in it needs quotes: ids, digests, days, and names that were found in the store. */
static char *cmd_compare_again(const struct cmd_compare_args *a, const struct compare_found *f)
{
	struct buf b;

	buf_init(&b, COMPARE_AGAIN_MAX);
	buf_adds(&b, "harness compare");
	for (size_t i = 0; i < f->n_sides; i++) {
		const struct side *s = &f->sides[i];

		buf_addf(&b, " %s%s%s%s%s", f->words[i], *s->build ? "/" : "", s->build,
			*s->mode ? "/" : "", s->mode);
	}
	if (a->machine)
		buf_addf(&b, " --machine %s", a->machine);
	if (a->modes)
		buf_addf(&b, " --modes %s", a->modes);
	cmd_render_again(&b, &a->render);
	if (a->allow)
		buf_addf(&b, " --allow %s", a->allow);
	return buf_detach(&b);
}

static int cmd_compare_build(struct comparison *c, const struct cmd_compare_args *a,
	const struct compare_found *f, struct err *e)
{
	struct buf differs;
	int rc;

	buf_init(&differs, COMPARE_AGAIN_MAX);
	rc = sides_compare(c, f->sides, f->n_sides, a->modes, &a->render.verdict, e);
	if (!rc)
		rc = alike_check(c, a->allowed, &differs, e);
	if (!rc)
		sides_stages(&differs, c);
	if (!rc)
		rc = comparison_judge(c, e);
	if (!rc)
		c->again = cmd_compare_again(a, f);
	if (!rc && differs.len)
		c->differs = buf_detach(&differs);
	buf_release(&differs);
	return rc;
}

static int cmd_compare_run(int argc, char **argv, struct err *e)
{
	struct cmd_compare_args a = {.render = CMD_RENDER_INIT};
	struct compare_found found = {.sides = NULL};
	struct comparison c = {.title = NULL};
	struct store *s = NULL;
	char *state = NULL;
	int rc = cmd_compare_parse(&a, argc, argv, e);

	if (rc)
		goto out;
	cmd_common_apply(&a.common);
	rc = path_state(a.common.state, &state, e);
	if (!rc)
		rc = store_open(&s, state, e);
	if (rc)
		goto out;
	rc = compare_find(&found, s,
		&(struct compare_ask){.words = a.words,
			.n_words = a.n_words,
			.machine = a.machine,
			.machines = a.allowed & 1U << ALIKE_MACHINE},
		e);
	if (!rc)
		rc = cmd_compare_build(&c, &a, &found, e);
	if (rc)
		rc = err_prefix(e, "compare");
	if (!rc)
		rc = cmd_render_out(&a.render, &c, e);
	if (!rc && comparison_regressed(&c))
		rc = ERR_REGRESSION;
out:
	comparison_release(&c);
	compare_found_release(&found);
	store_close(s);
	free(state);
	free(a.words);
	return rc;
}

const struct cmd cmd_compare = {
	.name = "compare",
	.run = cmd_compare_run,
	.brief = "compare runs, images or days; is one proven slower?",
	.usage = "compare SIDE SIDE... [OPTIONS]\n"
		 "       harness compare SIDE --modes MODE,MODE [OPTIONS]\n"
		 "       harness compare --machine NAME --modes MODE,MODE [OPTIONS]\n\n"
		 "Compares boot means, the first side or mode being the reference, and says what "
		 "is\n"
		 "proven.  A SIDE is a run (the first digits of its id, last, last~1), an image\n"
		 "(image:DIGITS of its sha256), or the runs begun on days in UTC (2026-11-30,\n"
		 "2026-11-01..2026-11-30, 2026-11-01..), each with /MODE behind it for one mode.\n"
		 "Of a run with builds name one: 7f3a/patched, or 7f3a/patched/mixed.\n"
		 "Exit status 1: a side is proven slower, however little, than the first in the\n"
		 "same mode.\n\n"
		 "  --machine NAME   only runs of this machine\n"
		 "  --modes LIST     modes to compare, with commas, or all (default: those that "
		 "all\n"
		 "                   sides have)\n"
		 "  --allow LIST     compare though these differ: machine, cpu, microcode, "
		 "firmware,\n"
		 "                   cpus, iterations, args, shorthand, debug, emulator, or "
		 "all\n" CMD_RENDER_USAGE CMD_COMMON_USAGE,
};
