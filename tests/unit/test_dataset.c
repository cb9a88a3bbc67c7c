/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/unit.h"

#include <fcntl.h>
#include <math.h>
#include <unistd.h>

#include "harness/base/mem.h"
#include "harness/dataset_file.h"
#include "harness/decimal.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static int parse(struct dataset *d, const char *text, size_t n, size_t step, struct err *e)
{
	int rc = 0;

	for (size_t i = 0; i < n && !rc; i += step)
		rc = dataset_feed(d, text + i, n - i < step ? n - i : step, e);
	return rc ? rc : dataset_finish(d, e);
}

/* A text in one column of which stand the three values 1 2 3, wherever it is cut. */
static void expect_123(size_t column, const char *delims, const char *text)
{
	for (size_t step = 1; step <= strlen(text); step++) {
		struct err e = ERR_INIT;
		struct dataset d;

		dataset_init(&d, "f", column, delims);
		if (parse(&d, text, strlen(text), step, &e))
			fail_msg("%s: %s", text, e.msg);
		if (d.n != 3 || d.v[0] != 1 || d.v[1] != 2 || d.v[2] != 3)
			fail_msg("%s: %zu values, not 1 2 3", text, d.n);
		dataset_release(&d);
	}
}

static void dataset_reads_what_ministat_reads(void **state)
{
	static const struct {
		size_t column;
		const char *delims, *text;
	} row[] = {
		{1, " \t", "1\n2\n3\n"},
		{1, " \t", "1\n2\n3"},
		{1, " \t", "1\r\n2\r\n3\r\n"},
		{1, " \t", "1 \t\n2 \r\n3 \v\f\n"},
		{1, " \t", "\n1\n\n \n\t\n2\n3\n\n"},
		{1, " \t", "# a\n1 # b\n2\t#c\n  # d\n3 #\n#"},
		{1, " \t", "  1 5\n\t2 x\n3\t\tnan\n"},
		{2, " \t", "a 1\nb\n# c 7\nd # 7\nb  2 z\n9 3\n"},
		{2, " \t", "nan 1\n-\t2\n0x 3 #\n"},
		{3, ",", "a,b,1\n,a,,b,2\na,b\na b, ,3,4\n"},
		{2, ",", "a, 1\na,\t2\na,3 \n"},
		{1, "#", "#1#\n#2\n3#4\n"},
		{1, "e", "1e5\n2e5\n3\n"},
		{1, ".", "1.5\n2.\n3\n"},
		{1, "5", "1\n25\n3\n"},
		{1, "-", "-1\n2-3\n3\n"},
		{1, "\n,", "1,\n2\n3,4\n"},
		{1, "\r", "1\r5\n2\r\n3\r\n"},
		{1, "x", "1\n2x\n3x3\n"},
		{1, " ", "0x1\n0X2\n0x3.0p0\n"},
		{1, " ", "1e0\n.2e1\n+300.E-2\n"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(row); i++)
		expect_123(row[i].column, row[i].delims, row[i].text);
}

static void dataset_names_the_line_that_is_no_number(void **state)
{
	static const struct {
		const char *text, *msg;
		size_t n; /* 0: the text's */
	} row[] = {
		{"1\n2\nx\n", "Invalid data on line 3 in f: \"x\" is not a number", 0},
		{"\n#\nx", "Invalid data on line 3 in f: \"x\" is not a number", 0},
		{"8#\n", "Invalid data on line 1 in f: \"8#\" is not a number", 0},
		{"-\n", "Invalid data on line 1 in f: \"-\" is not a number", 0},
		{"1e\n", "Invalid data on line 1 in f: \"1e\" is not a number", 0},
		{"1e+ 5\n", "Invalid data on line 1 in f: \"1e+\" is not a number", 0},
		{"1.2.3\n", "Invalid data on line 1 in f: \"1.2.3\" is not a number", 0},
		{"1\r5\n", "Invalid data on line 1 in f: \"1?5\" is not a number", 0},
		{"1\0\n", "Invalid data on line 1 in f: \"1?\" is not a number", 3},
		{"\0\n", "Invalid data on line 1 in f: \"?\" is not a number", 2},
		{"1,5\n",
			"Invalid data on line 1 in f: \"1,5\" is not a number (decimals follow a "
			"point; -d , cuts at commas)",
			0},
		{"nan\n", "Invalid data on line 1 in f: \"nan\" is not a finite number", 0},
		{"NaN(1)\n", "Invalid data on line 1 in f: \"NaN(1)\" is not a finite number", 0},
		{"1\n-inf\n", "Invalid data on line 2 in f: \"-inf\" is not a finite number", 0},
		{"1e400\n", "Invalid data on line 1 in f: \"1e400\" is not a finite number", 0},
		{"1e300\n",
			"Invalid data on line 1 in f: \"1e300\" is too large: the limit is 1e+150",
			0},
		{"0123456789012345678901234567890123456789x\n",
			"Invalid data on line 1 in f: "
			"\"0123456789012345678901234567890123456789...\" "
			"is not a number",
			0},
		{"", "Dataset f must contain at least 3 data points", 0},
		{"1\n2\n# 3\n", "Dataset f must contain at least 3 data points", 0},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(row); i++)
		for (size_t step = 1; step < 50; step += 7) {
			struct err e = ERR_INIT;
			struct dataset d;

			dataset_init(&d, "f", 1, " \t");
			assert_int_equal(
				parse(&d, row[i].text, row[i].n ? row[i].n : strlen(row[i].text),
					step, &e),
				-ERR_USAGE);
			assert_string_equal(e.msg, row[i].msg);
			dataset_release(&d);
		}
}

static void dataset_keeps_many_values_in_their_order(void **state)
{
	enum { N = 300000 };
	char *text = mem_alloc(N * 8);
	struct err e = ERR_INIT;
	struct dataset d;
	size_t len = 0;

	(void)state;
	for (int i = 0; i < N; i++)
		len += (size_t)snprintf(text + len, 8, "%d\n", i);
	dataset_init(&d, "f", 1, " ");
	assert_int_equal(parse(&d, text, len, 4096, &e), 0);
	assert_int_equal(d.n, N);
	for (int i = 0; i < N; i++)
		assert_true(d.v[i] == i);
	dataset_release(&d);
	dataset_release(&d);
	free(text);
}

static void dataset_holds_more_and_less_than_was_expected(void **state)
{
	enum { EXPECTED = 8 << 20, PIECES = 10, PIECE = 1 << 20 };
	char *piece = mem_alloc(PIECE);
	struct err e = ERR_INIT;
	struct dataset d;

	(void)state;
	for (int i = 0; i < PIECE; i++)
		piece[i] = i % 2 ? '\n' : (char)('0' + i / 2 % 10);
	for (int pieces = 1; pieces <= PIECES; pieces += PIECES - 1) {
		dataset_init(&d, "f", 1, " ");
		dataset_expect(&d, EXPECTED);
		for (int i = 0; i < pieces; i++)
			assert_int_equal(dataset_feed(&d, piece, PIECE, &e), 0);
		assert_int_equal(dataset_finish(&d, &e), 0);
		assert_int_equal(d.n, (size_t)pieces * PIECE / 2);
		for (size_t i = 0; i < d.n; i++)
			assert_true(d.v[i] == (double)(i % (PIECE / 2) % 10));
		dataset_release(&d);
	}
	/* More than there can be: it grows as it fills. */
	dataset_init(&d, "f", 1, " ");
	dataset_expect(&d, SIZE_MAX / 2);
	assert_int_equal(parse(&d, "1\n2\n3\n", 6, 6, &e), 0);
	dataset_release(&d);
	free(piece);
}

static void dataset_takes_a_long_line_and_refuses_an_endless_one(void **state)
{
	enum { PIECE = 1 << 20 };
	char *piece = mem_alloc(PIECE);
	struct err e = ERR_INIT;
	struct dataset d;
	int rc = 0;

	(void)state;
	memset(piece, ' ', PIECE);
	dataset_init(&d, "f", 1, " ");
	assert_int_equal(dataset_feed(&d, "1\n2\n", 4, &e), 0);
	for (int i = 0; i < 10; i++)
		assert_int_equal(dataset_feed(&d, piece, PIECE, &e), 0);
	assert_int_equal(dataset_feed(&d, "3 ", 2, &e), 0);
	assert_int_equal(dataset_feed(&d, piece, PIECE, &e), 0);
	assert_int_equal(dataset_finish(&d, &e), 0);
	assert_true(d.n == 3 && d.v[2] == 3);
	dataset_release(&d);

	dataset_init(&d, "f", 1, " ");
	for (unsigned i = 0; i <= DATASET_LINE_MAX / PIECE && !rc; i++)
		rc = dataset_feed(&d, piece, PIECE, &e);
	assert_int_equal(rc, -ERR_USAGE);
	assert_string_equal(e.msg, "line 1 in f is longer than 67108864 bytes");
	dataset_release(&d);
	free(piece);
}

static void dataset_file_says_what_it_cannot_read(void **state)
{
	char *dir = unit_tmpdir(), *file = mem_printf("%s/f", dir), *want;
	struct err e = ERR_INIT;
	struct dataset d;

	(void)state;
	dataset_init(&d, file, 1, " ");
	assert_int_equal(dataset_file_read(&d, file, &e), -ERR_USAGE);
	want = mem_printf("Cannot open %s: No such file or directory", file);
	assert_string_equal(e.msg, want);
	free(want);
	dataset_release(&d);

	dataset_init(&d, dir, 1, " ");
	assert_int_equal(dataset_file_read(&d, dir, &e), -ERR_USAGE);
	want = mem_printf("Cannot read %s: Is a directory", dir);
	assert_string_equal(e.msg, want);
	free(want);
	dataset_release(&d);

	assert_int_equal(path_write(file, "1\n2\n4", 5, 0600, &e), 0);
	dataset_init(&d, "f", 1, " ");
	assert_int_equal(dataset_file_read(&d, file, &e), 0);
	assert_true(d.n == 3 && d.v[2] == 4);
	dataset_release(&d);
	free(file);
	unit_rmdir(dir);
}

static void expect_strtod(const char *text, bool sure)
{
	char line[128];
	double fast = 7, slow = strtod(text, NULL);
	const char *end;

	snprintf(line, sizeof(line), "%s\n", text);
	end = decimal_fast(line, &fast);
	if (sure && end != line + strlen(text))
		fail_msg("%s: not read", text);
	if (end == line + strlen(text) && memcmp(&fast, &slow, sizeof(fast)) != 0)
		fail_msg("%s: %.17g is not %.17g", text, fast, slow);
	if (!end)
		assert_true(fast == 7);
}

static void decimal_fast_is_strtod_to_the_last_bit(void **state)
{
	static const char *const sure[] = {"0", "-0", "+1", "007", "1.", ".5", "-.5", "0.1", "1e0",
		"1E5", "1e-5", "123456.789e+3", "9007199254740992", "9007199254740993e0",
		"0.12345678901234567", "1e22", "-351313280", "3.5131328e+08",
		"1234567890123456789"};
	/* Half way between two doubles, and beside it; powers past the exact ones; too long. */
	static const char *const other[] = {"9007199254740993", "9007199254740993.0001",
		"9007199254740992.9999", "18014398509481986", "1e23", "8.5e22", "1e-27", "1e-28",
		"9999999999999999999", "99999999999999999999", "9999999999999999999e27",
		"0.00000000000000000000000000001", "5e-324", "1.7976931348623157e308", "1e999",
		"1e99999", "4503599627370496.5", "4503599627370497.5", "1.00000000000000011102"};
	static const char *const none[] = {
		"", "-", ".", "e5", "1e", "1e+", "x", "nan", "--1", "+-1", " 1"};
	uint64_t seed = 1;
	double v = 7;

	(void)state;
	for (size_t i = 0; i < COUNT(sure); i++)
		expect_strtod(sure[i], strcmp(sure[i], "9007199254740993e0") != 0);
	for (size_t i = 0; i < COUNT(other); i++)
		expect_strtod(other[i], false);
	for (size_t i = 0; i < COUNT(none); i++) {
		char line[16];

		snprintf(line, sizeof(line), "%s\n", none[i]);
		assert_null(decimal_fast(line, &v));
	}
	for (int i = 0; i < 300000; i++) {
		char text[64];
		unsigned digits;
		double x;

		seed = seed * 6364136223846793005u + 1442695040888963407u;
		digits = (unsigned)(seed >> 40) % 20;
		x = (double)(int64_t)(seed >> 1) / pow(10, (double)(seed % 40));
		snprintf(text, sizeof(text), i % 2 ? "%.*e" : "%.*g", (int)digits, x);
		expect_strtod(text, false);
	}
}

static void decimal_token_takes_the_whole_or_nothing(void **state)
{
	static const struct {
		const char *text;
		int rc;
		double v;
	} row[] = {
		{"1.5", 0, 1.5},
		{" 1", 0, 1},
		{"0x10", 0, 16},
		{"1 ", -1, 0},
		{"1x", -1, 0},
		{"", -1, 0},
		{" ", -1, 0},
		{"0."
		 "0000000000000000000000000000000000000000000000000000000000000000000000000000001",
			0, 1e-79},
	};
	double v = 0;

	(void)state;
	for (size_t i = 0; i < COUNT(row); i++) {
		assert_int_equal(decimal_token(row[i].text, strlen(row[i].text), &v), row[i].rc);
		if (!row[i].rc)
			assert_true(v == row[i].v);
	}
	/* What follows the token is none of it. */
	assert_int_equal(decimal_token("125", 2, &v), 0);
	assert_true(v == 12);
	assert_int_equal(decimal_token("1\0", 2, &v), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(dataset_reads_what_ministat_reads),
		cmocka_unit_test(dataset_names_the_line_that_is_no_number),
		cmocka_unit_test(dataset_keeps_many_values_in_their_order),
		cmocka_unit_test(dataset_holds_more_and_less_than_was_expected),
		cmocka_unit_test(dataset_takes_a_long_line_and_refuses_an_endless_one),
		cmocka_unit_test(dataset_file_says_what_it_cannot_read),
		cmocka_unit_test(decimal_fast_is_strtod_to_the_last_bit),
		cmocka_unit_test(decimal_token_takes_the_whole_or_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
