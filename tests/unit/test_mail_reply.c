/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "harness/mail/compose.h"
#include "harness/mail/encoding.h"
#include "harness/mail/reply.h"
#include "harness/mail/smtp.h"

#define UUID "7f3a0000-0000-4000-8000-000000000000"
#define LAB  "Lab <lab@example.org>"
#define ID   "<cover.1@example.org>"
#define HEAD "From: A <a@x.org>\nTo: list@x.org, B <b@x.org>\nCc: c@x.org\nMessage-ID: " ID "\n"

enum { DAY_MAX = 40 };

/* Mailboxes as they are written, each in a line; "! " before what is none. */
static const struct {
	const char *value, *want;
} addresses[] = {
	{"", ""},
	{"a@b.c", "a@b.c\n"},
	{"A B <a@b.c>, c@d.e", "A B <a@b.c>\nc@d.e\n"},
	{"\"Smith, J.\" <a@b.c>", "\"Smith, J.\" <a@b.c>\n"},
	{"\"a \\\"b\\\\ c\" <a@b.c>", "\"a \\\"b\\\\ c\" <a@b.c>\n"},
	{"J. R. (no; name, <x@y.z>) <a@b.c>", "\"J. R.\" <a@b.c>\n"},
	{"a@b.c (The (old) way)", "The old way <a@b.c>\n"},
	{"team: a@b.c, B <b@b.c>;, c@d.e", "a@b.c\nB <b@b.c>\nc@d.e\n"},
	{"undisclosed-recipients:;", ""},
	{"=?UTF-8?Q?J=C3=B6_A.?= <a@b.c>", "=?UTF-8?Q?J=C3=B6_A.?= <a@b.c>\n"},
	{"J\xc3\xb6 <a@b.c>", "=?UTF-8?B?SsO2?= <a@b.c>\n"},
	{"J\xf6 <a@b.c>", "J? <a@b.c>\n"},
	/* no name can be more than a name */
	{"\"=?x?=, evil@x.y\" <a@b.c>", "\"=?x?=, evil@x.y\" <a@b.c>\n"},
	{"\"x\r\nBcc: evil@x.y\" <a@b.c>", "\"x??Bcc: evil@x.y\" <a@b.c>\n"},
	/* the same one twice, in any case */
	{"a@b.c, X <A@B.C>", "a@b.c\n"},
	/* masked, or no address */
	{"user@..., Bob <bob at x.org>, me, <>, a@b@c, j\xc3\xb6@x.y, a@[1.2.3.4], a@b.",
		"! user@...\n! Bob <bob at x.org>\n! me\n! <>\n! a@b@c\n! j\xc3\xb6@x.y\n"
		"! a@[1.2.3.4]\n! a@b.\n"},
	{"a@xxxxxxxx, b@xxxxx.xx, c@x.org, d@***",
		"c@x.org\n! a@xxxxxxxx\n! b@xxxxx.xx\n! d@***\n"},
	{"\"open <a@b.c>", "! \"open <a@b.c>\n"},
	{",,, ;", ""},
};

static void address_list_is_taken_apart(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++) {
		struct address_list l = {NULL};
		struct buf got;

		buf_init(&got, 4096);
		address_parse(&l, addresses[i].value);
		for (size_t k = 0; k < l.n; k++) {
			address_write(&got, &l.v[k]);
			buf_addc(&got, '\n');
		}
		for (size_t k = 0; k < l.n_bad; k++)
			buf_addf(&got, "! %s\n", l.bad[k]);
		assert_string_equal(got.data, addresses[i].want);
		buf_release(&got);
		address_list_release(&l);
		address_list_release(&l);
	}
}

