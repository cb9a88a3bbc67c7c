/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The log: one line an event on standard error.  The only global of the project.
 *
 * Lines are "2026-11-30T13:15:05Z machine: text".  While a live line is shown (see log_hook), it is
 * taken away before a log line is written and put back after it.
 */
#ifndef HARNESS_BASE_LOG_H
#define HARNESS_BASE_LOG_H

enum log_level { LOG_DEBUG, LOG_INFO, LOG_WARN, LOG_ERROR };

/* Lines below the level are dropped.  The start value is LOG_WARN. */
void log_set_level(enum log_level level);
enum log_level log_get_level(void);

/* hook(arg, 1) is called before a line is written, hook(arg, 0) after it.  NULL takes it away. */
void log_set_hook(void (*hook)(void *arg, int before), void *arg);

/* subject: the machine's name or the part that speaks; NULL for none.  The text goes
 * through str_clean(). */
void log_line(enum log_level level, const char *subject, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* "harness: text" without a time stamp: for the one line that ends a failed command. */
void log_fatal(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
