/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/mail/series.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/mem.h"
#include "harness/mail/mbox.h"
#include "harness/mail/message.h"
#include "harness/mail/series_mail.h"

void series_init(struct series *s)
{
	*s = (struct series){.version = 1};
}

void series_release(struct series *s)
{
	for (size_t i = 0; i < s->n; i++)
		series_mail_release(&s->mails[i]);
	free(s->mails);
	series_mail_release(&s->cover);
	mends_release(&s->notes);
	series_init(s);
}

struct add {
	struct series *s;
	const char *name;
};

static int series_message(void *arg, size_t nth, const char *p, size_t n, struct err *e)
{
	struct add *a = arg;
	struct series *s = a->s;
	struct message m;
	int rc;

	if (s->n == MBOX_MESSAGES_MAX)
		return err_set(
			e, ERR_USAGE, "E_MAIL", "there are more than %d mails", MBOX_MESSAGES_MAX);
	message_init(&m);
	rc = message_parse(&m, p, n, e);
	if (rc) {
		err_prefix(e, "mail %zu", nth);
	} else {
		s->mails = mem_grow(s->mails, s->n + 1, sizeof(*s->mails));
		series_mail_take(&s->mails[s->n], &m, a->name, nth);
		s->n++;
	}
	message_release(&m);
	return rc;
}

int series_add(struct series *s, const char *name, const char *p, size_t n, struct err *e)
{
	struct add a = {s, name};
	int rc = mbox_read(p, n, series_message, &a, e);

	return rc ? err_prefix(e, "%s", name) : 0;
}

static void series_drop(struct series *s, size_t i)
{
	series_mail_release(&s->mails[i]);
	s->n--;
	memmove(&s->mails[i], &s->mails[i + 1], (s->n - i) * sizeof(*s->mails));
}

static const char *plural(size_t n)
{
	return n == 1 ? "" : "s";
}

/* What holds no patch; the cover letters stay. */
static void series_drop_talk(struct series *s)
{
	size_t replies = 0, others = 0;

	for (size_t i = 0; i < s->n;) {
		struct series_mail *m = &s->mails[i];
		bool cover = m->total && !m->number && !m->reply;

		if (m->patch || cover) {
			i++;
			continue;
		}
		replies += m->reply;
		others += !m->reply;
		series_drop(s, i);
	}
	if (replies)
		mends_add(&s->notes, "left out: %zu repl%s without a patch", replies,
			replies == 1 ? "y" : "ies");
	if (others)
		mends_add(
			&s->notes, "left out: %zu mail%s without a patch", others, plural(others));
}

static void series_take_version(struct series *s)
{
	size_t older = 0;

	s->version = 0;
	for (size_t i = 0; i < s->n; i++)
		if (s->mails[i].patch && s->mails[i].version > s->version)
			s->version = s->mails[i].version;
	for (size_t i = 0; i < s->n;) {
		struct series_mail *m = &s->mails[i];

		if (m->version == s->version) {
			i++;
			continue;
		}
		older += m->patch;
		series_drop(s, i);
	}
	if (older)
		mends_add(&s->notes, "left out: %zu patch%s of older versions; v%d is taken", older,
			older == 1 ? "" : "es", s->version);
}

static bool series_same_number(const struct series_mail *a, const struct series_mail *b)
{
	return a->total && a->total == b->total && a->number == b->number;
}

/* Of two mails with one number, which goes: 0 the first, 1 the second, or negative. */
static int series_judge(
	struct series *s, const struct series_mail *a, const struct series_mail *b, struct err *e)
{
	char number[32];

	snprintf(number, sizeof(number), "%d/%d", a->number, a->total);
	/* A patch in an answer to one is a proposal. */
	if (a->reply != b->reply) {
		mends_add(&s->notes, "left out: a reply with a patch of its own to %s", number);
		return b->reply;
	}
	if (a->minor != b->minor) {
		mends_add(&s->notes, "left out: an older %s; v%d.%d is taken", number, a->version,
			a->minor > b->minor ? a->minor : b->minor);
		return a->minor > b->minor;
	}
	if (!a->patch || !b->patch || !strcmp(message_diff(a->text), message_diff(b->text))) {
		mends_add(&s->notes, "left out: %s a second time", number);
		return 1;
	}
	return err_set(e, ERR_USAGE, "E_MAIL",
		"%s: two patches that differ are number %s (mails %zu "
		"and %zu): take one of them out",
		b->file, number, a->nth, b->nth);
}

