/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/html.h"

#include <stdio.h>
#include <string.h>

#include <nettle/base64.h>
#include <nettle/sha2.h>

#include "harness/base/clock.h"
#include "reports/html_assets.h"
#include "reports/html_private.h"
#include "reports/html_samples.h"

/* Without its first line, which is its licence. */
static const char *page_asset(const char *name, size_t *len)
{
	const char *text = "", *end;

	for (const struct embed *f = embed_html; f->name; f++)
		if (!strcmp(f->name, name))
			text = (const char *)f->data;
	end = strchr(text, '\n');
	text = end ? end : text;
	*len = strlen(text);
	return text;
}

/* A source for the policy: what of the page's own may run and style. */
static void page_hash(struct buf *out, const char *name)
{
	uint8_t digest[SHA256_DIGEST_SIZE];
	char text[BASE64_ENCODE_RAW_LENGTH(SHA256_DIGEST_SIZE) + 1] = "";
	struct sha256_ctx ctx;
	size_t len;
	const char *data = page_asset(name, &len);

	sha256_init(&ctx);
	sha256_update(&ctx, len, (const uint8_t *)data);
	sha256_digest(&ctx, sizeof(digest), digest);
	base64_encode_raw(text, sizeof(digest), digest);
	buf_addf(out, "'sha256-%s'", text);
}

static void page_inline(struct buf *out, const char *element, const char *name)
{
	size_t len;
	const char *data = page_asset(name, &len);

	buf_addf(out, "<%s>", element);
	buf_add(out, data, len);
	buf_addf(out, "</%s>\n", element);
}

/* "physical is slower than mixed by 248.8 %; …" */
static void page_findings(struct buf *plain, const struct comparison *c)
{
	for (size_t i = 0; i < c->n_sets; i++) {
		if (c->sets[i].ref == i)
			continue;
		if (plain->len)
			buf_adds(plain, "; ");
		html_finding(plain, c, i);
	}
}

static void page_title(struct buf *plain, const struct comparison *c)
{
	const struct model *m = c->n_runs ? c->runs[0] : NULL;

	if (c->title && *c->title)
		buf_adds(plain, c->title);
	else if (m)
		buf_addf(plain, "%s on %s", html_called(m->workload), m->machine);
	else
		buf_adds(plain, "Nothing to compare");
}

static void page_head(struct buf *out, const struct comparison *c)
{
	struct buf plain;

	buf_init(&plain, HTML_TEXT_MAX);
	buf_adds(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
		      "style-src ");
	page_hash(out, "style.css");
	buf_adds(out, "; script-src ");
	page_hash(out, "script.js");
	buf_adds(out, "; img-src data:; base-uri 'none'; form-action 'none'\">\n"
		      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
		      "<meta name=\"color-scheme\" content=\"light dark\">\n"
		      "<meta name=\"referrer\" content=\"no-referrer\">\n"
		      "<link rel=\"icon\" href=\"data:,\">\n<meta name=\"description\" content=\"");
	page_findings(&plain, c);
	html_esc(out, plain.len ? plain.data : "no comparison");
	buf_adds(out, "\">\n<title>");
	buf_clear(&plain);
	page_title(&plain, c);
	html_esc(out, plain.data);
	if (c->n_runs == 1)
		html_escf(out, ", run %s", c->runs[0]->id);
	buf_adds(out, "</title>\n");
	page_inline(out, "style", "style.css");
	buf_adds(out, "</head>\n");
	buf_release(&plain);
}

static size_t page_counting(const struct model *m)
{
	size_t n = 0;

	for (size_t i = 0; i < m->n_list; i++)
		n += m->list[i].r.outcome == OUTCOME_OK;
	return n;
}

static void page_subtitle(struct buf *out, const struct comparison *c)
{
	char when[32];

	buf_adds(out, "<p class=\"sub\">");
	for (size_t i = 0; i < c->n_runs && i < 4; i++) {
		const struct model *m = c->runs[i];

		clock_iso(m->started_wall_ns, when, sizeof(when));
		when[10] = '\0'; /* the day */
		if (i)
			buf_adds(out, "<br>");
		if (c->title && *c->title)
			html_escf(out, "%s on %s, ", html_called(m->workload), m->machine);
		html_escf(out, "%d call%s a sample, run %s, %s UTC, ", m->iterations,
			m->iterations == 1 ? "" : "s", m->id, when);
		html_escf(out, "%zu of %d boots count", page_counting(m), m->total);
	}
	if (c->n_runs > 4)
		buf_addf(out, "<br>and %zu more runs", c->n_runs - 4);
	buf_adds(out, "</p>\n");
}

