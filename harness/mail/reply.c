/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/mail/reply.h"

#include <nettle/sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "harness/base/mem.h"
#include "harness/base/str.h"
#include "harness/mail/compose.h"

enum { REFERENCES_MAX = 40, REPLY_HASH = 20 /* bytes */ };

/* The next "<…>" of a field, as ids have no blanks; NULL at its end. */
static const char *reply_next_id(const char **at, size_t *n)
{
	while (*at && (*at = strchr(*at, '<'))) {
		const char *id = *at;

		*n = strcspn(id + 1, "<> \t") + 1;
		*at = id + *n;
		if (id[*n] == '>' && *n > 1) {
			*at = id + ++*n;
			if (*n < REPLY_ID_MAX)
				return id;
		}
	}
	return NULL;
}

static bool reply_is_ascii(const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if ((unsigned char)s[i] <= 0x20 || (unsigned char)s[i] > 0x7e)
			return false;
	return true;
}

static int reply_original(struct reply *r, const struct message *m, struct err *e)
{
	const char *at = message_get(m, "Message-ID"), *id;
	size_t n = 0;

	id = reply_next_id(&at, &n);
	if (!id || !reply_is_ascii(id, n))
		return err_set(e, ERR_USAGE, "E_MAIL",
			"the mail has no Message-ID: nothing can be an answer to it");
	snprintf(r->original, sizeof(r->original), "%.*s", (int)n, id);
	return 0;
}

/* Its own id: of the sender's domain, and else of run and original alone. */
static void reply_id(struct reply *r, const struct reply_opts *o)
{
	uint8_t hash[SHA256_DIGEST_SIZE];
	char hex[2 * REPLY_HASH + 1];
	struct sha256_ctx ctx;

	sha256_init(&ctx);
	sha256_update(&ctx, strlen(o->run), (const uint8_t *)o->run);
	sha256_update(&ctx, 1, (const uint8_t *)"\n");
	sha256_update(&ctx, strlen(r->original), (const uint8_t *)r->original);
	sha256_digest(&ctx, sizeof(hash), hash);
	str_hex(hash, REPLY_HASH, hex);
	snprintf(r->id, sizeof(r->id), "<harness.%s@%s>", hex, strchr(r->from.v[0].addr, '@') + 1);
}

static void reply_copy(
	struct address_list *to, const struct address_list *from, const struct address_list *except)
{
	for (size_t i = 0; i < from->n; i++)
		if (!except || !address_has(except, from->v[i].addr))
			address_add(to, &from->v[i]);
}

/* What is no address is kept to be told, once. */
static void reply_bad(struct address_list *to, struct address_list *from)
{
	for (size_t i = 0; i < from->n_bad; i++) {
		to->bad = mem_grow(to->bad, to->n_bad + 1, sizeof(*to->bad));
		to->bad[to->n_bad++] = from->bad[i];
		from->bad[i] = NULL;
	}
}

/* As some mailers do, a field may stand there several times. */
static void reply_fields(struct address_list *l, const struct message *m, const char *name)
{
	for (size_t i = 0; i < m->n_headers; i++)
		if (!strcasecmp(m->headers[i].name, name))
			address_parse(l, m->headers[i].value);
}

static int reply_people(
	struct reply *r, const struct message *m, const struct reply_opts *o, struct err *e)
{
	struct address_list sender = {NULL}, to = {NULL}, cc = {NULL};
	const char *own = r->from.v[0].addr;
	int rc = 0;

	address_parse(&sender, message_get(m, "Reply-To"));
	if (!sender.n)
		address_parse(&sender, message_get(m, "From"));
	reply_fields(&to, m, "To");
	reply_fields(&cc, m, "Cc");
	if (to.n + cc.n > REPLY_PEOPLE_MAX) {
		rc = err_set(e, ERR_USAGE, "E_MAIL",
			"the mail went to %zu addresses; one to more than %d is not answered",
			to.n + cc.n, REPLY_PEOPLE_MAX);
		goto out;
	}
	if (sender.n == 1 && address_has(&sender, own)) {
		reply_copy(&r->to, &to, NULL);
	} else {
		reply_copy(&r->to, &sender, NULL);
		reply_copy(&r->cc, &to, &r->to);
	}
	reply_copy(&r->cc, &cc, &r->to);
	reply_bad(&r->to, &sender);
	reply_bad(&r->to, &to);
	reply_bad(&r->to, &cc);
	address_remove(&r->to, own);
	address_remove(&r->cc, own);
	for (size_t i = 0; i < o->n_except; i++) {
		address_remove(&r->to, o->except[i]);
		address_remove(&r->cc, o->except[i]);
	}
	if (!r->to.n) {
		struct address_list none = r->to;

		/* Who is in copy is then the one who is written to. */
		r->to = r->cc;
		r->to.bad = none.bad;
		r->to.n_bad = none.n_bad;
		r->cc = (struct address_list){.v = none.v};
	}
	if (!r->to.n)
		rc = err_set(e, ERR_USAGE, "E_MAIL", "the mail has no address to answer to%s%s%s",
			r->to.n_bad ? " (\"" : "", r->to.n_bad ? r->to.bad[0] : "",
			r->to.n_bad ? "\" is none)" : "");
out:
	address_list_release(&sender);
	address_list_release(&to);
	address_list_release(&cc);
	return rc;
}

