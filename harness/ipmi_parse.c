/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/ipmi_parse.h"

#include <stdio.h>
#include <string.h>

/* ipmitool's words, in the order in which they decide: a reason before its consequence. */
static const struct {
	const char *text;
	enum ipmi_fault fault;
} ipmi_words[] = {
	{"Address lookup for", IPMI_FAULT_RESOLVE},
	{"unauthorized name", IPMI_FAULT_USER},
	{"RAKP 2 HMAC is invalid", IPMI_FAULT_PASSWORD},
	{"RAKP 4 message has invalid integrity", IPMI_FAULT_KEY},
	{"unauthorized GUID", IPMI_FAULT_KEY},
	{"unauthorized role", IPMI_FAULT_PRIVILEGE},
	{"Requested privilege level exceeds", IPMI_FAULT_PRIVILEGE},
	{"Insufficient privilege", IPMI_FAULT_PRIVILEGE},
	{"insufficient resources for role", IPMI_FAULT_PRIVILEGE},
	{"invalid role", IPMI_FAULT_PRIVILEGE},
	{"invalid authentication algorithm", IPMI_FAULT_CIPHER},
	{"invalid integrity algorithm", IPMI_FAULT_CIPHER},
	{"invalid confidentiality algorithm", IPMI_FAULT_CIPHER},
	{"no matching authentication payload", IPMI_FAULT_CIPHER},
	{"no matching integrity payload", IPMI_FAULT_CIPHER},
	{"no cipher suite match", IPMI_FAULT_CIPHER},
	{"insufficient resources", IPMI_FAULT_SESSIONS},
	{"payload already active", IPMI_FAULT_SOL_BUSY},
	{"activation limit reached", IPMI_FAULT_SOL_BUSY},
	{"SOL payload disabled", IPMI_FAULT_SOL_DISABLED},
	{"SOL payload type disabled", IPMI_FAULT_SOL_DISABLED},
	{"Get Auth Capabilities error", IPMI_FAULT_UNREACHABLE},
	{"No response from remote controller", IPMI_FAULT_UNREACHABLE},
	{"Could not open socket", IPMI_FAULT_UNREACHABLE},
	{"Unable to establish IPMI v2", IPMI_FAULT_SESSION},
	{"Unable to get Chassis Power Status", IPMI_FAULT_NO_ANSWER},
	{"Unable to set Chassis Power Control", IPMI_FAULT_NO_ANSWER},
	{" failed: ", IPMI_FAULT_REFUSED},
	{"Unable to send RAW command", IPMI_FAULT_REFUSED},
	{"Error loading interface", IPMI_FAULT_SESSION},
};

static const char *const ipmi_chatter[] = {
	"Loading IANA",
	"Running Get",
	"Invalid completion code received",
	"Discovered IPMB",
	"Failed to Get VSO",
	"ipmitool>",
};

enum { IPMI_WORDS = sizeof(ipmi_words) / sizeof(ipmi_words[0]) };
enum { IPMI_CHATTER = sizeof(ipmi_chatter) / sizeof(ipmi_chatter[0]) };

static bool ipmi_find(const char *text, const char *words, const char **after)
{
	const char *p = strstr(text, words);

	if (!p)
		return false;
	*after = p + strlen(words);
	return true;
}

enum ipmi_fault ipmi_parse_fault(const char *text)
{
	for (size_t i = 0; i < IPMI_WORDS; i++)
		if (strstr(text, ipmi_words[i].text))
			return ipmi_words[i].fault;
	return IPMI_FAULT_NONE;
}

int ipmi_parse_power(const char *text)
{
	const char *p;

	if (!ipmi_find(text, "Chassis Power is ", &p))
		return -1;
	if (!strncmp(p, "on", 2) && (unsigned char)p[2] <= ' ')
		return 1;
	if (!strncmp(p, "off", 3) && (unsigned char)p[3] <= ' ')
		return 0;
	return -1;
}

bool ipmi_parse_control(const char *text)
{
	return strstr(text, "Chassis Power Control: ") && !strstr(text, "Unable to set") &&
	       !strstr(text, " failed: ");
}

struct ipmi_boot ipmi_parse_boot(const char *text)
{
	struct ipmi_boot b = {0};
	const char *p;
	size_t n;

	if (!ipmi_find(text, "Boot Device Selector : ", &p))
		return b;
	n = strcspn(p, "\r\n");
	b.known = n > 0;
	snprintf(b.device, sizeof(b.device), "%.*s", (int)(n < 63 ? n : 63), p);
	b.network = !strncmp(p, "Force PXE", strlen("Force PXE"));
	b.valid = strstr(text, "Boot Flag Valid") != NULL;
	b.efi = strstr(text, "BIOS EFI boot") != NULL;
	return b;
}

