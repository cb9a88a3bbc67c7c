/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <string.h>

#include "harness/base/clock.h"
#include "harness/boot_priv.h"
#include "harness/debug_keys.h"

/* The first word of an answer may take long on a busy machine; after that nothing is the end. */
enum { ANSWER_MS = 10000, ANSWER_QUIET_MS = 1000 };

/* The last line that the console showed, for a person who asks what it hung at. */
static void late_last_line(const struct boot *b, char *out, size_t size)
{
	const char *end = b->console.data + b->console.len, *p;

	while (end > b->console.data && (unsigned char)end[-1] <= ' ')
		end--;
	for (p = end; p > b->console.data && p[-1] != '\n' && p[-1] != '\r' && end - p < 120;)
		p--;
	snprintf(out, size, "%.*s", (int)(end - p), p);
}

static const char *late_hint(struct boot *b)
{
	switch (b->r.stage) {
	case STAGE_POWER_OFF:
	case STAGE_POWER_ON:
		return "the BMC did not finish the power command";
	case STAGE_BOOT_DEVICE:
		return "the BMC did not take the boot override";
	case STAGE_CONSOLE:
		return "the console did not open, or was not silent while the power was off";
	case STAGE_FIRMWARE:
		if (b->spec.from != BETWEEN_CYCLE)
			return "the machine did not come back to ask for its boot script";
		return boot_no_script_hint(b);
	case STAGE_IPXE:
		return "iPXE took the script and asked for no file";
	case STAGE_LOAD:
		return "iPXE did not finish loading the image";
	case STAGE_HYPERVISOR:
		return "the hypervisor sent no probe report";
	default:
		return "the probe's report did not end";
	}
}

static void late_on_quiet(uv_timer_t *t)
{
	boot_late_over(t->data);
}

/* Only Xen is asked, started by this boot, and only while it has the line to itself: nobody has
 * spoken after it. */
static bool late_ask(struct boot *b)
{
	const char *keys = b->target->hypervisor.debug_keys;
	enum probe_state s;

	if (b->r.stage != STAGE_HYPERVISOR && b->r.stage != STAGE_PROBE)
		return false;
	s = probe_state(b->probe);
	if (!strcmp(keys, "none") || b->gap.since || b->console.failed ||
		(s != PROBE_BOOTING && s != PROBE_BEGUN) || !probe_ours(b->probe) ||
		!debug_keys_xen_listens(b->console.data, b->console.len))
		return false;
	b->asking = true;
	b->asked_ns = clock_mono_ns();
	b->asked_at = b->console.len;
	boot_note(b, "console", "debug keys \"%s\" typed", keys);
	uv_timer_start(&b->wait, late_on_quiet, ANSWER_MS, 0);
	session_type(b->session, keys, strlen(keys));
	return true;
}

void boot_late_heard(struct boot *b)
{
	int64_t left = ANSWER_MS - (clock_mono_ns() - b->asked_ns) / 1000000;

	left = left < 1 ? 1 : left < ANSWER_QUIET_MS ? left : ANSWER_QUIET_MS;
	uv_timer_start(&b->wait, late_on_quiet, (uint64_t)left, 0);
}

void boot_late_over(struct boot *b)
{
	struct debug_answer a;
	struct err e = b->r.err;
	char words[192];

	debug_keys_answer(&a, b->console.data + b->asked_at, b->console.len - b->asked_at);
	debug_keys_words(&a, words, sizeof(words));
	boot_note(b, "console", "%s (%zu bytes)", words, b->console.len - b->asked_at);
	err_set(&b->r.err, e.cls, e.code, "%s; %s", e.msg, words);
	boot_fail(b, OUTCOME_LAB);
}

void boot_late(struct boot *b)
{
	char took[16], last[128] = "";
	bool other = false;

	clock_human((int64_t)b->target->deadline_ms[b->r.stage] * 1000000, took, sizeof(took));
	if (b->probe && probe_state(b->probe) != PROBE_WAITING && boot_decided(b))
		return;
	if (b->r.stage == STAGE_FIRMWARE || b->r.stage == STAGE_IPXE)
		other = boot_other_system(b);
	late_last_line(b, last, sizeof(last));
	err_set(&b->r.err, ERR_LAB, other ? "E_BOOTDEV" : "E_TIMEOUT",
		"nothing more within %s: %s%s%s%s", took, other ? b->hint : late_hint(b),
		last[0] ? "; last console line: \"" : "", last, last[0] ? "\"" : "");
	if (!late_ask(b))
		boot_fail(b, OUTCOME_LAB);
}
