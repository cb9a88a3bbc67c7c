/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/unit.h"

#include "harness/telnet.h"

enum { OUT_MAX = 4096 };

/* What a peer says, as text: \xff and so on, and its length without the NUL. */
#define SAYS(s) (s), sizeof(s) - 1

static const char agreed[] = "\xff\xfd\x00\xff\xfb\x00\xff\xfd\x03\xff\xfb\x03";
static const char agreed_line[] = "\xff\xfd\x00\xff\xfb\x00\xff\xfd\x03\xff\xfb\x03\xff\xfd\x2c";

static void begin(struct telnet *t, struct buf *out, bool line)
{
	telnet_init(t, line, 115200, TELNET_FLOW_NONE);
	buf_init(out, OUT_MAX);
	telnet_start(t, out);
	buf_clear(out);
}

/* Feed a copy; what is data is left in got. */
static size_t feed(struct telnet *t, const char *s, size_t n, struct buf *out, char *got)
{
	memcpy(got, s, n);
	return telnet_feed(t, got, n, out);
}

static void holds(const struct buf *out, const char *want, size_t n)
{
	assert_int_equal(out->len, n);
	assert_memory_equal(out->data, want, n);
}

static void it_asks_for_binary_and_no_go_ahead_both_ways(void **state)
{
	struct telnet t;
	struct buf out;

	(void)state;
	buf_init(&out, OUT_MAX);
	telnet_init(&t, false, 0, TELNET_FLOW_NONE);
	telnet_start(&t, &out);
	holds(&out, SAYS("\xff\xfb\x00\xff\xfd\x00\xff\xfb\x03\xff\xfd\x03"));
	buf_clear(&out);
	telnet_init(&t, true, 9600, TELNET_FLOW_NONE);
	telnet_start(&t, &out);
	holds(&out, SAYS("\xff\xfb\x00\xff\xfd\x00\xff\xfb\x03\xff\xfd\x03\xff\xfb\x2c"));
	buf_release(&out);
}

static void it_is_ready_once_all_is_answered_and_answers_no_answer(void **state)
{
	char got[64];
	struct telnet t;
	struct buf out;

	(void)state;
	begin(&t, &out, false);
	assert_non_null(strstr(telnet_why(&t), "not in telnet"));
	assert_int_equal(feed(&t, agreed, sizeof(agreed) - 2, &out, got), 0);
	assert_int_equal(telnet_state(&t), TELNET_ASKING);
	assert_non_null(strstr(telnet_why(&t), "does not answer to all"));
	assert_int_equal(feed(&t, SAYS("\x03xy"), &out, got), 2);
	assert_memory_equal(got, "xy", 2);
	assert_int_equal(telnet_state(&t), TELNET_READY);
	holds(&out, SAYS(""));
	buf_release(&out);
}

static void what_it_does_not_want_is_refused(void **state)
{
	static const struct {
		const char *says;
		size_t n;
		const char *answer;
		size_t len;
	} cases[] = {
		{SAYS("\xff\xfb\x01"), SAYS("\xff\xfe\x01")}, /* WILL ECHO: DONT */
		{SAYS("\xff\xfd\x01"), SAYS("\xff\xfc\x01")}, /* DO ECHO: WONT */
		{SAYS("\xff\xfd\x18"), SAYS("\xff\xfc\x18")}, /* DO TERMINAL-TYPE: WONT */
		{SAYS("\xff\xfb\xff"), SAYS("\xff\xfe\xff")}, /* an option 255 */
		{SAYS("\xff\xfd\x2c"), SAYS("\xff\xfc\x2c")}, /* DO COM-PORT, on plain telnet */
		{SAYS("\xff\xfe\x18"), SAYS("")},	      /* DONT what we never had */
		{SAYS("\xff\xfc\x01"), SAYS("")},
		{SAYS("\xff\xf6"), SAYS("\xff\xf1")}, /* AYT: NOP shows on no screen */
		{SAYS("\xff\xf1"), SAYS("")},	      /* NOP */
		{SAYS("\xff\xfa\x18\x01\xff\xf0"), SAYS("")},
		{SAYS("\xff\xfe\x00"), SAYS("\xff\xfc\x00")}, /* DONT BINARY after DO */
		{SAYS("\xff\xfd\x00"), SAYS("\xff\xfb\x00")}, /* and DO again */
	};
	char got[64];
	struct telnet t;
	struct buf out;

	(void)state;
	begin(&t, &out, false);
	feed(&t, agreed, sizeof(agreed) - 1, &out, got);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		buf_clear(&out);
		assert_int_equal(feed(&t, cases[i].says, cases[i].n, &out, got), 0);
		holds(&out, cases[i].answer, cases[i].len);
	}
	assert_int_equal(telnet_state(&t), TELNET_READY);
	buf_release(&out);
}

