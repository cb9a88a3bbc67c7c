/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/unit.h"

#include "harness/terminal.h"

static void a_tilde_at_the_start_of_a_line_is_an_escape(void **state)
{
	static const struct {
		const char *typed, *sent;
		bool end;
	} rows[] = {
		{"ls\r", "ls\r", false},
		{"~.", "", true},
		{"ls\r~.more", "ls\r", true},
		{"ls\n~.", "ls\n", true},
		{"ls~.", "ls~.", false},
		{"~~.", "~.", false},
		{"~~", "~", false},
		{"~x~.", "~x~.", false},
		{"~\r~.", "~\r", true},
		{"~", "", false},
	};

	(void)state;
	/* Whole, and a key at a time. */
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		size_t n = strlen(rows[i].typed), got = 0, all = 0;
		struct terminal_escape whole = {false, false}, keys = {false, false};
		char out[64], each[64];
		bool end = false;

		assert_int_equal(terminal_keys(&whole, rows[i].typed, n, out, &got), rows[i].end);
		assert_int_equal(got, strlen(rows[i].sent));
		assert_memory_equal(out, rows[i].sent, got);
		for (size_t k = 0; k < n && !end; k++) {
			end = terminal_keys(&keys, rows[i].typed + k, 1, each + all, &got);
			all += got;
		}
		assert_int_equal(end, rows[i].end);
		assert_int_equal(all, strlen(rows[i].sent));
		assert_memory_equal(each, rows[i].sent, all);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_tilde_at_the_start_of_a_line_is_an_escape),
	};
	return cmocka_run_group_tests_name("terminal", tests, NULL, NULL);
}
