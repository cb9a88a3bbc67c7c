/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/debug_keys.h"

#include <stdio.h>
#include <string.h>

#include "harness/base/str.h"

static const char prefix[] = "(XEN) ";

/* A boot loader's last line runs into Xen's first, so the prefix may stand anywhere in a line. */
bool debug_keys_xen_listens(const char *console, size_t n)
{
	const char *end = console + n, *start;

	while (end > console && (unsigned char)end[-1] <= ' ')
		end--;
	for (start = end; start > console && start[-1] != '\n' && start[-1] != '\r';)
		start--;
	/* The blank after the prefix of an empty line has gone with the line's end. */
	return memmem(start, (size_t)(end - start), prefix, sizeof(prefix) - 2);
}

/* "RIP:    e008:[<ffff82d040227e83>] flush_area_mask+0xf0/0x14f" */
static void take_rip(struct debug_answer *a, const char *p, size_t n)
{
	const char *end = p + n, *at = memmem(p, n, ">] ", 3);

	if (at) {
		at += 3;
	} else {
		at = memmem(p, n, "[<", 2);
		if (!at)
			return;
		at += 2;
		for (end = at; end < p + n && *end != '>';)
			end++;
	}
	snprintf(a->where, sizeof(a->where), "%.*s", (int)(end - at), at);
	str_clean(a->where);
}

/* "*** Dumping CPU3 host state: ***": its number, or -1. */
static int dumped_cpu(const char *p, size_t n)
{
	static const char what[] = "*** Dumping CPU", whose[] = " host state";
	const char *end = memmem(p, n, whose, sizeof(whose) - 1);
	char number[8];
	int64_t cpu;

	if (n < sizeof(what) || memcmp(p, what, sizeof(what) - 1) || !end)
		return -1;
	p += sizeof(what) - 1;
	snprintf(number, sizeof(number), "%.*s", end > p ? (int)(end - p) : 0, p);
	return str_int(number, 0, 65535, &cpu) ? -1 : (int)cpu;
}

static void take_message(struct debug_answer *a, const char *p, size_t n, bool *wanted)
{
	int cpu = dumped_cpu(p, n);

	a->any = true;
	if (cpu >= 0) {
		a->cpus++;
		*wanted = a->cpu < 0 || (cpu == 0 && a->cpu > 0);
		if (*wanted) {
			a->cpu = cpu;
			a->where[0] = '\0';
		}
	} else if (*wanted && n > 4 && !memcmp(p, "RIP:", 4)) {
		take_rip(a, p, n);
		*wanted = false;
	}
}

void debug_keys_answer(struct debug_answer *a, const char *text, size_t n)
{
	const char *end = text + n, *eol, *msg;
	bool wanted = false;

	*a = (struct debug_answer){.cpu = -1};
	for (; text < end; text = eol + (eol < end)) {
		size_t len;

		eol = memchr(text, '\n', (size_t)(end - text));
		if (!eol)
			eol = end;
		msg = memmem(text, (size_t)(eol - text), prefix, sizeof(prefix) - 1);
		if (!msg || memmem(msg, (size_t)(eol - msg), "HPP1 ", 5))
			continue;
		msg += sizeof(prefix) - 1;
		for (len = (size_t)(eol - msg); len && (unsigned char)msg[len - 1] <= ' ';)
			len--;
		take_message(a, msg, len, &wanted);
	}
}

void debug_keys_words(const struct debug_answer *a, char *out, size_t size)
{
	if (!a->any)
		snprintf(out, size, "Xen does not answer its debug keys");
	else if (a->cpu < 0)
		snprintf(out, size, "Xen answers its debug keys");
	else
		snprintf(out, size, "Xen answers its debug keys on %d CPU%s: CPU %d is at %s",
			a->cpus, a->cpus == 1 ? "" : "s", a->cpu,
			a->where[0] ? a->where : "an unknown place");
}