static void fields_are_folded_and_encoded(void **state)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{"", "X: \n"},
		{"short", "X: short\n"},
		{"two\r\nBcc: x", "X: two??Bcc: x\n"},
		{"J\xc3\xb6", "X: =?UTF-8?B?SsO2?=\n"},
		{"a \xff", "X: a ?\n"},
		{"1234567890 1234567890 1234567890 1234567890 1234567890 1234567890 1234567890",
			"X: 1234567890 1234567890 1234567890 1234567890 1234567890 1234567890\n"
			" 1234567890\n"},
	};
	struct buf out;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		buf_init(&out, 4096);
		compose_text(&out, "X", cases[i].text);
		assert_string_equal(out.data, cases[i].want);
		buf_release(&out);
	}
}

static void assert_narrow(const char *text, size_t max)
{
	for (const char *p = text; *p; p += strcspn(p, "\n") + (p[strcspn(p, "\n")] == '\n'))
		assert_true(strcspn(p, "\n") <= max);
}

/* What one writes, the other reads: any text of any length. */
static void encodings_are_undone_by_the_reader(void **state)
{
	static const char bytes[] = "ab= \t\n\n.From \xc3\xa4\xe2\x82\xac_?\x01 \nFrom x\t\nend ";
	struct buf text, coded, back;

	(void)state;
	for (size_t n = 0; n < 300; n++) {
		buf_init(&text, 4096);
		buf_init(&coded, 16384);
		buf_init(&back, 16384);
		for (size_t i = 0; i < n; i++)
			buf_addc(&text, bytes[i % (sizeof(bytes) - 1)]);
		compose_base64(&coded, text.data, text.len);
		assert_narrow(coded.data, 76);
		encoding_base64(coded.data, coded.len, &back);
		assert_int_equal(back.len, text.len);
		assert_memory_equal(back.data, text.data, text.len);
		buf_clear(&coded);
		buf_clear(&back);
		if (!text.len || text.data[text.len - 1] != '\n')
			buf_addc(&text, '\n');
		compose_quoted(&coded, text.data, text.len);
		assert_narrow(coded.data, 76);
		assert_null(strstr(coded.data, "\nFrom "));
		encoding_qp(coded.data, coded.len, false, &back);
		assert_string_equal(back.data, text.data);
		buf_release(&text);
		buf_release(&coded);
		buf_release(&back);
	}
}

static void long_subject_comes_back_whole(void **state)
{
	struct buf text, field, back;

	(void)state;
	buf_init(&text, 4096);
	buf_init(&field, 16384);
	buf_init(&back, 16384);
	for (int i = 0; i < 300; i++)
		buf_adds(&text, i % 7 ? "\xe2\x82\xac" : "x");
	compose_text(&field, "Subject", text.data);
	assert_narrow(field.data, 78);
	for (char *p = field.data; (p = strchr(p, '\n')) && p[1];)
		memmove(p, p + 1, strlen(p)); /* unfolded */
	field.data[strcspn(field.data, "\n")] = '\0';
	encoding_words(field.data + strlen("Subject: "), &back);
	assert_string_equal(back.data, text.data);
	buf_release(&text);
	buf_release(&field);
	buf_release(&back);
}

static void date_is_that_of_the_rfc(void **state)
{
	char out[DAY_MAX];

	(void)state;
	compose_date(INT64_C(1796044505) * 1000000000 + 999, out, sizeof(out));
	assert_string_equal(out, "Mon, 30 Nov 2026 13:15:05 +0000");
	compose_date(INT64_C(951782400) * 1000000000, out, sizeof(out));
	assert_string_equal(out, "Tue, 29 Feb 2000 00:00:00 +0000");
}

static int reply_to(struct reply *r, const char *mail, struct reply_opts *o, struct err *e)
{
	struct message m;
	int rc;

	o->run = UUID;
	o->from = o->from ? o->from : LAB;
	o->text = o->text ? o->text : "slower\n";
	o->json = "{}\n";
	o->json_len = 3;
	message_init(&m);
	assert_int_equal(message_parse(&m, mail, strlen(mail), e), 0);
	rc = reply_make(r, &m, o, e);
	message_release(&m);
	return rc;
}