static void reply_write_people(struct buf *out, const char *name, const struct address_list *l)
{
	char **items = mem_array(l->n + 1, sizeof(*items));

	for (size_t i = 0; i < l->n; i++) {
		struct buf one;

		buf_init(&one, 4096);
		address_write(&one, &l->v[i]);
		items[i] = buf_detach(&one);
	}
	if (l->n)
		compose_items(out, name, (const char *const *)items, l->n, ",");
	for (size_t i = 0; i < l->n; i++)
		free(items[i]);
	free(items);
}

/* The original's References, or its In-Reply-To, and its own id; of very many the last ones, and
 * the first, which is where the thread begins. */
static void reply_write_references(struct buf *out, const struct reply *r, const struct message *m)
{
	const char *at = message_get(m, "References"), *id;
	char *ids[REFERENCES_MAX];
	size_t n = 0, len;

	if (!at)
		at = message_get(m, "In-Reply-To");
	while ((id = reply_next_id(&at, &len))) {
		if (!reply_is_ascii(id, len) ||
			(len == strlen(r->original) && !memcmp(id, r->original, len)))
			continue;
		if (n == REFERENCES_MAX - 1) {
			free(ids[1]);
			memmove(ids + 1, ids + 2, (n - 2) * sizeof(*ids));
			n--;
		}
		ids[n++] = mem_strndup(id, len);
	}
	ids[n++] = mem_strdup(r->original);
	compose_items(out, "In-Reply-To", (const char *const *)ids + n - 1, 1, "");
	compose_items(out, "References", (const char *const *)ids, n, "");
	while (n)
		free(ids[--n]);
}

static void reply_subject(struct reply *r, const struct message *m)
{
	char *subject = message_get_text(m, "Subject");

	r->subject = !strncasecmp(subject, "re:", 3) ? mem_strdup(subject)
						     : mem_printf("Re: %s", subject);
	str_clean(r->subject);
	free(subject);
}

static void reply_write_text(struct buf *out, const struct reply_opts *o)
{
	struct buf text;
	bool plain;

	buf_init(&text, REPLY_MAX);
	buf_addf(&text,
		"Measured with harness, run\n%s.\nAll that stands behind this report, every "
		"sample, is attached as JSON.\n\n%s",
		o->run, o->text);
	if (text.len && text.data[text.len - 1] != '\n')
		buf_addc(&text, '\n');
	plain = compose_is_plain(text.data, text.len);
	buf_addf(out,
		"Content-Type: text/plain; charset=utf-8; format=fixed\n"
		"Content-Transfer-Encoding: %s\n\n",
		plain ? "7bit" : "quoted-printable");
	if (plain)
		buf_add(out, text.data, text.len);
	else
		compose_quoted(out, text.data, text.len);
	buf_addc(out, '\n');
	if (text.failed)
		out->failed = true;
	buf_release(&text);
}

static void reply_write(struct reply *r, const struct message *m, const struct reply_opts *o)
{
	struct buf *out = &r->mail;
	char date[48], boundary[32];

	compose_date(o->date_ns, date, sizeof(date));
	/* "=_" is in no base64 and no quoted-printable; the hash is of this mail. */
	snprintf(boundary, sizeof(boundary), "=_%.24s", r->id + strlen("<harness."));
	reply_write_people(out, "From", &r->from);
	reply_write_people(out, "To", &r->to);
	reply_write_people(out, "Cc", &r->cc);
	compose_text(out, "Subject", r->subject);
	buf_addf(out, "Date: %s\nMessage-ID: %s\n", date, r->id);
	reply_write_references(out, r, m);
	buf_addf(out, "MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=\"%s\"\n\n--%s\n",
		boundary, boundary);
	reply_write_text(out, o);
	buf_addf(out,
		"--%s\nContent-Type: application/json; name=\"harness-%.8s.json\"\n"
		"Content-Disposition: attachment; filename=\"harness-%.8s.json\"\n"
		"Content-Transfer-Encoding: base64\n\n",
		boundary, o->run, o->run);
	compose_base64(out, o->json, o->json_len);
	buf_addf(out, "\n--%s--\n", boundary);
}

int reply_make(
	struct reply *r, const struct message *original, const struct reply_opts *o, struct err *e)
{
	int rc;

	*r = (struct reply){.subject = NULL};
	buf_init(&r->mail, REPLY_MAX);
	address_parse(&r->from, o->from);
	if (r->from.n != 1 || r->from.n_bad)
		return err_set(e, ERR_USAGE, "E_MAIL",
			"\"%s\" is no mail address: write it as Name <name@example.org>", o->from);
	rc = reply_original(r, original, e);
	if (!rc)
		rc = reply_people(r, original, o, e);
	if (rc)
		return rc;
	reply_id(r, o);
	reply_subject(r, original);
	reply_write(r, original, o);
	if (r->mail.failed)
		rc = err_set(e, ERR_USAGE, "E_MAIL", "the answer would be larger than %d MiB",
			REPLY_MAX >> 20);
	return rc;
}

void reply_release(struct reply *r)
{
	buf_release(&r->mail);
	address_list_release(&r->from);
	address_list_release(&r->to);
	address_list_release(&r->cc);
	free(r->subject);
	*r = (struct reply){.subject = NULL};
}
