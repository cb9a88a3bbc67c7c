/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a console that never led to our boot script says about the reason. */
#include <stdio.h>
#include <string.h>

#include "harness/boot_priv.h"

enum { HINT_LINE = 96 };

static const struct {
	const char *text;
	bool system; /* of an operating system, or what loads it; else the firmware found nothing */
} hint_words[] = {
	{" login:", true},
	{"Linux version", true},
	{"GNU GRUB", true},
	{"Welcome to GRUB", true},
	{"systemd[1]", true},
	{"FreeBSD/", true},
	{"Windows Boot Manager", true},
	{"Xen version", true},
	{"Xen hypervisor", true},
	{"Booting from Hard Disk", true},
	{"UEFI Interactive Shell", false},
	{"No bootable device", false},
	{"No boot device", false},
	{"Operating System not found", false},
};

/* The line around p, in hint's room. */
static void hint_line(const struct boot *b, const char *p, char *out, size_t size)
{
	const char *end = p;

	while (p > b->console.data && p[-1] != '\n' && p[-1] != '\r')
		p--;
	while (end < b->console.data + b->console.len && *end != '\n' && *end != '\r')
		end++;
	snprintf(out, size, "%.*s", (int)(end - p < 80 ? end - p : 80), p);
}

/* The words of this kind that the console shows, with the line around them. */
static bool hint_find(const struct boot *b, bool system, char line[HINT_LINE])
{
	for (size_t i = 0; b->console.len && i < sizeof(hint_words) / sizeof(hint_words[0]); i++) {
		const char *p = memmem(b->console.data, b->console.len, hint_words[i].text,
			strlen(hint_words[i].text));

		if (!p || hint_words[i].system != system)
			continue;
		hint_line(b, p, line, HINT_LINE);
		return true;
	}
	return false;
}

bool boot_other_system(struct boot *b)
{
	char line[HINT_LINE];

	if (!hint_find(b, true, line))
		return false;
	snprintf(b->hint, sizeof(b->hint),
		b->r.stage == STAGE_FIRMWARE
			? "the machine booted another system (\"%s\"), so its firmware ignored the "
			  "boot override; check its boot order and [bmc] bootdev_options"
			: "iPXE had the script, and another system has booted (\"%s\")",
		line);
	return true;
}

const char *boot_no_script_hint(struct boot *b)
{
	char line[HINT_LINE];

	if (!hint_find(b, false, line))
		return "the machine never asked for its boot script (did it boot from its disk?); "
		       "check its boot order, DHCP and netboot.url";
	snprintf(b->hint, sizeof(b->hint),
		"the firmware found nothing to boot (\"%s\"); check that it may boot from this "
		"network interface",
		line);
	return b->hint;
}
