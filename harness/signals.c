/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/signals.h"

#include <signal.h>
#include <unistd.h>

#include "harness/base/clock.h"
#include "harness/base/log.h"
#include "harness/closing.h"

#define AGAIN_NS INT64_C(1000000000)

/* Whoever closes a terminal or uses timeout(1) sends more than one signal at once: only a Ctrl-C
 * some time after the first means "now". */
static void signals_on(uv_signal_t *h, int sig)
{
	struct signals *s = h->data;
	int64_t now = clock_mono_ns();

	if (!s->why) {
		s->first_ns = now;
		s->why = sig == SIGINT ? "Ctrl-C" : sig == SIGTERM ? "SIGTERM" : "SIGHUP";
		log_line(LOG_WARN, NULL,
			"%s: closing down; Ctrl-C again leaves at once, and the machine as it is",
			s->why);
		if (s->tell)
			s->tell(s->arg, s->why);
	} else if (sig == SIGINT && now - s->first_ns > AGAIN_NS) {
		log_fatal("interrupted again: leaving at once; the machine stays as it is");
		if (s->leaving)
			s->leaving(s->leaving_arg);
		_exit(ERR_INTERRUPTED);
	}
}

int signals_open(struct signals *s, uv_loop_t *loop, struct err *e)
{
	static const int numbers[SIGNALS] = {SIGINT, SIGTERM, SIGHUP};

	*s = (struct signals){.first_ns = 0};
	for (size_t i = 0; i < SIGNALS; i++) {
		/* The first one makes the pipe that all share: only it can fail. */
		if (uv_signal_init(loop, &s->handles[i]))
			return err_set(e, ERR_LAB, NULL,
				"no signal handler: too few file descriptors (ulimit -n)?");
		s->handles[i].data = s;
		uv_signal_start(&s->handles[i], signals_on, numbers[i]);
	}
	return 0;
}

void signals_tell(struct signals *s, void (*tell)(void *arg, const char *why), void *arg)
{
	s->tell = tell;
	s->arg = arg;
	if (tell && s->why)
		tell(arg, s->why);
}

int signals_left_ms(const struct signals *s, int ms, int least)
{
	int64_t left;

	if (!s || !s->why)
		return ms;
	left = CLOSING_RELEASE_MS - (clock_mono_ns() - s->first_ns) / 1000000;
	left = left > least ? left : least;
	return left < ms ? (int)left : ms;
}

void signals_close(struct signals *s)
{
	for (size_t i = 0; i < SIGNALS; i++)
		uv_close((uv_handle_t *)&s->handles[i], NULL);
}
