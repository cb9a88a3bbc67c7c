/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Provenance: what a reviewer asks for before believing a number. */
#include "reports/html_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/clock.h"
#include "harness/base/mem.h"
#include "reports/text_private.h"

/* A term and what it says; plain text. */
static void about_fact(struct buf *out, const char *term, const char *text)
{
	if (!*text)
		return;
	buf_addf(out, "<dt>%s</dt><dd>", term);
	html_esc(out, text);
	buf_adds(out, "</dd>\n");
}

static void about_machine(struct buf *out, const struct model *m, const struct facts *f)
{
	struct buf b;

	buf_init(&b, HTML_TEXT_MAX);
	text_hardware(&b, m, f);
	about_fact(out, "machine", b.data);
	about_fact(out, "described as", m->machine_description);
	about_fact(out, "microcode", f && *f->microcode ? f->microcode : "unknown");
	buf_clear(&b);
	buf_addf(&b, "%s %s", strcmp(m->firmware, "uefi") == 0 ? "UEFI" : "BIOS",
		*m->firmware_version ? m->firmware_version : "(version not given)");
	about_fact(out, "firmware", b.data);
	if (m->emulated)
		about_fact(out, "emulated by", *m->emulator ? m->emulator : "an emulator");
	buf_release(&b);
}

static void about_build(struct buf *b, const struct model_mode *d)
{
	buf_addf(b, "%s %s%s%s%s, debug=%c", strcmp(d->recipe, "xen") ? d->recipe : "Xen",
		d->version, *d->commit ? " (" : "", d->commit, *d->commit ? ")" : "",
		d->debug ? 'y' : 'n');
	if (*d->compiler)
		text_item(b, "%s", d->compiler);
}

/* Modes of the same build share a line. */
static void about_system(struct buf *out, const struct model *m, const struct facts *f)
{
	struct buf *lines = mem_array(m->n_modes + 1, sizeof(*lines)), b;

	buf_adds(out, "<dt>system</dt>");
	for (size_t i = 0; i < m->n_modes; i++) {
		buf_init(&lines[i], HTML_TEXT_MAX);
		about_build(&lines[i], &m->modes[i]);
	}
	for (size_t i = 0; i < m->n_modes; i++) {
		bool said = false;

		for (size_t k = 0; k < i && !m->modes[i].skipped; k++)
			said = said ||
			       (!m->modes[k].skipped && !strcmp(lines[k].data, lines[i].data));
		if (said || m->modes[i].skipped)
			continue;
		buf_init(&b, HTML_TEXT_MAX);
		text_build_names(&b, m, &m->modes[i]);
		buf_adds(out, "<dd>");
		html_escf(out, "%s: %s", b.data, lines[i].data);
		buf_adds(out, "</dd>\n");
		buf_release(&b);
	}
	for (size_t i = 0; i < m->n_modes; i++)
		buf_release(&lines[i]);
	free(lines);
	buf_init(&b, HTML_TEXT_MAX);
	if (f && *f->hypervisor)
		text_item(&b, "calls itself %s", f->hypervisor);
	if (f && f->shorthand >= 0)
		text_item(&b, f->shorthand ? "broadcast shorthand in use" : "no shorthand");
	if (f && f->tsc_khz > 0)
		text_item(&b, "TSC %lld.%03d MHz", (long long)(f->tsc_khz / 1000),
			(int)(f->tsc_khz % 1000));
	if (f && *f->platform_timer)
		text_item(&b, "timer %s", f->platform_timer);
	buf_adds(out, "<dd>");
	html_esc(out, b.len ? b.data : "it said nothing of itself");
	buf_adds(out, "</dd>\n");
	buf_release(&b);
}