static int series_drop_double(struct series *s, struct err *e)
{
	for (size_t i = 0; i < s->n; i++)
		for (size_t k = i + 1; k < s->n;) {
			int which;

			if (!series_same_number(&s->mails[i], &s->mails[k])) {
				k++;
				continue;
			}
			which = series_judge(s, &s->mails[i], &s->mails[k], e);
			if (which < 0)
				return which;
			series_drop(s, which ? k : i);
			if (!which)
				k = i + 1;
		}
	return 0;
}

static void series_take_cover(struct series *s)
{
	for (size_t i = 0; i < s->n;) {
		if (!s->mails[i].total || s->mails[i].number) {
			i++;
			continue;
		}
		if (!s->has_cover) {
			s->cover = s->mails[i];
			s->has_cover = true;
			s->mails[i] = (struct series_mail){0};
		}
		series_drop(s, i);
	}
}

/* Replies that are left hold a patch: proposals beside a series, unless there is nothing else. */
static void series_drop_proposals(struct series *s)
{
	size_t own = 0, dropped = 0;

	for (size_t i = 0; i < s->n; i++)
		own += s->mails[i].patch && !s->mails[i].reply;
	for (size_t i = 0; own && i < s->n;) {
		if (!s->mails[i].reply) {
			i++;
			continue;
		}
		series_drop(s, i);
		dropped++;
	}
	if (dropped)
		mends_add(&s->notes, "left out: %zu repl%s with a patch of %s own", dropped,
			dropped == 1 ? "y" : "ies", dropped == 1 ? "its" : "their");
}

static int series_number_compare(const void *a, const void *b)
{
	const struct series_mail *x = a, *y = b;

	return x->number - y->number;
}

static int series_check_numbers(struct series *s, struct err *e)
{
	char missing[200] = "";
	size_t len = 0, n = 0, at = 0;

	s->total = s->mails[0].total;
	for (size_t i = 0; i < s->n; i++)
		if (s->mails[i].total != s->total)
			return err_set(e, ERR_USAGE, "E_MAIL",
				"%s: two series: \"%.120s\" and \"%.120s\"; give one at a time",
				s->mails[i].file, s->mails[0].subject, s->mails[i].subject);
	if (!s->total)
		return 0;
	qsort(s->mails, s->n, sizeof(*s->mails), series_number_compare);
	for (int i = 1; i <= s->total; i++) {
		if (at < s->n && s->mails[at].number == i) {
			at++;
			continue;
		}
		n++;
		if (len < sizeof(missing) - 24)
			len += (size_t)snprintf(missing + len, sizeof(missing) - len, "%s%d/%d",
				len ? ", " : "", i, s->total);
	}
	if (!n)
		return 0;
	return err_set(e, ERR_USAGE, "E_MAIL", "%s: patch %s%s missing", s->mails[0].file, missing,
		n == 1 ? " is" : " are");
}

static void series_take_base(struct series *s)
{
	const char *base = s->cover.base_commit;

	for (size_t i = 0; i < s->n && (!base || !*base); i++)
		base = s->mails[i].base_commit;
	snprintf(s->base_commit, sizeof(s->base_commit), "%s", base ? base : "");
}

int series_finish(struct series *s, struct err *e)
{
	char *file = mem_strdup(s->n ? s->mails[0].file : "");
	int rc;

	series_drop_talk(s);
	series_drop_proposals(s);
	series_take_version(s);
	rc = series_drop_double(s, e);
	if (rc)
		goto out;
	series_take_cover(s);
	if (!s->n) {
		rc = err_set(e, ERR_USAGE, "E_MAIL", "%s: there is no patch in it", file);
		goto out;
	}
	rc = series_check_numbers(s, e);
	if (!rc)
		series_take_base(s);
out:
	free(file);
	return rc;
}
