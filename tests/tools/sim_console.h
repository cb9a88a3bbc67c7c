/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the machines say on their serial ports: the console of a real boot with this boot's command
 * line, image and timings in it. */
#ifndef TESTS_TOOLS_SIM_CONSOLE_H
#define TESTS_TOOLS_SIM_CONSOLE_H

#include <stdarg.h>
#include <zlib.h>

#include "harness/base/path.h"
#include "tests/tools/sim_lab.h"

enum { CONSOLE_TEXT = 8 << 20, CONSOLE_KHZ = 2096010 };

static int console_read(struct sim_lab *lab, const char *file, struct err *e)
{
	struct buf all;
	const char *system;
	int rc;

	buf_init(&all, CONSOLE_TEXT);
	buf_init(&lab->firmware, CONSOLE_TEXT);
	buf_init(&lab->system, CONSOLE_TEXT);
	rc = path_read(file, &all, e);
	if (!rc) {
		system = strstr(all.data, "(XEN) ");
		if (!system)
			system = all.data + all.len;
		buf_add(&lab->firmware, all.data, (size_t)(system - all.data));
		buf_adds(&lab->system, system);
	}
	buf_release(&all);
	return rc;
}

/* The value of a key on the hypervisor's command line, or "". */
static const char *console_arg(const struct sim_machine *m, const char *key)
{
	static char value[64];
	const char *at = strstr(m->args, key);

	snprintf(value, sizeof(value), "%.*s", at ? (int)strcspn(at + strlen(key), " ") : 0,
		at ? at + strlen(key) : "");
	return value;
}

static int console_number(const struct sim_machine *m, const char *key)
{
	int64_t v = 0;

	str_int(console_arg(m, key), 0, INT32_MAX, &v);
	return (int)v;
}

/* A timing that tells by itself whose it is.  tests/bench/load.py knows the same. */
static uint32_t console_ns(int machine, int boot, int i)
{
	uint32_t x = (uint32_t)machine * 1000003u + (uint32_t)boot * 10007u + (uint32_t)i * 101u;

	return 20000000 + (x * 2654435761u >> 8) % 500000;
}

/* The number after a key of the image's first line, or 0. */
static double console_script(const struct sim_machine *m, const char *key)
{
	const char *end = strchr(m->script, '\n'), *at = strstr(m->script, key);

	return at && (!end || at < end) ? strtod(at + strlen(key), NULL) : 0;
}

/* About normal, sd 1, always the same for the same numbers: a sum of 12 uniform ones. */
static double console_noise(int machine, int boot, int i)
{
	uint64_t x = (uint64_t)machine << 40 ^ (uint64_t)boot << 20 ^ (uint64_t)i;
	double sum = -6;

	for (int k = 0; k < 12; k++) {
		/* splitmix64 (Steele, Lea, Flood 2014) */
		uint64_t z = x += UINT64_C(0x9e3779b97f4a7c15);

		z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
		z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
		sum += (double)((z ^ z >> 31) >> 11) / 9007199254740992.0;
	}
	return sum;
}

/* What the image's first line says, "sim ns=110000 noise=0.3": ns is the mean, noise the spread of
 * boots and that of samples within one, percent. */
static uint64_t console_scripted_ns(const struct sim_machine *m, int i)
{
	double noise = console_script(m, "noise=") / 100;
	double ns = console_script(m, "ns=") * (1 + noise * console_noise(m->index, m->boots, 0)) *
		    (1 + noise * console_noise(m->index, m->boots, i + 1));

	return (uint64_t)ns;
}

static void __attribute__((format(printf, 3, 4)))
console_record(struct buf *out, const char *nonce, const char *fmt, ...)
{
	size_t from = out->len + 6;
	va_list ap;

	buf_addf(out, "(XEN) HPP1 %.8s ", nonce);
	va_start(ap, fmt);
	buf_vaddf(out, fmt, ap);
	va_end(ap);
	buf_addf(out, " #%08lx\r\n",
		crc32(0, (const Bytef *)out->data + from, (uInt)(out->len - from)));
}

static void console_report(struct sim_machine *m, const char *build)
{
	int iters = console_number(m, "hp_iters="), samples = console_number(m, "hp_samples="),
	    warmup = console_number(m, "hp_warmup="), repeat = console_number(m, "hp_repeat=");
	struct buf *out = &m->text;
	char nonce[64];

	snprintf(nonce, sizeof(nonce), "%s", console_arg(m, "hp_nonce="));
	for (int pass = 0; pass < repeat; pass++) {
		console_record(out, nonce,
			"0 BEGIN nonce=%s probe=1.0 xen=4.17.5 build=%s apic=x2apic_cluster "
			"online=8 present=8 sockets=1 khz=%d debug=0 shorthand=0",
			nonce, build, CONSOLE_KHZ);
		console_record(out, nonce,
			"1 WORK w=flush-all iters=%d samples=%d warmup=%d cpus=7 clusters=1", iters,
			samples, warmup);
		for (int i = 0; i < warmup + samples; i++) {
			uint64_t ns = sim_scripted(m) ? console_scripted_ns(m, i)
						      : console_ns(m->index, m->boots, i);

			console_record(out, nonce, "%d S w=flush-all i=%d ns=%llu tsc=%llu", i + 2,
				i, (unsigned long long)ns,
				(unsigned long long)(ns * CONSOLE_KHZ / 1000000));
		}
		console_record(out, nonce, "%d END w=flush-all count=%d", warmup + samples + 2,
			warmup + samples);
		console_record(out, nonce, "%d DONE records=%d repeat=%d", warmup + samples + 3,
			warmup + samples + 4, repeat);
	}
	m->done_at = out->len;
}

/* From the hypervisor's first line to the restart. */
static void console_system(struct sim_machine *m)
{
	char build[2 * SIM_BUILD_ID + 1];
	bool reported = false;

	str_hex(m->build_id, SIM_BUILD_ID, build);
	for (const char *p = m->lab->system.data, *end; *p; p = end) {
		end = strchr(p, '\n');
		end = end ? end + 1 : p + strlen(p);
		if (!strncmp(p, "(XEN) build-id: ", 16)) {
			buf_addf(&m->text, "(XEN) build-id: %s\r\n", build);
		} else if (!strncmp(p, "(XEN) Command line: ", 20)) {
			buf_addf(&m->text, "(XEN) Command line: %s\r\n", m->args);
		} else if (strncmp(p, "(XEN) HPP1 ", 11)) {
			buf_add(&m->text, p, (size_t)(end - p));
		} else if (!reported) {
			reported = true;
			console_report(m, build);
		}
	}
}

#endif
