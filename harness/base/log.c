/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/base/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "harness/base/clock.h"
#include "harness/base/str.h"

static struct {
	enum log_level level;
	void (*hook)(void *arg, int before);
	void *arg;
} log_state = {.level = LOG_WARN};

void log_set_level(enum log_level level)
{
	log_state.level = level;
}

enum log_level log_get_level(void)
{
	return log_state.level;
}

void log_set_hook(void (*hook)(void *arg, int before), void *arg)
{
	log_state.hook = hook;
	log_state.arg = arg;
}

static void log_emit(const char *head, const char *fmt, va_list ap)
{
	char line[2048];
	int n = snprintf(line, sizeof(line) - 1, "%s", head);
	size_t len;

	vsnprintf(line + n, sizeof(line) - 1 - (size_t)n, fmt, ap);
	str_clean(line);
	len = strlen(line);
	line[len++] = '\n';
	if (log_state.hook)
		log_state.hook(log_state.arg, 1);
	fwrite(line, 1, len, stderr);
	if (log_state.hook)
		log_state.hook(log_state.arg, 0);
}

void log_line(enum log_level level, const char *subject, const char *fmt, ...)
{
	char stamp[32], head[160];
	va_list ap;

	if (level < log_state.level)
		return;
	clock_iso(clock_wall_ns(), stamp, sizeof(stamp));
	snprintf(head, sizeof(head), "%s %.100s%s", stamp, subject ? subject : "",
		subject ? ": " : "");
	va_start(ap, fmt);
	log_emit(head, fmt, ap);
	va_end(ap);
}

void log_fatal(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	log_emit("harness: ", fmt, ap);
	va_end(ap);
}
