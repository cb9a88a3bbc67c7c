/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "harness/mail/encoding.h"
#include "harness/mail/mbox.h"
#include "harness/mail/message.h"
#include "harness/mail/series.h"
#include "harness/mail/subject.h"

static void encoded_words_become_utf8(void **state)
{
	static const struct {
		const char *in, *out;
	} cases[] = {
		{"plain text", "plain text"},
		{"=?UTF-8?q?J=C3=BCrgen_Gro=C3=9F?= <j@x>", "J\xc3\xbcrgen Gro\xc3\x9f <j@x>"},
		{"=?iso-8859-1?Q?J=FCrgen?=", "J\xc3\xbcrgen"},
		{"=?utf-8?B?SsO8cmdlbg==?=", "J\xc3\xbcrgen"},
		{"=?us-ascii*en?q?a?= b", "a b"},
		/* Blanks between words are none; a character may be in two. */
		{"=?utf-8?q?a?= =?utf-8?q?b?=", "ab"},
		{"=?utf-8?B?SsM=?=  =?utf-8?B?vHI=?=", "J\xc3\xbcr"},
		{"=?utf-8?q?a?= =?iso-8859-1?q?=FC?= c", "a\xc3\xbc c"},
		{"=?koi8-r?B?9A==?=", "\xd0\xa2"},
		/* None, or broken. */
		{"=?utf-8?q?open", "=?utf-8?q?open"},
		{"=?utf-8?x?a?=", "=?utf-8?x?a?="},
		{"=?", "=?"},
		{"a =? b ?= c", "a =? b ?= c"},
		{"=?no-such-set?q?=FC?=", "\xc3\xbc"},
		{"", ""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct buf b;

		buf_init(&b, 1000);
		encoding_words(cases[i].in, &b);
		assert_string_equal(b.data, cases[i].out);
		buf_release(&b);
	}
}

static void quoted_printable_and_base64_are_undone(void **state)
{
	static const struct {
		bool base64;
		const char *in, *out;
	} cases[] = {
		{false, "a=3Db", "a=b"},
		{false, "a=\nb", "ab"},
		{false, "a= \t\r\nb", "ab"},
		{false, "a=", "a"},
		{false, "a=zz=4", "a=zz=4"},
		{false, "=c3=BC_", "\xc3\xbc_"},
		{true, "YWJj", "abc"},
		{true, "YW\r\nJj ZA==", "abcd"},
		{true, "YQ==YQ==", "aa"},
		{true, "*", ""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct buf b;

		buf_init(&b, 1000);
		if (cases[i].base64)
			encoding_base64(cases[i].in, strlen(cases[i].in), &b);
		else
			encoding_qp(cases[i].in, strlen(cases[i].in), false, &b);
		assert_string_equal(b.data, cases[i].out);
		buf_release(&b);
	}
}

static void a_mail_has_fields_and_a_text(void **state)
{
	static const struct {
		const char *mail, *subject, *text; /* text NULL: an error; then subject is in it */
	} cases[] = {
		{"Subject: a\n\nb\n", "a", "b\n"},
		{"Subject: a\n b\r\n\tc  \n\nd", "a b\tc", "d"},
		{"X: 1\r\nsubject:a\r\n\r\nb\r\nc\r\n", "a", "b\nc\n"},
		{"Subject: a\n\nb\r\nc\n", "a", "b\r\nc\n"},
		{"x86: fix\n\nmore\n", "", "x86: fix\n\nmore\n"},
		{"no field\n", "", "no field\n"},
		{"Subject: a\nno field\n", "a", "no field\n"},
		{"Subject: a\nContent-Transfer-Encoding: Quoted-Printable\n\nb=3D\n", "a", "b=\n"},
		{"Subject: a\nContent-Type: text/plain; charset=iso-8859-1\n\n\xfc\ndiff --git "
		 "a/x b/x\n+\xfc\n",
			"a", "\xc3\xbc\ndiff --git a/x b/x\n+\xfc\n"},
		{"Subject: a\nContent-Type: multipart/mixed; boundary=\"x\"\n\nno\n--x\n\nb\n--x\n"
		 "Content-Type: application/pdf\n\nno\n--x\nContent-Type: text/x-patch\n\nc\n--x--"
		 "\nno\n",
			"a", "b\nc\n"},
		{"Subject: a\nContent-Type: multipart/alternative; boundary=x\n\n--x\n\nb\n--x\n"
		 "Content-Type: text/html\n\n<b>\n--x--\n",
			"a", "b\n"},
		{"Subject: a\nContent-Type: multipart/mixed; boundary=x\n\n--x\nContent-Type: "
		 "multipart/alternative; boundary=xy\n\n--xy\n\nb\n--xy--\n--x\n\nc\n--x--\n",
			"a", "b\nc\n"},
		{"Subject: a\nContent-Type: text/html\n\n<p>\n", "no plain text", NULL},
		{"Subject: a\nContent-Type: multipart/mixed\n\n", "boundary", NULL},
		{"Subject: a\nContent-Transfer-Encoding: base64\n\nYQBi\n", "NUL", NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct err e = ERR_INIT;
		struct message m;
		int rc;

		message_init(&m);
		rc = message_parse(&m, cases[i].mail, strlen(cases[i].mail), &e);
		if (cases[i].text) {
			char *subject = message_get_text(&m, "Subject");

			assert_int_equal(rc, 0);
			assert_string_equal(subject, cases[i].subject);
			assert_string_equal(m.text.data, cases[i].text);
			free(subject);
		} else {
			assert_int_equal(rc, -ERR_USAGE);
			assert_non_null(strstr(e.msg, cases[i].subject));
		}
		message_release(&m);
	}
}

static int join(void *arg, size_t nth, const char *p, size_t n, struct err *e)
{
	(void)e;
	buf_addf(arg, "%zu{%.*s}", nth, (int)n, p);
	return 0;
}

static void a_file_is_parted_into_its_mails(void **state)
{
	static const char from[] = "From x Mon Sep 17 00:00:00 2001\n";
	static const struct {
		const char *file, *mails; /* # stands for such a line */
	} cases[] = {
		{"A: 1\n\nb\n", "1{A: 1\n\nb\n}"},
		{"#A: 1\n\nb\n\n#C: 2\n\n", "1{A: 1\n\nb\n\n}2{C: 2\n\n}"},
		{"\n\n#A: 1\n\n>From b\n>>From c\n> From\n",
			"1{A: 1\n\nFrom b\n>From c\n> From\n}"},
		{"#A: 1\n\nFrom here on\n>From it\n", "1{A: 1\n\nFrom here on\n>From it\n}"},
		{"#A: 1\n\n#b\n", "1{A: 1\n\nFrom x Mon Sep 17 00:00:00 2001\nb\n}"},
		{"A: 1\n\n#B: 2\n", "1{A: 1\n\n}2{B: 2\n}"},
		{"\xef\xbb\xbf#A: 1\n", "1{A: 1\n}"},
		{"#>From y Mon Nov 30 10:00:00 2026\nA: 1\n\nFrom z\n", "1{A: 1\n\nFrom z\n}"},
		{"\n", NULL},
		{"", NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct buf file, mails;
		struct err e = ERR_INIT;
		int rc;

		buf_init(&file, 10000);
		buf_init(&mails, 10000);
		for (const char *p = cases[i].file; *p; p++)
			if (*p == '#')
				buf_adds(&file, from);
			else
				buf_addc(&file, *p);
		rc = mbox_read(file.data, file.len, join, &mails, &e);
		assert_int_equal(rc, cases[i].mails ? 0 : -ERR_USAGE);
		if (cases[i].mails)
			assert_string_equal(mails.data, cases[i].mails);
		buf_release(&file);
		buf_release(&mails);
	}
}

static void subjects_tell_number_and_version(void **state)
{
	static const struct {
		const char *text, *title;
		int number, total, version, minor;
		bool patch, reply;
	} cases[] = {
		{"[PATCH] a", "a", 0, 0, 1, 0, true, false},
		{"[PATCH v3 2/5] a", "a", 2, 5, 3, 0, true, false},
		{"[PATCH 02/05 v3] a", "a", 2, 5, 3, 0, true, false},
		{"[PATCHv2 0/12] a", "a", 0, 12, 2, 0, true, false},
		{"[PATCH v3.1 2/5] a", "a", 2, 5, 3, 1, true, false},
		{"[Xen-devel] [PATCH for-4.19 1/2] [x86] a", "[x86] a", 1, 2, 1, 0, true, false},
		{"[RFC XEN PATCH 1/2] a", "a", 1, 2, 1, 0, true, false},
		{"Re: [PATCH 1/2] a", "a", 1, 2, 1, 0, true, true},
		{"[list] RE: AW: [PATCH] a", "a", 0, 0, 1, 0, true, true},
		{"[x86] a", "[x86] a", 0, 0, 1, 0, false, false},
		{"[PATCH 3/2] a", "a", 0, 0, 1, 0, true, false},
		{"[PATCH 1/99999] a", "a", 0, 0, 1, 0, true, false},
		{"[PATCH v1/2] a", "a", 0, 0, 1, 0, true, false},
		{"[PATCH", "[PATCH", 0, 0, 1, 0, false, false},
		{"", "", 0, 0, 1, 0, false, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct subject s;

		subject_parse(&s, cases[i].text);
		assert_string_equal(s.title, cases[i].title);
		assert_int_equal(s.number, cases[i].number);
		assert_int_equal(s.total, cases[i].total);
		assert_int_equal(s.version, cases[i].version);
		assert_int_equal(s.minor, cases[i].minor);
		assert_int_equal(s.patch, cases[i].patch);
		assert_int_equal(s.reply, cases[i].reply);
	}
}

/* "subject|subject|…": a mail each with a patch; "~" before it: without one; "*": another patch. */
static void make_mbox(const char *subjects, struct buf *out)
{
	for (const char *p = subjects; *p; p += strcspn(p, "|"), p += *p == '|') {
		bool patch = *p != '~', other = *p == '*';

		p += !patch || other;
		buf_addf(out,
			"From x Mon Sep 17 00:00:00 2001\nFrom: A <a@x>\nDate: d\nSubject: "
			"%.*s\n\nt\n",
			(int)strcspn(p, "|"), p);
		if (patch)
			buf_addf(out,
				"diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+%s\n\n",
				other ? "c" : "b");
	}
}

static void mails_become_one_series(void **state)
{
	static const struct {
		const char *mails, *is; /* titles in order, or what the error says */
		int rc, version;
		bool cover;
		const char *note; /* in one of the notes; NULL: there is none */
	} cases[] = {
		{"[PATCH] a", "a", 0, 1, false, NULL},
		{"[PATCH 2/2] b|[PATCH 1/2] a", "a,b", 0, 1, false, NULL},
		{"[PATCH] a|[PATCH] b|[PATCH] c", "a,b,c", 0, 1, false, NULL},
		{"~[PATCH v2 0/1] l|[PATCH v2 1/1] a", "a", 0, 2, true, NULL},
		{"[PATCH 1/1] a|~Re: [PATCH 1/1] a|~Re: x", "a", 0, 1, false, "2 replies without"},
		{"[PATCH 1/1] a|~news", "a", 0, 1, false, "1 mail without"},
		{"[PATCH 1/1] a|*Re: [PATCH 1/1] a", "a", 0, 1, false, "1 reply with a patch"},
		{"Re: [PATCH] a", "a", 0, 1, false, NULL},
		{"~[PATCH 0/1] l|[PATCH 1/1] a|~[PATCH v2 0/1] l|[PATCH v2 1/1] b", "b", 0, 2, true,
			"v2 is taken"},
		{"[PATCH 1/2] a|[PATCH 2/2] b|[PATCH 1/2] a", "a,b", 0, 1, false,
			"1/2 a second time"},
		{"[PATCH 1/1] a|*[PATCH v1.1 1/1] b", "b", 0, 1, false, "v1.1 is taken"},
		{"*[PATCH v1.1 1/1] b|[PATCH 1/1] a", "b", 0, 1, false, "v1.1 is taken"},
		{"[PATCH 1/1] a|*[PATCH 1/1] b", "differ", -ERR_USAGE, 0, false, NULL},
		{"[PATCH 1/3] a|[PATCH 3/3] c", "patch 2/3 is missing", -ERR_USAGE, 0, false, NULL},
		{"[PATCH 2/3] a", "patch 1/3, 3/3 are missing", -ERR_USAGE, 0, false, NULL},
		{"[PATCH 1/1] a|[PATCH 1/2] b|[PATCH 2/2] c", "two series", -ERR_USAGE, 0, false,
			NULL},
		{"[PATCH 1/1] a|[PATCH] b", "two series", -ERR_USAGE, 0, false, NULL},
		{"~[PATCH 0/1] a", "no patch", -ERR_USAGE, 0, false, NULL},
		{"~x", "no patch", -ERR_USAGE, 0, false, NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct err e = ERR_INIT;
		struct buf file, titles;
		struct series s;
		int rc;

		buf_init(&file, 100000);
		buf_init(&titles, 1000);
		make_mbox(cases[i].mails, &file);
		series_init(&s);
		assert_int_equal(series_add(&s, "f", file.data, file.len, &e), 0);
		rc = series_finish(&s, &e);
		assert_int_equal(rc, cases[i].rc);
		for (size_t k = 0; !rc && k < s.n; k++)
			buf_addf(&titles, "%s%s", k ? "," : "", s.mails[k].title);
		if (rc) {
			assert_non_null(strstr(e.msg, cases[i].is));
		} else {
			assert_string_equal(titles.data, cases[i].is);
			assert_int_equal(s.version, cases[i].version);
			assert_int_equal(s.has_cover, cases[i].cover);
			assert_int_equal(s.notes.n, cases[i].note ? 1 : 0);
			if (cases[i].note)
				assert_non_null(strstr(s.notes.line[0], cases[i].note));
		}
		series_release(&s);
		buf_release(&titles);
		buf_release(&file);
	}
}

static void missing_and_masked_fields_are_restored(void **state)
{
	static const char diff[] = "\n---\ndiff --git a/f b/f\nindex 1234567..2345678 100644\n";
	static const struct {
		const char *mail, *subject, *from, *date, *mend;
	} cases[] = {
		{"Subject: s\nFrom: a at b.c (A B)\nDate: d\n\nt", "s", "A B <a@b.c>", "d",
			"was masked"},
		{"Subject: s\nFrom: A <a@xxxxxx>\nDate: d\n\nt", "s", "A <a@xxxxxx>", "d",
			"stays so"},
		{"Subject: s\nFrom: A <hidden>\nDate: d\n\nt", "s", "A  <masked@localhost>", "d",
			"was masked"},
		{"Subject: s\nDate: d\n\nt\nSigned-off-by: A <a@x>\n", "s", "A <a@x>", "d",
			"From was missing"},
		{"Subject: s\nDate: d\n\nt\n", "s", "unknown <unknown@localhost>", "d",
			"From was missing"},
		{"From: A <a@x>\nDate: d\n\n\nfirst line\nmore\n", "first line", "A <a@x>", "d",
			"Subject was missing"},
		{"Subject: s\nFrom: A <a@x>\n\nt\n", "s", "A <a@x>", "", "that of the base"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct err e = ERR_INIT;
		struct series s;
		struct buf b;

		buf_init(&b, 10000);
		buf_adds(&b, cases[i].mail);
		buf_adds(&b, diff);
		series_init(&s);
		assert_int_equal(series_add(&s, "f", b.data, b.len, &e), 0);
		assert_int_equal(series_finish(&s, &e), 0);
		assert_string_equal(s.mails[0].subject, cases[i].subject);
		assert_string_equal(s.mails[0].from, cases[i].from);
		assert_string_equal(s.mails[0].date, cases[i].date);
		assert_int_equal(s.mails[0].mends.n, 1);
		assert_non_null(strstr(s.mails[0].mends.line[0], cases[i].mend));
		series_release(&s);
		buf_release(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(encoded_words_become_utf8),
		cmocka_unit_test(quoted_printable_and_base64_are_undone),
		cmocka_unit_test(a_mail_has_fields_and_a_text),
		cmocka_unit_test(a_file_is_parted_into_its_mails),
		cmocka_unit_test(subjects_tell_number_and_version),
		cmocka_unit_test(mails_become_one_series),
		cmocka_unit_test(missing_and_masked_fields_are_restored),
	};

	return cmocka_run_group_tests_name("mail", tests, NULL, NULL);
}
