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

/* Digits of a number, or -1. */
static int clock_digits(const char *s, size_t n)
{
	int v = 0;

	for (size_t i = 0; i < n; i++) {
		if (s[i] < '0' || s[i] > '9')
			return -1;
		v = 10 * v + s[i] - '0';
	}
	return v;
}

int clock_day(const char *s, size_t n, int64_t *wall_ns)
{
	struct tm tm = {.tm_isdst = 0}, real;
	int year, month, day;
	time_t t;

	if (n != 10 || s[4] != '-' || s[7] != '-')
		return -1;
	year = clock_digits(s, 4);
	month = clock_digits(s + 5, 2);
	day = clock_digits(s + 8, 2);
	if (year < 1970 || year > 2261 || month < 1 || day < 1)
		return -1;
	tm.tm_year = year - 1900;
	tm.tm_mon = month - 1;
	tm.tm_mday = day;
	t = timegm(&tm);
	/* A day that there is not became one of the next month, or year. */
	gmtime_r(&t, &real);
	if (real.tm_mon != month - 1 || real.tm_mday != day)
		return -1;
	*wall_ns = (int64_t)t * 1000000000;
	return 0;
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
