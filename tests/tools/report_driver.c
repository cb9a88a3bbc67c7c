/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Print a report of the fixtures in a format that programs read, so that a test can read it.
 *
 * usage: report_driver NAME FORMAT     names: fixture_formats.h; formats: json, csv, csv-verdicts,
 *                                      junit, run (the JSON of its first run alone)
 *        report_driver names           print all names, a line each
 *        report_driver schema          print the JSON Schema
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "reports/comparison_json.h"
#include "reports/csv.h"
#include "reports/json.h"
#include "reports/junit.h"
#include "tests/unit/fixture_formats.h"

enum { DRIVER_MAX = 64 << 20 };

static void driver_run(struct buf *out, const struct comparison *c)
{
	struct json_write w;

	json_write_init(&w, out, 1);
	json_write_open(&w, NULL, '{');
	report_json(&w, c->runs[0]);
	json_write_close(&w, '}');
}

static int driver_one(const char *name, const char *format)
{
	static const struct {
		const char *name;
		void (*render)(struct buf *, const struct comparison *);
	} formats[] = {
		{"json", comparison_json_write},
		{"csv", report_csv},
		{"csv-verdicts", report_csv_verdicts},
		{"junit", report_junit},
		{"run", driver_run},
	};
	struct fixture_formats f;
	struct buf out;
	int rc = 2;

	if (!fixture_formats(&f, name))
		return 2;
	buf_init(&out, DRIVER_MAX);
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (!strcmp(format, formats[i].name)) {
			formats[i].render(&out, &f.c);
			fwrite(out.data, 1, out.len, stdout);
			rc = out.failed ? 70 : 0;
		}
	buf_release(&out);
	fixture_formats_release(&f);
	return rc;
}

int main(int argc, char **argv)
{
	if (argc == 3)
		return driver_one(argv[1], argv[2]);
	if (argc == 2 && !strcmp(argv[1], "schema"))
		return fputs(report_schema(), stdout) < 0;
	for (size_t i = 0; argc == 2 && fixture_formats_names[i]; i++)
		puts(fixture_formats_names[i]);
	return argc == 2 ? 0 : 2;
}
