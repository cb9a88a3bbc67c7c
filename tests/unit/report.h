/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes consoles for the tests of the probe: records, reports, and a boot around them. */
#ifndef TESTS_UNIT_REPORT_H
#define TESTS_UNIT_REPORT_H

#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "harness/base/buf.h"

#define NONCE	    "0123456789abcdef0123456789abcdef"
#define OTHER_NONCE "fedcba9876543210fedcba9876543210"
#define BUILD_ID    "5ba1f4c3d2e1f0a9b8c7d6e5f4a3b2c1d0e9f8a7"

enum { SAMPLES = 3, WARMUP = 1 };

struct report_opts {
	const char *nonce, *begin_nonce, *apic, *build, *error;
	int online, sockets, debug, passes, shorthand;
};

#define REPORT_OPTS \
	{ \
		NONCE, NONCE, "x2apic_cluster", BUILD_ID, NULL, 8, 1, 0, 2, 0 \
	}

#define REPORT_EXPECT \
	{ \
		8, 1, BUILD_ID, "flush-all", 100, SAMPLES, WARMUP, false \
	}

static inline long long report_ns(int i)
{
	return 350000000 + 1111 * i;
}

static inline void report_record(struct buf *b, const char *nonce, int seq, const char *rest)
{
	char text[256];

	snprintf(text, sizeof(text), "HPP1 %.8s %d %s", nonce, seq, rest);
	buf_addf(b, "(XEN) %s #%08lx\r\n", text, crc32(0, (const Bytef *)text, (uInt)strlen(text)));
}

static inline void report_pass(struct buf *b, const struct report_opts *o)
{
	char rest[224];
	int seq = 0;

	snprintf(rest, sizeof(rest),
		"BEGIN nonce=%s probe=1.0 xen=4.17.5 build=%s apic=%s online=%d present=%d "
		"sockets=%d khz=2000000 debug=%d shorthand=%d",
		o->begin_nonce, o->build, o->apic, o->online, o->online, o->sockets, o->debug,
		o->shorthand);
	report_record(b, o->nonce, seq++, rest);
	if (o->error) {
		snprintf(rest, sizeof(rest), "ERROR what=%s", o->error);
		report_record(b, o->nonce, seq++, rest);
	} else {
		snprintf(rest, sizeof(rest),
			"WORK w=flush-all iters=100 samples=%d warmup=%d cpus=%d clusters=1",
			SAMPLES, WARMUP, o->online - 1);
		report_record(b, o->nonce, seq++, rest);
		for (int i = 0; i < SAMPLES + WARMUP; i++) {
			snprintf(rest, sizeof(rest), "S w=flush-all i=%d ns=%lld tsc=%lld", i,
				report_ns(i), 2 * report_ns(i));
			report_record(b, o->nonce, seq++, rest);
		}
		snprintf(rest, sizeof(rest), "END w=flush-all count=%d", SAMPLES + WARMUP);
		report_record(b, o->nonce, seq++, rest);
	}
	snprintf(rest, sizeof(rest), "DONE records=%d repeat=%d", seq + 1, o->passes);
	report_record(b, o->nonce, seq, rest);
}

static inline void report_all(struct buf *b, const struct report_opts *o)
{
	for (int i = 0; i < o->passes; i++)
		report_pass(b, o);
}

/* What the hypervisor says before its probe. */
static inline void report_boot(struct buf *b, const char *nonce)
{
	buf_addf(b,
		"iPXE initialising devices...ok(XEN) Xen version 4.17.5 (Debian 4.17.5-1) "
		"(maint@example.org) (x86_64-linux-gnu-gcc (Debian 12.2.0-14) 12.2.0) debug=n "
		"Tue Nov 26 12:00:00 UTC 2024\r\n"
		"(XEN) Latest ChangeSet: Mon Nov 25 10:00:00 2024 +0100 git:01140da4e8\r\n"
		"(XEN) build-id: " BUILD_ID "\r\n"
		"(XEN) Bootloader: iPXE 1.0.0+git\r\n"
		"(XEN) Command line: com1=115200,8n1 console=com1 loglvl=all hp_nonce=%s "
		"hp_work=flush-all\r\n"
		"(XEN) Using APIC driver default\r\n"
		"(XEN) CPU Vendor: AMD, Family 25 (0x19), Model 160 (0xa0), Stepping 2 (raw "
		"00aa0f02)\r\n"
		"(XEN) BSP microcode revision: 0x0aa00215\r\n"
		"(XEN) Switched to APIC driver x2apic_cluster\r\n"
		"(XEN) Platform timer is 14.318MHz HPET\r\n"
		"(XEN) Detected 2295.123 MHz processor.\r\n"
		"(XEN) CPU0: AMD Fam17h machine check reporting enabled\r\n"
		"(XEN) CPU0: AMD EPYC 9754 128-Core Processor stepping 02\r\n"
		"(XEN) Brought up 8 CPUs\r\n",
		nonce);
}

#endif
