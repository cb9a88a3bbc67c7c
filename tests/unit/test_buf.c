/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "harness/base/buf.h"

static void buf_is_a_string_from_the_start(void **state)
{
	struct buf b;

	(void)state;
	buf_init(&b, 10);
	assert_string_equal(b.data, "");
	buf_release(&b);
	buf_release(&b);
}

static void buf_stops_at_its_limit_and_stays_failed(void **state)
{
	struct buf b;

	(void)state;
	buf_init(&b, 10);
	assert_int_equal(buf_adds(&b, "12345"), 0);
	assert_int_equal(buf_addf(&b, "%d", 67890), 0);
	assert_int_equal(buf_addc(&b, 'x'), -1);
	assert_true(b.failed);
	assert_int_equal(buf_add(&b, "", 0), -1);
	assert_string_equal(b.data, "1234567890");
	buf_clear(&b);
	assert_false(b.failed);
	assert_int_equal(buf_addc(&b, 'y'), 0);
	buf_release(&b);
}

static int spill_count(void *arg, const char *p, size_t n)
{
	size_t *left = arg;

	(void)p;
	if (n > *left)
		return -1;
	*left -= n;
	return 0;
}

static void buf_that_spills_holds_little(void **state)
{
	char piece[1000] = {0};
	size_t room = 10000000;
	struct buf b;

	(void)state;
	buf_init_spill(&b, 9000500, spill_count, &room);
	for (int i = 0; i < 9000; i++) {
		assert_int_equal(buf_add(&b, piece, sizeof(piece)), 0);
		assert_true(b.len < 70000 && b.cap < 300000);
	}
	assert_int_equal(buf_add(&b, piece, sizeof(piece)), -1); /* the limit is for all of it */
	buf_release(&b);
	room = 100000;
	buf_init_spill(&b, 9000500, spill_count, &room);
	for (int i = 0; i < 90; i++)
		buf_addf(&b, "%01000d", i);
	assert_int_equal(buf_flush(&b), 0);
	assert_int_equal(room, 10000);
	for (int i = 0; i < 11; i++)
		buf_addf(&b, "%01000d", i);
	assert_int_equal(buf_flush(&b), -1); /* nobody takes it */
	assert_int_equal(buf_addc(&b, 'x'), -1);
	assert_int_equal(room, 10000);
	buf_release(&b);
}

static void buf_consume_drops_the_front(void **state)
{
	struct buf b;
	char *s;

	(void)state;
	buf_init(&b, 100);
	buf_adds(&b, "abcdef");
	buf_consume(&b, 4);
	assert_string_equal(b.data, "ef");
	s = buf_detach(&b);
	assert_string_equal(s, "ef");
	free(s);
	assert_int_equal(b.len, 0);
	buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(buf_is_a_string_from_the_start),
		cmocka_unit_test(buf_stops_at_its_limit_and_stays_failed),
		cmocka_unit_test(buf_that_spills_holds_little),
		cmocka_unit_test(buf_consume_drops_the_front),
	};
	return cmocka_run_group_tests_name("buf", tests, NULL, NULL);
}