/* Each line of what a build comes from is one; it may be broken anywhere, since hashes are long. */
static void about_builds(struct buf *out, const struct model *m)
{
	if (m->n_builds)
		buf_adds(out, "<dt>builds</dt>");
	for (size_t i = 0; i < m->n_builds; i++) {
		const char *line = m->builds[i].text;

		buf_adds(out, "<dd><span class=\"w\">");
		html_escf(out, "%s%s", m->builds[i].name, *line ? ": " : "");
		while (*line) {
			size_t n = strcspn(line, "\n");

			html_escf(out, "%.*s", (int)n, line);
			line += n + (line[n] == '\n');
			buf_adds(out, *line ? "</span><br><span class=\"w\">" : "");
		}
		buf_adds(out, "</span></dd>\n");
	}
}

/* A boot's command line with its nonce, which is another one each time, taken out. */
static void about_args(struct buf *b, const struct boot_result *r)
{
	const char *s = r->command_line, *hit;

	buf_clear(b);
	while (*r->nonce && (hit = strstr(s, r->nonce))) {
		buf_add(b, s, (size_t)(hit - s));
		buf_adds(b, "NONCE");
		s = hit + strlen(r->nonce);
	}
	buf_adds(b, s);
}

/* Each command line once, with the boots that had it when there is more than one. */
static void about_booted(struct buf *out, const struct model *m)
{
	int *numbers = mem_array(m->n_list + 1, sizeof(*numbers));
	bool *seen = mem_array(m->n_list + 1, sizeof(*seen)), any = false;
	struct buf mine, other, line;

	buf_init(&mine, HTML_TEXT_MAX);
	buf_init(&other, HTML_TEXT_MAX);
	buf_init(&line, HTML_TEXT_MAX);
	for (size_t i = 0; i < m->n_list; i++) {
		size_t n = 0;

		if (seen[i] || !*m->list[i].r.command_line)
			continue;
		about_args(&mine, &m->list[i].r);
		for (size_t j = i; j < m->n_list; j++) {
			about_args(&other, &m->list[j].r);
			if (strcmp(mine.data, other.data) != 0)
				continue;
			seen[j] = true;
			numbers[n++] = m->list[j].number;
		}
		buf_clear(&line);
		if (n < m->n_list) {
			buf_addf(&line, "boot%s ", n == 1 ? "" : "s");
			text_ranges(&line, numbers, n);
			buf_adds(&line, ": ");
		}
		buf_adds(out, any ? "<dd>" : "<dt>command line</dt><dd>");
		html_esc(out, line.data);
		buf_adds(out, "<code>");
		html_command(out, mine.data);
		buf_adds(out, "</code></dd>\n");
		any = true;
	}
	buf_release(&mine);
	buf_release(&other);
	buf_release(&line);
	free(numbers);
	free(seen);
}

static void about_design(struct buf *out, const struct model *m)
{
	size_t modes = 0, ok = 0;
	struct buf b;

	for (size_t i = 0; i < m->n_modes; i++)
		modes += !m->modes[i].skipped;
	for (size_t i = 0; i < m->n_list; i++)
		ok += m->list[i].r.outcome == OUTCOME_OK;
	buf_init(&b, HTML_TEXT_MAX);
	text_item(&b, "%zu of %d boots (%d a mode%s)", ok, m->total, m->boots,
		m->n_builds ? " of each build" : "");
	text_item(&b, "%d samples a boot after %d of warm-up", m->samples, m->warmup);
	text_item(&b, "%d call%s a sample", m->iterations, m->iterations == 1 ? "" : "s");
	text_item(&b, "report sent %d time%s", m->repeat, m->repeat == 1 ? "" : "s");
	about_fact(out, "design", b.data);
	buf_clear(&b);
	text_item(&b, "random in blocks of %zu", modes);
	text_item(&b, "seed %llu", (unsigned long long)m->seed);
	about_fact(out, "order", b.data);
	about_fact(out, "samples kept", m->keep_rule);
	buf_clear(&b);
	if (m->until.width > 0 && m->until.pilot > 0) {
		buf_addf(&b,
			"Stein's two stages: a pilot of %d boots a mode, then as many as an "
			"interval of \xc2\xb1%g %% needs",
			m->until.pilot, 100 * m->until.width);
		if (m->until.wanted > 0)
			text_item(&b, "%d a mode by the rule", m->until.wanted);
		if (m->until.max > 0)
			text_item(&b, "%d at most", m->until.max);
		about_fact(out, "stages", b.data);
	}
	buf_release(&b);
}