static void commands_are_taken_out_of_the_data_wherever_it_is_cut(void **state)
{
	static const char says[] = "a\xff\xff"
				   "b\xff\xf1"
				   "c\xff\xfb\x01"
				   "d\xff\xfa\x2c\x6b\xff\xff\x01\xff\xf0"
				   "e\r\0f\r\n";
	char got[64];

	(void)state;
	for (size_t cut = 0; cut < sizeof(says); cut++) {
		struct telnet t;
		struct buf out;
		size_t n;

		begin(&t, &out, false);
		n = feed(&t, says, cut, &out, got);
		n += feed(&t, says + cut, sizeof(says) - 1 - cut, &out, got + n);
		assert_int_equal(n, 10);
		/* CR NUL is a CR before binary is agreed. */
		assert_memory_equal(got,
			"a\xff"
			"bcde\rf\r\n",
			10);
		holds(&out, SAYS("\xff\xfe\x01"));
		buf_release(&out);
	}
}

static void binary_passes_every_byte_both_ways(void **state)
{
	char all[256], got[1024];
	struct telnet t;
	struct buf out;

	(void)state;
	for (int i = 0; i < 256; i++)
		all[i] = (char)i;
	begin(&t, &out, false);
	telnet_escape(&t, "\r\r\n\xff", 4, &out);
	holds(&out, SAYS("\r\0\r\n\xff\xff"));
	buf_clear(&out);
	feed(&t, agreed, sizeof(agreed) - 1, &out, got);
	telnet_escape(&t, all, sizeof(all), &out);
	assert_int_equal(out.len, 257);
	assert_int_equal(feed(&t, out.data, out.len, &out, got), 256);
	assert_memory_equal(got, all, 256);
	/* Not a CR of the network's virtual terminal any more. */
	assert_int_equal(feed(&t, SAYS("\r\0"), &out, got), 2);
	buf_release(&out);
}

static void the_line_is_set_and_each_answer_compared(void **state)
{
	static const char answers[] = "\xff\xfa\x2c\x65\x00\x01\xc2\x00\xff\xf0"
				      "\xff\xfa\x2c\x66\x08\xff\xf0"
				      "\xff\xfa\x2c\x67\x01\xff\xf0"
				      "\xff\xfa\x2c\x68\x01\xff\xf0"
				      "\xff\xfa\x2c\x69\x08\xff\xf0" /* DTR: another matter */
				      "\xff\xfa\x2c\x6b\x20\xff\xf0" /* modem state */
				      "\xff\xfa\x2c\x69\x01\xff\xf0";
	char got[256];
	struct telnet t;
	struct buf out;

	(void)state;
	begin(&t, &out, true);
	assert_int_equal(feed(&t, agreed_line, sizeof(agreed_line) - 1, &out, got), 0);
	holds(&out, SAYS("\xff\xfa\x2c\x01\x00\x01\xc2\x00\xff\xf0\xff\xfa\x2c\x02\x08\xff\xf0"
			 "\xff\xfa\x2c\x03\x01\xff\xf0\xff\xfa\x2c\x04\x01\xff\xf0"
			 "\xff\xfa\x2c\x05\x01\xff\xf0"));
	assert_int_equal(telnet_state(&t), TELNET_ASKING);
	assert_non_null(strstr(telnet_why(&t), "settings of the line"));
	assert_int_equal(feed(&t, answers, sizeof(answers) - 2, &out, got), 0);
	assert_int_equal(telnet_state(&t), TELNET_ASKING);
	assert_int_equal(feed(&t, SAYS("\xf0"), &out, got), 0);
	assert_int_equal(telnet_state(&t), TELNET_READY);
	/* Somebody else sets it to 9600: what comes is not worth reading. */
	feed(&t, SAYS("\xff\xfa\x2c\x65\x00\x00\x25\x80\xff\xf0"), &out, got);
	assert_int_equal(telnet_state(&t), TELNET_FAILED);
	assert_non_null(strstr(telnet_why(&t), "asked for 115200 baud and has 9600"));
	buf_release(&out);
}

