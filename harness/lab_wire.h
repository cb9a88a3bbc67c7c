/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How a lab's supervisor is spoken to: one line, one answer, over a socket in the lab's folder.
 *
 *   netboot PORT     where the next power-on netboots from; 0: nowhere
 *   status           a line of JSON; names of files are relative to the folder
 *   down             end
 */
#ifndef HARNESS_LAB_WIRE_H
#define HARNESS_LAB_WIRE_H

#include <stdbool.h>

#include "harness/base/buf.h"
#include "harness/base/err.h"

#define LAB_SOCKET	  "control.sock"
#define LAB_SERIAL_SOCKET "serial.sock"
#define LAB_QUESTION	  "chassis.question"
#define LAB_ANSWER	  "chassis.answer"
#define LAB_PASSWORD	  "password"
#define LAB_LOCK	  "lock" /* held by the supervisor, whose process id it has */

enum { LAB_LINE_MAX = 512, LAB_REPLY_MAX = 8192, LAB_CALL_MS = 5000 };

/* STATE/labs/MACHINE; the caller frees it. */
char *lab_dir(const char *state, const char *machine);

/* Remove what lives only as long as a supervisor: its sockets and its secrets.  dirfd: the folder,
 * or AT_FDCWD. */
void lab_sweep(int dirfd);

/* Ask the supervisor in dir; ms for its answer, less when stop_asked().  *running false (and 0
 * returned) when nobody listens there.  The folder's name may be longer than a socket's address can
 * be. */
int lab_call(const char *dir, const char *request, int ms, struct buf *reply, bool *running,
	struct err *e) must_check;

#endif
