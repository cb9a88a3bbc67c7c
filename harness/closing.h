/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How a command that holds a machine spends the 5 s which it has after SIGINT, SIGTERM or SIGHUP.
 *
 * Each step has a place in that time, counted from the signal, and some time of its own when those
 * before it used theirs up.  What does not end by then is cut off, said, and left.  Without a
 * signal the target file's deadlines hold.
 */
#ifndef HARNESS_CLOSING_H
#define HARNESS_CLOSING_H

enum {
	CLOSING_MS = 5000,

	/* The command to the BMC that is under way is cut off, a program killed, a Redfish session
	 * that is just being opened waited for. */
	CLOSING_CANCEL_MS = 1000,
	/* Until then: the machine told to be in its idle state and seen so, the console closed. */
	CLOSING_LINES_MS = 2750,
	CLOSING_LINES_LEAST_MS = 1000,
	/* A virtual machine's lab ended, or told that we are gone; then killed. */
	CLOSING_LAB_MS = 750,
	/* The last boot written, and the run's end, although another process has the database:
	   each. */
	CLOSING_STORE_MS = 250,
	/* A scheduler's program told that the machine is free: until then, but not less; then
	 * SIGTERM and SIGKILL. */
	CLOSING_RELEASE_MS = 4500,
	CLOSING_RELEASE_LEAST_MS = 500,
	CLOSING_KILL_MS = 250,
};

_Static_assert(CLOSING_CANCEL_MS + CLOSING_LINES_LEAST_MS <= CLOSING_LINES_MS, "no time for lines");
_Static_assert(
	CLOSING_LINES_MS + CLOSING_LAB_MS + 2 * CLOSING_STORE_MS + CLOSING_RELEASE_LEAST_MS <=
		CLOSING_RELEASE_MS,
	"the steps of closing take longer than closing may");
_Static_assert(CLOSING_RELEASE_MS + CLOSING_KILL_MS < CLOSING_MS, "no time for the last words");

#endif
