/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/cmd_patch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/clock.h"
#include "harness/base/mem.h"
#include "harness/build_view.h"
#include "harness/cmd_run.h"
#include "harness/patch_build.h"
#include "harness/patch_view.h"

enum { SHOW_MAX = 16 << 20 };

static void cmd_patch_show(const struct patch *p)
{
	struct buf out;

	buf_init(&out, SHOW_MAX);
	patch_view_short(p, &out);
	fputs(out.data, stderr);
	buf_release(&out);
}

/* "patched  4.17.5, commit 1f2e3d4c5b6a: mixed built in 1m2s; cluster SKIPPED: …" */
static void cmd_patch_built(enum patch_side s, const struct build_result *r)
{
	char time[16];

	fprintf(stderr, "%-8s %s, commit %.12s:", patch_side_name(s), r->version, r->commit);
	for (size_t i = 0; i < r->n_modes; i++) {
		const struct build_mode *m = &r->modes[i];

		clock_human(m->ns, time, sizeof(time));
		fprintf(stderr, "%s %s %s%s%s", i ? ";" : "", m->mode, build_status_name(m->status),
			m->status == BUILD_BUILT     ? " in "
			: m->status == BUILD_SKIPPED ? ": "
						     : "",
			m->status == BUILD_BUILT     ? time
			: m->status == BUILD_SKIPPED ? m->reason
						     : "");
	}
	fputc('\n', stderr);
}

/* As the run takes it, in the order in which the modes were asked for. */
static void cmd_patch_take(struct cmd_run_build *to, const struct run_build *build,
	const struct build_result *r, const char *const *modes, size_t n)
{
	to->build = *build;
	to->images.v = mem_array(n, sizeof(*to->images.v));
	to->skipped.v = mem_array(n, sizeof(*to->skipped.v));
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < r->n_modes; k++) {
			const struct build_mode *m = &r->modes[k];

			if (strcmp(m->mode, modes[i]) != 0)
				continue;
			if (m->status == BUILD_SKIPPED)
				to->skipped.v[to->skipped.n++] = mem_printf(
					"%s: %s", m->mode, m->reason);
			else
				to->images.v[to->images.n++] = mem_strdup(m->sha256);
		}
}

/* Both sides, as builds of the run to come. */
static int cmd_patch_build(struct cmd_patch_args *a, const struct patch *p, struct err *e)
{
	const char *modes[BUILD_MODES_MAX];
	struct build_opts o = {.state = a->patch.state,
		.recipe = a->run.recipe,
		.modes = modes,
		.n_modes = BUILD_MODES_MAX,
		.jobs = (int)a->jobs,
		.allow_debug = a->run.allow_debug};
	bool quiet = a->run.common.quiet > 0;
	struct patch_build b;
	struct build_view view;
	int rc = image_modes_parse(o.recipe, a->run.modes, modes, &o.n_modes, e);

	if (rc)
		return rc;
	o.progress = quiet ? NULL : build_view_progress;
	o.arg = &view;
	build_view_init(&view, !quiet && isatty(STDERR_FILENO));
	rc = patch_build(p, &o, &b, quiet ? NULL : cmd_patch_built, e);
	build_view_release(&view);
	if (rc)
		return rc;
	patch_build_text(p, a->patch.base, &b);
	a->run.builds = mem_array(PATCH_SIDES, sizeof(*a->run.builds));
	for (; a->run.n_builds < PATCH_SIDES; a->run.n_builds++)
		cmd_patch_take(&a->run.builds[a->run.n_builds], &b.build[a->run.n_builds],
			&b.result[a->run.n_builds], modes, o.n_modes);
	return 0;
}

static int cmd_patch_run(struct cmd_patch_args *a, const struct series *s, struct err *e)
{
	struct cmd_run_went went;
	int rc = cmd_run_go(&a->run, &went, e);

	if (!*went.uuid || !cmd_patch_attaches(a))
		return rc;
	if (rc && rc != ERR_REGRESSION) {
		cmd_patch_attach_not(a, s, went.uuid);
	} else {
		int failed = cmd_patch_attach(a, s, went.uuid);

		rc = failed ? failed : rc;
	}
	return rc;
}

int cmd_patch_measure(struct cmd_patch_args *a, struct err *e)
{
	struct patch p = PATCH_INIT;
	int rc = patch_check(&a->patch, &p, e);

	if (!rc && !a->run.common.quiet)
		cmd_patch_show(&p);
	if (!rc)
		rc = cmd_patch_attach_check(a, &p.series, e);
	if (!rc)
		rc = cmd_patch_build(a, &p, e);
	/* The images are ours now; machines may take hours. */
	patch_unlock(&p);
	if (!rc)
		rc = cmd_patch_run(a, &p.series, e);
	patch_release(&p);
	return rc;
}
