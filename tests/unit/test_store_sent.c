/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "db/store_sent.h"
#include "tests/unit/fixture_run.h"

static const struct store_sent mail = {.run = FIXTURE_UUID,
	.original = "<1@x>",
	.message_id = "<harness.1@x>",
	.recipients = "a@x.org, b@x.org"};

static struct store *open_with_run(struct fixture *f)
{
	struct store *s;

	fixture_init(f);
	s = fixture_open(f);
	fixture_begin(s, f);
	fixture_end(s, f);
	return s;
}

static void mail_is_sent_once(void **state)
{
	struct store_sent other = mail;
	struct err e = ERR_INIT;
	struct fixture f;
	struct store *s;
	int64_t id, next;

	(void)state;
	s = open_with_run(&f);
	assert_int_equal(store_sent_check(s, &mail, &e), 0);
	assert_int_equal(store_sent_begin(s, &mail, false, &id, &e), 0);
	assert_int_equal(store_sent_end(s, id, true, "250 ok", &e), 0);
	assert_int_equal(store_sent_check(s, &mail, &e), -ERR_USAGE);
	assert_string_equal(e.code, "E_SENT");
	assert_non_null(strstr(e.msg, "run 7f3a90c2 was sent as an answer to <1@x>, 20"));
	assert_non_null(strstr(e.msg, "to a@x.org, b@x.org; --again"));
	assert_int_equal(store_sent_begin(s, &mail, false, &next, &e), -ERR_USAGE);
	assert_int_equal(fixture_ask(s, "SELECT count(*) FROM sent"), 1);
	/* Of another run or to another mail it is another mail. */
	other.original = "<2@x>";
	assert_int_equal(store_sent_check(s, &other, &e), 0);
	/* On demand again; a second one that is refused takes nothing back. */
	assert_int_equal(store_sent_begin(s, &mail, true, &next, &e), 0);
	assert_int_equal(store_sent_end(s, next, false, "550 no", &e), 0);
	assert_int_equal(store_sent_check(s, &mail, &e), -ERR_USAGE);
	assert_non_null(strstr(e.msg, " was sent "));
	assert_int_equal(fixture_ask(s, "SELECT count(*) FROM sent WHERE ended_ns >= begun_ns"), 2);
	store_close(s);
	fixture_remove(&f);
}

static void refused_mail_may_be_sent_again(void **state)
{
	struct err e = ERR_INIT;
	struct fixture f;
	struct store *s;
	int64_t id;

	(void)state;
	s = open_with_run(&f);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(store_sent_begin(s, &mail, false, &id, &e), 0);
		assert_int_equal(store_sent_end(s, id, false, "550 no", &e), 0);
		assert_int_equal(store_sent_check(s, &mail, &e), 0);
	}
	assert_int_equal(fixture_ask(s, "SELECT count(*) FROM sent WHERE state = 'refused'"), 3);
	store_close(s);
	fixture_remove(&f);
}

static void mail_that_was_begun_may_have_been_sent(void **state)
{
	struct err e = ERR_INIT;
	struct fixture f;
	struct store *s;
	int64_t id;

	(void)state;
	s = open_with_run(&f);
	assert_int_equal(store_sent_begin(s, &mail, false, &id, &e), 0);
	store_close(s);
	s = fixture_open(&f);
	assert_int_equal(store_sent_check(s, &mail, &e), -ERR_USAGE);
	assert_non_null(strstr(e.msg, "may have been sent"));
	assert_int_equal(store_sent_begin(s, &mail, false, &id, &e), -ERR_USAGE);
	store_close(s);
	fixture_remove(&f);
}

static void mail_about_no_run_is_an_error(void **state)
{
	struct store_sent none = mail;
	struct err e = ERR_INIT;
	struct fixture f;
	struct store *s;
	int64_t id;

	(void)state;
	s = open_with_run(&f);
	none.run = "00000000-0000-4000-8000-000000000000";
	assert_int_equal(store_sent_begin(s, &none, false, &id, &e), -ERR_LAB);
	assert_string_equal(e.code, "E_STORE");
	assert_int_equal(fixture_ask(s, "SELECT count(*) FROM sent"), 0);
	store_close(s);
	fixture_remove(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mail_is_sent_once),
		cmocka_unit_test(refused_mail_may_be_sent_again),
		cmocka_unit_test(mail_that_was_begun_may_have_been_sent),
		cmocka_unit_test(mail_about_no_run_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