static void about_effective(struct buf *out, const struct model *m)
{
	struct buf b;

	buf_init(&b, HTML_TEXT_MAX);
	text_effective(&b, m);
	about_fact(out, "effective", b.data);
	buf_release(&b);
}

static void about_images(struct buf *out, const struct model *m, size_t at)
{
	static const char *const heads[] = {"mode", "config", "probe", "build-id", "sha256"};
	char id[40];

	snprintf(id, sizeof(id), "images-%zu", at);
	html_table_open(out, id, "Images", heads, sizeof(heads) / sizeof(heads[0]));
	for (size_t i = 0; i < m->n_modes; i++) {
		const struct model_mode *d = &m->modes[i];

		if (d->skipped)
			continue;
		buf_adds(out, "<tr>");
		html_row_head(out, "%s", html_name_of(d->build, d->mode).s);
		html_cell(out, "%.16s", *d->config_hash ? d->config_hash : "-");
		html_cell(out, "%s", *d->probe_version ? d->probe_version : "-");
		html_cell(out, "%s", *d->build_id ? d->build_id : "-");
		html_cell(out, "%s", d->image_sha256);
		buf_adds(out, "</tr>\n");
	}
	html_table_close(out);
}

static void about_again(struct buf *out, const char *command)
{
	if (!command || !*command)
		return;
	buf_adds(out, "<p>To do it again:</p>\n");
	html_scroll_open(out, "command that repeats it", "");
	buf_adds(out, "<pre class=\"again\" data-copy=\"\"><code>");
	html_command(out, command);
	buf_adds(out, "</code></pre>\n");
	html_scroll_close(out);
}

static void about_run(struct buf *out, const struct model *m, size_t at)
{
	const struct model_boot *boot = text_facts_boot(m);
	const struct facts *f = boot ? &boot->r.facts : NULL;
	char when[32];
	struct buf b;

	buf_adds(out, "<dl class=\"facts\">\n");
	about_machine(out, m, f);
	about_builds(out, m);
	about_system(out, m, f);
	about_booted(out, m);
	about_effective(out, m);
	about_design(out, m);
	clock_iso(m->started_wall_ns, when, sizeof(when));
	buf_init(&b, HTML_TEXT_MAX);
	buf_addf(&b, "%s, by %s on %s, %s, harness %s", m->uuid, m->user, m->host, when,
		m->harness_version);
	about_fact(out, "run", b.data);
	buf_release(&b);
	buf_adds(out, "</dl>\n");
	about_images(out, m, at);
	about_again(out, m->again);
}

void html_about(struct buf *out, const struct html_view *v)
{
	const struct comparison *c = v->c;

	buf_adds(out, "<section id=\"about\" aria-labelledby=\"h-about\">\n"
		      "<h2 id=\"h-about\">What was measured</h2>\n");
	about_again(out, c->again);
	for (size_t i = 0; i < c->n_runs; i++) {
		const struct model *m = c->runs[i];

		if (c->n_runs > 1) {
			buf_addf(out, "<details class=\"run\"%s><summary><h3>",
				c->n_runs <= 3 ? " open" : "");
			html_escf(out, "Run %s on %s", m->id, m->machine);
			buf_adds(out, "</h3></summary>\n");
		}
		about_run(out, m, i);
		if (c->n_runs > 1)
			buf_adds(out, "</details>\n");
	}
	if (!c->n_runs)
		buf_adds(out, "<p>No run takes part.</p>\n");
	buf_adds(out, "</section>\n");
}
