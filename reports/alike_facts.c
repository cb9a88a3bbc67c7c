/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What boots must agree in, one function a fact. */
#include <string.h>

#include "reports/alike_values.h"
#include "reports/cost.h"

void alike_get_workload(const struct comparison_boot *b, struct buf *out)
{
	buf_adds(out, b->run->workload);
}

static void alike_get_machine(const struct comparison_boot *b, struct buf *out)
{
	buf_adds(out, b->run->machine);
}

/* The target file's word only where the boot said nothing. */
static void alike_get_cpu(const struct comparison_boot *b, struct buf *out)
{
	const char *said = b->boot->r.facts.cpu_model;

	buf_adds(out, *said ? said : b->run->cpu_model);
}

static void alike_get_microcode(const struct comparison_boot *b, struct buf *out)
{
	buf_adds(out, b->boot->r.facts.microcode);
}

static void alike_get_firmware(const struct comparison_boot *b, struct buf *out)
{
	buf_addf(out, "%s %s", strcmp(b->run->firmware, "uefi") ? "BIOS" : "UEFI",
		*b->run->firmware_version ? b->run->firmware_version : "(version not given)");
}

static void alike_get_cpus(const struct comparison_boot *b, struct buf *out)
{
	const struct facts *f = &b->boot->r.facts;

	if (f->cpus_online > 0)
		buf_addf(out, "%d online", f->cpus_online);
	if (f->target_cpus > 0)
		buf_addf(out, "%s%d targets", out->len ? ", " : "", f->target_cpus);
	if (f->cpus_present > f->cpus_online)
		buf_addf(out, "%s%d present", out->len ? ", " : "", f->cpus_present);
	if (f->sockets > 0)
		buf_addf(out, "%s%d socket%s", out->len ? ", " : "", f->sockets,
			f->sockets == 1 ? "" : "s");
}

static void alike_get_iterations(const struct comparison_boot *b, struct buf *out)
{
	buf_addf(out, "%d", b->run->iterations);
}

static void alike_get_args(const struct comparison_boot *b, struct buf *out)
{
	const struct boot_result *r = &b->boot->r;
	const char *w = r->command_line;
	size_t n;

	for (; *(w += strspn(w, " ")); w += n) {
		n = strcspn(w, " ");
		if (strncmp(w, "hp_", 3) != 0)
			buf_addf(out, "%s%.*s", out->len ? " " : "", (int)n, w);
	}
	if (*r->command_line && !out->len)
		buf_adds(out, "nothing");
}

static void alike_get_shorthand(const struct comparison_boot *b, struct buf *out)
{
	int used = b->boot->r.facts.shorthand;

	buf_adds(out, used < 0 ? "" : used ? "in use" : "not in use");
}

static const struct model_mode *alike_mode(const struct comparison_boot *b)
{
	for (size_t i = 0; i < b->run->n_modes; i++)
		if (model_mode_takes(&b->run->modes[i], &b->boot->r))
			return &b->run->modes[i];
	return NULL;
}

/* The image's word where the boot said nothing. */
static void alike_get_debug(const struct comparison_boot *b, struct buf *out)
{
	const struct model_mode *m = alike_mode(b);
	int debug = b->boot->r.facts.debug;

	if (debug < 0 && m)
		debug = m->debug;
	buf_adds(out, debug < 0 ? "" : debug ? "debug=y" : "debug=n");
}

static void alike_get_emulator(const struct comparison_boot *b, struct buf *out)
{
	const char *by = b->run->emulator;

	buf_adds(out, *by ? by : b->run->emulated ? "" : "none");
}

alike_get *const alike_getters[ALIKE_KINDS] = {
	[ALIKE_MACHINE] = alike_get_machine,
	[ALIKE_CPU] = alike_get_cpu,
	[ALIKE_MICROCODE] = alike_get_microcode,
	[ALIKE_FIRMWARE] = alike_get_firmware,
	[ALIKE_CPUS] = alike_get_cpus,
	[ALIKE_ITERATIONS] = alike_get_iterations,
	[ALIKE_ARGS] = alike_get_args,
	[ALIKE_SHORTHAND] = alike_get_shorthand,
	[ALIKE_DEBUG] = alike_get_debug,
	[ALIKE_EMULATOR] = alike_get_emulator,
};

void alike_get_compiler(const struct comparison_boot *b, struct buf *out)
{
	const struct model_mode *m = alike_mode(b);

	buf_adds(out, m ? m->compiler : "");
}

void alike_get_way(const struct comparison_boot *b, struct buf *out)
{
	const char *way = cost_way_name(cost_way(&b->boot->r));

	buf_adds(out, way ? way : "");
}

void alike_get_later_way(const struct comparison_boot *b, struct buf *out)
{
	struct comparison_boot next = *b;

	if (b->boot->number == 1 && b->run->n_list > 1)
		next.boot = &b->run->list[1];
	alike_get_way(&next, out);
}

void alike_get_timer(const struct comparison_boot *b, struct buf *out)
{
	buf_adds(out, b->boot->r.facts.platform_timer);
}

void alike_get_probe(const struct comparison_boot *b, struct buf *out)
{
	const struct model_mode *m = alike_mode(b);

	buf_adds(out, m ? m->probe_version : "");
}

void alike_get_sampling(const struct comparison_boot *b, struct buf *out)
{
	buf_addf(out, "%d samples a boot, kept: %s", b->run->samples, b->run->keep_rule);
}
