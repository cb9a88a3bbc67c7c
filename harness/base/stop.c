/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/base/stop.h"

#include <stddef.h>

static const int stop_signals[] = {SIGINT, SIGTERM, SIGHUP};

enum { STOP_SIGNALS = sizeof(stop_signals) / sizeof(stop_signals[0]) };

static void stop_set(sigset_t *set)
{
	sigemptyset(set);
	for (size_t i = 0; i < STOP_SIGNALS; i++)
		sigaddset(set, stop_signals[i]);
}

void stop_hold(sigset_t *before)
{
	sigset_t set;

	stop_set(&set);
	sigprocmask(SIG_BLOCK, &set, before);
}

void stop_release(const sigset_t *before)
{
	sigprocmask(SIG_SETMASK, before, NULL);
}

void stop_let_all(void)
{
	sigset_t set;

	stop_set(&set);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

bool stop_asked(void)
{
	sigset_t set;

	if (sigpending(&set))
		return false;
	for (size_t i = 0; i < STOP_SIGNALS; i++)
		if (sigismember(&set, stop_signals[i]) == 1)
			return true;
	return false;
}

int stop_err(const char *doing, struct err *e)
{
	return err_set(e, ERR_INTERRUPTED, NULL, "%s: interrupted", doing);
}