static char *field_of(const struct reply *r, const char *name)
{
	struct err e = ERR_INIT;
	struct message m;
	char *value;

	message_init(&m);
	assert_int_equal(message_parse(&m, r->mail.data, r->mail.len, &e), 0);
	value = message_get(&m, name) ? strdup(message_get(&m, name)) : NULL;
	message_release(&m);
	return value;
}

static const struct {
	const char *name, *mail, *field, *want;
} fields[] = {
	{"to the sender", HEAD "\n", "To", "A <a@x.org>"},
	{"all others in copy", HEAD "\n", "Cc", "list@x.org, B <b@x.org>, c@x.org"},
	{"Reply-To", HEAD "Reply-To: r@x.org\n\n", "To", "r@x.org"},
	{"not to ourselves", "From: a@x.org\nTo: lab@EXAMPLE.org, b@x.org\nMessage-ID: " ID "\n\n",
		"Cc", "b@x.org"},
	{"our own mail", "From: lab@example.org\nTo: b@x.org\nCc: c@x.org\nMessage-ID: " ID "\n\n",
		"To", "b@x.org"},
	{"our own mail, copy",
		"From: lab@example.org\nTo: b@x.org\nCc: c@x.org\nMessage-ID: " ID "\n\n", "Cc",
		"c@x.org"},
	{"a second To field", HEAD "To: d@x.org\n\n", "Cc",
		"list@x.org, B <b@x.org>, d@x.org, c@x.org"},
	{"a masked sender", "From: a@...\nTo: b@x.org\nMessage-ID: " ID "\n\n", "To", "b@x.org"},
	{"the thread", HEAD "\n", "In-Reply-To", ID},
	{"a thread begins", HEAD "\n", "References", ID},
	{"a thread goes on", HEAD "References: <1@x>\n <2@x>\n\n", "References", "<1@x> <2@x> " ID},
	{"only In-Reply-To", HEAD "In-Reply-To: <1@x>\n\n", "References", "<1@x> " ID},
	{"not itself", HEAD "References: <1@x> " ID "\n\n", "References", "<1@x> " ID},
	{"no ids", HEAD "References: a b <> <c d> <e\n\n", "References", ID},
	{"subject", HEAD "Subject: [PATCH] x\n\n", "Subject", "Re: [PATCH] x"},
	{"subject of an answer", HEAD "Subject: RE: x\n\n", "Subject", "RE: x"},
	{"no subject", HEAD "\n", "Subject", "Re:"},
	{"encoded subject", HEAD "Subject: =?iso-8859-1?q?J=F6?=\n\n", "Subject",
		"=?UTF-8?B?UmU6IErDtg==?="},
};

static void answer_goes_to_all_and_below_the_original(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		struct reply_opts o = {.run = NULL};
		struct err e = ERR_INIT;
		struct reply r;
		char *got;

		if (reply_to(&r, fields[i].mail, &o, &e))
			fail_msg("%s: %s", fields[i].name, e.msg);
		got = field_of(&r, fields[i].field);
		if (!got || strcmp(got, fields[i].want) != 0)
			fail_msg("%s: %s", fields[i].name, got ? got : "none");
		assert_narrow(r.mail.data, 78);
		free(got);
		reply_release(&r);
		reply_release(&r);
	}
}

static void long_thread_keeps_its_beginning_and_its_end(void **state)
{
	struct reply_opts o = {.run = NULL};
	struct err e = ERR_INIT;
	struct reply r;
	struct buf mail;
	char *got;

	(void)state;
	buf_init(&mail, 65536);
	buf_adds(&mail, HEAD "References:");
	for (int i = 1; i <= 1000; i++)
		buf_addf(&mail, " <%d@x>\n", i);
	buf_adds(&mail, "\n");
	assert_int_equal(reply_to(&r, mail.data, &o, &e), 0);
	got = field_of(&r, "References");
	assert_int_equal(strncmp(got, "<1@x> <963@x> ", 14), 0);
	assert_non_null(strstr(got, " <1000@x> " ID));
	free(got);
	reply_release(&r);
	buf_release(&mail);
}

