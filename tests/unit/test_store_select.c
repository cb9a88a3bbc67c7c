/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/unit/fixture_run.h"

/* In this order: 7f3a, 5000 and 6000 of epyc9754, a second later each but for 6000, whose clock was
 * an hour behind and whose mixed image is another; then 8000 of another machine, not ended. */
static struct store *four_runs(struct fixture *f)
{
	struct store *s;

	fixture_init(f);
	s = fixture_open(f);
	fixture_begin(s, f);
	fixture_end(s, f);
	fixture_other_run(s, f, "50000000-0000-4000-8000-000000000000");
	memset(f->modes[0].image.sha256, 'a', SHA256_HEX);
	f->modes[0].image.sha256[6] = '0';
	f->info.started_wall_ns -= 3600000000000;
	fixture_other_run(s, f, "60000000-0000-4000-8000-000000000000");
	snprintf(f->target.name, sizeof(f->target.name), "other");
	f->info.started_wall_ns += 7200000000000;
	snprintf(f->info.uuid, UUID_TEXT, "80000000-0000-4000-8000-000000000000");
	fixture_begin(s, f);
	return s;
}

static void store_selects_runs_in_the_order_of_their_starts(void **state)
{
	const int64_t first = 1796044505000000000, second = 1000000000;
	const struct {
		struct store_filter f;
		const char *runs;
	} cases[] = {
		{STORE_FILTER_ALL, "6000 7f3a 5000 8000 "},
		{{.machine = "epyc9754", .from_ns = INT64_MIN, .to_ns = INT64_MAX},
			"6000 7f3a 5000 "},
		{{.machine = "other", .from_ns = INT64_MIN, .to_ns = INT64_MAX}, "8000 "},
		{{.machine = "epyc", .from_ns = INT64_MIN, .to_ns = INT64_MAX}, ""},
		{{.from_ns = first, .to_ns = first + second}, "7f3a "},
		{{.from_ns = first, .to_ns = first + second + 1}, "7f3a 5000 "},
		{{.from_ns = first + 1, .to_ns = INT64_MAX}, "5000 8000 "},
		{{.from_ns = INT64_MIN, .to_ns = first}, "6000 "},
		{{.from_ns = first, .to_ns = first}, ""},
		{{.image = "aaaaaaa", .from_ns = INT64_MIN, .to_ns = INT64_MAX}, "7f3a 5000 "},
		{{.image = "aaaaaa", .from_ns = INT64_MIN, .to_ns = INT64_MAX},
			"6000 7f3a 5000 8000 "},
		{{.image = "aaaaaa0", .from_ns = INT64_MIN, .to_ns = first}, "6000 "},
		{{.image = "bb", .machine = "other", .from_ns = INT64_MIN, .to_ns = INT64_MAX},
			"8000 "},
		{{.image = "cc", .from_ns = INT64_MIN, .to_ns = INT64_MAX}, ""},
		{{.run = "5", .from_ns = INT64_MIN, .to_ns = INT64_MAX}, "5000 "},
		{{.run = "7f3a90c2-1b2d-4e5f-8a9b-0c1d2e3f4a5b",
			 .from_ns = INT64_MIN,
			 .to_ns = INT64_MAX},
			"7f3a "},
		{{.run = "9", .from_ns = INT64_MIN, .to_ns = INT64_MAX}, ""},
	};
	struct fixture f;
	struct store *s = four_runs(&f);
	struct buf b;

	(void)state;
	buf_init(&b, 1000);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char(*uuids)[UUID_TEXT];
		struct err e = ERR_INIT;
		size_t n;

		assert_int_equal(store_select(s, &cases[i].f, &uuids, &n, &e), 0);
		assert_true((n > 0) == (uuids != NULL));
		buf_clear(&b);
		for (size_t k = 0; k < n; k++)
			buf_addf(&b, "%.4s ", uuids[k]);
		free(uuids);
		if (strcmp(b.data, cases[i].runs) != 0)
			fail_msg("case %zu gives %s", i, b.data);
	}
	buf_release(&b);
	store_close(s);
	fixture_remove(&f);
}

