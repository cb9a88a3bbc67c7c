/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Write the HTML report of a made-up run, so that a browser can open it.
 *
 * usage: html_driver NAME >FILE    NAME as in tests/unit/fixture_html.h: clean, large, sides …
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reports/html.h"
#include "tests/unit/fixture_html.h"

int main(int argc, char **argv)
{
	struct fixture_comparison f;
	struct err e = ERR_INIT;
	struct buf out;
	int rc;

	if (argc != 2) {
		fprintf(stderr, "usage: html_driver NAME\n");
		return 2;
	}
	buf_init(&out, 64u << 20);
	rc = fixture_comparison(&f, argv[1], &e);
	if (!rc)
		report_html(&out, &f.c);
	if (rc)
		fprintf(stderr, "html_driver: %s\n", e.msg);
	else if (out.failed || fwrite(out.data, 1, out.len, stdout) != out.len || fflush(stdout))
		rc = 1;
	buf_release(&out);
	fixture_comparison_release(&f);
	return rc ? 1 : 0;
}
