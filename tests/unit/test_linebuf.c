/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "harness/base/buf.h"
#include "harness/linebuf.h"

enum { MAX = 8 };

static const struct {
	const char *in, *out; /* lines of out end in '|' */
} cases[] = {
	{"", ""},
	{"a\nb\n", "a|b|"},
	{"a\r\nb\r\n", "a|b|"},
	{"a\rb\r\r\n\nc", "a|b|c|"},
	{"\n\n\n", ""},
	{"12345678\n", "12345678|"},
	{"123456789\n", "12345678|9|"},
	{"1234567812345678\nx", "12345678|12345678|x|"},
	{"12345678\r9\n", "12345678|9|"},
	{"no end", "no end|"},
};

static void add_line(void *arg, const char *line, size_t n)
{
	assert_true(n > 0 && n <= MAX);
	buf_add(arg, line, n);
	buf_addc(arg, '|');
}

static void linebuf_gives_the_same_lines_for_every_split(void **state)
{
	(void)state;
	for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
		size_t len = strlen(cases[c].in);

		for (size_t a = 0; a <= len; a++)
			for (size_t b = a; b <= len; b++) {
				struct linebuf lb;
				char mem[MAX];
				struct buf out;

				buf_init(&out, 100);
				linebuf_init(&lb, mem, sizeof(mem));
				linebuf_feed(&lb, cases[c].in, a, add_line, &out);
				linebuf_feed(&lb, cases[c].in + a, b - a, add_line, &out);
				linebuf_feed(&lb, cases[c].in + b, len - b, add_line, &out);
				linebuf_flush(&lb, add_line, &out);
				assert_string_equal(out.data, cases[c].out);
				buf_release(&out);
			}
	}
}

static void linebuf_passes_nul_bytes_on(void **state)
{
	static const char in[] = "a\0b\n";
	struct linebuf lb;
	char mem[MAX];
	struct buf out;

	(void)state;
	buf_init(&out, 100);
	linebuf_init(&lb, mem, sizeof(mem));
	linebuf_feed(&lb, in, sizeof(in) - 1, add_line, &out);
	assert_int_equal(out.len, 4);
	assert_memory_equal(out.data, "a\0b|", 4);
	buf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(linebuf_gives_the_same_lines_for_every_split),
		cmocka_unit_test(linebuf_passes_nul_bytes_on),
	};
	return cmocka_run_group_tests_name("linebuf", tests, NULL, NULL);
}