static void store_selects_more_runs_than_it_first_had_room_for(void **state)
{
	const struct store_filter all = STORE_FILTER_ALL;
	char(*uuids)[UUID_TEXT], uuid[UUID_TEXT];
	struct err e = ERR_INIT;
	struct fixture f;
	struct store *s;
	size_t n;

	(void)state;
	fixture_init(&f);
	s = fixture_open(&f);
	for (int i = 0; i < 40; i++) {
		snprintf(uuid, sizeof(uuid), "%08x-0000-4000-8000-000000000000",
			0x10000000 * (i % 16) + i);
		fixture_other_run(s, &f, uuid);
	}
	assert_int_equal(store_select(s, &all, &uuids, &n, &e), 0);
	assert_int_equal(n, 40);
	assert_string_equal(uuids[39], uuid);
	free(uuids);
	store_close(s);
	fixture_remove(&f);
}

static void store_finds_images_that_were_asked_for(void **state)
{
	static const struct {
		const char *prefix, *found, *msg;
	} cases[] = {
		{"bbbb", "bbbbbbbb", NULL},
		{"BBBB", "bbbbbbbb", NULL},
		{"aaaaaaa", "aaaaaaaa", NULL},
		{"aaaaaa0", "aaaaaa0a", NULL},
		{"aaaa", NULL, "\"aaaa\" begins several images: aaaaaa0aaaaa, aaaaaaaaaaaa"},
		{"dddd", NULL, "has an image \"dddd\""},
		{"", NULL, "\"\" is not an image"},
		{"bbbg", NULL, "\"bbbg\" is not an image"},
		{"bb%", NULL, "is not an image"},
		{"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb", NULL,
			"is not an image"},
	};
	char sha[SHA256_HEX + 1];
	struct fixture f;
	struct store *s = four_runs(&f);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct err e = ERR_INIT;
		int rc = store_find_image(s, cases[i].prefix, sha, &e);

		assert_int_equal(rc, cases[i].found ? 0 : -ERR_USAGE);
		if (cases[i].found) {
			assert_memory_equal(sha, cases[i].found, 8);
			assert_int_equal(strlen(sha), SHA256_HEX);
			continue;
		}
		assert_string_equal(e.code, "E_NOIMAGE");
		if (!strstr(e.msg, cases[i].msg))
			fail_msg("\"%s\" says: %s", cases[i].prefix, e.msg);
	}
	store_close(s);
	fixture_remove(&f);
}

static void store_goes_back_from_the_last_run(void **state)
{
	static const struct {
		const char *prefix, *machine, *uuid, *msg;
	} cases[] = {
		{"last", NULL, "8000", NULL},
		{"last~0", NULL, "8000", NULL},
		{"last~1", NULL, "6000", NULL}, /* as they were begun, whatever the clock said */
		{"last~3", NULL, "7f3a", NULL},
		{"last~4", NULL, NULL, "last~4 goes further back than the runs stored in"},
		{"last~1", "epyc9754", "5000", NULL},
		{"last~3", "epyc9754", NULL, "than the runs of machine epyc9754 stored in"},
		{"last~", NULL, NULL, "\"last~\" is not a run"},
		{"last~-1", NULL, NULL, "\"last~-1\" is not a run"},
		{"last~1000001", NULL, NULL, "\"last~1000001\" is not a run"},
	};
	struct fixture f;
	struct store *s = four_runs(&f);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char uuid[UUID_TEXT];
		struct err e = ERR_INIT;
		int rc = store_find(s, cases[i].prefix, cases[i].machine, uuid, &e);

		assert_int_equal(rc, cases[i].uuid ? 0 : -ERR_USAGE);
		if (cases[i].uuid)
			assert_memory_equal(uuid, cases[i].uuid, 4);
		else if (!strstr(e.msg, cases[i].msg))
			fail_msg("\"%s\" says: %s", cases[i].prefix, e.msg);
	}
	store_close(s);
	fixture_remove(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(store_selects_runs_in_the_order_of_their_starts),
		cmocka_unit_test(store_selects_more_runs_than_it_first_had_room_for),
		cmocka_unit_test(store_finds_images_that_were_asked_for),
		cmocka_unit_test(store_goes_back_from_the_last_run),
	};

	return cmocka_run_group_tests_name("store_select", tests, NULL, NULL);
}
