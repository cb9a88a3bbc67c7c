/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One controller drives a machine at a time.
 *
 * STATE/locks/<machine>.lock is held by flock(2), so the lock dies with its holder, also after
 * kill -9.  The file says who holds it; a file that still says so while nobody holds the lock was
 * left by a holder that was killed.
 *
 * One machine may stand in two target files, and its users may have a state folder each: a socket
 * with the machine's MAC address in its (abstract) name, which dies with its holder too, keeps them
 * apart on one host.
 */
#ifndef HARNESS_LOCK_H
#define HARNESS_LOCK_H

#include <stdbool.h>
#include <stddef.h>

#include "harness/base/err.h"

struct lock {
	int fd;		  /* -1: not held */
	int mac_fd;	  /* the same */
	bool took_over;	  /* the former holder died with the lock */
	char former[256]; /* what it had written, one line */
};

#define LOCK_INIT \
	{ \
		-1, -1, false, "" \
	}

/* holder: one line for whoever finds the machine in use ("run 7f3a (user on host, since …)"). Class
 * busy, E_BUSY, naming the holder when it is held. */
/* mac: NULL for a machine that other state folders cannot have (a virtual one). */
int lock_acquire(struct lock *l, const char *state, const char *machine, const char *mac,
	const char *holder, struct err *e) must_check;
void lock_release(struct lock *l); /* safe to call twice */

/* Release a lock that was taken for a moment only: when its former holder died with it, the file
 * says so again, for the next one. */
void lock_give_back(struct lock *l);

/* What the holder has written, or the last one that was killed; "" when there is none. */
void lock_holder(const char *state, const char *machine, char *out, size_t size);

/* Is it held on this host just now?  The same text, and the lock is not touched: somebody who takes
 * it meanwhile must not find it busy. */
bool lock_look(const char *state, const char *machine, char *out, size_t size);

#endif
