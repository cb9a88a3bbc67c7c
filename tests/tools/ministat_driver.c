/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Print the ministat block of files of numbers, so that a test can compare it with a reference.
 *
 * usage: ministat_driver [-Ansqo] [-c conf] [-w width] [-H max-height] FILE...
 *        ministat_driver <CASES     a line of such arguments a case; a NUL byte ends each block
 * Options as ministat's; -o takes the old relative error.  A file holds numbers and white space,
 * or after the word "summary" the six numbers: n min max median avg sd.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/mem.h"
#include "reports/ministat.h"

static int driver_summary(FILE *f, struct ministat_set *s, const char *name, struct err *e)
{
	struct moments m;

	if (fscanf(f, "%zu %lf %lf %lf %lf %lf", &m.n, &m.min, &m.max, &m.median, &m.avg, &m.sd) !=
		6)
		return err_set(e, ERR_USAGE, NULL, "%s: not a summary", name);
	return ministat_set_summary(s, name, &m, e);
}

/* *v is the caller's to free, also on failure. */
static int driver_values(
	FILE *f, struct ministat_set *s, const char *name, double **v, struct err *e)
{
	size_t n = 0, cap = 0;
	double x;

	while (fscanf(f, "%lf", &x) == 1) {
		if (n == cap) {
			cap = cap ? 2 * cap : 64;
			*v = mem_grow(*v, cap, sizeof(**v));
		}
		(*v)[n++] = x;
	}
	if (!feof(f))
		return err_set(e, ERR_USAGE, NULL, "%s: not a number after %zu values", name, n);
	return ministat_set_values(s, name, *v, n, e);
}

static int driver_read(struct ministat_set *s, const char *name, double **v, struct err *e)
{
	char word[8];
	FILE *f = fopen(name, "r");
	int rc;

	if (!f)
		return err_set(e, ERR_USAGE, NULL, "Cannot open %s", name);
	if (fscanf(f, "%7[a-z]", word) != 1)
		rc = driver_values(f, s, name, v, e);
	else if (!strcmp(word, "summary"))
		rc = driver_summary(f, s, name, e);
	else
		rc = err_set(e, ERR_USAGE, NULL, "%s: starts with %s", name, word);
	fclose(f);
	return rc;
}

static int driver_case(int argc, char **argv)
{
	struct ministat_opts o = MINISTAT_OPTS_INIT;
	struct ministat_set sets[MINISTAT_MAX_SETS];
	double *v[MINISTAT_MAX_SETS] = {NULL};
	struct err e = ERR_INIT;
	struct buf out;
	int c, nsets, rc = 0;

	optind = 0;
	buf_init(&out, 64u << 20);
	while ((c = getopt(argc, argv, "Ansqoc:w:H:")) != -1) {
		switch (c) {
		case 'A':
			o.no_plot = true;
			break;
		case 'n':
			o.no_diff = true;
			break;
		case 's':
			o.separate = true;
			break;
		case 'q':
			o.quiet = true;
			break;
		case 'o':
			o.relative = TTEST_RELATIVE_OLD;
			break;
		case 'c':
			o.conf = strtod(optarg, NULL);
			break;
		case 'w':
			o.width = strtoul(optarg, NULL, 10);
			break;
		case 'H':
			o.max_height = strtoul(optarg, NULL, 10);
			break;
		default:
			return -ERR_USAGE;
		}
	}
	nsets = argc - optind;
	if (nsets < 1 || nsets > MINISTAT_MAX_SETS) {
		fprintf(stderr, "ministat_driver: give 1 to %d files\n", MINISTAT_MAX_SETS);
		return -ERR_USAGE;
	}
	for (int i = 0; !rc && i < nsets; i++)
		rc = driver_read(&sets[i], argv[optind + i], &v[i], &e);
	if (!rc)
		rc = ministat_render(&out, sets, (size_t)nsets, &o, &e);
	if (rc)
		fprintf(stderr, "ministat_driver: %s\n", e.msg);
	else
		fwrite(out.data, 1, out.len, stdout);
	for (int i = 0; i < nsets; i++)
		free(v[i]);
	buf_release(&out);
	return rc;
}

int main(int argc, char **argv)
{
	char *line = NULL, *part[32];
	size_t cap = 0;
	int rc = 0;

	if (argc > 1)
		return -driver_case(argc, argv);
	while (!rc && getline(&line, &cap, stdin) > 0) {
		int n = 0;

		part[n++] = argv[0];
		for (char *p = strtok(line, " \n"); p && n < 31; p = strtok(NULL, " \n"))
			part[n++] = p;
		part[n] = NULL;
		rc = driver_case(n, part);
		putchar('\0');
	}
	free(line);
	return -rc;
}
