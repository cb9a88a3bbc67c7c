/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Consoles for `make bench`, and the probe parser alone on one.
 *
 * usage: bench_probe make log|records|noise CONSOLE MIB    print a console of this size
 *        bench_probe read FILE NONCE                       parse it; prints lines, allocations,
 * seconds
 *
 * CONSOLE is one of a real boot.  The boot is cut off before its end, so that the parser has no
 * reason to stop looking: log repeats what the hypervisor said, records its report, noise another
 * system's console.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "harness/base/buf.h"
#include "harness/base/path.h"
#include "harness/probe.h"

/* Counts what the parser allocates: the C library's own functions stand behind these names. */
void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t n);

static size_t bench_allocations;

void *malloc(size_t n)
{
	bench_allocations++;
	return __libc_malloc(n);
}

void *calloc(size_t n, size_t size)
{
	bench_allocations++;
	return __libc_calloc(n, size);
}

void *realloc(void *p, size_t n)
{
	bench_allocations++;
	return __libc_realloc(p, n);
}

static const char bench_noise[] =
	"[    2.845431] e1000 0000:00:03.0 eth0: (PCI:33MHz:32-bit) 52:54:00:12:34:56\r\n"
	"[    2.846071] e1000 0000:00:03.0 eth0: Intel(R) PRO/1000 Network Connection\r\n"
	"[    3.102411] usb 1-1: new high-speed USB device number 2 using ehci-pci\r\n"
	"\x1b[0;32m  OK  \x1b[0m] Reached target \x1b[0;1;39mBasic System\x1b[0m.\r\n"
	"[    4.019283] clocksource: tsc: mask: 0xffffffffffffffff max_cycles: 0x1e3\r\n"
	"         Starting \x1b[0;1;39mNetwork Time Synchronization\x1b[0m...\r\n"
	"[    4.230001] CPU topo: Max. logical packages:   1\r\n";

/* Does the line belong to what is repeated? */
static bool bench_wants(const char *line, size_t n, bool records)
{
	static const char *const never[] = {"Xen version", "Command line", " DONE ", " BEGIN "};

	for (size_t i = 0; i < sizeof(never) / sizeof(never[0]); i++)
		if (memmem(line, n, never[i], strlen(never[i])))
			return false;
	return memmem(line, n, "(XEN) ", 6) && records == !!memmem(line, n, "HPP1 ", 5);
}

static int bench_make(const char *kind, const char *file, size_t bytes)
{
	bool noise = !strcmp(kind, "noise");
	struct err e = ERR_INIT;
	struct buf b, part;

	buf_init(&b, 16 << 20);
	buf_init(&part, 16 << 20);
	if (path_read(file, &b, &e)) {
		fprintf(stderr, "bench_probe: %s\n", e.msg);
		return 1;
	}
	for (const char *p = b.data, *end; (end = strchr(p, '\n')); p = end + 1)
		if (memmem(p, (size_t)(end - p), "Xen version", 11) ||
			memmem(p, (size_t)(end - p), "Command line", 12))
			fwrite(p, 1, (size_t)(end + 1 - p), stdout);
		else if (!noise && bench_wants(p, (size_t)(end - p), !strcmp(kind, "records")))
			buf_add(&part, p, (size_t)(end + 1 - p));
	if (noise)
		buf_add(&part, bench_noise, sizeof(bench_noise) - 1);
	for (size_t done = 0; part.len && done < bytes; done += part.len)
		fwrite(part.data, 1, part.len, stdout);
	buf_release(&b);
	buf_release(&part);
	return fflush(stdout) ? 1 : 0;
}

static int bench_read(const char *file, const char *nonce)
{
	static char chunk[65536];
	struct probe *p = probe_new(nonce);
	int fd = open(file, O_RDONLY | O_CLOEXEC);
	size_t before, lines = 0, bytes = 0;
	clock_t start = clock();
	double seconds;
	ssize_t n;

	if (fd < 0) {
		perror(file);
		return 1;
	}
	before = bench_allocations;
	while ((n = read(fd, chunk, sizeof(chunk))) > 0) {
		probe_feed(p, chunk, (size_t)n);
		bytes += (size_t)n;
	}
	seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
	before = bench_allocations - before;
	lseek(fd, 0, SEEK_SET);
	while ((n = read(fd, chunk, sizeof(chunk))) > 0)
		for (const char *at = chunk; (at = memchr(at, '\n', (size_t)(chunk + n - at)));
			at++)
			lines++;
	close(fd);
	printf("%zu bytes, %zu lines, %zu allocations, %.6f s, state %d\n", bytes, lines, before,
		seconds, (int)probe_state(p));
	probe_free(p);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 5 && !strcmp(argv[1], "make"))
		return bench_make(argv[2], argv[3], (size_t)strtoul(argv[4], NULL, 10) << 20);
	if (argc == 4 && !strcmp(argv[1], "read") && strlen(argv[3]) == NONCE_HEX)
		return bench_read(argv[2], argv[3]);
	fprintf(stderr, "usage: bench_probe make log|records|noise CONSOLE MIB\n"
			"       bench_probe read FILE NONCE\n");
	return 2;
}
