/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/render.h"

#include <string.h>
#include <strings.h>

#include "harness/base/str.h"
#include "reports/comparison_json.h"
#include "reports/csv.h"
#include "reports/html.h"
#include "reports/junit.h"
#include "reports/text.h"

enum { RENDER_COUNT = RENDER_JUNIT + 1 };

static const char *const render_name[RENDER_COUNT] = {
	[RENDER_TEXT] = "text",
	[RENDER_MAIL] = "mail",
	[RENDER_HTML] = "html",
	[RENDER_JSON] = "json",
	[RENDER_CSV] = "csv",
	[RENDER_VERDICTS] = "verdicts",
	[RENDER_JUNIT] = "junit",
};

int render_parse(const char *name, enum render_format *f, struct err *e)
{
	const char *near;

	for (int i = 0; i < RENDER_COUNT; i++)
		if (!strcmp(name, render_name[i])) {
			*f = (enum render_format)i;
			return 0;
		}
	near = str_nearest(name, render_name, RENDER_COUNT);
	return err_set(e, ERR_USAGE, NULL, "no format \"%s\"%s%s%s; there are " RENDER_NAMES, name,
		near ? " (did you mean \"" : "", near ? near : "", near ? "\"?)" : "");
}

bool render_of_file(const char *file, enum render_format *f)
{
	static const struct {
		const char *end;
		enum render_format f;
	} ends[] = {{".txt", RENDER_TEXT}, {".html", RENDER_HTML}, {".htm", RENDER_HTML},
		{".json", RENDER_JSON}, {".csv", RENDER_CSV}, {".xml", RENDER_JUNIT}};
	size_t n = strlen(file);

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		size_t k = strlen(ends[i].end);

		if (n > k && !strcasecmp(file + n - k, ends[i].end)) {
			*f = ends[i].f;
			return true;
		}
	}
	return false;
}

static void render_text(struct buf *out, const struct comparison *c, size_t width, bool colour)
{
	struct text_opts o = TEXT_OPTS_INIT;

	o.width = width;
	o.colour = colour;
	report_text(out, c, &o);
}

int render(struct buf *out, const struct comparison *c, enum render_format f, bool colour,
	struct err *e)
{
	switch (f) {
	case RENDER_TEXT:
		render_text(out, c, TEXT_WIDTH, colour);
		break;
	case RENDER_MAIL:
		render_text(out, c, TEXT_WIDTH_MAIL, false);
		break;
	case RENDER_HTML:
		report_html(out, c);
		break;
	case RENDER_JSON:
		comparison_json_write(out, c);
		break;
	case RENDER_CSV:
		report_csv(out, c);
		break;
	case RENDER_VERDICTS:
		report_csv_verdicts(out, c);
		break;
	case RENDER_JUNIT:
		report_junit(out, c);
		break;
	}
	if (out->failed)
		return err_set(e, ERR_LAB, NULL,
			"the report is longer than %zu bytes: compare less, or take a shorter form "
			"(verdicts, html)",
			out->max);
	return 0;
}
