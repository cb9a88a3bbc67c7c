/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "harness/base/mem.h"
#include "harness/base/str.h"
#include "harness/cmd.h"
#include "harness/dataset_file.h"
#include "harness/decimal.h"
#include "reports/ministat.h"
#include "reports/ministat_data.h"

enum {
	OPT_FORMAT = CMD_OPT_OWN,
	OPT_SUMMARY,
	OPT_OLD,
};

enum { STAT_MAX = 64 << 20 }; /* bytes of output */

typedef int stat_render_fn(struct buf *, const struct ministat_set *, size_t,
	const struct ministat_opts *, struct err *);

/* A set as the command line has it. */
struct stat_source {
	const char *file; /* NULL: a summary */
	char *name;	  /* owned */
	struct moments given;
	struct dataset data;
};

struct cmd_stat_args {
	struct ministat_opts o;
	size_t column;
	const char *delims;
	stat_render_fn *render;
	struct stat_source source[MINISTAT_MAX_SETS];
	size_t n;
};

static int stat_width(void)
{
	const char *columns = getenv("COLUMNS");
	struct winsize w;
	int64_t n;

	if (!isatty(STDOUT_FILENO))
		return 74;
	if (columns && !str_int(columns, MINISTAT_MIN_WIDTH, MINISTAT_MAX_WIDTH, &n))
		return (int)n;
	if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) && w.ws_col >= MINISTAT_MIN_WIDTH + 2 &&
		w.ws_col <= MINISTAT_MAX_WIDTH)
		return w.ws_col - 2;
	return 74;
}

static int stat_source_add(struct cmd_stat_args *a, struct stat_source **s, struct err *e)
{
	if (a->n == MINISTAT_MAX_SETS)
		return err_set(e, ERR_USAGE, NULL, "stat: Too many datasets: at most %d",
			MINISTAT_MAX_SETS);
	*s = &a->source[a->n++];
	return 0;
}

static int stat_file(struct cmd_stat_args *a, const char *file, struct err *e)
{
	bool input = !strcmp(file, "-");
	struct stat_source *s = NULL;
	int rc;

	for (size_t i = 0; input && i < a->n; i++)
		if (a->source[i].file && !strcmp(a->source[i].file, "-"))
			return err_set(e, ERR_USAGE, NULL,
				"stat: standard input (-) can be read only once");
	rc = stat_source_add(a, &s, e);
	if (rc)
		return rc;
	s->file = file;
	s->name = mem_strdup(input ? DATASET_STDIN : file);
	return 0;
}

/* The next comma-separated number of *p, which moves behind it; -1: there is none. */
static int stat_number(const char **p, double *v)
{
	size_t n = strcspn(*p, ",");
	int rc = decimal_token(*p, n, v);

	*p += n + ((*p)[n] == ',');
	return rc || !isfinite(*v) ? -1 : 0;
}

/* [NAME=]n,avg,sd[,min,max,median] */
static int stat_summary(struct cmd_stat_args *a, const char *arg, struct err *e)
{
	const char *numbers = strrchr(arg, '='), *p;
	struct moments *m;
	struct stat_source *s = NULL;
	double *field[5], n;
	int rc, fields = 1;

	rc = stat_source_add(a, &s, e);
	if (rc)
		return rc;
	m = &s->given;
	*m = (struct moments){.min = NAN, .max = NAN, .median = NAN};
	field[0] = &m->avg;
	field[1] = &m->sd;
	field[2] = &m->min;
	field[3] = &m->max;
	field[4] = &m->median;
	numbers = numbers ? numbers + 1 : arg;
	s->name = numbers > arg ? mem_strndup(arg, (size_t)(numbers - arg) - 1)
				: mem_printf("summary-%zu", a->n);
	for (p = numbers; *p; p++)
		fields += *p == ',';
	p = numbers;
	rc = fields != 3 && fields != 6 ? -1 : stat_number(&p, &n);
	for (int i = 0; !rc && i < fields - 1; i++)
		rc = stat_number(&p, field[i]);
	if (rc)
		return err_set(e, ERR_USAGE, NULL,
			"stat: summary \"%s\" is not [NAME=]n,avg,sd[,min,max,median]", arg);
	if (!(n >= MINISTAT_MIN_POINTS && n <= 1e15 && n == floor(n)))
		return err_set(e, ERR_USAGE, NULL,
			"stat: summary \"%s\": n is not a whole number from %d to 1e15", arg,
			MINISTAT_MIN_POINTS);
	m->n = (size_t)n;
	return 0;
}

