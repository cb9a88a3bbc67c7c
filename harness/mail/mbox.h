/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A file of mails -> the mails.  Pure.
 *
 * Each begins with a "From " line that has a date at its end and header fields after it: as an mbox
 * has it, `git format-patch` (also several files, one after the other) and `b4 am`.  A file without
 * such a line is one mail.  In a file with them ">From " at the beginning of a line was "From ",
 * and
 * ">>From " was ">From " (mboxrd; mboxo differs from it only in the second).
 */
#ifndef HARNESS_MAIL_MBOX_H
#define HARNESS_MAIL_MBOX_H

#include <stddef.h>

#include "harness/base/buf.h"
#include "harness/base/err.h"

enum { MBOX_MAX = 64 << 20, MBOX_MESSAGES_MAX = 1000 };

/* One mail of the file, without its From_ line.  Borrowed until the callback returns; a callback
 * that fails ends the reading. */
typedef int mbox_message_fn(void *arg, size_t nth, const char *p, size_t n, struct err *e);

/* n bytes of a file; nth of the callback counts from 1.  Fails (class usage, E_MAIL) when there is
 * no mail in it, or more than MBOX_MESSAGES_MAX, or as the callback does. */
int mbox_read(const char *p, size_t n, mbox_message_fn *fn, void *arg, struct err *e) must_check;

#endif