static void only_the_date_differs_between_two_answers(void **state)
{
	struct reply_opts o = {.date_ns = 1}, later = {.date_ns = INT64_C(1796044505000000000)};
	struct reply_opts other = {.from = "x@other.example"};
	struct reply a, b, c, d;
	struct err e = ERR_INIT;
	char *date;

	(void)state;
	assert_int_equal(reply_to(&a, HEAD "\n", &o, &e), 0);
	assert_int_equal(reply_to(&b, HEAD "\n", &later, &e), 0);
	assert_int_equal(reply_to(&c, HEAD "\n", &other, &e), 0);
	assert_int_equal(reply_to(&d, "From: a@x.org\nMessage-ID: <2@x>\n\nx\n", &other, &e), 0);
	assert_string_equal(a.id, b.id);
	assert_string_equal(a.original, ID);
	assert_int_equal(strcspn(a.id, "@"), strcspn(c.id, "@"));
	assert_memory_equal(a.id, c.id, strcspn(a.id, "@"));
	assert_string_equal(strchr(c.id, '@'), "@other.example>");
	assert_memory_not_equal(a.id, d.id, strcspn(a.id, "@"));
	date = strstr(a.mail.data, "Date: Thu,  1") ?: strstr(a.mail.data, "Date: Thu, 1 Jan 1970");
	assert_non_null(date);
	assert_non_null(strstr(b.mail.data, "\nDate: Mon, 30 Nov 2026 13:15:05 +0000\n"));
	assert_string_equal(
		strstr(a.mail.data, "\nMessage-ID"), strstr(b.mail.data, "\nMessage-ID"));
	reply_release(&a);
	reply_release(&b);
	reply_release(&c);
	reply_release(&d);
}

static void some_can_be_left_out(void **state)
{
	static const char *const except[] = {"A@x.org", "c@x.org", "nobody@x.org"};
	struct reply_opts o = {.except = except, .n_except = 3};
	struct err e = ERR_INIT;
	struct reply r;
	char *to;

	(void)state;
	assert_int_equal(reply_to(&r, HEAD "\n", &o, &e), 0);
	to = field_of(&r, "To");
	assert_string_equal(to, "list@x.org, B <b@x.org>");
	assert_int_equal(r.cc.n, 0);
	free(to);
	reply_release(&r);
}

static void report_is_text_and_an_attachment(void **state)
{
	struct reply_opts o = {.text = "slower\n.\n\tx\n"}, odd = {.text = "From \xc3\xa4\n"};
	struct err e = ERR_INIT;
	struct reply r;

	(void)state;
	assert_int_equal(reply_to(&r, HEAD "\n", &o, &e), 0);
	assert_non_null(
		strstr(r.mail.data, "\nContent-Type: text/plain; charset=utf-8; format=fixed\n"
				    "Content-Transfer-Encoding: 7bit\n\nMeasured with harness"));
	assert_non_null(strstr(r.mail.data, "\n\nslower\n.\n\tx\n\n--=_"));
	assert_non_null(strstr(r.mail.data, "Content-Type: application/json"));
	assert_non_null(strstr(r.mail.data, "filename=\"harness-7f3a0000.json\""));
	assert_non_null(strstr(r.mail.data, "\n\ne30K\n\n--=_"));
	reply_release(&r);
	assert_int_equal(reply_to(&r, HEAD "\n", &odd, &e), 0);
	assert_non_null(strstr(r.mail.data, "Content-Transfer-Encoding: quoted-printable\n"));
	assert_non_null(strstr(r.mail.data, "\n\n=46rom =C3=A4\n"));
	reply_release(&r);
}

