/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/facts.h"

#include <stdio.h>
#include <string.h>

#include "harness/base/str.h"

struct msg {
	const char *p;
	size_t n;
};

void facts_copy(char *to, size_t size, const char *from, size_t n)
{
	if (n >= size)
		n = size - 1;
	for (size_t i = 0; i < n; i++)
		to[i] = from[i] >= ' ' && from[i] <= '~' ? from[i] : '?';
	while (n && to[n - 1] == ' ')
		n--;
	to[n] = '\0';
}

void facts_init(struct facts *f)
{
	*f = (struct facts){
		.cpus_online = -1,
		.cpus_present = -1,
		.sockets = -1,
		.clusters = -1,
		.target_cpus = -1,
		.tsc_khz = -1,
		.debug = -1,
		.shorthand = -1,
	};
}

static const char *find(struct msg m, const char *what)
{
	return memmem(m.p, m.n, what, strlen(what));
}

static const char *until(struct msg m, char c)
{
	const char *p = memchr(m.p, c, m.n);

	return p ? p : m.p + m.n;
}

/* The number at the front of m, or -1. */
static int64_t number(struct msg m)
{
	char text[20];
	size_t n = 0;
	int64_t v;

	while (n < m.n && n < sizeof(text) - 1 && m.p[n] >= '0' && m.p[n] <= '9')
		n++;
	memcpy(text, m.p, n);
	text[n] = '\0';
	return str_int(text, 0, INT64_MAX, &v) ? -1 : v;
}

/* "4.17.5 (…) (…) (gcc (Debian 12.2.0) 12.2.0) debug=n ubsan=y <date>" */
static void version(struct facts *f, struct msg m)
{
	const char *debug = find(m, " debug="), *open;
	int depth = 0;

	facts_copy(f->hypervisor, sizeof(f->hypervisor), m.p, (size_t)(until(m, ' ') - m.p));
	if (!debug || debug == m.p || debug[-1] != ')')
		return;
	f->debug = find(m, " debug=y") || find(m, " ubsan=y") || find(m, "cov=y");
	for (open = debug - 1; open > m.p; open--) {
		depth += (*open == ')') - (*open == '(');
		if (!depth)
			break;
	}
	facts_copy(f->compiler, sizeof(f->compiler), open + 1, (size_t)(debug - open - 2));
}

static void changeset(struct facts *f, struct msg m)
{
	facts_copy(f->changeset, sizeof(f->changeset), m.p, m.n);
}

static void build_id(struct facts *f, struct msg m)
{
	facts_copy(f->build_id, sizeof(f->build_id), m.p, m.n);
}

/* "AMD, Family 25 (0x19), Model 160 (0xa0), Stepping 2 (raw 00aa0f02)" */
static void vendor(struct facts *f, struct msg m)
{
	static const char *const words[] = {"Family ", "Model ", "Stepping "};
	int v[3];

	facts_copy(f->cpu_vendor, sizeof(f->cpu_vendor), m.p, (size_t)(until(m, ',') - m.p));
	for (int i = 0; i < 3; i++) {
		const char *p = find(m, words[i]);

		if (p)
			p += strlen(words[i]);
		if (!p)
			return;
		v[i] = (int)(number((struct msg){p, (size_t)(m.p + m.n - p)}) & 0xffff);
	}
	if (!f->cpu_model[0])
		snprintf(f->cpu_model, sizeof(f->cpu_model), "%.24s family %d model %d stepping %d",
			f->cpu_vendor, v[0], v[1], v[2]);
}

/* "AMD EPYC 9754 128-Core Processor stepping 02"; other messages begin with "CPU0: " too. */
static void model(struct facts *f, struct msg m)
{
	const char *end = find(m, " stepping ");

	if (end)
		facts_copy(f->cpu_model, sizeof(f->cpu_model), m.p, (size_t)(end - m.p));
}

static void microcode(struct facts *f, struct msg m)
{
	facts_copy(f->microcode, sizeof(f->microcode), m.p, (size_t)(until(m, ' ') - m.p));
}

/* "updated from revision 0x1 to 0x2, date = 2023-10-01" */
static void microcode_update(struct facts *f, struct msg m)
{
	const char *to = find(m, " to 0x");

	if (!to || !find(m, "updated from revision"))
		return;
	to += 4;
	m = (struct msg){to, (size_t)(m.p + m.n - to)};
	facts_copy(f->microcode, sizeof(f->microcode), to, (size_t)(until(m, ',') - to));
}

static void timer(struct facts *f, struct msg m)
{
	facts_copy(f->platform_timer, sizeof(f->platform_timer), m.p, m.n);
}

/* "2295.123 MHz processor." */
static void frequency(struct facts *f, struct msg m)
{
	int64_t mhz = number(m), khz;
	const char *dot = until(m, '.');
	size_t rest = (size_t)(m.p + m.n - dot);

	if (mhz < 0 || mhz > 1000000 || rest < 4 || !find(m, " MHz"))
		return;
	khz = number((struct msg){dot + 1, 3});
	if (khz >= 0)
		f->tsc_khz = mhz * 1000 + khz;
}

static void online(struct facts *f, struct msg m)
{
	int64_t n = number(m);

	if (n > 0 && n < 1000000)
		f->cpus_online = (int)n;
}

static void driver(struct facts *f, struct msg m)
{
	facts_copy(f->apic_driver, sizeof(f->apic_driver), m.p, (size_t)(until(m, ' ') - m.p));
}

static const struct {
	const char *prefix;
	void (*take)(struct facts *f, struct msg rest);
} messages[] = {
	{"Xen version ", version},
	{"Latest ChangeSet: ", changeset},
	{"build-id: ", build_id},
	{"CPU Vendor: ", vendor},
	{"CPU0: ", model},
	{"BSP microcode revision: ", microcode},
	{"microcode: CPU0 ", microcode_update},
	{"Platform timer is ", timer},
	{"Detected ", frequency},
	{"Brought up ", online},
	{"Using APIC driver ", driver},
	{"Switched to APIC driver ", driver},
	{"Overriding APIC driver with ", driver},
};

/* Messages that explain why the mode is not the one asked for; the first listed explains most. */
static const char *const reasons[] = {
	"WARNING: x2APIC cluster mode is not supported",
	"ACPI FADT forcing x2APIC physical mode",
	"parameter \"x2apic-mode\" has invalid value",
	"parameter \"x2apic-mode\" unknown",
	"parameter \"x2apic_phys\" ",
	"Not enabling x2APIC",
	"Failed to enable Interrupt Remapping",
	"x2APIC: Already enabled by BIOS",
	NULL,
};

static size_t rank(const char *text)
{
	size_t i = 0;

	while (reasons[i] && strncmp(text, reasons[i], strlen(reasons[i])))
		i++;
	return i;
}

static bool begins(struct msg m, const char *prefix)
{
	for (; *prefix; m.p++, prefix++, m.n--)
		if (!m.n || *m.p != *prefix)
			return false;
	return true;
}

void facts_message(struct facts *f, const char *p, size_t n)
{
	struct msg m = {p, n};

	for (size_t i = 0; i < sizeof(messages) / sizeof(messages[0]); i++)
		if (begins(m, messages[i].prefix)) {
			size_t skip = strlen(messages[i].prefix);

			messages[i].take(f, (struct msg){p + skip, n - skip});
			return;
		}
	for (size_t i = 0; reasons[i]; i++)
		if (begins(m, reasons[i]) && (!f->mode_reason[0] || i < rank(f->mode_reason)))
			facts_copy(f->mode_reason, sizeof(f->mode_reason), p, n);
}
