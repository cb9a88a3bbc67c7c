/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/cmd_render.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/path.h"

#define REPORT_MAX ((size_t)1 << 30) /* bytes */

/* Digits and one point, with or without a percent sign. */
static int cmd_render_percent(const char *text, double *out)
{
	size_t whole = strspn(text, "0123456789"), point = text[whole] == '.';
	size_t part = point ? strspn(text + whole + 1, "0123456789") : 0;
	const char *end = text + whole + point + part;

	if (!(whole + part) || (*end && strcmp(end, "%") != 0))
		return -1;
	*out = strtod(text, NULL);
	return 0;
}

/* 1: none of these. */
static int cmd_render_take(struct cmd_render *r, int opt, struct err *e)
{
	const char *name;
	double *to;

	switch (opt) {
	case CMD_OPT_FORMAT:
		r->chosen = true;
		return render_parse(optarg, &r->format, e);
	case CMD_OPT_JSON:
		r->chosen = true;
		r->format = RENDER_JSON;
		return 0;
	case 'o':
		r->file = optarg;
		return 0;
	case CMD_OPT_CONF:
		name = "--conf";
		to = &r->verdict.conf;
		break;
	case CMD_OPT_POWER:
		name = "--power";
		to = &r->verdict.power;
		break;
	case CMD_OPT_EFFECT:
		name = "--effect";
		to = &r->verdict.effect;
		break;
	default:
		return 1;
	}
	if (cmd_render_percent(optarg, to))
		return err_set(e, ERR_USAGE, NULL, "%s takes percent, as 1 or 0.5%%, not \"%s\"",
			name, optarg);
	return verdict_opts_check(&r->verdict, e) ? err_prefix(e, "%s", name) : 0;
}

int cmd_render_option(
	struct cmd_render *r, struct cmd_common *c, int opt, char **argv, struct err *e)
{
	int rc = cmd_render_take(r, opt, e);

	if (rc > 0)
		return cmd_common_option(c, opt, argv, e) ? -(int)ERR_USAGE : 0;
	return rc ? err_prefix(e, "%s", argv[0]) : 0;
}

int cmd_render_check(struct cmd_render *r, const char *cmd, struct err *e)
{
	const char *slash = r->file ? strrchr(r->file, '/') : NULL;
	const char *name = slash ? slash + 1 : r->file;
	int rc = 0;

	if (name && !r->chosen && !render_of_file(name, &r->format) && strchr(name, '.'))
		rc = err_set(e, ERR_USAGE, NULL,
			"the end of %s says no form (" RENDER_ENDS "): give --format", r->file);
	if (!rc && r->file)
		rc = path_check_write(r->file, e);
	return rc ? err_prefix(e, "%s", cmd) : 0;
}

/* NO_COLOR: https://no-color.org, any value but the empty one. */
static bool cmd_render_colour(void)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	return isatty(STDOUT_FILENO) && !(no && *no) && term && strcmp(term, "dumb") != 0;
}

/* Forms with all samples in them are handed on while they are made; the others look back at what
 * they have, and are short. */
static bool cmd_render_long(enum render_format f)
{
	return f == RENDER_JSON || f == RENDER_CSV;
}

struct cmd_render_fill {
	const struct comparison *c;
	enum render_format f;
	int fd;
	int broken;    /* errno of a write */
	struct err *e; /* why there is no report */
};

static int cmd_render_spill_fd(void *arg, const char *p, size_t n)
{
	struct cmd_render_fill *fill = arg;

	if (!path_write_fd(fill->fd, p, n))
		return 0;
	fill->broken = errno;
	return -1;
}

static int cmd_render_fill(void *arg, int fd)
{
	struct cmd_render_fill *fill = arg;
	struct buf out;
	int rc;

	fill->fd = fd;
	if (cmd_render_long(fill->f))
		buf_init_spill(&out, REPORT_MAX, cmd_render_spill_fd, fill);
	else
		buf_init(&out, REPORT_MAX);
	rc = render(&out, fill->c, fill->f, false, fill->e);
	if (!rc && buf_flush(&out))
		rc = -1;
	if (!rc && !out.spill && path_write_fd(fd, out.data, out.len)) {
		fill->broken = errno;
		rc = -1;
	}
	buf_release(&out);
	errno = fill->broken;
	return rc ? -1 : 0;
}

int cmd_render_file(
	const char *file, enum render_format f, const struct comparison *c, struct err *e)
{
	struct err mine = ERR_INIT;
	struct cmd_render_fill fill = {.c = c, .f = f, .e = &mine};
	int rc = path_write_by(file, cmd_render_fill, &fill, 0644, e);

	/* A report that could not be made, not a file that could not be written. */
	if (rc && mine.cls && !fill.broken) {
		*e = mine;
		rc = -(int)mine.cls;
	}
	return rc;
}

int cmd_render_add(
	const struct cmd_render *r, const struct comparison *c, struct buf *out, struct err *e)
{
	return render(out, c, r->format, cmd_render_colour(), e);
}

/* What becomes of standard output is looked at when the program ends. */
static int cmd_render_spill_out(void *arg, const char *p, size_t n)
{
	(void)arg;
	fwrite(p, 1, n, stdout);
	return 0;
}

int cmd_render_out(const struct cmd_render *r, const struct comparison *c, struct err *e)
{
	struct buf out;
	int rc;

	if (r->file)
		return cmd_render_file(r->file, r->format, c, e);
	if (cmd_render_long(r->format))
		buf_init_spill(&out, REPORT_MAX, cmd_render_spill_out, NULL);
	else
		buf_init(&out, REPORT_MAX);
	rc = cmd_render_add(r, c, &out, e);
	if (!rc)
		fwrite(out.data, 1, out.len, stdout);
	buf_release(&out);
	return rc;
}

void cmd_render_again(struct buf *b, const struct cmd_render *r)
{
	static const struct verdict_opts usual = VERDICT_OPTS_INIT;

	if (r->verdict.conf != usual.conf)
		buf_addf(b, " --conf %.15g", r->verdict.conf);
	if (r->verdict.power != usual.power)
		buf_addf(b, " --power %.15g", r->verdict.power);
	if (r->verdict.effect != usual.effect)
		buf_addf(b, " --effect %.15g", r->verdict.effect);
}
