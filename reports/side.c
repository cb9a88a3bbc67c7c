/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/side.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "harness/base/clock.h"
#include "harness/base/str.h"

#define SIDE_HEX "0123456789abcdefABCDEF"

static int side_day(const char *text, const char *day, size_t n, int64_t *ns, struct err *e)
{
	if (!clock_day(day, n, ns))
		return 0;
	return err_set(e, ERR_USAGE, NULL,
		"\"%.*s\" in \"%s\" is not a day; write one as 2026-11-30, of the years 1970 to "
		"2261",
		(int)n, day, text);
}

/* n bytes that hold a range, or nothing but what a day is made of. */
static int side_dates(struct side_word *w, const char *text, size_t n, struct err *e)
{
	const char *dots = strstr(text, ".."), *from = text, *to = dots ? dots + 2 : text;
	size_t from_n = dots ? (size_t)(dots - text) : n, to_n = (size_t)(text + n - to);
	int rc = 0;

	*w = (struct side_word){.kind = SIDE_DATES, .from_ns = INT64_MIN, .to_ns = INT64_MAX};
	if (!from_n && !to_n)
		return err_set(e, ERR_USAGE, NULL,
			"\"%s\" has no day: give one end at least, as in 2026-11-01..", text);
	if (from_n)
		rc = side_day(text, from, from_n, &w->from_ns, e);
	if (!rc && to_n)
		rc = side_day(text, to, to_n, &w->to_ns, e);
	if (rc)
		return rc;
	if (to_n && w->to_ns < w->from_ns)
		return err_set(e, ERR_USAGE, NULL, "\"%s\" ends before it begins", text);
	w->to_ns += to_n ? CLOCK_DAY_NS : 0;
	return 0;
}

/* In lower case, as digits are stored. */
static void side_copy(struct side_word *w, const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++)
		w->what[i] = (char)tolower((unsigned char)text[i]);
}

static int side_image(
	struct side_word *w, const char *text, const char *sha, size_t n, struct err *e)
{
	*w = (struct side_word){.kind = SIDE_IMAGE};
	if (n < SIDE_IMAGE_DIGITS || n > SHA256_HEX || strspn(sha, SIDE_HEX) < n)
		return err_set(e, ERR_USAGE, NULL,
			"\"%s\": give an image by %d to %d digits of its sha256", text,
			SIDE_IMAGE_DIGITS, SHA256_HEX);
	side_copy(w, sha, n);
	return 0;
}

static int side_run(struct side_word *w, const char *text, size_t n, struct err *e)
{
	int64_t back;

	*w = (struct side_word){.kind = SIDE_RUN};
	if (n <= SHA256_HEX)
		side_copy(w, text, n);
	if (!strcmp(w->what, "last") ||
		(!strncmp(w->what, "last~", 5) && !str_int(w->what + 5, 0, 1000000, &back)))
		return 0;
	if (!*w->what || strspn(w->what, SIDE_HEX "-") < n)
		return err_set(e, ERR_USAGE, NULL,
			"\"%s\" is no run, image or day: write 7f3a, last, last~1, image:58eee895 "
			"or "
			"2026-11-30",
			text);
	w->maybe_image = n >= SIDE_IMAGE_DIGITS && strspn(w->what, SIDE_HEX) == n;
	return 0;
}

/* Four digits and a dash begin a day and no UUID, whose first dash is its ninth byte. */
static bool side_is_dates(const char *text, size_t n)
{
	const char *dots = strstr(text, "..");

	if (dots && dots < text + n)
		return true;
	return n > 4 && strspn(text, "0123456789") == 4 && text[4] == '-';
}

/* The n bytes behind a slash. */
static int side_behind(
	const char *text, const char *from, size_t n, char *out, size_t size, struct err *e)
{
	if (n < size) {
		memcpy(out, from, n);
		out[n] = '\0';
	}
	if (n < size && str_is_name(out))
		return 0;
	return err_set(e, ERR_USAGE, NULL,
		"\"%s\": after the slash stands a mode, as in 7f3a/physical, or a build, as in "
		"7f3a/patched or 7f3a/patched/physical",
		text);
}

int side_parse(struct side_word *w, const char *text, struct err *e)
{
	const char *first = strchr(text, '/'), *last = strrchr(text, '/');
	size_t n = first ? (size_t)(first - text) : strlen(text);
	int rc;

	if (side_is_dates(text, n))
		rc = side_dates(w, text, n, e);
	else if (!strncmp(text, "image:", 6))
		rc = side_image(w, text, text + 6, n - 6, e);
	else
		rc = side_run(w, text, n, e);
	if (!rc && first != last)
		rc = side_behind(
			text, first + 1, (size_t)(last - first - 1), w->build, sizeof(w->build), e);
	if (!rc && last)
		rc = side_behind(text, last + 1, strlen(last + 1), w->mode, sizeof(w->mode), e);
	return rc;
}

void side_days(int64_t from_ns, int64_t to_ns, char *out, size_t size)
{
	char from[32], to[32];

	clock_iso(from_ns, from, sizeof(from));
	clock_iso(to_ns - 1, to, sizeof(to));
	from[10] = to[10] = '\0';
	if (!strcmp(from, to))
		snprintf(out, size, "%s", from);
	else
		snprintf(out, size, "%s..%s", from, to);
}
