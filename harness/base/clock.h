/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Time.  Durations come from the monotonic clock only, so that a wall clock stepping back during a
 * run can change neither a deadline nor a stage time. */
#ifndef HARNESS_BASE_CLOCK_H
#define HARNESS_BASE_CLOCK_H

#include <stddef.h>
#include <stdint.h>

#define CLOCK_DAY_NS INT64_C(86400000000000)

int64_t clock_mono_ns(void);
int64_t clock_wall_ns(void); /* since 1970, UTC */

/* "2026-11-30T13:15:05Z", always UTC; out holds 21 bytes or more. */
void clock_iso(int64_t wall_ns, char *out, size_t size);

/* The midnight that begins "2026-11-30" in UTC: n bytes of s, which are a real day of the years
 * 1970 to 2261 in just this form.  Returns 0, or -1 with *wall_ns untouched. */
int clock_day(const char *s, size_t n, int64_t *wall_ns);

/* A duration for a person: "350ms", "7.9s", "2m41s", "1h02m".  out holds 16 bytes or more. */
void clock_human(int64_t ns, char *out, size_t size);

/* A measured time with four digits: "354.6 ms".  out holds 16 bytes or more. */
void clock_measured(double ns, char *out, size_t size);

#endif
