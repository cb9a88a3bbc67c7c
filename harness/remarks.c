/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/remarks.h"

#include <stdio.h>
#include <string.h>

#include "harness/facts.h"

static const char *const names[REMARK_KINDS] = {
	[REMARK_MACHINE_CHECK] = "machine check",
	[REMARK_THERMAL] = "thermal",
	[REMARK_CLOCK] = "clock",
	[REMARK_CPU] = "CPU",
	[REMARK_INTERRUPT] = "interrupt",
};

/* How a line begins.  # stands for a number, * for any bytes.  The first three bytes, or
 * three after a * at the beginning, are plain ones. */
static const struct {
	enum remark_kind kind;
	bool measuring; /* counts only then */
	const char *begins;
} patterns[] = {
	/* Xen */
	{REMARK_MACHINE_CHECK, false, "CPU#: Machine Check Exception: "},
	{REMARK_MACHINE_CHECK, false, "CMCI occurred on CPU #"},
	{REMARK_MACHINE_CHECK, false, "POLLED occurred on CPU #"},
	{REMARK_MACHINE_CHECK, false, "Bank #: "},
	{REMARK_MACHINE_CHECK, false, "CMCI: send CMCI to "},
	{REMARK_MACHINE_CHECK, false, "CPU counter reports # correctable hardware error"},
	{REMARK_MACHINE_CHECK, false, "Unexpected Machine Check Exception"},
	{REMARK_MACHINE_CHECK, false, "Fatal machine check: "},
	{REMARK_MACHINE_CHECK, false, "Failed to offline page * for MCE error"},
	{REMARK_MACHINE_CHECK, false, "MCE: polling routine found "},
	{REMARK_MACHINE_CHECK, false, "MCE: No CPU found valid MCE"},
	{REMARK_MACHINE_CHECK, false, "MCE: Error "},
	{REMARK_MACHINE_CHECK, false, "MCE: This error page "},
	{REMARK_MACHINE_CHECK, false, "MCE: Software recovery failed"},
	{REMARK_MACHINE_CHECK, false, "MCE: clear_bank map "},
	{REMARK_MACHINE_CHECK, false, "MCE: send MCE"},
	{REMARK_THERMAL, false, "CPU#: Running in modulated clock mode"},
	{REMARK_CLOCK, false, "Platform timer appears to have unexpectedly wrapped"},
	{REMARK_CLOCK, false, "TSC warp detected"},
	{REMARK_CLOCK, false, "TSC: Not "},
	{REMARK_CLOCK, false, "WARNING: Could not initialise clocksource "},
	{REMARK_CLOCK, false, "WARNING: Unrecognised clocksource "},
	{REMARK_CLOCK, false, "New CPU # may have skewed TSC"},
	{REMARK_CLOCK, true, "Switched to Platform timer "},
	{REMARK_CLOCK, true, "Platform timer is "},
	{REMARK_CPU, false, "Failed to bring up CPU #"},
	{REMARK_CPU, false, "Error bringing CPU# up"},
	{REMARK_CPU, false, "Error taking CPU# down"},
	{REMARK_CPU, false, "Error re-offlining CPU#"},
	{REMARK_CPU, false, "Could not re-offline CPU#"},
	{REMARK_CPU, false, "CPU#: Failed to "},
	{REMARK_CPU, false, "CPU#: Timeout in "},
	{REMARK_CPU, false, "CPU # still not dead"},
	{REMARK_CPU, false, "CPU# offline"},
	{REMARK_CPU, false, "Stuck ??"},
	{REMARK_CPU, false, "Not responding."},
	{REMARK_CPU, false, "Non-responding CPUs: "},
	{REMARK_CPU, false, "APIC never delivered"},
	{REMARK_CPU, false, "APIC delivery error "},
	{REMARK_CPU, false, "Cannot set affinity for IRQ#"},
	{REMARK_INTERRUPT, false, "Watchdog timer detects that CPU# is stuck"},
	{REMARK_INTERRUPT, false, "Testing NMI watchdog on all CPUs:*stuck"},
	{REMARK_INTERRUPT, false, "NMI - "},
	{REMARK_INTERRUPT, false, "spurious APIC interrupt on CPU"},
	{REMARK_INTERRUPT, false, "APIC error on CPU#: "},
	{REMARK_INTERRUPT, false, "Spurious HPET timer interrupt "},
	{REMARK_INTERRUPT, false, "unexpected IRQ trap at irq "},
	{REMARK_INTERRUPT, false, "IRQ#: #/# handler(s) still in flight"},
	/* Some machines have one left over from their firmware at every start. */
	{REMARK_INTERRUPT, true, "CPU#: No irq handler for vector "},

	/* Linux, whose messages mostly begin with the name of their source; or both */
	{REMARK_MACHINE_CHECK, false, "*[Hardware Error]: "},
	{REMARK_MACHINE_CHECK, false, "*Machine check events logged"},
	{REMARK_MACHINE_CHECK, false, "*Uncorrected hardware memory error"},
	{REMARK_MACHINE_CHECK, false, "EDAC MC#: # CE "},
	{REMARK_MACHINE_CHECK, false, "EDAC MC#: # UE "},
	{REMARK_THERMAL, false, "*emperature above threshold"},
	{REMARK_THERMAL, false, "*emperature/speed normal"},
	{REMARK_THERMAL, false, "*critical temperature reached"},
	{REMARK_THERMAL, false, "* power limit notification ("},
	{REMARK_CLOCK, false, "*arking TSC unstable"},
	{REMARK_CLOCK, false, "*: Marking clocksource "},
	{REMARK_CLOCK, false, "*locksource tsc unstable"},
	{REMARK_CLOCK, false, "*turning off TSC clock"},
	{REMARK_CLOCK, false, "*ime went backwards"},
	{REMARK_CLOCK, true, "clocksource: Switched to clocksource "},
	{REMARK_CPU, false, "*CPU # is now offline"},
	{REMARK_CPU, false, "*do_boot_cpu failed"},
	{REMARK_CPU, false, "*CPU# failed to report alive state"},
	{REMARK_CPU, false, "*CPU#: Not responding"},
	{REMARK_CPU, false, "*CPU#: Stuck ??"},
	{REMARK_CPU, false, "*Broke affinity for "},
	{REMARK_INTERRUPT, false, "*Uhhuh. NMI received "},
	{REMARK_INTERRUPT, false, "*INFO: NMI handler "},
	{REMARK_INTERRUPT, false, "*atchdog detected hard LOCKUP"},
	{REMARK_INTERRUPT, false, "*BUG: soft lockup - "},
	{REMARK_INTERRUPT, false, "*detected stalls on CPUs"},
	{REMARK_INTERRUPT, false, "*self-detected stall on CPU"},
	{REMARK_INTERRUPT, true, "*No irq handler for vector"},
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* At most one * is left here, so this goes over a line once for each byte of it, no more. */
static bool begins(const char *p, const char *end, const char *pattern)
{
	for (; *pattern; pattern++) {
		if (*pattern == '*') {
			for (pattern++; p < end; p++)
				if (*p == *pattern && begins(p, end, pattern))
					return true;
			return false;
		}
		if (p == end || (*pattern == '#' ? !is_digit(*p) : *p != *pattern))
			return false;
		for (p++; *pattern == '#' && p < end && is_digit(*p);)
			p++;
	}
	return true;
}

enum { PATTERNS = sizeof(patterns) / sizeof(patterns[0]) };

/* The last three bytes as one number: what it was, and the next. */
static uint32_t shift(uint32_t three, char next)
{
	return three >> 8 | (uint32_t)(unsigned char)next << 16;
}

/* Which bit stands for three bytes (Fibonacci hashing). */
static unsigned hash(uint32_t three)
{
	return three * 0x9e3779b1u >> (32 - REMARK_HASH_BITS);
}

static bool has(const uint64_t *hashes, uint32_t three)
{
	unsigned bit = hash(three);

	return hashes[bit / 64] >> bit % 64 & 1;
}

void remarks_init(struct remarks *r)
{
	memset(r, 0, sizeof(*r));
	for (size_t i = 0; i < PATTERNS; i++) {
		bool anywhere = patterns[i].begins[0] == '*';
		const char *p = patterns[i].begins + anywhere;
		unsigned bit = hash(shift(shift(shift(0, p[0]), p[1]), p[2]));

		r->hashes[anywhere][bit / 64] |= UINT64_C(1) << bit % 64;
	}
}

/* The first of the patterns before `first` that matches here, or `first`. */
static size_t match(const char *p, const char *end, bool anywhere, bool measuring, size_t first)
{
	for (size_t i = 0; i < first; i++) {
		const char *with = patterns[i].begins;

		if (anywhere != (*with == '*') || with[anywhere] != *p ||
			(patterns[i].measuring && !measuring))
			continue;
		if (begins(p, end, with + anywhere))
			return i;
	}
	return first;
}

/* The first pattern that the line matches, or PATTERNS.  Nearly all lines, and places in them, are
 * ruled out by three bytes. */
static size_t find(const struct remarks *r, const char *line, size_t n, bool measuring)
{
	const char *end = line + n;
	size_t first = PATTERNS;
	uint32_t three;

	if (n < 3)
		return PATTERNS;
	three = shift(shift(shift(0, line[0]), line[1]), line[2]);
	if (has(r->hashes[false], three))
		first = match(line, end, false, measuring, first);
	for (const char *p = line;;) {
		if (has(r->hashes[true], three))
			first = match(p, end, true, measuring, first);
		p++;
		if (end - p < 3)
			return first;
		three = shift(three, p[2]);
	}
}

enum remark_kind remarks_kind(const struct remarks *r, const char *line, size_t n, bool measuring)
{
	size_t i = find(r, line, n, measuring);

	return i < PATTERNS ? patterns[i].kind : REMARK_KINDS;
}

void remarks_take(struct remarks *r, const char *line, size_t n, bool measuring)
{
	enum remark_kind k = remarks_kind(r, line, n, measuring);
	char *quote;

	if (k == REMARK_KINDS || r->of[k].lines++)
		return;
	facts_copy(r->of[k].text, sizeof(r->of[k].text), line, n);
	while ((quote = strchr(r->of[k].text, '"')))
		*quote = '\'';
}

bool remarks_words(const struct remarks *r, enum remark_kind kind, char *out, size_t size)
{
	int lines = r->of[kind].lines;
	char count[24] = "";

	*out = '\0';
	if (!lines)
		return false;
	if (lines > 1)
		snprintf(count, sizeof(count), " (%d lines)", lines);
	snprintf(out, size, "%s: \"%s\"%s", names[kind], r->of[kind].text, count);
	return true;
}
