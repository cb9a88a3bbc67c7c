/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/answer.h"

#include <stdlib.h>
#include <string.h>

#include "harness/base/clock.h"
#include "harness/base/mem.h"
#include "harness/base/path.h"
#include "harness/mail/mbox.h"

struct answer_mail_find {
	struct message *message;
	size_t nth, n; /* wanted, seen */
};

static int answer_mail_take(void *arg, size_t nth, const char *p, size_t n, struct err *e)
{
	struct answer_mail_find *f = arg;

	f->n = nth;
	return nth == f->nth ? message_parse(f->message, p, n, e) : 0;
}

static int answer_mail_read(struct message *m, const char *file, size_t nth, struct err *e)
{
	struct answer_mail_find find = {.message = m, .nth = nth ? nth : 1};
	struct buf raw;
	int rc;

	buf_init(&raw, MBOX_MAX);
	rc = path_read(file, &raw, e);
	if (!rc) {
		rc = mbox_read(raw.data, raw.len, answer_mail_take, &find, e);
		if (!rc && find.n && find.n < find.nth)
			rc = err_set(e, ERR_USAGE, "E_MAIL", "it has %zu mail%s, and no mail %zu",
				find.n, find.n == 1 ? "" : "s", find.nth);
		if (rc)
			err_prefix(e, "%s", file);
	}
	buf_release(&raw);
	return rc;
}

static void answer_mail_people(struct buf *out, const struct address_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		buf_addf(out, "%s%s", out->len ? ", " : "", l->v[i].addr);
}

int answer_mail_make(struct answer_mail *m, const struct answer *a, const char *file,
	const struct answer_mail_opts *o, struct err *e)
{
	struct reply_opts opts = {.run = a->run,
		.from = o->from,
		.except = o->except,
		.n_except = o->n_except,
		.text = a->text.data,
		.json = a->json.data,
		.json_len = a->json.len,
		.date_ns = clock_wall_ns()};
	struct message original;
	int rc;

	*m = (struct answer_mail){.reply = {.subject = NULL}};
	buf_init(&m->recipients, MBOX_MAX);
	message_init(&original);
	rc = answer_mail_read(&original, file, o->nth, e);
	if (!rc) {
		rc = reply_make(&m->reply, &original, &opts, e);
		if (rc)
			err_prefix(e, "%s", file);
	}
	answer_mail_people(&m->recipients, &m->reply.to);
	answer_mail_people(&m->recipients, &m->reply.cc);
	message_release(&original);
	return rc;
}

void answer_mail_release(struct answer_mail *m)
{
	reply_release(&m->reply);
	buf_release(&m->recipients);
}

static struct store_sent answer_mail_sent(const struct answer *a, const struct answer_mail *m)
{
	return (struct store_sent){.run = a->run,
		.original = m->reply.original,
		.message_id = m->reply.id,
		.recipients = m->recipients.data};
}

int answer_mail_check(
	struct store *s, const struct answer *a, const struct answer_mail *m, struct err *e)
{
	struct store_sent sent = answer_mail_sent(a, m);

	return store_sent_check(s, &sent, e);
}

int answer_mail_send(struct store *s, const struct answer *a, const struct answer_mail *m,
	const struct smtp_server *server, bool again, char *words, size_t size, struct err *e)
{
	const struct address_list *to = &m->reply.to, *cc = &m->reply.cc;
	const char **all = mem_array(to->n + cc->n, sizeof(*all));
	struct smtp_mail mail = {.from = m->reply.from.v[0].addr,
		.to = all,
		.data = m->reply.mail.data,
		.len = m->reply.mail.len};
	struct store_sent sent = answer_mail_sent(a, m);
	struct err later = ERR_INIT;
	enum smtp_fate fate;
	int64_t id;
	int rc;

	for (size_t i = 0; i < to->n; i++)
		all[mail.n_to++] = to->v[i].addr;
	for (size_t i = 0; i < cc->n; i++)
		all[mail.n_to++] = cc->v[i].addr;
	rc = store_sent_begin(s, &sent, again, &id, e);
	if (rc)
		goto out;
	rc = smtp_send(server, &mail, &fate, words, size, e);
	/* Nobody knows: it stays as what may have been sent. */
	if (fate != SMTP_UNKNOWN &&
		store_sent_end(s, id, fate == SMTP_SENT, rc ? e->msg : words, &later) && !rc) {
		*e = later;
		rc = err_prefix(e, "the mail was sent, but that could not be written down");
	}
out:
	free(all);
	return rc;
}