static int stat_whole(const char *what, int64_t lo, int64_t hi, size_t *out, struct err *e)
{
	int64_t n;

	if (str_int(optarg, lo, hi, &n))
		return err_set(e, ERR_USAGE, NULL,
			"stat: %s \"%s\" is not a whole number from %lld to %lld", what, optarg,
			(long long)lo, (long long)hi);
	*out = (size_t)n;
	return 0;
}

static int stat_confidence(struct cmd_stat_args *a, struct err *e)
{
	double conf;

	if (decimal_token(optarg, strlen(optarg), &conf) || !(conf > 0 && conf < 100))
		return err_set(e, ERR_USAGE, NULL,
			"stat: confidence \"%s\" is not a percentage between 0 and 100 (ministat's "
			"levels: 80 90 95 98 99 99.5)",
			optarg);
	a->o.conf = conf;
	return 0;
}

static int stat_format(struct cmd_stat_args *a, struct err *e)
{
	if (!strcmp(optarg, "text"))
		a->render = ministat_render;
	else if (!strcmp(optarg, "json"))
		a->render = ministat_data_json;
	else if (!strcmp(optarg, "csv"))
		a->render = ministat_data_csv;
	else
		return err_set(e, ERR_USAGE, NULL,
			"stat: format \"%s\" is none of text, json and csv", optarg);
	return 0;
}

static int stat_delims(struct cmd_stat_args *a, struct err *e)
{
	if (!*optarg)
		return err_set(e, ERR_USAGE, NULL, "stat: Can't use empty delimiter string");
	a->delims = optarg;
	return 0;
}

/* What getopt_long() could not use. */
static int stat_bad_option(int opt, char **argv, struct err *e)
{
	const char letter[] = {'-', (char)optopt, '\0'};
	/* A long one stands whole in the argument before the next. */
	const char *text = optopt > 0 && optopt < 128 ? letter : argv[optind - 1];

	return err_set(e, ERR_USAGE, NULL,
		opt == ':' ? "stat: option %s needs a value; try harness stat --help"
			   : "stat: unknown option %s; try harness stat --help",
		text);
}

static int stat_option(struct cmd_stat_args *a, int opt, char **argv, struct err *e)
{
	switch (opt) {
	case 'A':
		a->o.no_plot = true;
		return 0;
	case 'n':
		a->o.no_diff = true;
		return 0;
	case 'q':
		a->o.quiet = true;
		return 0;
	case 's':
		a->o.separate = true;
		return 0;
	case 'C':
		return stat_whole("column", 1, 1000000, &a->column, e);
	case 'w':
		return stat_whole("width", MINISTAT_MIN_WIDTH, MINISTAT_MAX_WIDTH, &a->o.width, e);
	case 'c':
		return stat_confidence(a, e);
	case 'd':
		return stat_delims(a, e);
	case OPT_FORMAT:
		return stat_format(a, e);
	case OPT_SUMMARY:
		return stat_summary(a, optarg, e);
	case OPT_OLD:
		a->o.relative = TTEST_RELATIVE_OLD;
		return 0;
	case 1: /* not an option */
		return stat_file(a, optarg, e);
	default:
		return stat_bad_option(opt, argv, e);
	}
}