/* A line of bytes in hex, as `raw` prints them: how many there are, at most max. */
static size_t ipmi_bytes(const char *line, unsigned char *out, size_t max)
{
	size_t n = 0;
	unsigned v;
	int used;

	for (; n < max && *line == ' ' && sscanf(line, " %2x%n", &v, &used) == 1; line += used)
		out[n++] = (unsigned char)v;
	return n;
}

/* The first line of at least `least` bytes. */
static size_t ipmi_raw(const char *text, size_t least, unsigned char *out, size_t max)
{
	while (*text) {
		size_t n = ipmi_bytes(text, out, max);

		if (n >= least)
			return n;
		text += strcspn(text, "\r\n");
		text += strspn(text, "\r\n");
	}
	return 0;
}

bool ipmi_parse_boot_flags(const char *text, unsigned char out[IPMI_BOOT_FLAGS])
{
	unsigned char b[2 + IPMI_BOOT_FLAGS];

	if (!ipmi_raw(text, sizeof(b), b, sizeof(b)) || (b[1] & 0x7f) != 5)
		return false;
	memcpy(out, b + 2, IPMI_BOOT_FLAGS);
	return true;
}

void ipmi_boot_words(
	const unsigned char flags[IPMI_BOOT_FLAGS], int *device, char *out, size_t size)
{
	static const char *const names[16] = {[1] = "PXE",
		[2] = "disk",
		[3] = "disk in safe mode",
		[4] = "diagnostic partition",
		[5] = "CD/DVD",
		[6] = "firmware setup",
		[15] = "floppy"};

	*device = flags[1] >> 2 & 15;
	if (!*device)
		snprintf(out, size, "nothing");
	else
		snprintf(out, size, "%s %s, %s", names[*device] ? names[*device] : "another device",
			flags[0] & 0x40 ? "always" : "once", flags[0] & 0x20 ? "UEFI" : "legacy");
}

unsigned long ipmi_parse_sol_holder(const char *text)
{
	unsigned char b[12];

	if (!ipmi_raw(text, 4, b, sizeof(b)))
		return 0;
	return b[0] | (unsigned long)b[1] << 8 | (unsigned long)b[2] << 16 |
	       (unsigned long)b[3] << 24;
}

/* The value of "key   : value", cut. */
static void ipmi_value(const char *text, const char *key, char *out, size_t size)
{
	const char *p = strstr(text, key);

	*out = '\0';
	if (p)
		p = strchr(p, ':');
	if (p)
		p += 1 + strspn(p + 1, " \t");
	if (p)
		snprintf(out, size, "%.*s", (int)strcspn(p, "\r\n"), p);
}

void ipmi_parse_session(const char *text, char *out, size_t size)
{
	char ip[64], user[16];

	ipmi_value(text, "console ip ", ip, sizeof(ip));
	ipmi_value(text, "user id ", user, sizeof(user));
	snprintf(out, size, "%s%s%s%s", ip, *ip && *user ? ", " : "", *user ? "user " : "", user);
}

int ipmi_parse_sol_active(const char *text)
{
	unsigned capacity, low, high;
	char last[80];

	ipmi_parse_last_line(text, last, sizeof(last));
	if (strlen(last) != 8 || strspn(last, "0123456789abcdef ") != 8 || last[2] != ' ' ||
		last[5] != ' ' || sscanf(last, "%2x %2x %2x", &capacity, &low, &high) != 3)
		return -1;
	return (low | high) != 0;
}

static bool ipmi_is_chatter(const char *p)
{
	for (size_t i = 0; i < IPMI_CHATTER; i++)
		if (!strncmp(p, ipmi_chatter[i], strlen(ipmi_chatter[i])))
			return true;
	return false;
}

void ipmi_parse_last_line(const char *text, char *out, size_t size)
{
	*out = '\0';
	while (*text) {
		size_t n;

		text += strspn(text, " \t\r\n");
		n = strcspn(text, "\r\n");
		if (n && !ipmi_is_chatter(text))
			snprintf(out, size, "%.*s", (int)(n < 4096 ? n : 4096), text);
		text += n;
	}
}

size_t ipmi_parse_sol_start(const char *p, size_t n)
{
	static const char live[] = "[SOL Session operational.";
	const char *at = memmem(p, n, live, sizeof(live) - 1);
	const char *end = at ? memchr(at, '\n', n - (size_t)(at - p)) : NULL;

	return end ? (size_t)(end - p) + 1 : 0;
}

size_t ipmi_parse_sol_end(char *p, size_t n, bool *closed)
{
	static const char *const words[] = {
		"SOL session closed by BMC", "[terminated ipmitool]", "Error in SOL session"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		char *at = memmem(p, n, words[i], strlen(words[i]));
		char *end;

		if (!at)
			continue;
		*closed = true;
		end = memchr(at, '\n', n - (size_t)(at - p));
		end = end ? end + 1 : p + n;
		memmove(at, end, n - (size_t)(end - p));
		n -= (size_t)(end - at);
	}
	return n;
}
