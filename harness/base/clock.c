/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/base/clock.h"

#include <stdio.h>
#include <time.h>

static int64_t clock_read(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

int64_t clock_mono_ns(void)
{
	return clock_read(CLOCK_MONOTONIC);
}

int64_t clock_wall_ns(void)
{
	return clock_read(CLOCK_REALTIME);
}

void clock_iso(int64_t wall_ns, char *out, size_t size)
{
	time_t t = (time_t)(wall_ns / 1000000000);
	struct tm tm;

	gmtime_r(&t, &tm);
	strftime(out, size, "%Y-%m-%dT%H:%M:%SZ", &tm);
}

void clock_human(int64_t ns, char *out, size_t size)
{
	int64_t ms = (ns + 500000) / 1000000;
	int64_t s = (ms + 500) / 1000;

	if (ms < 1000)
		snprintf(out, size, "%lldms", (long long)ms);
	else if (ms < 59950)
		snprintf(out, size, "%.1fs", (double)ms / 1000);
	else if (s < 3600)
		snprintf(out, size, "%lldm%02llds", (long long)(s / 60), (long long)(s % 60));
	else
		snprintf(
			out, size, "%lldh%02lldm", (long long)(s / 3600), (long long)(s / 60 % 60));
}

void clock_measured(double ns, char *out, size_t size)
{
	static const char *const units[] = {"ns", "us", "ms", "s"};
	size_t u = 0;

	while (ns >= 1000 && u < 3) {
		ns /= 1000;
		u++;
	}
	snprintf(out, size, "%.4g %s", ns, units[u]);
}