static int stat_parse(struct cmd_stat_args *a, int argc, char **argv, struct err *e)
{
	static const struct option longs[] = {{"format", required_argument, NULL, OPT_FORMAT},
		{"summary", required_argument, NULL, OPT_SUMMARY},
		{"old-relative-error", no_argument, NULL, OPT_OLD}, {NULL, 0, NULL, 0}};
	int opt, rc = 0;

	/* '-': files come as they stand among the options, so that summaries keep their place. */
	while (!rc && (opt = getopt_long(argc, argv, "-:AnqsC:c:d:w:", longs, NULL)) != -1)
		rc = stat_option(a, opt, argv, e);
	while (!rc && optind < argc)
		rc = stat_file(a, argv[optind++], e);
	if (!rc && !a->n)
		rc = stat_file(a, "-", e);
	return rc;
}

static int stat_read(struct cmd_stat_args *a, struct ministat_set *sets, struct err *e)
{
	int rc = 0;

	for (size_t i = 0; i < a->n && !rc; i++) {
		struct stat_source *s = &a->source[i];

		if (!s->file) {
			rc = ministat_set_summary(&sets[i], s->name, &s->given, e);
			continue;
		}
		dataset_init(&s->data, s->name, a->column, a->delims);
		rc = dataset_file_read(&s->data, s->file, e);
		if (!rc)
			rc = ministat_set_values(&sets[i], s->name, s->data.v, s->data.n, e);
	}
	/* Whatever is wrong with numbers that were given is bad input. */
	if (rc && e->cls == ERR_MEASURE) {
		e->cls = ERR_USAGE;
		rc = -ERR_USAGE;
	}
	return rc;
}

static int cmd_stat_run(int argc, char **argv, struct err *e)
{
	struct cmd_stat_args a = {
		.o = MINISTAT_OPTS_INIT, .column = 1, .delims = " \t", .render = ministat_render};
	struct ministat_set sets[MINISTAT_MAX_SETS];
	struct buf out;
	int rc;

	a.o.width = (size_t)stat_width();
	buf_init(&out, STAT_MAX);
	rc = stat_parse(&a, argc, argv, e);
	if (!rc)
		rc = stat_read(&a, sets, e);
	if (!rc)
		rc = a.render(&out, sets, a.n, &a.o, e);
	if (!rc)
		fwrite(out.data, 1, out.len, stdout);
	buf_release(&out);
	for (size_t i = 0; i < a.n; i++) {
		if (a.source[i].file)
			dataset_release(&a.source[i].data);
		free(a.source[i].name);
	}
	return rc;
}

const struct cmd cmd_stat = {
	.name = "stat",
	.run = cmd_stat_run,
	.brief = "compare sets of numbers as ministat does",
	.usage = "stat [OPTIONS] [FILE...]\n\n"
		 "Prints the plot, table and verdicts of ministat for files of numbers; the first\n"
		 "set is the reference.  FILE - is standard input, as is no FILE; at most 7 "
		 "sets.\n\n"
		 "  -A                    no plot\n"
		 "  -n                    the table only: no plot, no verdicts\n"
		 "  -q                    neither the names of the sets nor the header\n"
		 "  -s                    mean, median and deviation of each set on a line of its "
		 "own\n"
		 "  -C COLUMN             column of the files to read, from 1 (default 1)\n"
		 "  -c CONFIDENCE         level in percent (default 95)\n"
		 "  -d DELIMITERS         characters between columns (default blank and tab)\n"
		 "  -w WIDTH              columns of the plot (default 74, or the terminal's)\n"
		 "  --summary [NAME=]n,avg,sd[,min,max,median]\n"
		 "                        a set of which only these are known, in its place among\n"
		 "                        the files; may be repeated\n"
		 "  --format FORMAT       text (default), json or csv\n"
		 "  --old-relative-error  the error of the percentage as ministat made it before "
		 "2020\n",
};