static void mail_that_cannot_be_answered_is_refused(void **state)
{
	static const struct {
		const char *mail, *from, *why;
	} cases[] = {
		{"From: a@x.org\n\nx\n", LAB, "no Message-ID"},
		{"From: a@x.org\nMessage-ID: none\n\nx\n", LAB, "no Message-ID"},
		{"From: a@x.org\nMessage-ID: <j\xc3\xb6@x>\n\nx\n", LAB, "no Message-ID"},
		{"From: a@...\nMessage-ID: " ID "\n\nx\n", LAB, "to answer to (\"a@...\" is none)"},
		{"From: lab@example.org\nMessage-ID: " ID "\n\nx\n", LAB,
			"no address to answer to"},
		{HEAD "\nx\n", "Lab", "\"Lab\" is no mail address"},
		{HEAD "\nx\n", "a@x.org, b@x.org", "is no mail address"},
		{HEAD "\nx\n", "Lab, Dr. <a@x.org>", "is no mail address"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct reply_opts o = {.from = cases[i].from};
		struct err e = ERR_INIT;
		struct reply r;

		assert_int_equal(reply_to(&r, cases[i].mail, &o, &e), -ERR_USAGE);
		assert_string_equal(e.code, "E_MAIL");
		if (!strstr(e.msg, cases[i].why))
			fail_msg("%zu: %s", i, e.msg);
		reply_release(&r);
	}
}

static void address_of_a_server_is_looked_at(void **state)
{
	static const struct {
		const char *url;
		bool plain;
		const char *why; /* NULL: fine */
	} cases[] = {
		{"smtp://mail.example.org", false, NULL},
		{"smtp://mail.example.org:587", false, NULL},
		{"smtps://mail.example.org/", false, NULL},
		{"smtp://[::1]:25", true, NULL},
		{"smtp://127.0.0.1", true, NULL},
		{"smtp://localhost", true, NULL},
		{"smtp://127.0.0.1.example.org", true, "on this host only"},
		{"smtp://localhost.example.org", true, "on this host only"},
		{"smtp://mail.example.org", true, "on this host only"},
		{"http://mail.example.org", false, "no address of a mail server"},
		{"mail.example.org", false, "no address of a mail server"},
		{"", false, "no address of a mail server"},
		{"smtp://me:hunter2@mail.example.org", false, "has a user in it"},
		{"smtp://me@mail.example.org", false, "has a user in it"},
		{"imap://me:hunter2@mail.example.org", false, "has a user in it"},
		{"smtp://me:hunter2@[mail", false, "no address of a mail server"},
		{"smtp://h/me:hunter2@mail", false, "has a path"},
		{"smtp://mail.example.org/x", false, "has a path"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct smtp_server s = {.url = cases[i].url, .plain = cases[i].plain};
		struct err e = ERR_INIT;
		int rc = smtp_check(&s, &e);

		assert_int_equal(rc, cases[i].why ? -ERR_USAGE : 0);
		if (cases[i].why && !strstr(e.msg, cases[i].why))
			fail_msg("%s: %s", cases[i].url, e.msg);
		assert_null(strstr(e.msg, "hunter2"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(address_list_is_taken_apart),
		cmocka_unit_test(fields_are_folded_and_encoded),
		cmocka_unit_test(encodings_are_undone_by_the_reader),
		cmocka_unit_test(long_subject_comes_back_whole),
		cmocka_unit_test(date_is_that_of_the_rfc),
		cmocka_unit_test(answer_goes_to_all_and_below_the_original),
		cmocka_unit_test(long_thread_keeps_its_beginning_and_its_end),
		cmocka_unit_test(only_the_date_differs_between_two_answers),
		cmocka_unit_test(some_can_be_left_out),
		cmocka_unit_test(report_is_text_and_an_attachment),
		cmocka_unit_test(mail_that_cannot_be_answered_is_refused),
		cmocka_unit_test(address_of_a_server_is_looked_at),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
