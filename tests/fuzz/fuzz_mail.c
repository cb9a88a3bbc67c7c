/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any bytes as a mail file: a series or an error, and texts that are mended only by joining lines.
 */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "harness/mail/diff.h"
#include "harness/mail/mend.h"
#include "harness/mail/message.h"
#include "harness/mail/series.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t count(const char *p, char c)
{
	size_t n = 0;

	for (; *p; p++)
		n += *p == c;
	return n;
}

static void check_mend(const char *text, const struct mend_how *how)
{
	size_t joined = 0, lines = count(text, '\n') + (*text && text[strlen(text) - 1] != '\n');
	struct mends mends = {0};
	struct err e = ERR_INIT;
	struct diff d;
	struct buf out;
	int rc;

	buf_init(&out, MESSAGE_MAX);
	rc = mend_patch(text, how, &out, &mends, &joined, &e);
	assert(rc ? rc == -(int)e.cls && *e.msg : count(out.data, '\n') == lines - joined);
	assert(rc || mends.n || !strcmp(out.data, text));
	diff_parse(&d, out.data);
	for (size_t i = 0; i < d.n; i++)
		assert(strlen(d.files[i].path) < DIFF_PATH_MAX);
	diff_release(&d);
	mends_release(&mends);
	buf_release(&out);
}

static void check_series(struct series *s)
{
	struct err e = ERR_INIT;

	for (size_t i = 0; i < s->n; i++)
		for (int k = 0; k < MEND_TABS_WAYS; k++)
			check_mend(s->mails[i].text,
				&(struct mend_how){.blank = k & 1, .tabs = (enum mend_tabs)k});
	if (series_finish(s, &e))
		return;
	assert(s->n && (!s->total || s->n == (size_t)s->total));
	for (size_t i = 0; i < s->n; i++) {
		assert(s->mails[i].patch && *s->mails[i].title && *s->mails[i].from);
		assert(!s->total || s->mails[i].number == (int)i + 1);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err e = ERR_INIT;
	struct series s;

	series_init(&s);
	if (series_add(&s, "f", (const char *)data, size, &e))
		assert(e.cls == ERR_USAGE && *e.msg);
	else
		check_series(&s);
	series_release(&s);
	return 0;
}
