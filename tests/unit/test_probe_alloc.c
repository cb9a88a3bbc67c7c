/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lines cost no allocation: the linker hands each call of the allocator to the counters below
 * (Makefile). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <zlib.h>

#include "harness/probe.h"

#define NONCE "0123456789abcdef0123456789abcdef"

enum { LINES = 10000, SAMPLES = 1000, CHUNK = 4096 };

static size_t allocations;

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
void *__real_reallocarray(void *p, size_t n, size_t size);
char *__real_strdup(const char *s);
char *__real_strndup(const char *s, size_t n);
int __real_vasprintf(char **out, const char *fmt, va_list ap);

void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);
void *__wrap_reallocarray(void *p, size_t n, size_t size);
char *__wrap_strdup(const char *s);
char *__wrap_strndup(const char *s, size_t n);
int __wrap_vasprintf(char **out, const char *fmt, va_list ap);

void *__wrap_malloc(size_t n)
{
	allocations++;
	return __real_malloc(n);
}

void *__wrap_calloc(size_t n, size_t size)
{
	allocations++;
	return __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t n)
{
	allocations++;
	return __real_realloc(p, n);
}

void *__wrap_reallocarray(void *p, size_t n, size_t size)
{
	allocations++;
	return __real_reallocarray(p, n, size);
}

char *__wrap_strdup(const char *s)
{
	allocations++;
	return __real_strdup(s);
}

char *__wrap_strndup(const char *s, size_t n)
{
	allocations++;
	return __real_strndup(s, n);
}

int __wrap_vasprintf(char **out, const char *fmt, va_list ap)
{
	allocations++;
	return __real_vasprintf(out, fmt, ap);
}

static void feed(struct probe *p, const char *text, size_t chunk)
{
	for (size_t n = strlen(text); n;) {
		size_t take = n < chunk ? n : chunk;

		probe_feed(p, text, take);
		text += take;
		n -= take;
	}
}

/* A boot that has begun. */
static struct probe *begun(void)
{
	struct probe *p = probe_new(NONCE);

	feed(p,
		"(XEN) Xen version 4.17.5 (a@b) (gcc 12.2.0) debug=n\r\n"
		"(XEN) Command line: com1=115200,8n1 hp_nonce=" NONCE "\r\n",
		CHUNK);
	return p;
}

/* Feed the text as LINES lines, in chunks of each of some sizes. */
static void assert_lines_are_free(const char *line)
{
	static const size_t chunks[] = {1, 7, CHUNK};
	size_t lines = 0;

	for (const char *at = line; (at = strchr(at, '\n')); at++)
		lines++;
	for (size_t c = 0; c < sizeof(chunks) / sizeof(chunks[0]); c++) {
		struct probe *p = begun();
		size_t before;

		feed(p, line, chunks[c]); /* what is said for the first time is kept */
		before = allocations;
		for (size_t i = 0; i < LINES / lines; i++)
			feed(p, line, chunks[c]);
		assert_int_equal(allocations, before);
		assert_int_equal(probe_state(p), PROBE_BOOTING);
		probe_free(p);
	}
}

static void test_counters_count(void **state)
{
	size_t before = allocations;

	(void)state;
	probe_free(probe_new(NONCE));
	assert_true(allocations > before);
}

static void test_hypervisor_lines(void **state)
{
	(void)state;
	assert_lines_are_free(
		"(XEN) [2026-11-30 12:00:00] CPU Vendor: AMD, Family 25 (0x19), Model 160\r\n"
		"(XEN) Platform timer is 14.318MHz HPET\r\n"
		"(XEN) Switched to APIC driver x2apic_cluster\r\n"
		"(XEN) Brought up 512 CPUs\r\n"
		"(XEN) mtrr: your CPUs had inconsistent fixed MTRR settings\r\n");
}

static void test_lines_of_others(void **state)
{
	static char longest[3 * PROBE_LINE_MAX];

	(void)state;
	assert_lines_are_free(
		"[    2.845431] e1000 0000:00:03.0 eth0: (PCI:33MHz:32-bit)\n"
		"\x1b[0;32m  OK  \x1b[0m] Reached target \x1b[0;1;39mBasic\x1b[0m.\r\n"
		"\r\n\r\r\n");
	memset(longest, 'x', sizeof(longest) - 2);
	longest[sizeof(longest) - 2] = '\n';
	assert_lines_are_free(longest);
}

static void test_damaged_and_other_records(void **state)
{
	(void)state;
	assert_lines_are_free("(XEN) HPP1 01234567 4 S w=flush-all i=2 ns=1 tsc=1 #00000000\r\n"
			      "(XEN) HPP1 01234567 5 S w=flush-all i=3 ns=HPP1 HPP1 \r\n"
			      "(XEN) HPP1 \r\n");
}

static size_t record(char *out, size_t size, int seq, const char *type, const char *fields)
{
	char text[PROBE_RECORD_MAX];

	snprintf(text, sizeof(text), "HPP1 %.8s %d %s %s", NONCE, seq, type, fields);
	return (size_t)snprintf(out, size, "(XEN) %s #%08lx\r\n", text,
		crc32(0, (const Bytef *)text, (uInt)strlen(text)));
}

static void feed_pass(struct probe *p)
{
	char line[PROBE_RECORD_MAX + 32], fields[64];

	for (int i = 0; i < SAMPLES; i++) {
		snprintf(fields, sizeof(fields), "w=flush-all i=%d ns=%d tsc=%d", i, 20000000 + i,
			40000000 + i);
		probe_feed(p, line, record(line, sizeof(line), i + 2, "S", fields));
	}
}

/* The first pass is kept, in steps that double; the others are compared with it. */
static void test_records(void **state)
{
	struct probe *p = begun();
	size_t before = allocations;

	(void)state;
	feed_pass(p);
	assert_true(allocations - before <= 8);
	before = allocations;
	for (int i = 0; i < LINES / SAMPLES; i++)
		feed_pass(p);
	assert_int_equal(allocations, before);
	assert_int_equal(probe_state(p), PROBE_BEGUN);
	probe_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counters_count),
		cmocka_unit_test(test_hypervisor_lines),
		cmocka_unit_test(test_lines_of_others),
		cmocka_unit_test(test_damaged_and_other_records),
		cmocka_unit_test(test_records),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
