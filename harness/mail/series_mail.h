/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One mail of a series: what of a message is kept, and what is put where a field is missing or
 * masked.  For series.c. */
#ifndef HARNESS_MAIL_SERIES_MAIL_H
#define HARNESS_MAIL_SERIES_MAIL_H

#include "harness/mail/message.h"
#include "harness/mail/series.h"

/* Copies; m is filled whatever it was. */
void series_mail_take(
	struct series_mail *m, const struct message *from, const char *file, size_t nth);
void series_mail_release(struct series_mail *m);

#endif