static void page_warning(struct buf *out, const struct html_view *v)
{
	if (v->emulated)
		buf_adds(out, "<p class=\"warning\" role=\"note\"><strong>Emulated "
			      "machine:</strong> times say nothing about hardware.</p>\n");
	for (size_t i = 0; i < v->c->n_runs; i++) {
		const struct model *m = v->c->runs[i];

		if (m->ended && !m->end_err.cls)
			continue;
		buf_adds(out, "<p class=\"warning\" role=\"note\">");
		if (!m->ended)
			html_escf(out,
				"Run %s has not ended, or was killed: this is what was stored so "
				"far.",
				m->id);
		else
			html_escf(out,
				"Run %s ended early: %s%s%s%s. This is what was stored until then.",
				m->id, m->end_err.msg, *m->end_err.code ? " (" : "",
				m->end_err.code, *m->end_err.code ? ")" : "");
		buf_adds(out, "</p>\n");
	}
}

static void page_contents(struct buf *out, const struct buf *body)
{
	static const char *const list[][2] = {{"verdict", "Verdict"}, {"ministat", "ministat"},
		{"plots", "Plots"}, {"variance", "Spread"}, {"time", "Time"},
		{"about", "Provenance"}, {"boots", "Boots"}, {"left-out", "Left out"},
		{"differs", "Differs"}};
	char id[48];

	buf_adds(out, "<nav aria-label=\"Contents\"><ul>");
	for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
		snprintf(id, sizeof(id), "<section id=\"%s\"", list[i][0]);
		if (strstr(body->data, id))
			buf_addf(out, "<li><a href=\"#%s\">%s</a></li>", list[i][0], list[i][1]);
	}
	buf_adds(out, "</ul></nav>\n");
}

void html_plots(struct buf *out, const struct html_view *v)
{
	bool any = false;

	for (size_t b = 0; b < v->c->n_blocks; b++) {
		char name[2 * LABEL_MAX];
		struct html_samples s;

		html_samples_init(&s, v, b, 0, 1);
		if (!s.total)
			continue;
		if (!any)
			buf_adds(out, "<section id=\"plots\" aria-labelledby=\"h-plots\">\n"
				      "<h2 id=\"h-plots\">Samples</h2>\n");
		any = true;
		if (v->c->n_blocks > 1) {
			buf_adds(out, "<h3>");
			comparison_block_name(v->c, b, name, sizeof(name));
			html_esc(out, name);
			buf_adds(out, "</h3>\n");
		}
		html_samples_key(out, &s);
		html_sets(out, v, b);
		html_strip(out, v, b);
		html_order(out, v, b);
	}
	if (any)
		buf_adds(out, "</section>\n");
}

static void page_body(struct buf *out, const struct html_view *v)
{
	struct buf body, plain;

	buf_init(&body, out->max);
	buf_init(&plain, HTML_TEXT_MAX);
	html_verdicts(&body, v);
	html_block_text(&body, v);
	html_plots(&body, v);
	html_variance(&body, v);
	html_stages(&body, v);
	html_about(&body, v);
	html_boots(&body, v);
	html_left(&body, v);
	page_title(&plain, v->c);
	buf_adds(out, "<body>\n<a class=\"skip\" href=\"#verdict\">Skip to the verdict</a>\n"
		      "<header>\n");
	page_warning(out, v);
	buf_adds(out, "<p class=\"kind\">performance report</p>\n<h1>");
	html_esc(out, plain.data);
	buf_adds(out, "</h1>\n");
	page_subtitle(out, v->c);
	page_contents(out, &body);
	buf_adds(out, "</header>\n<main>\n");
	if (buf_add(out, body.data, body.len) || body.failed)
		out->failed = true;
	buf_adds(out, "</main>\n");
	buf_release(&plain);
	buf_release(&body);
}

void report_html(struct buf *out, const struct comparison *c)
{
	struct html_view v;

	html_view_init(&v, c);
	page_head(out, c);
	page_body(out, &v);
	page_inline(out, "script", "script.js");
	buf_adds(out, "</body>\n</html>\n");
	html_view_release(&v);
}
