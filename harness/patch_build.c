/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/patch_build.h"

#include <stdio.h>
#include <string.h>

#include "harness/base/buf.h"

const char *patch_side_name(enum patch_side s)
{
	return s == PATCH_SIDE_BASE ? "base" : "patched";
}

/* A callback that a side's name is put into. */
struct patch_progress {
	const struct build_opts *opts;
	const char *name;
};

static void patch_build_progress(void *arg, const struct build_progress *p)
{
	const struct patch_progress *to = arg;
	struct build_progress named = *p;

	named.recipe = to->name;
	to->opts->progress(to->opts->arg, &named);
}

static int patch_build_side(const struct patch *p, const struct build_opts *opts, enum patch_side s,
	struct build_result *r, struct err *e)
{
	struct patch_progress to = {opts, patch_side_name(s)};
	struct build_opts o = *opts;
	int rc;

	o.source = p->tree;
	o.rev = s == PATCH_SIDE_BASE ? p->apply.base : p->apply.head;
	o.aside = true;
	if (o.progress) {
		o.progress = patch_build_progress;
		o.arg = &to;
	}
	rc = build_run(&o, r, e);
	if (rc == -ERR_IMAGE && s == PATCH_SIDE_BASE && !strcmp(e->code, "E_BUILD"))
		return err_prefix(e, "base: cannot be built, which the series is not to blame for");
	return rc && rc != -ERR_INTERRUPTED ? err_prefix(e, "%s", to.name) : rc;
}

/* One line for each side that lacks something the other one has. */
static int patch_build_common(const struct patch_build *b, struct err *e)
{
	const struct build_result *r = b->result;
	char why[512] = "";
	size_t len = 0;

	for (size_t m = 0; m < r[0].n_modes; m++) {
		bool lacks[PATCH_SIDES];

		for (size_t s = 0; s < PATCH_SIDES; s++)
			lacks[s] = r[s].modes[m].status == BUILD_SKIPPED;
		if (!lacks[0] && !lacks[1])
			return 0;
		if (len < sizeof(why))
			len += (size_t)snprintf(why + len, sizeof(why) - len,
				"%s%s lacks %s (%.120s)", len ? "; " : "",
				lacks[0] && lacks[1] ? "each" : patch_side_name(lacks[1]),
				r[0].modes[m].mode, r[lacks[0] ? 0 : 1].modes[m].reason);
	}
	return err_set(e, ERR_IMAGE, "E_NOMODE",
		"base and patched have no mode in common that could be compared: %s", why);
}

int patch_build(const struct patch *p, const struct build_opts *o, struct patch_build *b,
	void (*done)(enum patch_side, const struct build_result *), struct err *e)
{
	for (int s = 0; s < PATCH_SIDES; s++) {
		int rc = patch_build_side(p, o, (enum patch_side)s, &b->result[s], e);

		if (rc)
			return rc;
		if (done)
			done((enum patch_side)s, &b->result[s]);
	}
	return patch_build_common(b, e);
}
