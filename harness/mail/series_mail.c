/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/mail/series_mail.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "harness/base/mem.h"
#include "harness/base/str.h"
#include "harness/mail/subject.h"

void series_mail_release(struct series_mail *m)
{
	free(m->file);
	free(m->subject);
	free(m->title);
	free(m->from);
	free(m->date);
	free(m->message_id);
	free(m->base_commit);
	free(m->text);
	mends_release(&m->mends);
	*m = (struct series_mail){0};
}

/* What follows "WORD: " at the beginning of a line, or "". */
static char *mail_line(const char *text, const char *end, const char *word)
{
	size_t n = strlen(word);

	for (const char *p = text; p < end; p++) {
		size_t len = strcspn(p, "\n");

		if (len > n && !strncasecmp(p, word, n) && p[n] == ':') {
			p += n + 1;
			p += strspn(p, " \t");
			return mem_strndup(p, strcspn(p, "\r\n"));
		}
		p += len;
		if (!*p)
			break;
	}
	return mem_strdup("");
}

/* The commit's own text: until the patch. */
static const char *mail_words_end(const char *text)
{
	const char *diff = message_diff(text);

	return diff ? diff : text + strlen(text);
}

/* The first line that says something. */
static char *mail_first_line(const char *text, const char *end)
{
	while (text < end && strchr(" \t\r\n", *text))
		text++;
	return mem_strndup(text, text < end ? strcspn(text, "\r\n") : 0);
}

static void mail_restore_subject(struct series_mail *m)
{
	const char *end = mail_words_end(m->text);

	free(m->subject);
	m->subject = mail_line(m->text, end, "Subject");
	if (!*m->subject) {
		free(m->subject);
		m->subject = mail_first_line(m->text, end);
	}
	if (!*m->subject) {
		free(m->subject);
		m->subject = mem_strdup("a patch without a subject");
	}
	mends_add(&m->mends, "Subject was missing: \"%s\" is taken", m->subject);
}

static void mail_restore_from(struct series_mail *m)
{
	static const char *const places[] = {"From", "Signed-off-by"};

	for (size_t i = 0; i < 2 && !*m->from; i++) {
		free(m->from);
		m->from = mail_line(m->text, mail_words_end(m->text), places[i]);
	}
	if (!*m->from) {
		free(m->from);
		m->from = mem_strdup("unknown <unknown@localhost>");
	}
	mends_add(&m->mends, "From was missing: \"%s\" is taken", m->from);
}

/* "jan at example.org (Jan)": as an archive writes it. */
static void mail_unmask_from(struct series_mail *m)
{
	char *old = m->from, *at = strstr(old, " at "), *open;

	if (strchr(old, '@')) {
		if (strstr(old, "@xxx") || strstr(old, "@..."))
			mends_add(&m->mends, "the address of From is masked and stays so: \"%s\"",
				old);
		return;
	}
	open = at ? strstr(at, " (") : NULL;
	if (at && open)
		m->from = mem_printf("%.*s <%.*s@%.*s>", (int)strcspn(open + 2, ")"), open + 2,
			(int)(at - old), old, (int)(open - at - 4), at + 4);
	else if (at)
		m->from = mem_printf("%.*s@%s", (int)(at - old), old, at + 4);
	else
		m->from = mem_printf("%.*s <masked@localhost>", (int)strcspn(old, "<"), old);
	mends_add(&m->mends, "the address of From was masked: \"%s\" is taken for \"%s\"", m->from,
		old);
	free(old);
}

static void mail_base(struct series_mail *m)
{
	size_t n;

	/* Its trailer stands below the patch (or in the cover letter). */
	m->base_commit = mail_line(m->text, m->text + strlen(m->text), "base-commit");
	n = strspn(m->base_commit, "0123456789abcdef");
	if ((n != 40 && n != 64) || m->base_commit[n])
		*m->base_commit = '\0';
}

void series_mail_take(
	struct series_mail *m, const struct message *from, const char *file, size_t nth)
{
	struct subject s;

	*m = (struct series_mail){.file = mem_strdup(file),
		.nth = nth,
		.subject = message_get_text(from, "Subject"),
		.from = message_get_text(from, "From"),
		.date = message_get_text(from, "Date"),
		.message_id = message_get_text(from, "Message-ID"),
		.text = mem_strndup(from->text.data, from->text.len)};
	m->patch = message_diff(m->text) != NULL;
	if (!*m->subject)
		mail_restore_subject(m);
	if (!*m->from)
		mail_restore_from(m);
	mail_unmask_from(m);
	if (!*m->date) {
		free(m->date);
		m->date = mail_line(m->text, mail_words_end(m->text), "Date");
		mends_add(&m->mends, "Date was missing: %s%s is taken",
			*m->date ? "" : "that of the base", m->date);
	}
	str_clean(m->subject);
	str_clean(m->from);
	str_clean(m->date);
	str_clean(m->message_id);
	mail_base(m);
	subject_parse(&s, m->subject);
	m->title = mem_strdup(*s.title ? s.title : "a patch without a subject");
	m->number = s.number;
	m->total = s.total;
	m->version = s.version;
	m->minor = s.minor;
	m->reply = s.reply;
}