static void a_speed_that_holds_255_is_escaped(void **state)
{
	char got[64];
	struct telnet t;
	struct buf out;

	(void)state;
	buf_init(&out, OUT_MAX);
	telnet_init(&t, true, 0x1ff, TELNET_FLOW_HARDWARE);
	telnet_start(&t, &out);
	buf_clear(&out);
	feed(&t, SAYS("\xff\xfd\x2c"), &out, got);
	assert_memory_equal(out.data, "\xff\xfa\x2c\x01\x00\x00\x01\xff\xff\xff\xf0", 11);
	assert_memory_equal(out.data + out.len - 3, "\x03\xff\xf0", 3);
	feed(&t, SAYS("\xff\xfa\x2c\x65\x00\x00\x01\xff\xff\xff\xf0"), &out, got);
	assert_int_equal(telnet_state(&t), TELNET_ASKING);
	assert_true(t.answered[0]);
	buf_release(&out);
}

static void a_peer_without_rfc_2217_is_told(void **state)
{
	char got[64];
	struct telnet t;
	struct buf out;

	(void)state;
	begin(&t, &out, true);
	feed(&t, agreed, sizeof(agreed) - 1, &out, got);
	assert_non_null(strstr(telnet_why(&t), "does not say whether"));
	feed(&t, SAYS("\xff\xfe\x2c"), &out, got);
	assert_int_equal(telnet_state(&t), TELNET_FAILED);
	assert_non_null(strstr(telnet_why(&t), "write driver = telnet"));
	buf_release(&out);
}

static void a_subnegotiation_without_end_has_a_limit(void **state)
{
	char big[1000], got[1000];
	struct telnet t;
	struct buf out;

	(void)state;
	begin(&t, &out, true);
	memset(big, 'x', sizeof(big));
	feed(&t, SAYS("\xff\xfa\x2c\x65"), &out, got);
	assert_int_equal(feed(&t, big, sizeof(big), &out, got), 0);
	assert_int_equal(feed(&t, SAYS("\xff\xf0ok"), &out, got), 2);
	assert_int_equal(telnet_state(&t), TELNET_ASKING);
	/* Its SE was forgotten: the next command ends it. */
	assert_int_equal(feed(&t, SAYS("\xff\xfa\x2c\xff\xfb\x01ok"), &out, got), 2);
	holds(&out, SAYS("\xff\xfe\x01"));
	buf_release(&out);
}

static void only_a_peer_that_answers_marks_is_judged_by_them(void **state)
{
	char got[64];
	struct telnet t;
	struct buf out;

	(void)state;
	begin(&t, &out, false);
	for (int i = 0; i < 5; i++)
		telnet_ping(&t, &out);
	assert_memory_equal(out.data, "\xff\xfd\x06", 3);
	assert_int_equal(telnet_unanswered(&t), 0);
	feed(&t, SAYS("\xff\xfb\x06"), &out, got);
	assert_int_equal(telnet_unanswered(&t), 0);
	feed(&t, SAYS("\xff\xfc\x06"), &out, got);
	assert_int_equal(telnet_unanswered(&t), 3);
	for (int i = 0; i < 9; i++)
		feed(&t, SAYS("\xff\xfc\x06"), &out, got);
	assert_int_equal(telnet_unanswered(&t), 0);
	buf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_asks_for_binary_and_no_go_ahead_both_ways),
		cmocka_unit_test(it_is_ready_once_all_is_answered_and_answers_no_answer),
		cmocka_unit_test(what_it_does_not_want_is_refused),
		cmocka_unit_test(commands_are_taken_out_of_the_data_wherever_it_is_cut),
		cmocka_unit_test(binary_passes_every_byte_both_ways),
		cmocka_unit_test(the_line_is_set_and_each_answer_compared),
		cmocka_unit_test(a_speed_that_holds_255_is_escaped),
		cmocka_unit_test(a_peer_without_rfc_2217_is_told),
		cmocka_unit_test(a_subnegotiation_without_end_has_a_limit),
		cmocka_unit_test(only_a_peer_that_answers_marks_is_judged_by_them),
	};

	return cmocka_run_group_tests_name("telnet", tests, NULL, NULL);
}
